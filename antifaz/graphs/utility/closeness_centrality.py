"""Closeness centrality: whether the nodes that are near all others still are.

Bavelas, "Communication patterns in task-oriented groups", Journal of the Acoustical Society of America 1950, in the
form of Wasserman and Faust, "Social Network Analysis", 1994, for graphs in several pieces; pivots after Eppstein and
Wang, 2004.

The share of nodes that a node reaches, divided by their mean distance. The value is the Jaccard index of the top 5 % of
both graphs, reported with the mean error of all nodes relative to the mean; directions are ignored. Exact if searches
from every node are affordable; otherwise each node's distances to random pivots represent those to all nodes: a mean
distance then has a standard error of at most half the diameter divided by the square root of the number of pivots.

Guarantees: none, it measures.
Cost: O(n·m), at most about 4·10^7 edge visits per graph.
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.centrality import ShortestPaths, both_shortest_paths, compare, searched
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class ClosenessCentrality(GraphUtility):
    """Agreement of the nodes of highest closeness, and the mean error of all."""

    name: Literal["closeness_centrality"] = "closeness_centrality"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Sum distances in both graphs."""
        watch(0.0)
        before, after = both_shortest_paths(graph, released, rng, watch)
        figures = compare(before.closeness, after.closeness, released) | searched(before, after)
        return figures | {
            "largest_error_of_distance": {"original": _largest_error(before), "released": _largest_error(after)}
        }


def _largest_error(paths: ShortestPaths) -> float:
    """Upper bound on the standard error of a mean distance."""
    longest = max(0, len(paths.lengths) - 1)
    return 0.0 if paths.exact else longest / (2 * float(np.sqrt(len(paths.sources))))
