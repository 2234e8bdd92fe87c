"""The cheapest k-anonymous sequence near a sorted one, by dynamic programming over groups of k to 2k-1.

Liu and Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008, gave the program for raises only; here raising
and lowering by a unit each have a price, by position, and the group's target is the weighted quantile. All numbers are
integers, so a bound taken from the result is exact.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Integers = NDArray[np.int64]

_INFINITE = np.int64(1) << np.int64(60)
MOST_STEPS = 100_000_000
"""Largest number of positions times k for which the cheapest sequence is found; above it, groups end at regular
positions."""


@compiled()
def _stride(count: int, k: int) -> int:
    """Distance between positions where a group may end, such that the program stays near its step limit."""
    stride = 1
    while (count // stride) * (k // stride) > MOST_STEPS:
        stride += 1
    return stride


@compiled()
def _run_limits(values: Integers, starts: Integers, stops: Integers) -> None:
    """First position and one past the last of the run of equal values around each position."""
    count = len(values)
    for i in range(count):
        starts[i] = starts[i - 1] if i > 0 and values[i] == values[i - 1] else i
    for i in range(count - 1, -1, -1):
        stops[i] = stops[i + 1] if i + 1 < count and values[i] == values[i + 1] else i + 1


@compiled()
def _running_sums(weights: Integers, values: Integers, plain: Integers, weighted: Integers) -> None:
    for i in range(len(values)):
        plain[i + 1] = plain[i] + weights[i]
        weighted[i + 1] = weighted[i] + weights[i] * values[i]


@compiled()
def choose_sequence(
    values: Integers, raising: Integers, lowering: Integers, k: int, ceiling: int, even: bool, targets: Integers
) -> int:
    """Fill ``targets`` with the cheapest sequence in which every value occurs k times or more; return its price.

    ``values`` fall; ``raising`` and ``lowering`` are the prices of one unit at each position; no target is above
    ``ceiling``. With ``even``, the sum of the changes is even (else no graph has the degrees). Returns -1 if there is
    none. Above `MOST_STEPS` the sequence is nearly the cheapest.
    """
    count = len(values)
    stride = _stride(count, k)
    starts = np.empty(count, np.int64)
    stops = np.empty(count, np.int64)
    _run_limits(values, starts, stops)
    up = np.zeros(count + 1, np.int64)
    up_value = np.zeros(count + 1, np.int64)
    down = np.zeros(count + 1, np.int64)
    down_value = np.zeros(count + 1, np.int64)
    total = np.zeros(count + 1, np.int64)
    for i in range(count):
        total[i + 1] = total[i] + values[i]
    _running_sums(raising, values, up, up_value)
    _running_sums(lowering, values, down, down_value)
    price = np.full((count + 1, 2), _INFINITE)
    came_from = np.full((count + 1, 2), np.int64(-1))
    came_parity = np.zeros((count + 1, 2), np.int64)
    chosen = np.zeros((count + 1, 2), np.int64)
    price[0, 0] = 0
    # Liu and Terzi: a group of 2k or more can be cut in two at no higher cost, so groups of k to 2k - 1 are enough;
    # with a stride, slightly larger ones.
    for place in range(-(-k // stride), -(-count // stride) + 1):
        j = min(place * stride, count)
        if j < k:
            continue
        p = j - 1
        for i in range((j - k) // stride * stride, max(-1, j - 2 * k - 2 * (stride - 1)), -stride):
            # The weighted quantile: position p where lowering all before it costs as much as raising all from it on.
            # The group grows to the left, so that p only moves to the left: all groups that end here cost one walk.
            while p > i and down[p] - down[i] >= up[j] - up[p]:
                p -= 1
            if price[i, 0] >= _INFINITE and price[i, 1] >= _INFINITE:
                continue
            target = values[p]
            cost = (
                down_value[p + 1]
                - down_value[i]
                - target * (down[p + 1] - down[i])
                + target * (up[j] - up[p + 1])
                - (up_value[j] - up_value[p + 1])
            )
            # The degrees of a graph add up to an even number: the cheapest sequences of even and of odd change are
            # carried along side by side.
            change = ((j - i) * target - (total[j] - total[i])) & 1
            for parity in range(2):
                if price[i, parity] + cost < price[j, parity ^ change]:
                    price[j, parity ^ change] = price[i, parity] + cost
                    came_from[j, parity ^ change] = i
                    came_parity[j, parity ^ change] = parity
                    chosen[j, parity ^ change] = target
            if not even or (j - i) & 1 == 0:
                continue
            # A group of odd size changes the parity by moving its target by one: convexity leaves two candidates.
            first = max(i, starts[p])
            last = min(j, stops[p])
            above = cost + (up[j] - up[first]) - (down[first] - down[i])
            below = cost + (down[last] - down[i]) - (up[j] - up[last])
            if target + 1 > ceiling:
                above = _INFINITE
            if target == 0:
                below = _INFINITE
            other = target + 1 if above <= below else target - 1
            cost = min(above, below)
            if cost >= _INFINITE:
                continue
            for parity in range(2):
                if price[i, parity] + cost < price[j, parity ^ change ^ 1]:
                    price[j, parity ^ change ^ 1] = price[i, parity] + cost
                    came_from[j, parity ^ change ^ 1] = i
                    came_parity[j, parity ^ change ^ 1] = parity
                    chosen[j, parity ^ change ^ 1] = other
    parity = 0
    if not even and price[count, 1] < price[count, 0]:
        parity = 1
    if price[count, parity] >= _INFINITE:
        return -1
    j = count
    while j > 0:
        i = came_from[j, parity]
        targets[i:j] = chosen[j, parity]
        j, parity = i, came_parity[j, parity]
    return int(price[count, 0] if even else min(price[count, 0], price[count, 1]))


@compiled("int64(int64[::1], int64[::1], int64[::1], int64, int64, boolean, int64[::1])")
def cheapest_sequence(
    values: Integers, raising: Integers, lowering: Integers, k: int, ceiling: int, even: bool, targets: Integers
) -> int:
    """`choose_sequence` for callers outside compiled code."""
    return choose_sequence(values, raising, lowering, k, ceiling, even, targets)
