"""DeltaCon: how similarly nodes influence one another in both graphs.

Koutra, Vogelstein and Faloutsos, "DeltaCon: A Principled Massive-Graph Similarity Function", SDM 2013.

The affinity of two nodes sums the walks between them, with less weight on longer ones: S = [I + e²D - eA]^-1 with
e = 1 / (1 + the largest degree of the graph). d is the root Euclidean distance of both graphs' affinities, and the
value is 1 / (1 + d), which is 1 for equal graphs. The form is ``exact`` up to 2,000 nodes with edges; directions are
kept, and D has the degrees, in plus out. Above, it is ``grouped``: the nodes are put into g random groups, each node's
affinity to every group is compared, directions are ignored, and e uses the largest degree of either graph. Grouped
values are two to three times as large as exact ones and depend on g, so only values of the same form and g are
comparable; the result contains both. Made-up nodes count as nodes without edges in the original.

Guarantees: none, it measures.
Cost: O(n³) for at most 2,000 nodes; grouped O(g·m) for each of at most 100 steps, usually about ten.
"""

from typing import Any, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.analysis.affinity import EXACT, as_similarity, exact_distance, grouped_distance, joined_nodes
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class Deltacon(GraphUtility):
    """Similarity of the nodes' affinities to each other, or to random groups of nodes in large graphs."""

    name: Literal["deltacon"] = "deltacon"
    form: Literal["exact", "grouped"] = "exact"
    """Requested form; with more than 2,000 nodes that have edges, the grouped one is always used."""
    groups: int = Field(default=10, ge=1, le=200)
    """Number of random groups of nodes in the grouped form; only values with the same number are comparable."""

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the affinities in both graphs."""
        watch(0.0)
        before, after = _over_the_same_nodes(graph, released)
        if self.form != "grouped" and len(joined_nodes(before, after)) <= EXACT:
            directions = "kept" if graph.directed else "none"
            return as_similarity(exact_distance(before, after, watch)) | {"form": "exact", "directions": directions}
        distance = grouped_distance(before, after, self.groups, rng, watch)
        return as_similarity(distance) | {"form": "grouped", "groups": self.groups, "directions": "ignored"}


def _over_the_same_nodes(graph: Graph, released: ProtectedGraph) -> tuple[Graph, Graph]:
    """Both graphs over the original nodes and the made-up ones."""
    made_up = np.flatnonzero(released.origin < 0)
    n = graph.n + len(made_up)
    place = released.origin.copy()
    place[made_up] = graph.n + np.arange(len(made_up))
    before = Graph.from_pairs(n, graph.sources, graph.targets, graph.directed)
    after = Graph.from_pairs(n, place[released.graph.sources], place[released.graph.targets], graph.directed)
    return before, after
