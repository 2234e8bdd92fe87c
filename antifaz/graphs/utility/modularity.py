"""Modularity: how clearly the graph falls into communities.

Newman and Girvan, "Finding and evaluating community structure in networks", Physical Review E 2004; the partitions
after Blondel, Guillaume, Lambiotte and Lefebvre, 2008 (Louvain).

The modularity of the partition that Louvain finds in each graph, directions ignored: a lower bound on the highest
possible, and close to it. It is reported with the modularity of the original's partition in the release (``kept``): how
much of the original's communities the release still shows. Graphs of more than 200,000 nodes are compared on that many
nodes around a random one.

Guarantees: none, it measures.
Cost: O(m) for each pass over the nodes; a few dozen passes for each graph.
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.communities import cluster_renumbered, modularity, within_reach
from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.analysis.louvain import louvain
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch, within

MOST_NODES = 200_000
"""Larger graphs are compared on this number of nodes around a random one."""


class Modularity(GraphUtility):
    """Modularity of the communities of either graph, and of the original's in the release."""

    name: Literal["modularity"] = "modularity"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Find communities in both graphs."""
        watch(0.0)
        measured, seen = within_reach(graph, released, rng, MOST_NODES)
        before = cluster_renumbered(louvain, measured, rng, within(watch, 0.0, 0.5))
        after = cluster_renumbered(louvain, seen.graph, rng, within(watch, 0.5, 1.0))
        real = seen.origin >= 0
        kept = np.full(seen.graph.n, -1, dtype=np.int64)
        kept[real] = before[seen.origin[real]]
        found = as_loss(modularity(measured, before), modularity(seen.graph, after))
        return found | {"kept": modularity(seen.graph, kept), "nodes": measured.n}
