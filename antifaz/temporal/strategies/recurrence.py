"""Recurrence: group snapshots with similar degrees by k, and give each group one anonymous degree sequence.

After Garcia Dausà, "Data Privacy in Dynamic Graphs", 2025, with the snapshots edited instead of rebuilt. Snapshots are
grouped by the L1 distance of their degree sequences, node by node or sorted, as a share of their edges. The sequence of
a group is the cheapest in which k nodes share every degree (undirected: by the dynamic program of Liu and Terzi, 2008,
over all snapshots of the group together; pairs of degrees: by groups of similar nodes).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.kernels.temporal.groups import cheapest_runs
from antifaz.temporal.degree_rows import Directions, Recurrence
from antifaz.temporal.snapshots import Snapshots
from antifaz.temporal.strategies.groups import BLOCK, ROUNDING, SparseRows, group_rows, least_distance
from antifaz.temporal.strategies.plans import Plan, Task
from antifaz.temporal.strategies.trajectory import EFFORT, PRICES, common_degrees, group_nodes, side_degrees, weights_of
from antifaz.watch import Watch

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

NODE_EFFORT = 100
"""Number of changes of node groups tried for each node, in each group of snapshots."""
LEAST_BLOCK, ALL_GAPS = 512, 2_000_000_000
"""Smallest block of nodes that are compared for grouping, and the number of gaps in all groups of snapshots."""
GROWTH = 0.4
"""Weight of keeping the number of edges constant, relative to the edge Jaccard. Snapshots of one group differ in it;
raising all of them to the largest would keep most edges but add many new ones."""
MOST_LEVELS = 512
"""Degrees up to this may all become targets; above it, only degrees that occur."""


@dataclass(frozen=True)
class Aligned:
    """The degrees of all snapshots by slot, and the node of each slot."""

    degrees: Integers
    nodes: Integers | None
    """Node of every slot in every snapshot, or None if slots are nodes."""

    def by_node(self, t: int, row: Integers) -> Integers:
        """Convert a row of targets from slots to nodes."""
        if self.nodes is None:
            return row
        nodes = self.nodes[t]
        targets = np.empty_like(row)
        for start in range(0, len(row), len(nodes)):
            targets[start + nodes] = row[start : start + len(nodes)]
        return targets


def align(snapshots: Snapshots, recurrence: Recurrence, rng: np.random.Generator) -> Aligned:
    """Align slots node by node, or by rank in descending order of degree; ties are in random order."""
    degrees = side_degrees(snapshots)
    if recurrence == "vector":
        return Aligned(degrees, None)
    n = snapshots.n
    nodes = np.empty((len(degrees), n), dtype=np.int64)
    for t, row in enumerate(degrees):
        kinds = row.reshape(-1, n)
        nodes[t] = np.lexsort((rng.random(n), *(-kinds), -kinds.sum(axis=0)))
    ranked = [
        np.take_along_axis(degrees[:, start : start + n], nodes, axis=1) for start in range(0, degrees.shape[1], n)
    ]
    return Aligned(np.concatenate(ranked, axis=1), nodes)


def recurrence_tasks(
    snapshots: Snapshots,
    k: int,
    recurrence: Recurrence,
    directed: Directions,
    rng: np.random.Generator,
    watch: Watch,
) -> Iterator[Task]:
    """Yield for each group of snapshots the plans to choose from."""
    aligned = align(snapshots, recurrence, rng)
    t, sides = np.nonzero(aligned.degrees)
    rows = SparseRows(len(snapshots), t, sides, aligned.degrees[t, sides].astype(np.float64))
    group = group_rows(rows, k, True, EFFORT, rng, watch)
    weights = weights_of(snapshots)
    order = np.argsort(group, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        chosen = aligned.degrees[members], weights[members]
        plans = partial(_plans, *chosen, snapshots, k, directed, rng)
        yield Task(members.tolist(), plans, aligned.by_node, GROWTH)


def _plans(
    degrees: Integers,
    weights: Numbers,
    snapshots: Snapshots,
    k: int,
    directed: Directions,
    rng: np.random.Generator,
    watch: Watch,
) -> Iterator[Plan]:
    """Yield a plan for each price of lowering a degree."""
    n = snapshots.n
    if snapshots.directed and directed == "pairs":
        # At most two nodes for each edge take part, and each is compared with its whole block.
        largest = max(LEAST_BLOCK, min(BLOCK, ALL_GAPS // (2 * max(snapshots.m, 1))))
        group = group_nodes(degrees, weights, n, k, NODE_EFFORT, rng, watch, largest)
        classes = np.concatenate([group, group + int(group.max()) + 1])
        stacked, owners = degrees.reshape(1, -1), np.tile(classes, len(degrees))
        for price in PRICES:
            yield Plan(degrees, weights, classes, common_degrees(stacked, owners, price)[0], True)
        return
    for price in PRICES:
        parts = [
            _cheapest_classes(degrees[:, start : start + n], weights, k, price)
            for start in range(0, degrees.shape[1], n)
        ]
        shifts = np.cumsum([0, *(len(targets) for _, targets in parts)])
        classes = np.concatenate([own + shift for (own, _), shift in zip(parts, shifts, strict=False)])
        yield Plan(degrees, weights, classes, np.concatenate([each for _, each in parts]), snapshots.directed)


def _cheapest_classes(degrees: Integers, weights: Numbers, k: int, price: float) -> tuple[Integers, Integers]:
    """Return the cheapest classes of at least k slots, in the order of the slots' preferred levels, and their
    targets."""
    taking_part = (degrees > 0).sum(axis=0) > 0
    idle = np.flatnonzero(~taking_part)
    pool = len(idle) >= k
    # Idle slots may fill a class of too few busy ones, as long as k slots stay idle.
    taking_part[idle[: min(k, len(idle) - k) if pool else len(idle)]] = True
    slots = np.flatnonzero(taking_part)
    levels = _levels(degrees[:, slots])
    prices = np.zeros((len(slots), len(levels)))
    for row, weight in zip(degrees[:, slots], weights, strict=True):
        gap = (levels[None, :] - row[:, None]).astype(np.float64)
        prices += weight * np.where(gap > 0, gap, -price * gap)
    wishes = prices.argmin(axis=1)
    order = np.lexsort(((degrees[:, slots] * weights[:, None]).sum(axis=0), wishes))
    costs = np.zeros((len(slots) + 1, len(levels)))
    np.cumsum(prices[order], axis=0, out=costs[1:])
    chosen = np.zeros(len(slots), dtype=np.int64)
    if len(slots) and cheapest_runs(costs, levels, wishes[order].astype(np.int64), k, pool, chosen) < 0:
        chosen[:] = 0
    level_of = np.zeros(degrees.shape[1], dtype=np.int64)
    level_of[slots[order]] = chosen
    used, classes = np.unique(level_of, return_inverse=True)
    return classes.ravel().astype(np.int64), levels[used]


def _levels(degrees: Integers) -> Integers:
    """Return the degrees that may become targets."""
    highest = int(degrees.max(initial=0))
    if highest <= MOST_LEVELS:
        return np.arange(highest + 2, dtype=np.int64)
    return distinct(np.concatenate([np.arange(MOST_LEVELS), degrees.ravel()]))


def recurrence_bound(snapshots: Snapshots, k: int, recurrence: Recurrence, watch: Watch) -> int:
    """Return half the least L1 distance: if k snapshots share each degree sequence, at least this many edits are
    needed."""
    degrees, n = side_degrees(snapshots), snapshots.n
    if recurrence == "multiset":
        # Sorting each direction separately gives the smallest distance of any order.
        degrees = np.sort(degrees.reshape(len(degrees), -1, n), axis=2)[:, :, ::-1].reshape(len(degrees), -1)
    t, sides = np.nonzero(degrees)
    rows = SparseRows(len(degrees), t, sides, degrees[t, sides].astype(np.float64))
    return int(np.ceil(least_distance(rows, 0, k, watch) / 2 - ROUNDING))
