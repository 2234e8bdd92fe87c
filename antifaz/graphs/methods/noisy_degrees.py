"""Noisy degrees: draw a new graph with degrees that were counted under differential privacy.

Hay, Li, Miklau and Jensen, "Accurate Estimation of the Degree Distribution of Private Networks", ICDM 2009; Molloy and
Reed, "A Critical Point for Random Graphs with a Given Degree Sequence", Random Structures & Algorithms 1995, for the
graph that is drawn from them.

One more edge raises two degrees by one, so the sequence of all degrees in ascending order changes by two in sum. Every
entry gets discrete Laplace noise of the scale 2/ε, and the nearest ascending sequence (isotonic regression) removes
most of it again: if many nodes have one degree, their noise is averaged. Then a graph with these degrees is drawn: ends
of edges are paired at random, and pairs that would be loops or repetitions are paired again. Degrees are assigned to
the nodes of the list at random: a node keeps only its place in the list and its attributes.

Guarantees: edge_differential_privacy for each pair of nodes; nothing for nodes: their number, list and attributes are
public.
Preserves: the degree distribution and the number of edges, as well as the noise allows; not communities, triangles or
who is joined to whom.
Cost: O(n log n + m).
"""

from typing import ClassVar, Literal

import numpy as np

from antifaz.graphs.drawn import Drawn, DrawnGraphMethod
from antifaz.graphs.edits.degree_drawing import (
    SENSITIVITY,
    ascending_fit,
    noisy_ascending,
    random_graph,
    whole_degrees,
)
from antifaz.graphs.graph import Graph
from antifaz.noise import UNIT, counting_within
from antifaz.watch import Watch, within


class NoisyDegrees(DrawnGraphMethod):
    """Count the degrees with noise, and draw a new graph that has them."""

    leaves: ClassVar[str] = (
        "Only the degree distribution is kept: communities, triangles and distances of the release are those of a "
        "random graph."
    )

    name: Literal["noisy_degrees"] = "noisy_degrees"

    def draw(self, graph: Graph, epsilon: float, rng: np.random.Generator, watch: Watch) -> Drawn:
        """Draw a graph from noisy degrees."""
        drawing = counting_within("pure", SENSITIVITY, int(epsilon * UNIT))
        noisy = noisy_ascending(graph, drawing, within(watch, 0.0, 0.3))
        degrees = whole_degrees(ascending_fit(noisy), rng)
        released = random_graph(degrees, rng, within(watch, 0.4, 0.9))
        origin = rng.permutation(graph.n).astype(np.int64)
        return Drawn(released, origin, {"sensitivity": SENSITIVITY, "scale": drawing.scale})
