"""Evidence: what the verifier must know beside the released bytes and the policy.

Some guarantees speak of more than the bytes show: of the people of a population, of a hierarchy that the policy does
not write out, of the mechanism that drew the values. It is handed over in memory for the time of one verification,
and what is found with its help is marked as such.
"""

from typing import Any

import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.protect import Checked, Protected
from antifaz.tables.table import Population, ProtectedTable, Role, Table
from workers.report import Cost, public_parameters


def sealed_evidence(checked: Checked, protected: Protected, cost: Cost | None = None) -> dict[str, Any]:
    """The sealed map of one verification; see `verifier.verify`."""
    parameters = public_parameters(protected)
    evidence: dict[str, Any] = {"mechanism": parameters.get("randomized_response", {})}
    if checked.graph is not None and "edge_local_dp" in parameters:
        evidence["pairs"] = _of_pairs(checked.graph, parameters["edge_local_dp"], cost)
    if checked.table is not None:
        evidence |= {"hierarchies": _of_sensitive(checked.table)}
        evidence |= _of_populations(checked.table, evidence["hierarchies"])
    if checked.table is not None and protected.table is not None and checked.graph is None:
        evidence |= _of_persons(checked.table, protected.table)
    if checked.graph is not None and protected.graph is not None:
        evidence |= _of_structure(checked.graph, protected.graph)
    return evidence


def _of_pairs(graph: Graph, mechanism: dict[str, Any], cost: Cost | None) -> dict[str, Any]:
    """The chances by which pairs were told, what they were told of, and what the ledger was charged for it."""
    ledger = {"charged": None, "budget": None} if cost is None else vars(cost)
    return {**mechanism, "edges": graph.m, **ledger}


def _of_structure(graph: Graph, released: ProtectedGraph) -> dict[str, Any]:
    """What the released bytes do not show of a graph: its symmetries as found, and what degrees its nodes had."""
    known: dict[str, Any] = {}
    if released.witness is not None:
        known["automorphisms"] = released.witness
    if released.members is None:
        known["degrees"] = np.where(released.origin >= 0, graph.degrees[released.origin], -1)
    return known


def _of_sensitive(table: Table) -> dict[str, list[list[str]]]:
    """Where the values of sensitive columns stand in their hierarchies."""
    return {a.name: a.generalization.paths() for a in table.having(Role.SENSITIVE) if a.generalization is not None}


def _of_persons(table: Table, released: ProtectedTable) -> dict[str, Any]:
    """Whose every released row is, and which value stands behind every pseudonym, as numbers."""
    named = [column.source for column in released.columns if column.role is Role.IDENTIFIER]
    known: dict[str, Any] = {
        "pseudonyms": {name: table.attribute(name).column.codes[released.records] for name in named}
    }
    return known if released.unit is None else {**known, "units": released.unit}


def _of_populations(table: Table, known: dict[str, list[list[str]]]) -> dict[str, Any]:
    """The people of every population by their quasi-identifiers, and where their values stand in hierarchies."""
    if not table.populations:
        return {}
    hierarchies = dict(known)
    for population in table.populations.values():
        for attribute in population.attributes:
            if attribute.generalization is not None:
                hierarchies.setdefault(attribute.name, []).extend(attribute.generalization.paths())
    people = {name: {"columns": _columns(population)} for name, population in table.populations.items()}
    return {"populations": people, "hierarchies": hierarchies}


def _columns(population: Population) -> dict[str, dict[str, Any]]:
    return {
        attribute.name: {
            "codes": attribute.column.codes,
            "values": [str(value) for value in attribute.column.values],
            "type": attribute.column.type.value,
        }
        for attribute in population.attributes
    }
