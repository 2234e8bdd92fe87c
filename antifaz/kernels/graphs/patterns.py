"""Search for small patterns around nodes, over CSR rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.sorted_rows import row_has, shorter_first
from antifaz.kernels.numba.types import boolean, int32, int64, named, uint8

Integers = NDArray[np.int64]
Neighbors = NDArray[np.int32]


class Pattern(NamedTuple):
    """A small graph to search for, in an order in which every node except the first has a neighbor before it."""

    parents: Integers
    """For each node one of its neighbors before it."""
    wanted: NDArray[np.uint8]
    """Which nodes are joined."""
    degrees: Integers
    """The least degree of each node's image."""
    exact: bool
    """Whether images have these degrees and no other edges among them."""


PATTERN = named(Pattern, int64[::1], uint8[:, ::1], int64[::1], boolean)


@compiled("float64[::1](int64[::1], int32[::1], int64[::1], int64[::1], float64[::1])")
def shared_weights(
    offsets: Integers, neighbors: Neighbors, one: Integers, other: Integers, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each pair of nodes, the summed weights of their common neighbors."""
    found = np.zeros(len(one))
    for pair in range(len(one)):
        few, many = shorter_first(offsets, one[pair], other[pair])
        for i in range(offsets[few], offsets[few + 1]):
            if row_has(offsets, neighbors, many, neighbors[i]):
                found[pair] += weights[neighbors[i]]
    return found


@compiled()
def _fits(
    offsets: Integers, neighbors: Neighbors, pattern: Pattern, candidate: int, level: int, image: Integers
) -> bool:
    """Whether a node can match the next one of the pattern: its degree and its edges to earlier ones fit."""
    wanted, degrees, exact = pattern.wanted, pattern.degrees, pattern.exact
    degree = offsets[candidate + 1] - offsets[candidate]
    if degree < degrees[level] or (exact and degree != degrees[level]):
        return False
    for j in range(level):
        if image[j] == candidate:
            return False
        asked = exact or wanted[level, j]
        if asked and row_has(offsets, neighbors, candidate, image[j]) != bool(wanted[level, j]):
            return False
    return True


@compiled(int64(int64[::1], int32[::1], PATTERN, int64[::1], int64, int64, int64, int64[::1], int64[:, ::1]))
def find_pattern(
    offsets: Integers,
    neighbors: Neighbors,
    pattern: Pattern,
    roots: Integers,
    enough: int,
    enough_in_all: int,
    most: int,
    found: Integers,
    images: Integers,
) -> int:
    """Count copies of a pattern at each root, up to ``enough``; return the steps taken.

    The search ends when ``enough_in_all`` copies are found, of which the first are kept in ``images``. Each root may
    take ``most`` steps: if they do not suffice, or were never taken, ``found`` is -1.
    """
    parents = pattern.parents
    size = len(parents)
    image, cursor = np.empty(size, np.int64), np.empty(size, np.int64)
    total, steps = 0, 0
    for r in range(len(roots)):
        found[r] = 0
        if not _fits(offsets, neighbors, pattern, roots[r], 0, image):
            continue
        image[0] = roots[r]
        level, taken = 1, 0
        if size > 1:
            cursor[1] = offsets[image[0]]
        # Backtracking with a cursor for every level instead of recursion: a level's candidates are the neighbors of its
        # parent's image, and a level without further candidates returns to the one before.
        while level >= 1:
            complete = level == size
            if not complete:
                if cursor[level] >= offsets[image[parents[level]] + 1]:
                    level -= 1
                    continue
                taken += 1
                if taken > most:
                    found[r] = -1 if found[r] == 0 else found[r]
                    break
                candidate = neighbors[cursor[level]]
                cursor[level] += 1
                if not _fits(offsets, neighbors, pattern, candidate, level, image):
                    continue
                image[level] = candidate
                level += 1
                if level < size:
                    cursor[level] = offsets[image[parents[level]]]
                    continue
            if total < len(images):
                images[total] = image
            total += 1
            found[r] += 1
            level -= 1
            if found[r] >= enough or total >= enough_in_all or size == 1:
                break
        steps += taken
        if total >= enough_in_all:
            break
    return steps


@compiled("int64(int64[::1], int32[::1], uint64[::1], int64[::1], int64, int64[:, ::1], int64[:, ::1], int64[::1])")
def grow_pockets(
    offsets: Integers,
    neighbors: Neighbors,
    ties: NDArray[np.uint64],
    starts: Integers,
    most: int,
    members: Integers,
    inner: Integers,
    cuts: Integers,
) -> int:
    """From each start grow a set by the neighbor that leaves the fewest edges going out; return how many starts were
    served before ``most`` steps were taken.

    For each: its members (-1 where there were none left), how many edges each has inside, and how many leave. ``ties``
    order nodes that are equally good.
    """
    n = len(offsets) - 1
    links, inside = np.zeros(n, np.int64), np.full(n, np.int64(-1))
    border = np.empty(n, np.int64)
    steps = 0
    for s in range(len(starts)):
        if steps >= most:
            return s
        count, cut, node = 0, 0, starts[s]
        for place in range(members.shape[1]):
            members[s, place] = node
            inside[node] = s
            cut += offsets[node + 1] - offsets[node] - 2 * links[node]
            for i in range(offsets[node], offsets[node + 1]):
                other = neighbors[i]
                if links[other] == 0:
                    border[count] = other
                    count += 1
                links[other] += 1
            best, least = -1, np.int64(0)
            for b in range(count):
                other = border[b]
                if inside[other] == s:
                    continue
                price = offsets[other + 1] - offsets[other] - 2 * links[other]
                if best < 0 or price < least or (price == least and ties[other] < ties[best]):
                    best, least = other, price
            steps += count + offsets[node + 1] - offsets[node]
            if best < 0:
                break
            node = best
        cuts[s] = cut
        for place in range(members.shape[1]):
            if members[s, place] >= 0:
                inner[s, place] = links[members[s, place]]
        for b in range(count):
            links[border[b]] = 0
    return len(starts)
