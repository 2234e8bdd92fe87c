"""Betweenness centrality: whether the nodes that lie between others still do.

Freeman, "A set of measures of centrality based on betweenness", Sociometry 1977; Brandes, "A faster algorithm for
betweenness centrality", Journal of Mathematical Sociology 2001; pivots after Brandes and Pich, 2007.

The value is the Jaccard index of the top 5 % of both graphs, reported with the mean error of all nodes relative to the
mean betweenness; directions are ignored. Exact if searches from every node are affordable; otherwise from random
pivots, the same people in both graphs, with the mean standard error of the top nodes relative to their betweenness.

Guarantees: none, it measures.
Cost: O(n·m), at most about 4·10^7 edge visits per graph.
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.centrality import ShortestPaths, both_shortest_paths, compare, searched
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class BetweennessCentrality(GraphUtility):
    """Agreement of the nodes of highest betweenness, and the mean error of all."""

    name: Literal["betweenness_centrality"] = "betweenness_centrality"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Count shortest paths in both graphs."""
        watch(0.0)
        before, after = both_shortest_paths(graph, released, rng, watch)
        figures = compare(before.betweenness, after.betweenness, released) | searched(before, after)
        return figures | {
            "relative_error_of_top": {"original": _error_of_top(before), "released": _error_of_top(after)}
        }


def _error_of_top(paths: ShortestPaths) -> float:
    """Mean standard error divided by mean betweenness, for the top 5 %."""
    if not len(paths.betweenness):
        return 0.0
    top = np.argsort(-paths.betweenness)[: max(1, len(paths.betweenness) // 20)]
    level = float(paths.betweenness[top].mean())
    return float(paths.errors[top].mean()) / level if level else 0.0
