"""Shift the targets of groups of (out, in) degrees until both have the same sum: no other targets have a graph.

Every arc leaves one person and enters another. A group whose target moves by one changes the difference of the sums by
its size, so a few groups of different sizes, moved up or down, make it zero. Medians are nearly as cheap one step away:
first the cheapest shifts in the direction that helps, then, for the rest, the cheapest combination of shifts that
meets zero exactly, by dynamic programming.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

ROUNDS = 8
"""Most times that every group moves by one in the direction that helps."""
MOST_ITEMS = 64
"""Number of targets, the cheapest ones, of which the exact combination is made."""


@compiled()
def _count_beyond(
    points: Integers, group: Integers, common: Integers, common_sizes: Integers, centers: Integers, beyond: Integers
) -> None:
    """Count the members of every group that are above its target (first row out, second in) and below it (the next)."""
    beyond[:] = 0
    for side in range(2):
        for i in range(len(group)):
            gap = points[side, i] - centers[side, group[i]]
            if gap != 0:
                beyond[side if gap > 0 else side + 2, group[i]] += 1
        for c in range(len(common_sizes)):
            gap = common[side, c] - centers[side, c]
            if gap != 0:
                beyond[side if gap > 0 else side + 2, c] += common_sizes[c]


@compiled()
def _price(sizes: Integers, beyond: Integers, centers: Integers, side: int, c: int, step: int, ceiling: int) -> float:
    """What it costs to move a target by a step: everyone comes further from it, except those who are beyond."""
    if centers[side, c] + step < 0 or centers[side, c] + step > ceiling:
        return np.inf
    return float(sizes[c] - 2 * beyond[side if step > 0 else side + 2, c])


@compiled()
def _approach(sizes: Integers, beyond: Integers, centers: Integers, count: int, excess: int, ceiling: int) -> int:
    """Move targets by one, the cheapest for their size first, as far as that does not overshoot; return the excess."""
    sign = 1 if excess > 0 else -1
    prices = np.empty(2 * count)
    for item in range(2 * count):
        side, c = item // count, item % count
        step = -sign if side == 0 else sign
        # A group without members has no price for its size: nothing is gained by moving it.
        prices[item] = _price(sizes, beyond, centers, side, c, step, ceiling) / sizes[c] if sizes[c] > 0 else np.inf
    for item in np.argsort(prices, kind="mergesort"):
        side, c = item // count, item % count
        if prices[item] < np.inf and sizes[c] <= abs(excess):
            centers[side, c] += -sign if side == 0 else sign
            excess -= sign * sizes[c]
    return int(excess)


@compiled()
def _cheapest_items(sizes: Integers, beyond: Integers, centers: Integers, count: int, ceiling: int) -> Integers:
    """The targets that are cheapest to move, among groups of similar sizes."""
    smallest = np.int64(1) << np.int64(60)
    for c in range(count):
        if 0 < sizes[c] < smallest:
            smallest = sizes[c]
    prices = np.full(2 * count, np.inf)
    for item in range(2 * count):
        side, c = item // count, item % count
        # The table of the program is as long as the sizes are large.
        if 0 < sizes[c] <= 4 * smallest:
            up = _price(sizes, beyond, centers, side, c, 1, ceiling)
            down = _price(sizes, beyond, centers, side, c, -1, ceiling)
            prices[item] = min(up, down) / sizes[c]
    order = np.argsort(prices, kind="mergesort")
    usable = 0
    while usable < min(len(order), MOST_ITEMS) and prices[order[usable]] < np.inf:
        usable += 1
    return order[:usable]


@compiled()
def _meet_zero(sizes: Integers, beyond: Integers, centers: Integers, count: int, excess: int, ceiling: int) -> int:
    """Move some of the targets by one, up or down, such that the excess is zero; return it unchanged if none do."""
    items = _cheapest_items(sizes, beyond, centers, count, ceiling)
    reach = abs(excess)
    for item in items:
        reach = max(reach, abs(excess) + 2 * sizes[item % count])
    cost = np.full(2 * reach + 1, np.inf)
    cost[excess + reach] = 0.0
    moves = np.zeros((len(items), 2 * reach + 1), np.int8)
    for i in range(len(items)):
        side, c = items[i] // count, items[i] % count
        before = cost.copy()
        for step in (-1, 1):
            price = _price(sizes, beyond, centers, side, c, step, ceiling)
            if price == np.inf:
                continue
            # An out-degree more raises the excess, an in-degree more lowers it.
            change = step * sizes[c] if side == 0 else -step * sizes[c]
            for at in range(max(0, change), min(2 * reach, 2 * reach + change) + 1):
                if before[at - change] + price < cost[at]:
                    cost[at] = before[at - change] + price
                    moves[i, at] = step
    if cost[reach] == np.inf:
        return excess
    at = reach
    for i in range(len(items) - 1, -1, -1):
        side, c, step = items[i] // count, items[i] % count, int(moves[i, at])
        centers[side, c] += step
        at -= int(step * sizes[c] if side == 0 else -step * sizes[c])
    return 0


@compiled()
def balance(
    points: Integers,
    group: Integers,
    common: Integers,
    common_sizes: Integers,
    centers: Integers,
    count: int,
    surplus: int,
    ceiling: int,
) -> int:
    """Shift the first ``count`` centers until out and in targets have the same sum; return the difference that is left.

    ``points`` are the degrees of persons and ``group`` the center of each; ``common_sizes`` persons have exactly the
    degrees of the first centers. ``surplus`` is the difference of all degrees that stay as they are.
    """
    sizes = np.zeros(count, np.int64)
    sizes[: len(common_sizes)] = common_sizes
    for c in group:
        sizes[c] += 1
    excess = surplus
    for c in range(count):
        excess += int(sizes[c] * (centers[0, c] - centers[1, c]))
    beyond = np.empty((4, count), np.int64)
    for _ in range(ROUNDS):
        if excess == 0:
            break
        _count_beyond(points, group, common, common_sizes, centers, beyond)
        left = _approach(sizes, beyond, centers, count, excess, ceiling)
        if left == excess:
            break
        excess = left
    if excess != 0:
        _count_beyond(points, group, common, common_sizes, centers, beyond)
        excess = _meet_zero(sizes, beyond, centers, count, excess, ceiling)
    return int(excess)


@compiled("int64(int64[:, ::1], int64[::1], int64[:, ::1], int64, int64)")
def balance_groups(points: Integers, group: Integers, centers: Integers, surplus: int, ceiling: int) -> int:
    """`balance` for callers outside compiled code: every center belongs to a group."""
    nobody = np.empty((2, 0), np.int64)
    return balance(points, group, nobody, np.empty(0, np.int64), centers, centers.shape[1], surplus, ceiling)
