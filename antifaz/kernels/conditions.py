"""Conditions: whether a class satisfies every rule of a policy, in compiled code.

A rule is a kind, the number of the sensitive column that it speaks of, and a few parameters. `rule_holds` is the one
place that knows what a kind means: a new kind is one constant and one branch, and every method then honours it as a
condition of its cuts.

Kinds: `SIZE` (k: at least k records), `DISTINCT` (l: at least l different values; Machanavajjhala et al., "l-Diversity:
Privacy Beyond k-Anonymity", ICDE 2006), `ENTROPY` (l: the entropy is at least log l) and `RECURSIVE` (l, c: the most
frequent value is rarer than c times the l-th and all rarer ones together). A union of classes that satisfy one of
these satisfies it too, so classes that end with equal labels stay safe.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.compiled import compiled

SIZE = 0
DISTINCT = 1
ENTROPY = 2
RECURSIVE = 3

PARAMETERS = 4
"""How many parameters a rule may have."""

ENTROPY_SLACK = 1e-9
"""Rounding that an entropy may fall short by: equal counts give log l only up to the last digits."""


class Conditions(NamedTuple):
    """The rules of a policy as plain arrays; rules about sizes alone are folded into ``least``."""

    least: int
    """No class may have fewer records."""
    kinds: NDArray[np.int64]
    columns: NDArray[np.int64]
    """For every rule the column of ``sensitive`` that it speaks of."""
    parameters: NDArray[np.float64]
    """Shape (rules, PARAMETERS)."""
    sensitive: NDArray[np.int32]
    """Shape (records, sensitive columns): codes, in the order of the table's records."""
    domain: int
    """One more than the largest sensitive code."""


class Tally(NamedTuple):
    """Scratch memory to count the sensitive codes of one class."""

    histogram: NDArray[np.int64]
    present: NDArray[np.int64]


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
        counts = np.empty(distinct, np.int64)
        for index in range(distinct):
            counts[index] = tally.histogram[tally.present[index]]
        counts.sort()
        tail = 0
        for index in range(distinct - int(parameters[0]) + 1):
            tail += counts[index]
        return counts[distinct - 1] < parameters[1] * tail
    return size >= parameters[0]


@compiled()
def make_tally(conditions: Conditions) -> Tally:
    """Empty scratch memory for the classes of one table."""
    return Tally(np.zeros(max(conditions.domain, 1), np.int64), np.empty(max(conditions.domain, 1), np.int64))


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
