"""Groups: rows of sparse numbers in groups of k or more that are near one another in L1.

Rows are snapshots (their items are nodes) or nodes (their items are snapshots). The groups begin with the k nearest of
the largest rows and are made tighter by annealing. Many rows are cut into blocks of rows with like sums first.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.temporal_groups import add_overlaps, found_groups, tighten_groups
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]
Gaps = NDArray[np.float32]

BLOCK = 4096
"""Most rows whose gaps are all looked at."""
NEAR = 24
"""Among how many of the nearest rows a row is tried."""
MOST_TRIES = 4_000_000
"""Moves and exchanges that are tried at most to make the groups of a block tighter."""
SLICES, LEAST_SLICES, SLICE = 240, 24, 4_000
"""How often the watch is asked while groups are made tighter: at most, at least, and after how many tries else."""
ROUNDING = 0.01
"""What sums of distances may be off by: a bound is rounded up only from beyond that."""
STRIPE = 512
"""Rows whose gaps are worked on between two looks at the watch."""
STEP = 40_000_000
"""Pairs of entries that are compared between two looks at the watch."""


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
        """Some of the rows, renumbered in the given order."""
        number = np.full(self.count, -1, dtype=np.int64)
        number[wanted] = np.arange(len(wanted))
        kept = number[self.rows] >= 0
        return SparseRows(len(wanted), number[self.rows[kept]], self.items[kept], self.values[kept])

    def gaps(self, normalized: bool, watch: Watch) -> Gaps:
        """L1 distances of all pairs of rows; normalized, as the share that both lose when they become their maximum."""
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
            # Only the upper triangle is filled: a cell below it is that of the other order.
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
    """The group of every row; ``effort`` is how many changes are tried for each row to make groups tighter.

    No more than ``largest`` rows are looked at together.
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
    """No grouping of the rows, and of ``idle`` empty ones, into groups of k changes less in all; 0 if there are many.

    In a group of s ≥ k rows that become one, each gap is at most the distances of both rows together. Summed over all
    pairs, the distances are at least the gaps divided by s - 1: at least half the mean gap between each row and the
    k - 1 nearest to it.
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
    """Groups of rows, the largest rows first, made tighter."""
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
        # The last slices are cold.
        heats = [warm * (1 - (step + part) / (slices - 2)) for part in (0, 1)]
        tighten_groups(
            gaps, near, groups, k, tries, max(heats[0], 0.0), max(heats[1], 0.0), int(rng.integers(0, 2**62)), group
        )
    return group


def _nearest(gaps: Gaps, k: int, watch: Watch) -> tuple[NDArray[np.int32], Gaps]:
    """For every row some of the nearest rows, and the gap to the k-th."""
    rows, near, kth = len(gaps), [], []
    for place in range(0, rows, STRIPE):
        watch(0.0)
        stripe = gaps[place : place + STRIPE]
        near.append(np.argpartition(stripe, min(NEAR, rows - 1), axis=1)[:, : NEAR + 1].astype(np.int32))
        kth.append(np.partition(stripe, k, axis=1)[:, k])
    return np.ascontiguousarray(np.concatenate(near)), np.concatenate(kth)
