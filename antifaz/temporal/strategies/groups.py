"""Groups: group rows of sparse numbers that are near each other in L1, at least k to a group.

Rows are snapshots (their items are nodes) or nodes (their items are snapshots). Groups start as the k nearest rows of
the largest rows and are tightened by annealing. Large inputs are first split into blocks of rows with similar sums.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.temporal.groups import add_overlaps, found_groups, tighten_groups
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]
Gaps = NDArray[np.float32]

BLOCK = 4096
"""Largest number of rows whose gaps are all computed."""
NEAR = 24
"""Number of nearest rows with which a row is tried."""
MOST_TRIES = 4_000_000
"""Largest number of moves and swaps tried to tighten the groups of a block."""
SLICES, LEAST_SLICES, SLICE = 240, 24, 4_000
"""How often the watch is called while groups are tightened: most calls, fewest calls, and tries between two calls."""
ROUNDING = 0.01
"""Rounding error of sums of distances: a bound is rounded up only if it exceeds an integer by more."""
STRIPE = 512
"""Rows processed between two calls of the watch."""
STEP = 40_000_000
"""Pairs of entries compared between two calls of the watch."""


@dataclass(frozen=True)
class SparseRows:
    """Entries (row, item, value) with values above zero."""

    count: int
    rows: Integers
    items: Integers
    values: Numbers

    @property
    def sums(self) -> Numbers:
        return np.bincount(self.rows, weights=self.values, minlength=self.count).astype(np.float64)

    def chosen(self, wanted: Integers) -> "SparseRows":
        """Return some of the rows, renumbered in the given order."""
        number = np.full(self.count, -1, dtype=np.int64)
        number[wanted] = np.arange(len(wanted))
        kept = number[self.rows] >= 0
        return SparseRows(len(wanted), number[self.rows[kept]], self.items[kept], self.values[kept])

    def gaps(self, normalized: bool, watch: Watch) -> Gaps:
        """Return the L1 distances of all pairs of rows; if normalized, the distance as a share of the pair's
        maximum."""
        order = np.lexsort((self.rows, self.items))
        items, rows = self.items[order], self.rows[order]
        bounds = np.concatenate([np.flatnonzero(np.diff(items, prepend=-1)), [len(items)]]).astype(np.int64)
        overlaps = np.zeros((self.count, self.count), dtype=np.float32)
        values = self.values[order].astype(np.float32)
        work = np.cumsum(np.diff(bounds).astype(np.float64) ** 2)
        start = 0
        while start < len(work):
            watch(0.0)
            done = work[start - 1] if start else 0.0
            stop = max(start + 1, int(np.searchsorted(work, done + STEP)))
            add_overlaps(bounds, rows, values, start, stop, overlaps)
            start = stop
        sums = self.sums.astype(np.float32)
        gaps = np.empty_like(overlaps)
        for place in range(0, self.count, STRIPE):
            watch(0.0)
            stripe = slice(place, place + STRIPE)
            both = sums[stripe, None] + sums[None, :]
            # Only the upper triangle is filled: the transpose gives the lower one.
            gaps[stripe] = np.maximum(both - 2 * (overlaps[stripe] + overlaps[:, stripe].T), 0)
            if normalized:
                share = gaps[stripe] / np.maximum(both, 1e-9)
                gaps[stripe] = 2 * share / (1 + share)
        np.fill_diagonal(gaps, 0)
        return gaps


def group_rows(
    rows: SparseRows,
    k: int,
    normalized: bool,
    effort: int,
    rng: np.random.Generator,
    watch: Watch,
    largest: int = BLOCK,
) -> Integers:
    """Return the group of every row; ``effort`` is the number of changes tried for each row to tighten groups.

    At most ``largest`` rows are compared with each other.
    """
    order = np.argsort(-rows.sums, kind="stable")
    blocks = max(1, min(-(-rows.count // largest), rows.count // k))
    group, groups = np.zeros(rows.count, dtype=np.int64), 0
    for number, block in enumerate(np.array_split(order, blocks)):
        seen = within(watch, number / blocks, (number + 1) / blocks)
        members = _tight_groups(rows.chosen(block).gaps(normalized, seen), k, effort, rng, seen)
        group[block] = groups + members
        groups += int(members.max()) + 1
    return group


def least_distance(rows: SparseRows, idle: int, k: int, watch: Watch) -> float:
    """Return a lower bound on the change that grouping the rows, and ``idle`` empty ones, by k needs; 0 if too many.

    In a group of s ≥ k rows that become equal, each gap is at most the sum of both rows' changes. Summed over all
    pairs, the changes are at least the gaps divided by s - 1: at least half the mean gap between each row and its k - 1
    nearest rows.
    """
    if rows.count > BLOCK or rows.count + idle < k:
        return 0.0
    gaps = rows.gaps(False, watch)
    np.fill_diagonal(gaps, np.inf)
    empty = np.repeat(rows.sums.astype(np.float32)[:, None], min(idle, k - 1), axis=1)
    total = 0.0
    for place in range(0, rows.count, STRIPE):
        watch(0.0)
        stripe = np.concatenate([gaps[place : place + STRIPE], empty[place : place + STRIPE]], axis=1)
        total += float(np.partition(stripe, k - 2, axis=1)[:, : k - 1].sum(dtype=np.float64))
    return total / (k - 1) / 2


def _tight_groups(gaps: Gaps, k: int, effort: int, rng: np.random.Generator, watch: Watch) -> Integers:
    """Group the rows, the largest first, and tighten the groups."""
    rows = len(gaps)
    group = np.zeros(rows, dtype=np.int64)
    watch(0.0)
    groups = found_groups(gaps, np.arange(rows), k, group)
    if groups < 2:
        return group
    near, kth = _nearest(gaps, min(k, rows - 1), watch)
    tries = min(MOST_TRIES, effort * rows)
    slices = max(LEAST_SLICES, min(SLICES, tries // SLICE))
    tries //= slices
    warm = 0.3 * float(kth.mean())
    for step in range(slices):
        if watch(step / slices):
            break
        # The temperature is zero in the last slices.
        heats = [warm * (1 - (step + part) / (slices - 2)) for part in (0, 1)]
        tighten_groups(
            gaps, near, groups, k, tries, max(heats[0], 0.0), max(heats[1], 0.0), int(rng.integers(0, 2**62)), group
        )
    return group


def _nearest(gaps: Gaps, k: int, watch: Watch) -> tuple[NDArray[np.int32], Gaps]:
    """Return for every row some of its nearest rows, and the gap to the k-th."""
    rows, near, kth = len(gaps), [], []
    for place in range(0, rows, STRIPE):
        watch(0.0)
        stripe = gaps[place : place + STRIPE]
        near.append(np.argpartition(stripe, min(NEAR, rows - 1), axis=1)[:, : NEAR + 1].astype(np.int32))
        kth.append(np.partition(stripe, k, axis=1)[:, k])
    return np.ascontiguousarray(np.concatenate(near)), np.concatenate(kth)
