"""Random mechanisms of local differential privacy, and what the definition says of them."""

import math
import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from tests.oracles import definitions as by
from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import TABLE_FORMATS, write_table

_TOLERANCE = Decimal("1e-10")
"""Chances are floating-point numbers: what was drawn for an epsilon has it up to their last digits."""
Matrix = list[list[float]]
Given = dict[str, tuple[Any, Matrix | None]]
"""For every sensitive column what the worker says of its mechanism, and the whole matrix; None where it is none."""


def local_differential_privacy(rng: random.Random) -> Trial:
    """One or two sensitive columns, each with the matrix by which it was randomized."""
    names = ("s", "t")[: rng.randint(1, 2)]
    pool = rng.sample(("a", "b", "c", "d"), rng.randint(1, 3))
    rows = [[rng.choice(pool) for _ in names] for _ in range(rng.randint(3, 9))]
    epsilon = rng.choice((0.5, 1, 1.0986122886681098, 2))
    given = {
        name: _mechanism(rng, len({row[place] for row in rows}), epsilon / len(names))
        for place, name in enumerate(names)
    }
    return _trial(names, rows, given, epsilon, rng.sample(TABLE_FORMATS, rng.randint(1, 2)))


def _mechanism(rng: random.Random, shown: int, epsilon: float) -> tuple[Any, Matrix | None]:
    """A mechanism for a column that shows so many values."""
    size = shown + rng.choice((0, 0, 1, 2))
    wanted = epsilon * rng.choice((0.5, 1, 1, 1, 1.01, 2))
    keep = math.exp(wanted) / (math.exp(wanted) + (size - 1))
    other = (1 - keep) / max(size - 1, 1)
    matrix = [[keep if place == line else other for place in range(size)] for line in range(size)]
    kind = rng.randrange(8)
    if kind == 0 and shown > 1:  # the release shows more values than the matrix speaks of
        return {"values": shown - 1, "keep": 1 / (shown - 1), "other": 1 / (shown - 1)}, None
    if kind == 1:  # no value is ever released for another
        certain = [[float(place == line) for place in range(size)] for line in range(size)]
        return rng.choice(({"values": size, "keep": 1.0, "other": 0.0}, certain)), certain
    if kind == 2 and size > 1:  # chances that do not add up
        return {"values": size, "keep": keep, "other": other + 0.1}, None
    if kind in (3, 4):  # every true value has chances of its own
        matrix = [_line(rng, size) for _ in range(size)]
        return matrix, matrix
    return rng.choice((matrix, {"values": size, "keep": keep, "other": other})), matrix


def _line(rng: random.Random, size: int) -> list[float]:
    weights = [rng.choice((2, 3, 4)) for _ in range(size)]
    return [weight / sum(weights) for weight in weights]


def _trial(
    names: Sequence[str], rows: Sequence[Sequence[Any]], given: Given, epsilon: float, formats: Sequence[str]
) -> Trial:
    losses = [by.privacy_loss(matrix) if matrix is not None else None for _, matrix in given.values()]
    told = [loss for loss in losses if loss is not None]
    total = sum(told, Decimal(0))
    expected = Expected(False)
    if len(told) == len(losses):
        expected = Expected(total <= Decimal(str(epsilon)) + _TOLERANCE, at_most={"epsilon": total})

    def spoil(rng: random.Random) -> Trial:
        """The same with the mechanism of one column changed."""
        name = rng.choice(list(given))
        shown = len({row[list(names).index(name)] for row in rows})
        return _trial(names, rows, given | {name: _mechanism(rng, shown, 2 * epsilon)}, epsilon, formats)

    return Trial(
        {
            "kind": "table",
            "attributes": {name: {"role": "sensitive"} for name in names},
            "guarantees": [{"model": "local_differential_privacy", "epsilon": epsilon}],
        },
        lambda: [write_table(form, names, rows) for form in formats],
        expected,
        {"mechanism": {name: mechanism for name, (mechanism, _) in given.items()}},
        spoil=spoil,
    )
