"""Publishing graphs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.kinds.graph import CheckedGraph, GraphDataset, ReleasedGraph
from antifaz.policy.graphs import GraphPolicy
from antifaz.tables.table import ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType
from formats.core.limits import Limits
from formats.graphs.nodes import merge_nodes
from formats.reading import read_graph, read_table
from formats.writing import render_graph, render_nodes
from publication.costs import Cost, public_parameters
from publication.dialects import dialect_of
from publication.digests import digest_of_pairs
from publication.evidence import of_edges, of_mechanism, of_nodes, of_records, pair_evidence
from publication.kinds.kind import Publisher, Reading, Rendered, columns_of, unnamed_of
from publication.source import Source
from publication.versions import Marks


class GraphPublisher(Publisher[GraphDataset, GraphPolicy, CheckedGraph, ReleasedGraph]):
    """What publishing does to graphs."""

    def read(self, source: Source, limits: Limits, policy: GraphPolicy | None) -> Reading[GraphDataset]:
        """The graph and its nodes, with the columns of its edges if the policy uses any of them."""
        details, with_edges = source.details, policy is not None and policy.edge_attributes != "drop"
        directed, strict = details.get("directed"), details.get("strict", False)
        raw = read_graph(source.file(), source.format, details, directed, strict, limits, with_edges)
        if source.nodes is not None:
            about = details["nodes"]
            raw = merge_nodes(raw, read_table(source.nodes(), about["format"], about, limits))
        dataset = GraphDataset(
            columns_of(raw.node_columns),
            raw.n,
            dialect_of(details.get("nodes", {})),
            unnamed=unnamed_of(raw.node_columns),
            graph=Graph.from_pairs(raw.n, raw.sources, raw.targets, raw.directed),
            edges=columns_of(raw.edge_columns),
        )
        dropped = {"self_loops_dropped": raw.self_loops, "repeated_edges_dropped": raw.repeated}
        return Reading(dataset, dropped, digest_of_pairs(raw.ids, raw.sources, raw.targets))

    def render(self, policy: GraphPolicy, protected: ReleasedGraph) -> Rendered:
        """The graph in every format, the list of its nodes, and the sample graphs drawn from it."""
        graph = protected.graph.graph
        # Not every format can hold the attributes of edges; the edge list can.
        always = ("edgelist",) if protected.edges else ()
        for form in dict.fromkeys((*policy.formats, *always)):
            yield form, "graph", render_graph(graph, form, protected.columns, protected.edges)
        for form in ("csv", "parquet"):
            yield form, "nodes", render_nodes(graph.n, protected.columns, form)
        for number, sample in enumerate(protected.graph.samples, start=1):
            yield from _rendered_sample(policy, sample, f"sample_{number}")

    def sealed_map(
        self,
        document: Mapping[str, Any],
        policy: GraphPolicy,
        checked: CheckedGraph,
        protected: ReleasedGraph,
        marks: Marks | None,
    ) -> dict[str, NDArray[Any]]:
        """For every released node, the original node; or for every original node, its supernode."""
        members = protected.graph.members
        return {"origin": protected.graph.origin} if members is None else {"members": members}

    def evidence(
        self, checked: CheckedGraph, protected: ReleasedGraph, policy: GraphPolicy, cost: Cost | None = None
    ) -> dict[str, Any]:
        """The mechanisms, the evidence on the nodes, and properties of the graph that the bytes do not show."""
        known = of_mechanism(protected)
        mechanism = public_parameters(protected).get("edge_local_dp")
        if mechanism is not None:
            known["pairs"] = pair_evidence(mechanism, cost)
        for method, name in (("noisy_degrees", "degree_noise"), ("noisy_communities", "community_noise")):
            noise = public_parameters(protected).get(method)
            if noise is not None:
                known[name] = {**noise, "ledger": None if cost is None else vars(cost)}
        if checked.nodes is not None:
            known |= of_records(checked.nodes)
        known |= of_nodes(checked, protected.nodes, policy)
        known |= of_edges(checked.graph, protected.graph.origin, policy)
        return known | _of_structure(checked.graph, protected.graph)

    def adds_up(self, before: Mapping[str, str], now: Mapping[str, Role], models: tuple[set[str], set[str]]) -> bool:
        """Neither release has classes of nodes."""
        return Role.QUASI_IDENTIFIER not in {*before.values(), *now.values()}


def _rendered_sample(policy: GraphPolicy, sample: ProtectedGraph, part: str) -> Rendered:
    """A graph drawn from a generalized one, and the supernode of each of its nodes."""
    for form in policy.formats:
        yield form, part, render_graph(sample.graph, form)
    supernodes = np.unique(sample.origin, return_inverse=True)
    labels = np.array([str(number) for number in supernodes[0]], dtype=object)
    column = ReleasedColumn(
        "supernode", "supernode", Role.INSENSITIVE, ValueType.INTEGER, supernodes[1].astype(np.int32), labels
    )
    for written in ("csv", "parquet"):
        yield written, f"{part}_nodes", render_nodes(sample.graph.n, (column,), written)


def _of_structure(graph: Graph, released: ProtectedGraph) -> dict[str, Any]:
    """Properties that the released bytes do not show: the symmetries that were found, and the original degrees."""
    known: dict[str, Any] = {}
    if released.witness is not None:
        known["automorphisms"] = released.witness
    if released.members is None:
        known["degrees"] = np.where(released.origin >= 0, graph.degrees[released.origin], -1)
    return known
