"""The finding about neighborhoods: how many nodes share one, with labels if the guarantee compares them.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008. Labels are the released
quasi-identifiers of the nodes in every table of the release.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from verifier.evidence.evidence import Evidence
from verifier.evidence.models import Whole
from verifier.readers.columns import NODE, attributes_of, quasi_identifiers
from verifier.readers.networks import node_numbers
from verifier.structures.neighborhoods import smallest_group
from verifier.structures.structure import graphs_of, k_flaw, whole_from
from verifier.verdict.verdict import Finding

_ASSUMES = {
    "ignored": "the attacker knows how the nodes around a node are joined, within the radius, and no attribute of them",
    "compared": "the attacker knows how the nodes around a node are joined, within the radius, and their "
    "quasi-identifiers",
}
_UNDECIDED = "it could not be decided within the limit"


def find_k_neighborhood(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The fewest nodes whose balls are isomorphic."""
    radius, labels = guarantee.get("radius", 1), guarantee.get("labels", "ignored")
    required = {"k": guarantee.get("k"), "radius": radius, "labels": labels}
    flaw = evidence.graph_flaw or k_flaw(required["k"])
    if not flaw and evidence.directed:
        flaw = "it is defined for undirected graphs"
    if not flaw and not whole_from(radius, 1):
        flaw = "the radius is not a whole number above 0"
    if not flaw and labels not in _ASSUMES:
        flaw = "labels are neither ignored nor compared"
    labelings: list[Whole | None] = [None]
    if not flaw and labels == "compared":
        labelings, flaw = _labelings(evidence)
    achieved: dict[str, Any] = {}
    if not flaw:
        pictures = [(ends, labeling) for ends in graphs_of(evidence) for labeling in labelings]
        reached = [smallest_group(evidence.n, *ends, radius, labeling) for ends, labeling in pictures]
        achieved = {"k": min(smallest for smallest, _ in reached), "radius": radius}
        if achieved["k"] < guarantee["k"]:
            settled = any(exactly and smallest < guarantee["k"] for smallest, exactly in reached)
            flaw = "fewer than k nodes share a neighborhood" if settled else _UNDECIDED
    assumes = _ASSUMES.get(str(labels), "")
    return Finding("k_neighborhood_anonymity", required, achieved, not flaw, "bytes", assumes, flaw)


def _labelings(evidence: Evidence) -> tuple[list[Whole | None], str]:
    """The label of every node in each node table, as numbers in order of first occurrence; and a flaw."""
    roles = {settings.get("role") for settings in attributes_of(evidence.policy).values()}
    if "insensitive" in roles:
        return [], "an attribute of the nodes is released that is neither a label nor sensitive"
    if not quasi_identifiers(evidence.policy):
        return [None], ""
    if evidence.flaw or not evidence.tables:
        return [], evidence.flaw or "there is no table of the nodes' labels"
    found: dict[bytes, Whole] = {}
    for cells, classes in zip(evidence.tables, evidence.classes, strict=True):
        if classes is None or NODE not in cells.names:
            return [], "a quasi-identifier is missing"
        label = np.empty(evidence.n, np.int64)
        label[node_numbers(cells.column(NODE))] = classes.of_row
        _, first, place = np.unique(label, return_index=True, return_inverse=True)
        label = np.argsort(np.argsort(first))[place].astype(np.int64)
        found[label.tobytes()] = label
    return list(found.values()), ""
