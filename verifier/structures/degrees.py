"""Findings about degrees: how many nodes share theirs."""

from collections.abc import Mapping
from typing import Any

from verifier.evidence.evidence import Evidence, k_flaw
from verifier.evidence.models import degree_groups
from verifier.verdict.verdict import Finding

_DEGREE_ASSUMES = "the attacker knows the degree of a node and nothing else about the graph"
_PAIR_ASSUMES = "the attacker knows the in- and out-degree of a node and nothing else about the graph"


def find_k_degree(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """Verify that every node shares its degree with k - 1 others."""
    required = {"k": guarantee.get("k")}
    flaw = evidence.graph_flaw or k_flaw(required["k"])
    achieved: dict[str, Any] = {}
    if not flaw:
        groups = [
            degree_groups(evidence.n, network.sources, network.targets, evidence.directed)[2]
            for network in evidence.networks
        ]
        achieved = {"k": min(int(sizes.min()) for sizes in groups)}
        flaw = "" if achieved["k"] >= guarantee["k"] else "a group of nodes with one degree is smaller than k"
    assumes = _PAIR_ASSUMES if evidence.directed else _DEGREE_ASSUMES
    return Finding("k_degree_anonymity", required, achieved, not flaw, "bytes", assumes, flaw)
