"""The degrees of an uncertain graph: the probability of each degree for every node, and how well it hides the node.

Boldi, Bonchi, Gionis and Tassa, "Injecting Uncertainty in Graphs for Identity Obfuscation", PVLDB 5(11), 2012.

The degree of a node is a sum of independent edges, so its distribution follows edge by edge. All terms are positive:
chances as small as 1e-300 keep their digits, and the entropy over the nodes that may have a rare degree is right too.
"""

import math

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


@compiled()
def _spread_degree(chances: Reals, probabilities: Reals, start: int, stop: int, highest: int) -> None:
    """Fill ``chances[d]``, for d up to the highest, with the probability that exactly d of the edges exist."""
    chances[: min(stop - start, highest) + 1] = 0.0
    chances[0] = 1.0
    for j in range(start, stop):
        p = probabilities[j]
        # Downwards in place: cell d needs the chance of d - 1 from before this edge. Degrees above the highest
        # requested one never flow back and are cut off.
        for d in range(min(j - start + 1, highest), 0, -1):
            chances[d] = chances[d] * (1.0 - p) + chances[d - 1] * p
        chances[0] *= 1.0 - p


@compiled("void(int64[::1], float64[::1], int64, int64[::1], float64[::1], float64[::1])")
def weigh_degrees(
    offsets: Integers, probabilities: Reals, longest: int, degrees: Integers, totals: Reals, weighted: Reals
) -> None:
    """Add up, for every requested degree, x and x·log2(x) over the chances x with which the nodes have it.

    Node v has the edges ``offsets[v]…offsets[v + 1]``; nodes with more than ``longest`` edges are left out. The
    ``degrees`` are sorted.
    """
    highest = degrees[-1] if len(degrees) else 0
    chances = np.zeros(highest + 1)
    for v in range(len(offsets) - 1):
        count = offsets[v + 1] - offsets[v]
        if count > longest:
            continue
        _spread_degree(chances, probabilities, offsets[v], offsets[v + 1], highest)
        for i in range(len(degrees)):
            if degrees[i] > count:
                break
            x = chances[degrees[i]]
            # x·log2(x) tends to 0 at x = 0, where the logarithm itself is infinite.
            if x > 0.0:
                totals[i] += x
                weighted[i] += x * math.log2(x)
