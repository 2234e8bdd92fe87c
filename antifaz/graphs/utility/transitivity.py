"""Transitivity: the share of paths of two edges whose ends are joined.

Newman, Strogatz and Watts, "Random graphs with arbitrary degree distributions and their applications", Physical
Review E 2001.

Three times the triangles divided by the paths of two edges, directions ignored; 0 if there are none. Exact.

Guarantees: none, it measures.
Cost: O(m^1.5).
"""

from functools import partial
from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.comparison import as_loss
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.graphs.structure.edge_slots import Slots
from antifaz.watch import Watch, unwatched, within


class Transitivity(GraphUtility):
    """The share of connected triples that are triangles, before and after."""

    name: Literal["transitivity"] = "transitivity"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the transitivity of both graphs."""
        watch(0.0)
        before = graph.found.once("transitivity", partial(transitivity, graph, within(watch, 0.0, 0.5)))
        watch(0.5)
        return as_loss(before, transitivity(released.graph, within(watch, 0.5, 1.0)))


def transitivity(graph: Graph, watch: Watch = unwatched) -> float:
    """Three times the triangles divided by all paths of two edges."""
    degrees = np.diff(graph.neighbors[0])
    paths = int((degrees * (degrees - 1) // 2).sum())
    if paths == 0:
        return 0.0
    # A triangle is counted at each of its three edges, from both ends.
    return int(Slots.of(graph).supports(watch).sum()) / (2 * paths)
