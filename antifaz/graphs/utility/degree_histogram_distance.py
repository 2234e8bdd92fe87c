"""Degree histogram distance: how far apart the degree distributions are.

Rubner, Tomasi and Guibas, "The Earth Mover's Distance as a Metric for Image Retrieval", IJCV 2000 (earth mover's
distance, given in addition to the total variation).

The value is the total variation of the two degree distributions, within [0, 1]; the earth mover's distance is the
number of degrees by which a node moves on average. For a directed graph, the mean over in- and out-degrees.

Guarantees: none, it measures.
Cost: O(n + m).
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class DegreeHistogramDistance(GraphUtility):
    """Total variation and earth mover's distance of the degree distributions."""

    name: Literal["degree_histogram_distance"] = "degree_histogram_distance"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the shares of nodes by degree."""
        watch(0.0)
        pairs = [(graph.degrees, released.graph.degrees)]
        if graph.directed:
            pairs = [
                (graph.in_degrees, released.graph.in_degrees),
                (graph.out_degrees, released.graph.out_degrees),
            ]
        both = np.array([_distances(before, after) for before, after in pairs])
        return {"value": float(both[:, 0].mean()), "earth_mover": float(both[:, 1].mean())}


def _distances(before: NDArray[np.int64], after: NDArray[np.int64]) -> tuple[float, float]:
    """Total variation and earth mover's distance of two lists of degrees."""
    length = int(max(before.max(initial=0), after.max(initial=0))) + 1
    shares = [np.bincount(degrees, minlength=length) / max(1, len(degrees)) for degrees in (before, after)]
    gap = shares[0] - shares[1]
    return float(np.abs(gap).sum() / 2), float(np.abs(np.cumsum(gap)).sum())
