"""Microaggregate: divide records into groups of at least k that are alike.

`group_sorted` is optimal for one attribute: Hansen and Mukherjee, "A Polynomial Algorithm for Optimal Univariate
Microaggregation", IEEE TKDE 2003. `group_around` is MDAV for several: Domingo-Ferrer and Torra, "Ordinal, Continuous
and Heterogeneous k-Anonymity Through Microaggregation", Data Mining and Knowledge Discovery 2005.
"""

from typing import Any

import numpy as np

from antifaz.kernels.compiled import compiled


@compiled("int64[::1](float64[::1], int64)")
def group_sorted(numbers: Any, least: int) -> Any:
    """The bounds of the groups of rising numbers with the least squared error within; each of least to 2·least - 1.

    Sums are taken of differences from the group's last number, so that large numbers do not cancel.
    """
    size = len(numbers)
    costs = np.full(size + 1, np.inf)
    costs[0] = 0.0
    starts = np.zeros(size + 1, np.int64)
    for stop in range(least, size + 1):
        last = numbers[stop - 1]
        total = 0.0
        squares = 0.0
        for start in range(stop - 1, max(stop - 2 * least, -1), -1):
            difference = numbers[start] - last
            total += difference
            squares += difference * difference
            members = stop - start
            if members >= least:
                cost = costs[start] + squares - total * total / members
                if cost < costs[stop]:
                    costs[stop] = cost
                    starts[stop] = start
    groups = 0
    stop = size
    while stop > 0:
        stop = starts[stop]
        groups += 1
    bounds = np.empty(groups + 1, np.int64)
    stop = size
    for index in range(groups, -1, -1):
        bounds[index] = stop
        stop = starts[stop]
    return bounds


@compiled(inlined=True)
def gap(numbers: Any, codes: Any, weights: Any, record: int, centre: Any, modes: Any) -> Any:
    """The distance of a record from a centre: squared differences, and the weights of the codes that differ."""
    distance = 0.0
    for column in range(numbers.shape[1]):
        difference = numbers[record, column] - centre[column]
        distance += difference * difference
    for column in range(codes.shape[1]):
        if codes[record, column] != modes[column]:
            distance += weights[column]
    return distance


@compiled()
def farthest(numbers: Any, codes: Any, weights: Any, rest: Any, size: int, centre: Any, modes: Any) -> int:
    """The place in ``rest`` of the record that is farthest from a centre."""
    best = 0
    widest = -1.0
    for place in range(size):
        distance = gap(numbers, codes, weights, rest[place], centre, modes)
        if distance > widest:
            widest = distance
            best = place
    return best


@compiled()
def take_nearest(
    numbers: Any, codes: Any, weights: Any, rest: Any, size: int, seed: int, least: int, nearest: Any, distances: Any
) -> int:
    """Move the ``least`` records nearest to a record out of ``rest`` into ``nearest``; answers how many are left."""
    centre, modes = numbers[seed], codes[seed]
    found = 0
    for place in range(size):
        distance = gap(numbers, codes, weights, rest[place], centre, modes)
        if rest[place] == seed:
            distance = -1.0
        if found == least and distance >= distances[found - 1]:
            continue
        slot = found if found < least else least - 1
        while slot > 0 and distances[slot - 1] > distance:
            distances[slot] = distances[slot - 1]
            nearest[slot] = nearest[slot - 1]
            slot -= 1
        distances[slot] = distance
        nearest[slot] = place
        if found < least:
            found += 1
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
    """Give some records their group, and take them out of the sums and counts of those that are left."""
    for index in range(size):
        record = members[index]
        labels[record] = group
        for column in range(numbers.shape[1]):
            sums[column] -= numbers[record, column]
        for column in range(codes.shape[1]):
            counts[column, codes[record, column]] -= 1


@compiled()
def find_centre(sums: Any, size: int, counts: Any, centre: Any, modes: Any) -> None:
    """The mean and the most frequent codes of the records that are left."""
    for column in range(len(sums)):
        centre[column] = sums[column] / size
    for column in range(counts.shape[0]):
        best = 0
        for code in range(counts.shape[1]):
            if counts[column, code] > counts[column, best]:
                best = code
        modes[column] = best


@compiled("int64(float64[:,::1], int32[:,::1], float64[::1], int64[::1], int64, int64, int64, int64[::1])")
def group_around(
    numbers: Any, codes: Any, weights: Any, members: Any, least: int, domain: int, first: int, labels: Any
) -> int:
    """MDAV on some records: label their groups from ``first`` on, and answer the number after the last one.

    Repeatedly the record farthest from the centre of those that are left and the one farthest from it each take their
    nearest records. Fewer than 2·least records at the end are one group.
    """
    rest = members.copy()
    size = len(rest)
    sums = np.zeros(numbers.shape[1])
    counts = np.zeros((codes.shape[1], max(domain, 1)), np.int64)
    for place in range(size):
        for column in range(numbers.shape[1]):
            sums[column] += numbers[rest[place], column]
        for column in range(codes.shape[1]):
            counts[column, codes[rest[place], column]] += 1
    centre = np.zeros(numbers.shape[1])
    modes = np.zeros(codes.shape[1], np.int32)
    nearest = np.empty(least, np.int64)
    distances = np.empty(least)
    group = first
    while size >= 2 * least:
        find_centre(sums, size, counts, centre, modes)
        seed = rest[farthest(numbers, codes, weights, rest, size, centre, modes)]
        opposite = rest[farthest(numbers, codes, weights, rest, size, numbers[seed], codes[seed])]
        size = take_nearest(numbers, codes, weights, rest, size, seed, least, nearest, distances)
        mark(numbers, codes, nearest, least, group, labels, sums, counts)
        group += 1
        if size < 2 * least:
            break
        if labels[opposite] >= 0:
            opposite = rest[farthest(numbers, codes, weights, rest, size, numbers[seed], codes[seed])]
        size = take_nearest(numbers, codes, weights, rest, size, opposite, least, nearest, distances)
        mark(numbers, codes, nearest, least, group, labels, sums, counts)
        group += 1
    if size > 0:
        mark(numbers, codes, rest, size, group, labels, sums, counts)
        group += 1
    return group
