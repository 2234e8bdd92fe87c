"""Anneal a partition of the nodes into supernodes that few graphs fit.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks", VLDB
2008.

Between two supernodes with c pairs and e edges there are choose(c, e) ways to put the edges; the cost of a partition is
the sum of the logarithms. A proposal touches two supernodes, and only the counts of these two are updated. Edges out of
a node are listed as v, edges into it as n + v; in an undirected graph there are only the former.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import Stream, accepts, below, new_stream

Integers = NDArray[np.int64]

WORK, FREE, GROUPS = 0, 1, 2
"""Places of the counts: edges visited, unused numbers of supernodes, and how many numbers there are."""
ROOM = 4
"""How large a supernode may grow between two splits, in multiples of k."""
MERGE_ONCE_IN = 64
"""One of this number of proposals merges two supernodes."""
NOTHING, MOVE, SWAP, MERGE, SPLIT = 0, 1, 2, 3, 4
"""Kinds of proposals."""


class Partition(NamedTuple):
    """The supernodes, their members, and room to count in."""

    n: int
    k: int
    directed: bool
    offsets: Integers
    ends: NDArray[np.int32]
    group: Integers
    """The supernode of every node."""
    place: Integers
    """Position of every node among the members of its supernode."""
    members: NDArray[np.int32]
    sizes: Integers
    free: Integers
    counts: Integers
    joined: Integers
    """Edges to every supernode, and after these, edges from it; zero between two calls."""
    touched: Integers
    logarithms: NDArray[np.float64]
    """log(i!) for small i."""
    stream: Stream


@compiled()
def _log_factorial(partition: Partition, x: int) -> float:
    if x < len(partition.logarithms):
        return float(partition.logarithms[x])
    # Stirling's series with one correction; the constant is log(2π) / 2. Its error, below 1 / (360 x³), is far from
    # deciding between two proposals.
    return (x + 0.5) * math.log(x) - x + 0.9189385332046727 + 1.0 / (12.0 * x)


@compiled()
def _log_choose(partition: Partition, pairs: int, edges: int) -> float:
    return (
        _log_factorial(partition, pairs) - _log_factorial(partition, edges) - _log_factorial(partition, pairs - edges)
    )


@compiled()
def _count_edges(partition: Partition, g: int) -> int:
    """Count the edges between g and every supernode; return how many counts are not zero."""
    used = 0
    # Only supernodes that the members are joined to are counted: no edges give log(choose(c, 0)) = 0, so that all
    # others cost nothing.
    for i in range(partition.sizes[g]):
        v = partition.members[g, i]
        for j in range(partition.offsets[v], partition.offsets[v + 1]):
            end = partition.ends[j]
            if end < partition.n:
                side = partition.group[end]
            else:
                side = partition.group[end - partition.n] + partition.counts[GROUPS]
            if partition.joined[side] == 0:
                partition.touched[used] = side
                used += 1
            partition.joined[side] += 1
        partition.counts[WORK] += partition.offsets[v + 1] - partition.offsets[v] + 1
    return used


@compiled()
def _star_cost(partition: Partition, g: int, but: int) -> float:
    """The cost of g's inside and of all its pairs but the one with ``but``."""
    size, groups = partition.sizes[g], partition.counts[GROUPS]
    cost = 0.0
    for t in range(_count_edges(partition, g)):
        side = partition.touched[t]
        edges = partition.joined[side]
        partition.joined[side] = 0
        other = side if side < groups else side - groups
        # An inner edge is met from either end: of a directed graph one end is listed as leaving, and only that counts;
        # of an undirected one both are, hence the half.
        if other == g and partition.directed:
            cost += _log_choose(partition, size * (size - 1), edges) if side < groups else 0.0
        elif other == g:
            cost += _log_choose(partition, size * (size - 1) // 2, edges // 2)
        elif other != but:
            cost += _log_choose(partition, size * partition.sizes[other], edges)
    return cost


@compiled()
def _cost_of_two(partition: Partition, a: int, b: int) -> float:
    cost = 0.0
    for turn in range(2):
        # The pair of the two is counted once, with the first.
        cost += _star_cost(partition, b if turn else a, a if turn else -1)
    return cost


@compiled()
def _take_out(partition: Partition, v: int) -> None:
    g, i = partition.group[v], partition.place[v]
    partition.sizes[g] -= 1
    # The last member takes the free place: no list is shifted.
    last = partition.members[g, partition.sizes[g]]
    partition.members[g, i] = last
    partition.place[last] = i


@compiled()
def _put_into(partition: Partition, v: int, g: int) -> None:
    partition.members[g, partition.sizes[g]] = v
    partition.place[v] = partition.sizes[g]
    partition.group[v] = g
    partition.sizes[g] += 1


@compiled()
def _move(partition: Partition, v: int, g: int) -> None:
    _take_out(partition, v)
    _put_into(partition, v, g)


@compiled()
def _move_tail(partition: Partition, a: int, b: int, kept: int) -> None:
    """All members of a but the first ``kept`` move to b."""
    while partition.sizes[a] > kept:
        _move(partition, partition.members[a, partition.sizes[a] - 1], b)


@compiled()
def _shuffle(partition: Partition, a: int) -> None:
    """Put the members of a into a random order."""
    size = partition.sizes[a]
    for i in range(size - 1):
        # Fisher and Yates' shuffle, so that a split divides the members at random.
        j = i + below(partition.stream, size - i)
        v, w = partition.members[a, i], partition.members[a, j]
        partition.members[a, i], partition.members[a, j] = w, v
        partition.place[v], partition.place[w] = j, i


@compiled()
def _exchange(partition: Partition, v: int, w: int, a: int, b: int) -> None:
    """Node v moves to b and, unless it is v, node w to a."""
    _move(partition, v, b)
    if v != w:
        _move(partition, w, a)


@compiled()
def _near(partition: Partition, v: int) -> int:
    """The supernode of a node one or two random steps away, or of any node."""
    # Nodes of one supernode should have similar neighborhoods, and such nodes are mostly two steps apart: a proposal to
    # a random supernode is nearly always refused.
    steps = 2 - below(partition.stream, 4) // 3
    for _ in range(steps):
        degree = partition.offsets[v + 1] - partition.offsets[v]
        # Occasionally any node, so that every partition can be reached.
        if degree == 0 or below(partition.stream, 16) == 0:
            return int(partition.group[below(partition.stream, partition.n)])
        end = partition.ends[partition.offsets[v] + below(partition.stream, degree)]
        v = end if end < partition.n else end - partition.n
    return int(partition.group[v])


@compiled()
def _propose(partition: Partition, temperature: float) -> tuple[int, int, int, int, int]:
    """What to try next: a kind of change, two supernodes, and a node of the first and, for a swap, of the second."""
    v = below(partition.stream, partition.n)
    a, b = partition.group[v], _near(partition, v)
    if partition.sizes[a] >= 2 * partition.k:
        return SPLIT, a, a, v, v
    if a == b:
        return NOTHING, a, b, v, v
    # A merger admits more graphs and is accepted only while it is warm; with the split that follows, it exchanges many
    # nodes together.
    if temperature > 0.0 and below(partition.stream, MERGE_ONCE_IN) == 0:
        fits = partition.sizes[a] + partition.sizes[b] <= ROOM * partition.k
        return MERGE if fits else NOTHING, a, b, v, v
    spare = partition.sizes[a] > partition.k and partition.sizes[b] < ROOM * partition.k
    if spare and below(partition.stream, 2) == 0:
        return MOVE, a, b, v, v
    return SWAP, a, b, v, int(partition.members[b, below(partition.stream, partition.sizes[b])])


@compiled()
def _try(partition: Partition, kind: int, a: int, b: int, v: int, w: int, temperature: float) -> float:
    """Make a change and take it back if it is not accepted; the change of the cost.

    A split is always accepted: whatever the parts are, no more graphs fit than before.
    """
    kept = partition.sizes[a]
    if kind == SPLIT:
        # A number that no supernode has. There is always one: supernodes of k or more leave as many numbers free as can
        # be split off.
        partition.counts[FREE] -= 1
        b = partition.free[partition.counts[FREE]]
    before = _cost_of_two(partition, a, b)
    if kind == SPLIT:
        _shuffle(partition, a)
        _move_tail(partition, a, b, kept // 2)
    elif kind == MERGE:
        _move_tail(partition, b, a, 0)
    else:
        _exchange(partition, v, w, a, b)
    change = _cost_of_two(partition, a, b) - before
    accepted = kind == SPLIT or accepts(partition.stream, change, temperature)
    if accepted and kind == MERGE:
        partition.free[partition.counts[FREE]] = b
        partition.counts[FREE] += 1
    elif not accepted and kind == MERGE:
        _move_tail(partition, a, b, kept)
    elif not accepted:
        _exchange(partition, v, w, b, a)
    return change if accepted else 0.0


@compiled()
def _oversized(partition: Partition, first: int) -> int:
    """The first supernode, from this one on, that must be split; as many as there are numbers if none must."""
    g = first
    while g < partition.counts[GROUPS] and partition.sizes[g] < 2 * partition.k:
        g += 1
    return g


@compiled("float64(int64, boolean, int64[::1], int32[::1], int64[::1], int64, float64[::1], float64, int64, int64)")
def anneal(
    k: int,
    directed: bool,
    offsets: Integers,
    ends: NDArray[np.int32],
    group: Integers,
    groups: int,
    logarithms: NDArray[np.float64],
    temperature: float,
    work: int,
    seed: int,
) -> float:
    """Change ``group``, numbers below ``groups`` each of which k nodes or none have, and return the change of the cost.

    At temperature 0 only changes without cost are accepted. ``work`` bounds the number of edges visited. Every
    supernode with 2k nodes or more is split at the end.
    """
    n = len(group)
    partition = Partition(
        n,
        k,
        directed,
        offsets,
        ends,
        group,
        np.zeros(n, np.int64),
        np.zeros((groups, ROOM * k + 1), np.int32),
        np.zeros(groups, np.int64),
        np.zeros(groups, np.int64),
        np.zeros(3, np.int64),
        np.zeros(2 * groups, np.int64),
        np.zeros(2 * groups, np.int64),
        logarithms,
        new_stream(seed),
    )
    partition.counts[GROUPS] = groups
    for v in range(n):
        _put_into(partition, v, group[v])
    for g in range(groups):
        if partition.sizes[g] == 0:
            partition.free[partition.counts[FREE]] = g
            partition.counts[FREE] += 1
    change, last = 0.0, 0
    while last < groups:
        if partition.counts[WORK] < work:
            partition.counts[WORK] += 1
            kind, a, b, v, w = _propose(partition, temperature)
        else:
            last = _oversized(partition, last)
            kind, a, b, v, w = SPLIT if last < groups else NOTHING, last, last, 0, 0
        if kind != NOTHING:
            change += _try(partition, kind, a, b, v, w, temperature)
    return change
