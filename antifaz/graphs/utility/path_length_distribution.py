"""Path length distribution: how the distances between pairs of nodes are distributed.

Watts and Strogatz, "Collective dynamics of small-world networks", Nature 1998; compared as Liu and Terzi's and other
perturbed graphs are, by the total variation.

Shares of pairs by the length of their shortest path, directions ignored, with one more class for pairs without a path.
The value is the total variation of the two distributions, within [0, 1]. Exact if searches from every node are
affordable, otherwise over random sources.

Guarantees: none, it measures.
Cost: O(n·m), at most about 4·10^7 edge visits per graph.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.analysis.centrality import ShortestPaths, both_shortest_paths, searched
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphUtility
from antifaz.watch import Watch

MOST_LENGTHS = 50
"""Lengths that are reported individually; longer paths count as this long."""


class PathLengthDistribution(GraphUtility):
    """Total variation of the distributions of distances, and both of them."""

    name: Literal["path_length_distribution"] = "path_length_distribution"

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the shares of pairs by distance."""
        watch(0.0)
        before, after = both_shortest_paths(graph, released, rng, watch)
        shares = [_shares(each) for each in (before, after)]
        used = max((int(np.flatnonzero(each[1:]).max(initial=-1)) for each in shares), default=-1) + 2
        return {
            "value": float(np.abs(shares[0] - shares[1]).sum() / 2),
            "original": shares[0][1:used].tolist(),
            "released": shares[1][1:used].tolist(),
            "apart": {"original": float(shares[0][0]), "released": float(shares[1][0])},
            **searched(before, after),
        }


def _shares(paths: ShortestPaths) -> NDArray[np.float64]:
    """Share of pairs without a path, then of those at distance 1, 2, …; the last one includes all longer distances."""
    lengths = np.minimum(np.arange(len(paths.lengths)), MOST_LENGTHS)
    counts = np.bincount(lengths, weights=paths.lengths, minlength=MOST_LENGTHS + 1).astype(np.float64)
    counts[0] = paths.apart
    return counts / max(1.0, float(counts.sum()))
