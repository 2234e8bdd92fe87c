"""Conditions: whether a class satisfies every rule of a policy, in compiled code.

A rule is a kind, the number of its sensitive column, and a few parameters. Only `rule_holds` defines what a kind means:
a new kind is one constant and one branch, and every method then respects it as a condition of its cuts.

Kinds: `SIZE` (k: at least k records), `DISTINCT` (l: at least l different values; Machanavajjhala et al., "l-Diversity:
Privacy Beyond k-Anonymity", ICDE 2006), `ENTROPY` (l: the entropy is at least log l), `RECURSIVE` (l, c: the most
frequent value is rarer than c times the l-th and all rarer ones together), `SHARE` (alpha, and the same as numerator
and denominator: no value has a larger share of the class), `BOUNDED` (beta, then the largest share of every value),
`NESTED` and `ORDERED` (t, then a reference distribution: the earth mover's distance to it is at most t; Li, Li and
Venkatasubramanian, "t-Closeness", ICDE 2007), `MAPPED` (k, then people per value: at least k together) and `PRESENT`
(maximum, then people per record of each value: records are at most that share of the people). A union of classes that
satisfy one of these satisfies it too, so classes that end with equal labels stay safe.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.types import float64, int32, int64, named

SIZE = 0
DISTINCT = 1
ENTROPY = 2
RECURSIVE = 3
SHARE = 4
BOUNDED = 5
NESTED = 6
ORDERED = 7
MAPPED = 8
PRESENT = 9

PARAMETERS = 4
"""Smallest number of parameters of a rule; rules about distributions have more."""

ENTROPY_SLACK = 1e-9
"""Rounding that an entropy may fall short by: equal counts give log l only up to the last digits."""
SHARE_SLACK = 1e-12
"""Rounding by which a share or a distance may exceed its bound."""


class Conditions(NamedTuple):
    """The rules of a policy as plain arrays; rules about sizes alone are folded into ``least``."""

    least: int
    """No class may have fewer records."""
    kinds: NDArray[np.int64]
    columns: NDArray[np.int64]
    """The column of ``sensitive`` of every rule."""
    parameters: NDArray[np.float64]
    """One row per rule, PARAMETERS wide or as wide as the longest rule."""
    sensitive: NDArray[np.int32]
    """Shape (records, sensitive columns): codes, in the order of the table's records."""
    domain: int
    """One more than the largest sensitive code."""


CONDITIONS = named(Conditions, int64, int64[::1], int64[::1], float64[:, ::1], int32[:, ::1], int64)
"""The type of conditions, for signatures."""


class Tally(NamedTuple):
    """Scratch memory to count the sensitive codes of one class."""

    histogram: NDArray[np.int64]
    present: NDArray[np.int64]
    ranked: NDArray[np.int64]
    """Room to sort codes or counts."""
    groups: NDArray[np.int64]
    """Counts by group of a hierarchy; all 0 between uses."""


@compiled()
def sort_first(values: Any, count: int) -> None:
    """Sort the first numbers of an array in place, by a heap: the library's sort would allocate memory."""
    start, end = count // 2, count
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            values[0], values[end] = values[end], values[0]
        root = start
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and values[child] < values[child + 1]:
                child += 1
            if values[root] >= values[child]:
                break
            values[root], values[child] = values[child], values[root]
            root = child


@compiled()
def stays_bounded(parameters: Any, size: int, tally: Tally, distinct: int) -> bool:
    """Whether no value has a larger share of the class than ``parameters[1 + code]``."""
    for index in range(distinct):
        code = tally.present[index]
        # Compared as counts, with room for the rounding of the product: a share that is exactly at its bound holds.
        if tally.histogram[code] > parameters[1 + code] * size * (1.0 + SHARE_SLACK):
            return False
    return True


@compiled()
def nested_distance(parameters: Any, size: int, tally: Tally, distinct: int) -> float:
    """The earth mover's distance of a class to the reference if moving costs the height of the common ancestor.

    The height counts from 0 (one value) to 1 (the root), so the distance is the mean over the levels below the root of
    the total variation between groups. ``parameters``: t, levels, values, then for each level the group of every value
    and the reference share of that group. One level of single values gives the equal distance.
    """
    levels, values = int(parameters[1]), int(parameters[2])
    groups, total = tally.groups, 0.0
    for level in range(levels):
        start = 3 + 2 * values * level
        # At the lowest level every value is its own group: no need to add up.
        if level == 0:
            for index in range(distinct):
                code = tally.present[index]
                total += max(tally.histogram[code] / size - parameters[start + values + code], 0.0)
            continue
        for index in range(distinct):
            code = tally.present[index]
            groups[int(parameters[start + code])] += tally.histogram[code]
        for index in range(distinct):
            code = tally.present[index]
            group = int(parameters[start + code])
            # For a total variation only the excess of the class is counted: its deficit elsewhere is the same amount.
            # So values that the class lacks are never read. A group is emptied at its first value and adds nothing at
            # the others.
            total += max(groups[group] / size - parameters[start + values + code], 0.0)
            groups[group] = 0
    return total / levels


@compiled()
def ordered_distance(parameters: Any, size: int, tally: Tally, distinct: int) -> float:
    """The earth mover's distance of a class to the reference if moving costs the difference of ranks.

    ``parameters``: t, values, the cumulative reference, and the running sums of that, so that the cost of a stretch of
    values that the class lacks is known from its ends.
    """
    values = int(parameters[1])
    if values < 2:
        return 0.0
    present = tally.ranked
    for index in range(distinct):
        present[index] = tally.present[index]
    sort_first(present, distinct)
    total, previous, below = 0.0, np.int64(0), np.int64(0)
    for index in range(distinct + 1):
        stop = present[index] if index < distinct else np.int64(values)
        share = below / size
        low, high = previous, stop
        # Over a stretch without values of the class its cumulative share is constant and the reference rises: there is
        # one place where the sign of their difference changes, and on both sides of it the sum is known from running
        # sums.
        while low < high:
            middle = (low + high) // 2
            if parameters[2 + middle] > share:
                high = middle
            else:
                low = middle + 1
        sums = 2 + values
        total += share * (low - previous) - (parameters[sums + low] - parameters[sums + previous])
        total += (parameters[sums + stop] - parameters[sums + low]) - share * (stop - low)
        if index < distinct:
            below += tally.histogram[stop]
            previous = stop
    return total / (values - 1)


@compiled()
def people_suffice(kind: int, parameters: Any, size: int, tally: Tally, distinct: int) -> Any:
    """Whether the people behind the codes of a class are at least k, or its records at most a share of them."""
    people = 0.0
    for index in range(distinct):
        code = tally.present[index]
        people += parameters[1 + code] * (1 if kind == MAPPED else tally.histogram[code])
    if kind == MAPPED:
        return people >= parameters[0]
    return size <= parameters[0] * people * (1.0 + SHARE_SLACK)


@compiled()
def rule_holds(kind: int, parameters: Any, size: int, tally: Tally, distinct: int) -> Any:
    """Whether a class of ``size`` records whose ``distinct`` codes are tallied satisfies one rule."""
    if kind == DISTINCT:
        return distinct >= parameters[0]
    if kind == ENTROPY:
        entropy = 0.0
        for index in range(distinct):
            share = tally.histogram[tally.present[index]] / size
            entropy -= share * np.log(share)
        return entropy >= np.log(parameters[0]) - ENTROPY_SLACK
    if kind == RECURSIVE:
        counts = tally.ranked
        for index in range(distinct):
            counts[index] = tally.histogram[tally.present[index]]
        sort_first(counts, distinct)
        tail = 0
        # From the rarest up to the l-th most frequent. With fewer than l values there is no such tail, it stays 0, and
        # the rule fails as it should.
        for index in range(distinct - int(parameters[0]) + 1):
            tail += counts[index]
        return counts[distinct - 1] < parameters[1] * tail
    if kind == SHARE:
        most = np.int64(0)
        for index in range(distinct):
            most = max(most, tally.histogram[tally.present[index]])
        # In whole numbers: a share that is exactly alpha holds.
        return most * np.int64(parameters[2]) <= np.int64(parameters[1]) * size
    if kind == BOUNDED:
        return stays_bounded(parameters, size, tally, distinct)
    if kind == NESTED:
        return nested_distance(parameters, size, tally, distinct) <= parameters[0] + SHARE_SLACK
    if kind == ORDERED:
        return ordered_distance(parameters, size, tally, distinct) <= parameters[0] + SHARE_SLACK
    if kind in (MAPPED, PRESENT):
        return people_suffice(kind, parameters, size, tally, distinct)
    return size >= parameters[0]


@compiled()
def make_tally(conditions: Conditions) -> Tally:
    """Empty scratch memory for the classes of one table."""
    room = max(conditions.domain, 1)
    # A hierarchy may have more groups than values occur, and never more than its rule has parameters.
    groups = max(room, conditions.parameters.shape[1])
    return Tally(
        np.zeros(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64), np.zeros(groups, np.int64)
    )


@compiled()
def part_holds(conditions: Conditions, tally: Tally, order: Any, start: int, stop: int, sides: Any, side: int) -> bool:
    """Whether the records ``order[start:stop]`` (those with ``sides[i - start] == side``, if side is not -1) form a
    class that satisfies every rule."""
    size = 0
    for index in range(start, stop):
        if side < 0 or sides[index - start] == side:
            size += 1
    if size < conditions.least:
        return False
    for rule in range(len(conditions.kinds)):
        column = conditions.columns[rule]
        distinct = 0
        for index in range(start, stop):
            if side < 0 or sides[index - start] == side:
                code = conditions.sensitive[order[index], column]
                if tally.histogram[code] == 0:
                    tally.present[distinct] = code
                    distinct += 1
                tally.histogram[code] += 1
        fulfilled = rule_holds(conditions.kinds[rule], conditions.parameters[rule], size, tally, distinct)
        # Only counted codes are reset: a domain may have a million codes, and a class a handful.
        for index in range(distinct):
            tally.histogram[tally.present[index]] = 0
        if not fulfilled:
            return False
    return True


@compiled("boolean[::1](int64[::1], int64[::1], int64, int64[::1], int64[::1], float64[:,::1], int32[:,::1], int64)")
def classes_hold(
    order: Any, bounds: Any, least: int, kinds: Any, columns: Any, parameters: Any, sensitive: Any, domain: int
) -> Any:
    """For every class ``order[bounds[c]:bounds[c + 1]]`` whether it satisfies every rule."""
    conditions = Conditions(least, kinds, columns, parameters, sensitive, domain)
    tally = make_tally(conditions)
    answers = np.empty(len(bounds) - 1, np.bool_)
    no_sides = np.empty(0, np.uint8)
    for index in range(len(bounds) - 1):
        answers[index] = part_holds(conditions, tally, order, bounds[index], bounds[index + 1], no_sides, -1)
    return answers
