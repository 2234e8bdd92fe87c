"""Average clustering: how often two neighbors of a node are joined, averaged over the nodes.

Watts and Strogatz, "Collective dynamics of small-world networks", Nature 1998; the sample after Schank and Wagner,
"Approximating Clustering Coefficient and Transitivity", Journal of Graph Algorithms and Applications 2005.

The clustering of a node is the share of pairs of its neighbors that are joined, 0 for fewer than two neighbors;
directions are ignored. Exact if all triangles can be counted; otherwise random pairs of neighbors of random nodes
are checked, with the standard error.

Guarantees: none, it measures.
Cost: O(m^1.5), at most 10^9 steps per graph.
"""

from functools import partial
from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.analysis.similarity import are_joined
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.graphs.structure.edge_slots import Slots
from antifaz.watch import Watch, unwatched, within

AFFORDABLE = 1_000_000_000
"""Steps that counting the triangles of one graph may take."""
PAIRS = 250_000
"""Pairs of neighbors to check if counting takes more steps."""


class AverageClustering(GraphUtility):
    """Mean local clustering coefficient, before and after."""

    name: Literal["average_clustering"] = "average_clustering"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the average clustering of both graphs."""
        watch(0.0)
        counted = partial(average_clustering, graph, rng, within(watch, 0.0, 0.5))
        before, error_before = graph.found.once("average clustering", counted)
        watch(0.5)
        after, error_after = average_clustering(released.graph, rng, within(watch, 0.5, 1.0))
        return as_loss(before, after) | {
            "exact": not (error_before or error_after),
            "standard_error": {"original": error_before, "released": error_after},
        }


def average_clustering(graph: Graph, rng: np.random.Generator, watch: Watch = unwatched) -> tuple[float, float]:
    """The mean over all nodes, and its standard error (0 if it is exact)."""
    if graph.m == 0:
        return 0.0, 0.0
    slots = Slots.of(graph)
    if slots.work > AFFORDABLE:
        return _sample_clustering(graph, rng)
    degrees = np.diff(slots.offsets)
    joined = np.bincount(slots.owners, weights=slots.supports(watch), minlength=graph.n)
    pairs = degrees * (degrees - 1)
    return float(np.divide(joined, pairs, out=np.zeros(graph.n), where=pairs > 0).mean()), 0.0


def _sample_clustering(graph: Graph, rng: np.random.Generator) -> tuple[float, float]:
    """Share of joined pairs among random pairs of neighbors of random nodes that have two or more."""
    offsets, neighbors = graph.neighbors
    degrees = np.diff(offsets)
    able = np.flatnonzero(degrees >= 2)
    nodes = able[rng.integers(0, len(able), PAIRS)]
    first = rng.integers(0, degrees[nodes])
    second = (first + rng.integers(1, degrees[nodes])) % degrees[nodes]
    one, other = (neighbors[offsets[nodes] + place].astype(np.int64) for place in (first, second))
    joined = are_joined(graph, one, other)
    share = len(able) / graph.n
    return float(joined.mean()) * share, max(1e-12, float(joined.std()) / np.sqrt(PAIRS) * share)
