"""Random mechanisms of local differential privacy, judged by the definition."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from tests.oracles import definitions as by
from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import TABLE_FORMATS, write_table

_TOLERANCE = Decimal("1e-10")
"""Probabilities are floating-point numbers: a mechanism drawn for an epsilon has it up to their last digits."""
_MANY = 3_000
"""No honest mechanism shows only one value in this many rows: with an epsilon of at most 2 and five values each other
one has a probability of at least 1 / (e^2 + 4), and drawing none of them has one of less than 10^-119."""
Matrix = list[list[float]]


@dataclass(frozen=True)
class Randomized:
    """The claims about one sensitive column: the worker's account of its mechanism, the whole matrix (None if there is
    none), and the values that the policy declares (None if it declares none)."""

    told: Any
    matrix: Matrix | None
    domain: list[str] | None


def local_differential_privacy(rng: random.Random) -> Trial:
    """One or two sensitive columns, each with the matrix by which it was randomized."""
    names = ("s", "t")[: rng.randint(1, 2)]
    epsilon = rng.choice((0.5, 1, 1.0986122886681098, 2))
    formats = rng.sample(TABLE_FORMATS, rng.randint(1, 2))
    waived = rng.random() < 0.3
    if rng.random() < 0.1:
        return _large(rng, names, epsilon, formats[:1], waived)
    pool = rng.sample(("a", "b", "c", "d"), rng.randint(1, 3))
    rows = [[rng.choice(pool) for _ in names] for _ in range(rng.randint(3, 9))]
    given = {
        name: _mechanism(rng, sorted({row[place] for row in rows}), epsilon / len(names), waived)
        for place, name in enumerate(names)
    }
    return _trial(names, rows, given, epsilon, formats, waived)


def _large(rng: random.Random, names: Sequence[str], epsilon: float, formats: Sequence[str], waived: bool) -> Trial:
    """Many records that all have the same value, released by the mechanism or by one that never lies."""
    honest = rng.random() < 0.5
    domain = rng.sample(("a", "b", "c", "d", "e"), rng.randint(2, 5))
    matrix = _alike(len(domain), epsilon / len(names))
    given = {name: Randomized(matrix, matrix, None if waived else domain) for name in names}
    shown = [[domain[0]] * _MANY if not honest else rng.choices(domain, matrix[0], k=_MANY) for _ in names]
    rows = [list(row) for row in zip(*shown, strict=True)]
    return _trial(names, rows, given, epsilon, formats, waived)


def _alike(size: int, epsilon: float) -> Matrix:
    keep = math.exp(epsilon) / (math.exp(epsilon) + (size - 1))
    other = (1 - keep) / max(size - 1, 1)
    return [[keep if place == line else other for place in range(size)] for line in range(size)]


def _mechanism(rng: random.Random, shown: list[str], epsilon: float, waived: bool) -> Randomized:
    """A mechanism for a column that shows these values."""
    size = len(shown) + rng.choice((0, 0, 1, 2))
    matrix = _alike(size, epsilon * rng.choice((0.5, 1, 1, 1, 1.01, 2)))
    keep, other = matrix[0][0], matrix[0][1] if size > 1 else 0.0
    domain = None if waived else _domain(rng, shown, size)
    kind = rng.randrange(8)
    if kind == 0 and len(shown) > 1:  # the release shows more values than the matrix has
        few = len(shown) - 1
        return Randomized({"values": few, "keep": 1 / few, "other": 1 / few}, None, domain)
    if kind == 1:  # no value is ever released instead of another
        certain = [[float(place == line) for place in range(size)] for line in range(size)]
        return Randomized(rng.choice(({"values": size, "keep": 1.0, "other": 0.0}, certain)), certain, domain)
    if kind == 2 and size > 1:  # probabilities that do not add up
        return Randomized({"values": size, "keep": keep, "other": other + 0.1}, None, domain)
    if kind in (3, 4):  # every true value has its own probabilities
        matrix = [_line(rng, size) for _ in range(size)]
        return Randomized(matrix, matrix, domain)
    return Randomized(rng.choice((matrix, {"values": size, "keep": keep, "other": other})), matrix, domain)


def _domain(rng: random.Random, shown: list[str], size: int) -> list[str]:
    """The values that the policy declares: usually those of the matrix."""
    domain = [*shown, *(f"x{number}" for number in range(size - len(shown)))]
    rng.shuffle(domain)
    fault = rng.randrange(12)
    if fault == 0:  # a value too many
        return [*domain, "y"]
    if fault == 1:  # a released value was never declared
        return ["y" if value == shown[0] else value for value in domain]
    return domain


def _line(rng: random.Random, size: int) -> list[float]:
    weights = [rng.choice((2, 3, 4)) for _ in range(size)]
    return [weight / sum(weights) for weight in weights]


def _fits(column: Randomized, shown: Sequence[str], waived: bool) -> bool:
    """Whether the domain is declared or waived, contains the released values and equals the matrix's; and whether many
    rows do not all have one value, unless there is only one."""
    if column.matrix is None:
        return False
    size = len(column.matrix[0])
    told = waived if column.domain is None else len(column.domain) == size and set(shown) <= set(column.domain)
    return told and (len(shown) < _MANY or size == 1 or len(set(shown)) > 1)


def _trial(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    given: dict[str, Randomized],
    epsilon: float,
    formats: Sequence[str],
    waived: bool,
) -> Trial:
    losses = [by.privacy_loss(column.matrix) if column.matrix is not None else None for column in given.values()]
    told = [loss for loss in losses if loss is not None]
    total = sum(told, Decimal(0))
    fits = all(_fits(column, [row[place] for row in rows], waived) for place, column in enumerate(given.values()))
    expected = Expected(False)
    if len(told) == len(losses):
        holds = fits and total <= Decimal(str(epsilon)) + _TOLERANCE
        expected = Expected(holds, at_most={"epsilon": total})

    def spoil(rng: random.Random) -> Trial:
        """The same with the mechanism of one column changed, or its domain not declared."""
        name = rng.choice(list(given))
        shown = sorted({row[list(names).index(name)] for row in rows})
        changed = rng.choice((_mechanism(rng, shown, 2 * epsilon, waived), replace(given[name], domain=None)))
        return _trial(names, rows, given | {name: changed}, epsilon, formats, waived)

    return Trial(
        {
            "kind": "table",
            "attributes": {name: {"role": "sensitive"} for name in names},
            "guarantees": [{"model": "local_differential_privacy", "epsilon": epsilon}],
            "method": {
                "name": "randomized_response",
                "values": {name: column.domain for name, column in given.items() if column.domain is not None},
            },
            "waivers": [{"rule": "observed_domain", "reason": "a test"}] if waived else [],
        },
        lambda: [write_table(form, names, rows) for form in formats],
        expected,
        {"mechanism": {name: column.told for name, column in given.items()}},
        spoil=spoil,
    )
