"""Microaggregate: divide records into groups of at least k similar records.

`group_sorted` is optimal for one attribute: Hansen and Mukherjee, "A Polynomial Algorithm for Optimal Univariate
Microaggregation", IEEE TKDE 2003. `group_around` is MDAV for several: Domingo-Ferrer and Torra, "Ordinal, Continuous
and Heterogeneous k-Anonymity Through Microaggregation", Data Mining and Knowledge Discovery 2005.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.watch import Watch, unwatched

SLICE = 100_000_000
"""Number of elementary steps between two calls of the watch, roughly."""


@compiled("void(float64[::1], int64, int64, int64, float64[::1], int64[::1])")
def extend_groups(numbers: Any, least: int, first: int, last: int, costs: Any, starts: Any) -> None:
    """For every stop from ``first`` to before ``last`` the cost of the best groups up to it, and where its last begins.

    Sums are taken of differences from the group's last number, so that large numbers do not cancel.
    """
    for stop in range(first, last):
        end = numbers[stop - 1]
        total = 0.0
        squares = 0.0
        # A group of 2·least or more can be cut in two without a loss (Hansen and Mukherjee), so that longer ones need
        # not be tried.
        for start in range(stop - 1, max(stop - 2 * least, -1), -1):
            difference = numbers[start] - end
            total += difference
            squares += difference * difference
            members = stop - start
            if members >= least:
                # The squared error around the mean, from two running sums.
                cost = costs[start] + squares - total * total / members
                if cost < costs[stop]:
                    costs[stop] = cost
                    starts[stop] = start


def group_sorted(numbers: NDArray[np.float64], least: int, watch: Watch = unwatched) -> NDArray[np.int64]:
    """The bounds of the groups of rising numbers with the least squared error within; each of least to 2·least - 1."""
    size = len(numbers)
    costs = np.full(size + 1, np.inf)
    costs[0] = 0.0
    starts = np.zeros(size + 1, np.int64)
    step = max(1, SLICE // least)
    for first in range(least, size + 1, step):
        watch(first / (size + 1))
        extend_groups(numbers, least, first, min(first + step, size + 1), costs, starts)
    bounds = [size]
    while bounds[-1] > 0:
        bounds.append(int(starts[bounds[-1]]))
    return np.array(bounds[::-1], dtype=np.int64)


@compiled(inlined=True)
def gap(numbers: Any, codes: Any, weights: Any, record: int, center: Any, modes: Any) -> Any:
    """The distance of a record from a center: squared differences, and the weights of the codes that differ."""
    distance = 0.0
    for column in range(numbers.shape[1]):
        difference = numbers[record, column] - center[column]
        distance += difference * difference
    for column in range(codes.shape[1]):
        if codes[record, column] != modes[column]:
            distance += weights[column]
    return distance


@compiled()
def farthest(numbers: Any, codes: Any, weights: Any, rest: Any, size: int, center: Any, modes: Any) -> int:
    """The place in ``rest`` of the record that is farthest from a center."""
    best = 0
    widest = -1.0
    for place in range(size):
        distance = gap(numbers, codes, weights, rest[place], center, modes)
        if distance > widest:
            widest = distance
            best = place
    return best


@compiled()
def take_nearest(
    numbers: Any, codes: Any, weights: Any, rest: Any, size: int, seed: int, least: int, nearest: Any, distances: Any
) -> int:
    """Move the ``least`` records nearest to a record out of ``rest`` into ``nearest``; returns how many are left."""
    center, modes = numbers[seed], codes[seed]
    found = 0
    for place in range(size):
        distance = gap(numbers, codes, weights, rest[place], center, modes)
        # The record itself comes first, also if others are at distance 0.
        if rest[place] == seed:
            distance = -1.0
        if found == least and distance >= distances[found - 1]:
            continue
        # Insertion into a sorted list: least is small, and most records are refused by the comparison above.
        slot = found if found < least else least - 1
        while slot > 0 and distances[slot - 1] > distance:
            distances[slot] = distances[slot - 1]
            nearest[slot] = nearest[slot - 1]
            slot -= 1
        distances[slot] = distance
        nearest[slot] = place
        if found < least:
            found += 1
    # Places become records, and what was taken is closed up: farther records keep their order.
    for index in range(found):
        place = nearest[index]
        nearest[index] = rest[place]
        rest[place] = -1
    left = 0
    for place in range(size):
        if rest[place] >= 0:
            rest[left] = rest[place]
            left += 1
    return left


@compiled()
def mark(numbers: Any, codes: Any, members: Any, size: int, group: int, labels: Any, sums: Any, counts: Any) -> None:
    """Give some records their group, and remove them from the sums and counts of the remaining records."""
    for index in range(size):
        record = members[index]
        labels[record] = group
        for column in range(numbers.shape[1]):
            sums[column] -= numbers[record, column]
        for column in range(codes.shape[1]):
            counts[column, codes[record, column]] -= 1


@compiled()
def find_center(sums: Any, size: int, counts: Any, center: Any, modes: Any) -> None:
    """The mean and the most frequent codes of the remaining records."""
    for column in range(len(sums)):
        center[column] = sums[column] / size
    for column in range(counts.shape[0]):
        best = 0
        for code in range(counts.shape[1]):
            if counts[column, code] > counts[column, best]:
                best = code
        modes[column] = best


@compiled(
    "void(float64[:,::1], int32[:,::1], float64[::1], int64[::1], int64, int64, float64[::1], int64[:,::1], "
    "int64[::1], int64[::1])"
)
def take_groups(
    numbers: Any,
    codes: Any,
    weights: Any,
    rest: Any,
    least: int,
    budget: int,
    sums: Any,
    counts: Any,
    state: Any,
    labels: Any,
) -> None:
    """Take pairs of groups out of the remaining records, within a budget of record visits.

    Repeatedly, the record farthest from the center of the remaining ones, and the record farthest from that one, each
    take their nearest records. Fewer than 2·least records at the end are one group. ``state``: records left, next
    group.
    """
    center = np.zeros(numbers.shape[1])
    modes = np.zeros(codes.shape[1], np.int32)
    nearest = np.empty(least, np.int64)
    distances = np.empty(least)
    size, group = state[0], state[1]
    while size >= 2 * least and budget > 0:
        # The approximate cost of a round: every record five times, and all counts for the modes.
        budget -= 5 * size + counts.size
        find_center(sums, size, counts, center, modes)
        seed = rest[farthest(numbers, codes, weights, rest, size, center, modes)]
        opposite = rest[farthest(numbers, codes, weights, rest, size, numbers[seed], codes[seed])]
        size = take_nearest(numbers, codes, weights, rest, size, seed, least, nearest, distances)
        mark(numbers, codes, nearest, least, group, labels, sums, counts)
        group += 1
        if size < 2 * least:
            break
        # MDAV chooses both extremes before it takes groups; if the first group contains the second extreme, the
        # farthest remaining record replaces it.
        if labels[opposite] >= 0:
            opposite = rest[farthest(numbers, codes, weights, rest, size, numbers[seed], codes[seed])]
        size = take_nearest(numbers, codes, weights, rest, size, opposite, least, nearest, distances)
        mark(numbers, codes, nearest, least, group, labels, sums, counts)
        group += 1
    if 0 < size < 2 * least:
        mark(numbers, codes, rest, size, group, labels, sums, counts)
        group += 1
        size = 0
    state[0], state[1] = size, group


def group_around(
    numbers: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    members: NDArray[np.int64],
    least: int,
    domain: int,
    first: int,
    labels: NDArray[np.int64],
    watch: Watch = unwatched,
) -> int:
    """MDAV on some records: label their groups from ``first`` on, and return the number after the last one."""
    rest = members.copy()
    sums = numbers[rest].sum(axis=0)
    counts = np.zeros((codes.shape[1], max(domain, 1)), np.int64)
    for column in range(codes.shape[1]):
        counts[column] = np.bincount(codes[rest, column], minlength=max(domain, 1))
    state = np.array([len(rest), first], dtype=np.int64)
    budget = max(1, SLICE // (2 * (numbers.shape[1] + codes.shape[1]) + 1))
    while state[0] > 0:
        watch(1 - state[0] / len(rest))
        take_groups(numbers, codes, weights, rest, least, budget, sums, counts, state, labels)
    return int(state[1])
