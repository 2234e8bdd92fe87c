"""Evidence: what the verifier needs in addition to the released bytes and the policy.

Some guarantees are about more than the bytes show: the people of a population, a hierarchy that the policy only refers
to, the mechanism that drew the values. Evidence is passed in memory for one verification, and findings that rest on it
are marked as such.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.kinds.kind import Protected
from antifaz.kinds.network import CheckedNetwork
from antifaz.kinds.records import CheckedTable
from antifaz.policy.model import Policy, drawn_by_mechanism, promises_mechanism
from antifaz.tables.table import Population, ProtectedTable, Role, Table
from antifaz.temporal.snapshots import Snapshots
from publication.costs import Cost, public_parameters


def of_mechanism(protected: Protected) -> dict[str, Any]:
    """The matrices by which sensitive columns were randomized."""
    return {"mechanism": public_parameters(protected).get("randomized_response", {})}


def pair_evidence(mechanism: dict[str, Any], cost: Cost | None) -> dict[str, Any]:
    """The probabilities with which pairs were reported, and the charge in the ledger; nothing of the original."""
    ledger = {"charged": None, "budget": None} if cost is None else vars(cost)
    return {**mechanism, **ledger}


def of_records(checked: CheckedTable) -> dict[str, Any]:
    """Hierarchies of sensitive columns, and the populations that records are judged against."""
    hierarchies = _of_sensitive(checked.table)
    return {"hierarchies": hierarchies} | _of_populations(checked.table, hierarchies)


def of_originals(table: Table, released: ProtectedTable, policy: Policy, follows: bool = True) -> dict[str, Any]:
    """The original value of every released cell, or, if records are new, of every original one; nothing of what a
    guarantee by mechanism draws, which may not be compared."""
    drawn = drawn_by_mechanism(policy)
    if drawn - {"sensitive"}:
        return {}
    rows = released.records if follows else np.arange(table.n)
    hidden = {Role.IDENTIFIER} | ({Role.SENSITIVE} if drawn else set())
    attributes = [attribute for attribute in table.attributes if attribute.role not in hidden]
    columns = {
        attribute.name: {
            "codes": attribute.column.codes[rows],
            "texts": attribute.column.values.tolist(),
            "type": attribute.column.type.value,
        }
        for attribute in attributes
    }
    paths = {a.name: a.generalization.paths() for a in attributes if a.generalization is not None}
    return {"original_records": {"follows": follows, "columns": columns, "paths": paths}}


def of_nodes(checked: CheckedNetwork, nodes: ProtectedTable | None, policy: Policy) -> dict[str, Any]:
    """The original attributes of the released nodes, in the order of their new numbers."""
    if checked.nodes is None or nodes is None or (nodes.records < 0).any():
        return {}
    return of_originals(checked.nodes.table, nodes, policy)


def of_edges(graph: Graph | Snapshots, origin: NDArray[np.int64], policy: Policy) -> dict[str, Any]:
    """The original's edges and the original node of every released one; empty with a guarantee by mechanism."""
    if promises_mechanism(policy):
        return {}
    times = {"times": graph.times} if isinstance(graph, Snapshots) else {}
    edges = {"n": graph.n, "origin": origin, "sources": graph.sources, "targets": graph.targets}
    return {"original_edges": edges | times}


def _of_sensitive(table: Table) -> dict[str, list[list[str]]]:
    """The paths of the values of sensitive columns in their hierarchies."""
    return {a.name: a.generalization.paths() for a in table.having(Role.SENSITIVE) if a.generalization is not None}


def _of_populations(table: Table, known: dict[str, list[list[str]]]) -> dict[str, Any]:
    """The people of every population by their quasi-identifiers, and the paths of their values in hierarchies."""
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
