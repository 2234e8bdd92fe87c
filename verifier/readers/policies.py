"""Faults of the policy itself: the verifier checks a release against the words of the policy, so a misspelled word
must not pass as one that requires nothing."""

from collections.abc import Mapping
from typing import Any

from verifier.readers.columns import quasi_identifiers
from verifier.readers.output import dialect_of
from verifier.verdict.verdict import Missing

ROLES = ("identifier", "quasi_identifier", "sensitive", "insensitive")
KINDS = ("table", "graph", "temporal_graph")
MEMBERS = {"kind", "attributes", "guarantees", "gate", "waivers", "report", "method", "formats"} | {
    "privacy_unit",
    "csv",
    "labels",
    "node_method",
    "edge_attributes",
}
SETTINGS = {"role", "pseudonym", "type", "recoding", "missing", "order", "hierarchy"}
OVER_CLASSES = (
    "k_anonymity",
    "l_diversity",
    "t_closeness",
    "alpha_k",
    "beta_likeness",
    "k_map",
    "delta_presence",
)
"""Models about the classes of a table: without quasi-identifiers there is only one class, and they promise nothing."""
RANGES = ("[20, 29]", "20–29")
_UNKNOWN_KIND = "the verifier does not know this kind of dataset"


def policy_faults(policy: Mapping[str, Any]) -> list[str]:
    """Faults of the policy; they repeat names of attributes, but nothing else from the policy."""
    if "policy" in policy and "software" in policy:
        return [Missing("a report was given instead of the policy; its member `policy` may be the policy")]
    if policy.get("kind") not in KINDS:
        return [_UNKNOWN_KIND]
    faults = ["the policy has a member that policies do not have"] if set(policy) - MEMBERS else []
    if dialect_of(policy) is None or not _knows_labels(policy.get("labels") or {}):
        faults.append("the policy has an output option that does not exist")
    attributes, guarantees = _given(policy, "attributes", {}), _given(policy, "guarantees", [])
    if not isinstance(attributes, Mapping) or not all(isinstance(held, Mapping) for held in attributes.values()):
        return [*faults, "the attributes of the policy are not objects"]
    if not isinstance(guarantees, list | tuple) or not all(isinstance(asked, Mapping) for asked in guarantees):
        return [*faults, "the guarantees of the policy are not objects"]
    for name, settings in attributes.items():
        if settings.get("role") not in ROLES:
            faults.append(f"the policy gives the attribute '{name}' a role that does not exist")
        if set(settings) - SETTINGS:
            faults.append(f"the policy gives the attribute '{name}' a setting that does not exist")
    return faults


def _given(policy: Mapping[str, Any], name: str, nothing: Any) -> Any:
    """A member of the policy. Only null means nothing: an empty text in its place is a fault."""
    found = policy.get(name)
    return nothing if found is None else found


def _knows_labels(stated: Any) -> bool:
    known = isinstance(stated, Mapping) and not set(stated) - {"ranges"}
    return known and stated.get("ranges", RANGES[0]) in RANGES


def lacks_classes(model: str, policy: Mapping[str, Any]) -> bool:
    """Whether a guarantee is about classes although the policy names no quasi-identifier."""
    return model in OVER_CLASSES and not quasi_identifiers(policy)
