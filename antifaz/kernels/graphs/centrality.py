"""Shortest paths counted from many sources, over CSR rows."""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled("int64(int64[::1], int32[::1], int64[::1], int32[::1], int64[::1], float64[:, ::1], int64[::1])")
def add_dependencies(
    offsets: Integers,
    neighbors: NDArray[np.int32],
    back_offsets: Integers,
    back_neighbors: NDArray[np.int32],
    sources: Integers,
    sums: Floats,
    levels: Integers,
) -> int:
    """Add for every node, over the sources: dependency, its square, distance, and 1 if reached; return the visits.

    Paths lead along the first rows; the second are those of the reversed edges, the same if edges have no direction. A
    node's dependency on a source is the number of shortest paths from there through it, each weighed by one over all
    shortest paths between its two ends. ``levels`` counts the pairs of source and other node by distance.
    """
    n = len(offsets) - 1
    distance = np.full(n, np.int64(-1))
    paths = np.zeros(n)
    dependency = np.zeros(n)
    queue = np.empty(n, np.int64)
    visits = 0
    for source in sources:
        # Brandes, "A Faster Algorithm for Betweenness Centrality", Journal of Mathematical Sociology 2001. First a
        # search that counts shortest paths: as floats, because their number grows exponentially on grids.
        distance[source], paths[source], queue[0] = 0, 1.0, source
        head, tail = 0, 1
        while head < tail:
            node = queue[head]
            head += 1
            for i in range(offsets[node], offsets[node + 1]):
                other = neighbors[i]
                if distance[other] < 0:
                    distance[other] = distance[node] + 1
                    queue[tail] = other
                    tail += 1
                if distance[other] == distance[node] + 1:
                    paths[other] += paths[node]
            visits += offsets[node + 1] - offsets[node]
        # Then backwards, farthest first, so that the sum of a node is complete before its share is passed on. The
        # source, at index 0, depends on no node.
        for place in range(tail - 1, 0, -1):
            node = queue[place]
            share = (1.0 + dependency[node]) / paths[node]
            for i in range(back_offsets[node], back_offsets[node + 1]):
                other = back_neighbors[i]
                if distance[other] == distance[node] - 1:
                    dependency[other] += paths[other] * share
            sums[node, 0] += dependency[node]
            sums[node, 1] += dependency[node] * dependency[node]
            sums[node, 2] += distance[node]
            sums[node, 3] += 1.0
            levels[distance[node]] += 1
        for place in range(tail):
            node = queue[place]
            # Only reached nodes are reset: a search in a small component costs only that component.
            distance[node], paths[node], dependency[node] = -1, 0.0, 0.0
    return visits
