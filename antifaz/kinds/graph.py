"""Graphs as a kind: a structure and, if the nodes have attributes, a table of these.

The nodes have their own method and guarantees.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import Reason
from antifaz.graphs.analysis.kept import kept_structure
from antifaz.graphs.analysis.same import exposed_nodes, has_same_edges
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphGuarantee
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds.edges import checked_edges, original_keys, released_edges, written
from antifaz.kinds.kind import Dataset, Kind, Subject
from antifaz.kinds.network import (
    CheckedNetwork,
    NetworkDataset,
    ReleasedNetwork,
    node_subjects,
    refuse_exposed,
    refuse_same_edges,
    require_noise,
    with_nodes,
)
from antifaz.kinds.nodes import (
    by_new_names,
    node_attributes,
    protect_nodes,
    recode_together,
    released_records,
    reordered,
)
from antifaz.kinds.records import check_records, explain_records
from antifaz.policy.graphs import GraphPolicy
from antifaz.policy.model import promises_mechanism
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, Table
from antifaz.watch import Watch, within


@dataclass(frozen=True)
class GraphDataset(NetworkDataset):
    """A graph as it was read; its columns are those of its nodes."""

    kind: ClassVar[str] = "graph"
    graph: Graph = field(kw_only=True)

    def counts(self) -> dict[str, int]:
        """Nodes and edges."""
        return {"nodes": self.graph.n, "edges": self.graph.m}

    @property
    def directed(self) -> bool:
        """Whether its edges have a direction."""
        return self.graph.directed


@dataclass(frozen=True)
class CheckedGraph(CheckedNetwork):
    """A graph that fits its policy."""

    graph: Graph


@dataclass(frozen=True)
class ReleasedGraph(ReleasedNetwork):
    """A protected graph, its nodes renumbered."""

    graph: ProtectedGraph


class GraphKind(Kind[GraphDataset, GraphPolicy, CheckedGraph, ReleasedGraph]):
    """People and who is joined with whom."""

    name = "graph"
    policy = GraphPolicy

    def check(
        self,
        dataset: GraphDataset,
        policy: GraphPolicy,
        hierarchies: Mapping[str, Hierarchy],
        populations: Mapping[str, Dataset],
    ) -> CheckedGraph:
        """Check nodes like the records of a table; each guarantee checks the structure or the nodes."""
        nodes = check_records(dataset, policy, hierarchies, populations)
        for guarantee in policy.guarantees:
            if isinstance(guarantee, GraphGuarantee):
                guarantee.admit(dataset.graph)
            elif nodes is not None:
                guarantee.admit(nodes.table)
        graph = dataset.graph.with_attributes(node_attributes(None if nodes is None else nodes.table))
        policy.method.admit(graph)
        require_noise(policy, graph.n, graph.directed)
        edges = checked_edges(dataset.edges, dataset.dialect, policy)
        return CheckedGraph(graph, nodes=nodes, edges=edges)

    def protect(
        self, checked: CheckedGraph, policy: GraphPolicy, rng: np.random.Generator, watch: Watch, key: bytes | None
    ) -> ReleasedGraph:
        """Apply the methods to nodes and structure, then give the nodes new numbers; they have no pseudonyms."""
        return _protected(checked, policy, rng, watch)

    def subjects(self, checked: CheckedGraph, protected: ReleasedGraph) -> list[Subject]:
        """The nodes, if single nodes are released with quasi-identifiers, and the structure."""
        structure = Subject("graph", checked.graph, protected.graph.stand_in)
        return [*node_subjects(checked, protected.nodes if protected.graph.members is None else None), structure]

    def explain(self, checked: CheckedGraph, protected: ReleasedGraph, policy: GraphPolicy) -> dict[str, Any]:
        """Return what happened to the nodes' quasi-identifiers, also if a supernode represents several nodes."""
        released, members = protected.nodes, protected.graph.members
        if released is not None and members is not None:
            released = _by_node(released, members)
        return explain_records(checked.nodes, released, policy)

    def unchanged(self, checked: CheckedGraph, protected: ReleasedGraph, policy: GraphPolicy) -> list[Reason]:
        """Return a reason if the edges equal the original's, or too many nodes are unchanged and alone, and no
        structural guarantee was promised."""
        same = refuse_same_edges(policy, lambda: has_same_edges(checked.graph, protected.graph))
        single = protected.nodes if protected.graph.members is None else None
        return same or refuse_exposed(checked, single, policy, exposed_nodes(checked.graph, protected.graph))

    def kept(self, checked: CheckedGraph, protected: ReleasedGraph) -> float:
        """The share of edges that the release still has."""
        return kept_structure(checked.graph, protected.graph)

    def shape(self, protected: ReleasedGraph) -> dict[str, Any]:
        """Number of nodes and edges, whether edges have a direction, and the form of the release."""
        graph = protected.graph.graph
        return {"nodes": graph.n, "edges": graph.m, "directed": graph.directed, "form": protected.graph.form}


KIND = GraphKind()


def _protected(checked: CheckedGraph, policy: GraphPolicy, rng: np.random.Generator, watch: Watch) -> ReleasedGraph:
    graph, table = checked.graph, None if checked.nodes is None else checked.nodes.table
    structural = [g for g in policy.guarantees if isinstance(g, GraphGuarantee)]
    # Nodes first: a refusal because of the nodes happens before any noise on the edges is drawn.
    single = released_records(table) if policy.shows_records() else None
    together = single is None or policy.compares_labels()
    recoded = None if single is None or together else protect_nodes(single, policy, rng, within(watch, 0.0, 0.2))
    structure = policy.method.apply(graph, structural, rng, within(watch, 0.2, 1.0))
    if single is not None and structure.classes is not None:
        recoded = recode_together(single, policy, structure.classes)
    # Protecting another graph by a mechanism would draw noise that nobody was charged for.
    structure = replace(structure, again=None if promises_mechanism(policy) else _again(policy, structural))
    # Methods may keep the order of the nodes: only random numbers hide who is who.
    released = structure.renamed(rng.permutation(structure.graph.n))
    if released.members is not None:
        nodes: ProtectedTable | None = _protect_supernodes(table, released)
    else:
        nodes = None if recoded is None else by_new_names(recoded, released.origin)
    account = with_nodes({"nodes_in": graph.n, "edges_in": graph.m, **structure.account}, nodes)
    edges, noise = _released_edges(checked, policy, released, rng)
    return ReleasedGraph(account | noise, released, nodes=nodes, edges=edges)


def _again(
    policy: GraphPolicy, structural: Sequence[GraphGuarantee]
) -> Callable[[Graph, np.random.Generator, Watch], ProtectedGraph]:
    """Return a function that protects another structure by the policy, as it would be released."""

    def protect(graph: Graph, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
        made = policy.method.apply(graph, structural, rng, watch)
        return made.renamed(rng.permutation(made.graph.n)).stand_in

    return protect


def _released_edges(
    checked: CheckedGraph, policy: GraphPolicy, released: ProtectedGraph, rng: np.random.Generator
) -> tuple[tuple[ReleasedColumn, ...], dict[str, Any]]:
    """Return the method's edge columns, or the edges' own weights and labels as the policy requests, and an account of
    the noise."""
    if released.edge_columns or not checked.edges:
        return tuple(written(column) for column in released.edge_columns), {}
    graph = released.graph
    ends = released.origin[graph.sources], released.origin[graph.targets]
    keys = original_keys(*ends, checked.graph.n, graph.directed)
    return released_edges(checked.edges, checked.graph.keys, keys, policy.edge_attributes, rng)


def _protect_supernodes(table: Table | None, released: ProtectedGraph) -> ProtectedTable:
    """Return a record for each supernode: the method's counts, and the quasi-identifiers recoded over its members.

    Values of single nodes, sensitive or not, are left out.
    """
    assert released.members is not None
    counted = tuple(written(column) for column in released.node_columns)
    columns: tuple[ReleasedColumn, ...] = ()
    n = released.graph.n
    if table is not None and table.quasi_identifiers:
        # All members have the labels of their supernode, so any of them shows them.
        first = np.unique(released.members, return_index=True)[1]
        recoded = reordered(release_classes(table, released.members, n), first)
        columns = tuple(column for column in recoded.columns if column.role is Role.QUASI_IDENTIFIER)
    return ProtectedTable((*counted, *columns), np.full(n, -1, dtype=np.int64))


def _by_node(supernodes: ProtectedTable, members: NDArray[np.int64]) -> ProtectedTable:
    """Return the columns of the supernodes, repeated for every member node."""
    columns = tuple(replace(column, codes=column.codes[members]) for column in supernodes.columns)
    return ProtectedTable(columns, np.arange(len(members), dtype=np.int64))
