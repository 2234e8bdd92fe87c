"""Harmonic mean distance: average distance of two nodes in graphs that need not be connected.

Latora and Marchiori, "Efficient Behavior of Small-World Networks", Physical Review Letters 2001 (its inverse is the
global efficiency).

The reciprocal of the mean of the inverse distances of all pairs, directions ignored; a pair without a path counts as
infinitely far, so a graph in pieces has a finite value. A graph without edges has no value, and the loss is 1 unless
both have none. Exact if searches from every node are affordable, otherwise over random sources.

Guarantees: none, it measures.
Cost: O(n·m), at most 2·10^8 edge visits per graph, shared with the other measures of distance.
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.analysis.distances import both_distances
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch


class HarmonicMeanDistance(GraphUtility):
    """Harmonic mean of the distances of all pairs, before and after."""

    name: Literal["harmonic_mean_distance"] = "harmonic_mean_distance"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Run breadth-first searches in both graphs."""
        watch(0.0)
        before, after = both_distances(graph, released, rng, watch)
        exact = before.exact and after.exact
        errors = {
            "original": before.standard_error_of_harmonic_mean,
            "released": after.standard_error_of_harmonic_mean,
        }
        about = {"exact": exact, "standard_error": errors}
        if before.harmonic_mean is None or after.harmonic_mean is None:
            loss = 0.0 if before.harmonic_mean == after.harmonic_mean else 1.0
            return {"original": before.harmonic_mean, "released": after.harmonic_mean, "loss": loss} | about
        return as_loss(before.harmonic_mean, after.harmonic_mean) | about
