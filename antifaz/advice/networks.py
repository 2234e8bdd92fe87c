"""Advice for graphs and temporal graphs: degrees that k nodes share, and the nodes' attributes as records."""

from typing import Any

from antifaz.advice.columns import advise_columns, first_quasi_identifier
from antifaz.advice.roles import Advised
from antifaz.advice.settings import settings_of
from antifaz.advice.tables import column_advice
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.kinds.temporal import TemporalDataset
from antifaz.tables.table import Role

CANDIDATES = (2, 3, 5, 10, 20)
_RICHER = (
    "This does not protect against attackers who know more than degrees: for neighborhoods choose k_neighborhood, for "
    "every kind of structural knowledge k_automorphism or neighborhood_twins, for single links edge_local_dp."
)


def advise_graph(dataset: GraphDataset) -> dict[str, Any]:
    """Advise that k nodes share every degree, with the fewest edits."""
    nodes = dataset.graph.n
    return _advice(dataset, nodes, "k_degree_anonymity", "k_degree", [_RICHER])


def advise_temporal(dataset: TemporalDataset) -> dict[str, Any]:
    """Advise that k nodes share every degree in every snapshot."""
    warning = (
        "This does not protect against attackers who follow a node over time: degree_trajectory_anonymity guarantees "
        "k nodes with the same degrees in all snapshots, at a higher cost."
    )
    return _advice(dataset, dataset.snapshots.n, "temporal_k_degree_anonymity", "temporal_k_degree", [warning])


def suitable_k(nodes: int) -> int:
    """A k that a graph of this size can afford."""
    return 2 if nodes < 100 else 3 if nodes < 500 else 5 if nodes < 50_000 else 10


def _advice(dataset: Dataset, nodes: int, model: str, method: str, warnings: list[str]) -> dict[str, Any]:
    advised = _attributes(dataset)
    k = suitable_k(nodes)
    guarantees: list[dict[str, Any]] = [{"model": model, "k": k}]
    if any(each.role is Role.QUASI_IDENTIFIER for each in advised):
        guarantees.append({"model": "k_anonymity", "k": k})
    document: dict[str, Any] = {"kind": dataset.kind, "guarantees": guarantees, "method": {"name": method}}
    if advised:
        document["attributes"] = {each.facts.name: settings_of(each) for each in advised}
    if nodes < 2 * k:
        warnings = [*warnings, "The graph is too small for any guarantee on degrees."]
    return {
        "policy": document,
        "columns": [column_advice(each) for each in advised],
        "privacy_unit": None,
        "choices": [],
        "warnings": warnings,
    }


def _attributes(dataset: Dataset) -> list[Advised]:
    if not dataset.columns or dataset.n == 0:
        return []
    advised = advise_columns(dataset)
    released = [each for each in advised if each.role is not Role.IDENTIFIER]
    return first_quasi_identifier(advised) if len(released) > 1 else advised
