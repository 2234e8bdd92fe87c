"""Judges: the check of one guarantee of the policy against the content of the release.

The finding reports the worst of all artifacts. A model without a judge never holds.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from verifier.evidence.evidence import Evidence
from verifier.mechanisms.degree_noise import find_edge_differential_privacy
from verifier.mechanisms.marginals import find_differential_privacy
from verifier.mechanisms.pairs import find_edge_local_dp
from verifier.people.classes import find_k_anonymity, find_l_diversity
from verifier.people.populations import find_delta_presence, find_k_map
from verifier.people.sensitive import (
    find_alpha_k,
    find_beta_likeness,
    find_local_differential_privacy,
    find_t_closeness,
)
from verifier.readers.policies import lacks_classes
from verifier.structures.degrees import find_k_degree
from verifier.structures.generalized import find_supernode_size
from verifier.structures.neighborhood_labels import find_k_neighborhood
from verifier.structures.structure import find_k_automorphism, find_k_candidate, find_twins
from verifier.structures.subsets import find_kl
from verifier.structures.uncertain import find_k_eps_obfuscation
from verifier.verdict.verdict import Finding
from verifier.verdict.watch import look


def find(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """Verify one guarantee; a model without a verifier never holds."""
    look()
    model = str(guarantee.get("model"))
    judge = _JUDGES.get(model)
    if judge is not None and not lacks_classes(model, evidence.policy):
        return judge(guarantee, evidence)
    required = {name: value for name, value in guarantee.items() if name != "model"}
    flaw = "no verifier" if judge is None else "the policy names no quasi-identifier"
    return Finding(model, required, {}, False, "bytes", "", flaw)


def unfounded(policy: Mapping[str, Any], flaw: str) -> Iterator[Finding]:
    """The findings if the policy itself is invalid: none of its guarantees holds."""
    guarantees = policy.get("guarantees")
    for asked in guarantees if isinstance(guarantees, list | tuple) else ():
        settings = dict(asked) if isinstance(asked, Mapping) else {}
        model = str(settings.pop("model", None))
        yield Finding(model, settings, {}, False, "bytes", "", flaw)


_JUDGES: dict[str, Callable[[Mapping[str, Any], Evidence], Finding]] = {
    "k_anonymity": find_k_anonymity,
    "l_diversity": find_l_diversity,
    "t_closeness": find_t_closeness,
    "alpha_k": find_alpha_k,
    "beta_likeness": find_beta_likeness,
    "k_map": find_k_map,
    "delta_presence": find_delta_presence,
    "local_differential_privacy": find_local_differential_privacy,
    "differential_privacy": find_differential_privacy,
    "k_degree_anonymity": find_k_degree,
    "supernode_size": find_supernode_size,
    "k_eps_obfuscation": find_k_eps_obfuscation,
    "edge_local_dp": find_edge_local_dp,
    "edge_differential_privacy": find_edge_differential_privacy,
    "k_candidate_anonymity": find_k_candidate,
    "neighborhood_twins": find_twins,
    "k_automorphism": find_k_automorphism,
    "kl_anonymity": find_kl,
    "k_neighborhood_anonymity": find_k_neighborhood,
}
