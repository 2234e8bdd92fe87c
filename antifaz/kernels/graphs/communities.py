"""Moving nodes between communities as long as modularity rises, over weighted CSR rows.

``strengths`` are the nodes' summed weights, loops twice; ``total`` is the sum of all of them.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@compiled("int64(int64[::1], int32[::1], float64[::1], float64[::1], float64, int64[::1], int64)")
def move_nodes(
    offsets: Integers,
    neighbors: NDArray[np.int32],
    weights: Floats,
    strengths: Floats,
    total: float,
    community: Integers,
    most: int,
) -> int:
    """Move each waiting node to the neighboring community of highest gain; return the number of moves.

    At first all nodes wait, later those whose neighbors moved. At most ``most`` nodes are visited.
    """
    n = len(offsets) - 1
    sums = np.zeros(n)
    for node in range(n):
        sums[community[node]] += strengths[node]
    links = np.zeros(n)
    touched = np.empty(n, np.int64)
    waiting = np.ones(n, np.bool_)
    queue = np.arange(n)
    head, length, moves = 0, n, 0
    for _ in range(most):
        if length == 0:
            break
        node = queue[head]
        head, length = (head + 1) % n, length - 1
        waiting[node] = False
        own = community[node]
        count = 0
        for i in range(offsets[node], offsets[node + 1]):
            there = community[neighbors[i]]
            if neighbors[i] != node:
                if links[there] == 0.0:
                    touched[count] = there
                    count += 1
                links[there] += weights[i]
        # The node is taken out of its own community first, so that staying and moving are compared alike.
        sums[own] -= strengths[node]
        # The modularity gained by putting the node there, times half the total: its links minus those expected from its
        # strength (Blondel, Guillaume, Lambiotte and Lefebvre, "Fast Unfolding of Communities in Large Networks",
        # Journal of Statistical Mechanics 2008).
        best, highest = own, links[own] - strengths[node] * sums[own] / total
        for t in range(count):
            gain = links[touched[t]] - strengths[node] * sums[touched[t]] / total
            # A gain from rounding alone would move nodes back and forth forever.
            if gain > highest + 1e-12:
                best, highest = touched[t], gain
        for t in range(count):
            links[touched[t]] = 0.0
        sums[best] += strengths[node]
        if best == own:
            continue
        community[node] = best
        moves += 1
        for i in range(offsets[node], offsets[node + 1]):
            other = neighbors[i]
            # Traag, Waltman and van Eck, "From Louvain to Leiden: Guaranteeing Well-connected Communities", Scientific
            # Reports 2019: the nodes that may now be better off elsewhere are its neighbors outside of the new
            # community; visiting all nodes again would find almost none.
            if not waiting[other] and community[other] != best:
                waiting[other] = True
                queue[(head + length) % n] = other
                length += 1
    return moves


@compiled("void(int64[::1], int32[::1], float64[::1], float64[::1], float64, int64[::1], int64[::1])")
def refine_communities(
    offsets: Integers,
    neighbors: NDArray[np.int32],
    weights: Floats,
    strengths: Floats,
    total: float,
    community: Integers,
    refined: Integers,
) -> None:
    """Split every community into well connected parts: nodes start alone and join the part of highest gain.

    Only nodes that are still alone move, and only nodes and parts that are well connected to the rest of their
    community take part.
    """
    n = len(offsets) - 1
    whole, sums, cut = np.zeros(n), strengths.copy(), np.zeros(n)
    alone = np.ones(n, np.bool_)
    links = np.zeros(n)
    touched = np.empty(n, np.int64)
    for node in range(n):
        refined[node] = node
        whole[community[node]] += strengths[node]
        for i in range(offsets[node], offsets[node + 1]):
            if neighbors[i] != node and community[neighbors[i]] == community[node]:
                # The links of a node, later of a part, to the rest of its community.
                cut[node] += weights[i]
    for node in range(n):
        inside = whole[community[node]]
        # Well connected: no fewer links to the rest of the community than expected from the strengths. A node that has
        # been joined stays, so that no part falls apart when one of its nodes leaves.
        if not alone[node] or cut[node] < strengths[node] * (inside - strengths[node]) / total:
            continue
        count = 0
        for i in range(offsets[node], offsets[node + 1]):
            other = neighbors[i]
            if other != node and community[other] == community[node]:
                part = refined[other]
                if links[part] == 0.0:
                    touched[count] = part
                    count += 1
                links[part] += weights[i]
        best, highest = -1, 1e-12
        for t in range(count):
            part = touched[t]
            gain = links[part] - strengths[node] * sums[part] / total
            if gain > highest and cut[part] >= sums[part] * (inside - sums[part]) / total:
                best, highest = part, gain
        if best >= 0:
            # Links between the node and the part have come inside: each was counted from either end.
            cut[best] += cut[node] - 2.0 * links[best]
            sums[best] += strengths[node]
            refined[node] = best
            alone[best] = False
            alone[node] = False
        for t in range(count):
            links[touched[t]] = 0.0
