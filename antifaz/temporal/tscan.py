"""TSCAN: stable communities of a temporal graph, by lasting structural similarity.

Qin, Li, Wang, Yuan and Yu, "Mining Stable Communities in Temporal Networks by Density-Based Clustering", IEEE
Transactions on Big Data 2022; structural similarity after Xu, Yuruk, Feng and Schweiger, "SCAN", KDD 2007.

Directions are ignored. Two nodes that are joined at a time t are similar at t if they share enough neighbors: (common
neighbors + 2) / sqrt((deg u + 1)(deg v + 1)) is at least epsilon. They are lastingly similar if they are similar in at
least tau snapshots. A weak core has at least mu such neighbors. A strong core has mu of them in the same snapshot, for
at least tau snapshots. A stable core has the same mu similar neighbors in at least tau snapshots. A community consists
of cores connected by lasting similarity and all nodes lastingly similar to one of them; communities may overlap.

To decide whether a core is stable, a search looks for mu neighbors that are all similar in the same tau snapshots,
which can take exponentially many steps. The search skips branches that cannot succeed and has a step limit; nodes
without an answer are counted as undecided and are not cores.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.edge_slots import Slots
from antifaz.temporal.pairs import undirected_rows
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import Watch, within

BATCH = 100_000
"""Edges whose triangles are counted between two calls of the watch."""
NODE_STEPS, ALL_STEPS = 300_000, 4_000_000
"""Step limits of the search for one stable core, and for all together."""
LOOK = 20_000
"""Steps between two calls of the watch."""

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Similar:
    """Ordered pairs of nodes that are similar at some time, sorted by first and second node, and these times."""

    n: int
    snapshots: int
    first: Integers
    second: Integers
    starts: Integers
    """Index in ``times`` of the first time of each pair."""
    times: Integers

    @classmethod
    def of(cls, snapshots: Snapshots, epsilon: float, watch: Watch) -> "Similar":
        """Return the similar pairs of all snapshots."""
        rows = np.concatenate([np.zeros((3, 0), dtype=np.int64), *_similar_rows(snapshots, epsilon, watch)], axis=1)
        # Both nodes as one number, so that equal pairs follow each other, in the order of their times.
        pairs = rows[0] * np.int64(max(1, snapshots.n)) + rows[1]
        order = np.lexsort((rows[2], pairs))
        pairs = pairs[order]
        starts = np.append(np.flatnonzero(np.diff(pairs, prepend=-1)), len(pairs)).astype(np.int64)
        heads = pairs[starts[:-1]]
        n = max(1, snapshots.n)
        return cls(snapshots.n, len(snapshots), heads // n, heads % n, starts, rows[2][order])

    def lasting(self, tau: int) -> "Similar":
        """Return the pairs that are similar in at least tau snapshots."""
        sizes = np.diff(self.starts)
        kept = sizes >= tau
        starts = np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64)
        times = self.times[np.repeat(kept, sizes)]
        return Similar(self.n, self.snapshots, self.first[kept], self.second[kept], starts, times)

    @property
    def owners(self) -> Integers:
        """The first node of the pair of every time."""
        return np.repeat(self.first, np.diff(self.starts))


def weak_cores(lasting: Similar, mu: int) -> Flags:
    """Return the nodes with at least mu lastingly similar neighbors."""
    return np.asarray(np.bincount(lasting.first, minlength=lasting.n) >= mu)


def strong_cores(lasting: Similar, mu: int, tau: int) -> Flags:
    """Return the nodes with mu of these in the same snapshot, for at least tau snapshots."""
    return _often(lasting.owners, lasting.times, lasting, mu, tau)


def stable_cores(lasting: Similar, mu: int, tau: int, prune: bool, watch: Watch) -> tuple[Flags, Flags]:
    """Return the nodes with the same mu similar neighbors in at least tau snapshots, and the undecided nodes.

    With ``prune`` (TSCAN-A), nodes that are not strong cores are skipped, and so are snapshots and neighbors that
    cannot be part of a solution; without it (TSCAN-B), every weak core is searched. Both find the same cores.
    """
    found, undecided = np.zeros(lasting.n, dtype=np.bool_), np.zeros(lasting.n, dtype=np.bool_)
    candidates = np.flatnonzero(strong_cores(lasting, mu, tau) if prune else weak_cores(lasting, mu))
    rows = np.searchsorted(lasting.first, [candidates, candidates + 1])
    left = ALL_STEPS
    for done, (node, low, high) in enumerate(zip(candidates.tolist(), *rows.tolist(), strict=True)):
        part = within(watch, done / len(candidates), (done + 1) / len(candidates))
        # The times of a neighbor are the bits of one integer of any length: the times common to several are one AND.
        neighbors = [_mask(lasting.times[lasting.starts[i] : lasting.starts[i + 1]]) for i in range(low, high)]
        search = _Search(min(NODE_STEPS, left), part)
        answer = search.finds(_peeled(neighbors, mu, tau) if prune else neighbors, mu, tau)
        left -= search.steps
        found[node], undecided[node] = answer is True, answer is None
    return found, undecided


def consecutive_cores(lasting: Similar, mu: int, tau: int) -> Flags:
    """Return the nodes with the same mu similar neighbors in tau consecutive snapshots."""
    sizes = np.diff(lasting.starts)
    pairs = np.repeat(np.arange(len(sizes)), sizes)
    # Times are sorted within a pair and differ: tau of them in a row are consecutive if the first and the last are tau
    # - 1 apart.
    last = np.arange(tau - 1, len(lasting.times))
    first = last - (tau - 1)
    whole = (pairs[first] == pairs[last]) & (lasting.times[last] - lasting.times[first] == tau - 1)
    ends = last[whole]
    return _often(lasting.owners[ends], lasting.times[ends], lasting, mu, 1)


def communities(lasting: Similar, cores: Flags) -> list[Integers]:
    """Return the sorted members of every community; the largest community first."""
    numbers = np.flatnonzero(cores)
    if not len(numbers):
        return []
    held = cores[lasting.first]
    first, second = lasting.first[held], lasting.second[held]
    among = cores[second]
    links = scipy.sparse.coo_array((np.ones(among.sum()), (first[among], second[among])), shape=(lasting.n, lasting.n))
    component = scipy.sparse.csgraph.connected_components(links, directed=False)[1]
    groups = np.unique(component[numbers], return_inverse=True)[1]
    group = np.zeros(lasting.n, dtype=np.int64)
    group[numbers] = groups
    cells = np.concatenate([groups * np.int64(lasting.n) + numbers, group[first] * np.int64(lasting.n) + second])
    cells = distinct(cells)
    bounds = np.searchsorted(cells // lasting.n, np.arange(1, groups.max() + 1))
    return sorted(np.split(cells % lasting.n, bounds), key=lambda each: (-len(each), each.tolist()))


def _similar_rows(snapshots: Snapshots, epsilon: float, watch: Watch) -> Iterator[Integers]:
    """Yield first node, second node and time of similar pairs, for some snapshots at a time."""
    low, high, times = undirected_rows(snapshots)
    bounds = np.searchsorted(times, np.arange(len(snapshots) + 1))
    start = 0
    while start < len(snapshots):
        at = start / len(snapshots)
        watch(at)
        stop = max(start + 1, int(np.searchsorted(bounds, bounds[start] + BATCH, side="right")) - 1)
        part = slice(bounds[start], bounds[stop])
        yield _similar_in(low[part], high[part], times[part], snapshots.n, epsilon, within(watch, at, at))
        start = stop


def _similar_in(low: Integers, high: Integers, times: Integers, n: int, epsilon: float, watch: Watch) -> Integers:
    """Treat the snapshots as one graph, in which every node of every snapshot is a separate node."""
    cells = np.concatenate([times * np.int64(n) + low, times * np.int64(n) + high])
    names, places = np.unique(cells, return_inverse=True)
    slots = Slots.of(Graph.from_pairs(len(names), places[: len(low)], places[len(low) :]))
    closed = np.diff(slots.offsets) + 1
    owners, others = slots.owners, slots.neighbors
    # The quotient is correctly rounded if the root is a whole number; otherwise it never equals epsilon.
    similar = (slots.supports(watch) + 2) / np.sqrt(closed[owners] * closed[others]) >= epsilon
    one, other = names[owners[similar]], names[others[similar]]
    return np.stack([one % max(1, n), other % max(1, n), one // max(1, n)])


def _often(owners: Integers, times: Integers, lasting: Similar, mu: int, tau: int) -> Flags:
    """Return the nodes that occur mu times in each of at least tau snapshots."""
    cells, counts = np.unique(owners * np.int64(max(1, lasting.snapshots)) + times, return_counts=True)
    full = cells[counts >= mu] // max(1, lasting.snapshots)
    return np.asarray(np.bincount(full, minlength=lasting.n) >= tau)


def _mask(numbers: Integers) -> int:
    """Return an integer with these bits set."""
    mask = 0
    for number in numbers.tolist():
        mask |= 1 << number
    return mask


def _peeled(neighbors: list[int], mu: int, tau: int) -> list[int]:
    """Remove what cannot be part of a solution: times of fewer than mu neighbors, neighbors with fewer than tau
    times."""
    while neighbors:
        # Removing a neighbor lowers the counts of its times and removing a time those of neighbors, so it goes on until
        # nothing changes.
        counts: dict[int, int] = {}
        for mask in neighbors:
            for time in _bits(mask):
                counts[time] = counts.get(time, 0) + 1
        full = _mask(np.array([time for time, count in counts.items() if count >= mu], dtype=np.int64))
        peeled = [mask & full for mask in neighbors if (mask & full).bit_count() >= tau]
        if peeled == neighbors:
            break
        neighbors = peeled
    return neighbors


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class _Search:
    """A search for masks with common bits, with a step limit."""

    def __init__(self, most: int, watch: Watch) -> None:
        self.most = most
        self.watch = watch
        self.steps = 0

    def finds(self, neighbors: list[int], mu: int, tau: int) -> bool | None:
        """Whether mu of the neighbors are similar in tau common snapshots; None if the step limit was reached.

        The roles of neighbors and snapshots can be swapped: the one with fewer sets to try is chosen.
        """
        self.watch(0.0)
        if len(neighbors) < mu:
            return False
        snapshots = _turned(neighbors)
        # The same mu neighbors in tau snapshots are the same tau snapshots of mu neighbors.
        if math.comb(len(snapshots), tau) < math.comb(len(neighbors), mu):
            return self._chooses(snapshots, tau, mu)
        return self._chooses(neighbors, mu, tau)

    def _chooses(self, masks: list[int], members: int, support: int) -> bool | None:
        """Whether some of the masks have enough common bits; masks with the most bits are tried first."""
        masks = sorted((mask for mask in masks if mask.bit_count() >= support), key=int.bit_count, reverse=True)
        stack = [(0, 0, -1)]
        while stack:
            place, chosen, common = stack.pop()
            # Too few masks are left to complete the choice.
            if len(masks) - place < members - chosen:
                continue
            self.steps += 1
            if self.steps > self.most:
                return None
            if not self.steps % LOOK:
                self.watch(self.steps / self.most)
            # Without this mask, for later; first the search goes on with it, if enough bits stay common.
            stack.append((place + 1, chosen, common))
            common &= masks[place]
            if common.bit_count() >= support:
                if chosen + 1 == members:
                    return True
                stack.append((place + 1, chosen + 1, common))
        return False


def _turned(masks: list[int]) -> list[int]:
    """Transpose the masks: return for every bit that occurs the numbers of the masks that have it."""
    turned: dict[int, int] = {}
    for number, mask in enumerate(masks):
        for bit in _bits(mask):
            turned[bit] = turned.get(bit, 0) | 1 << number
    return list(turned.values())
