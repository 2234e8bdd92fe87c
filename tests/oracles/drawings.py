"""Random accounts of how a synthetic table was drawn, judged by the definition."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import TABLE_FORMATS, write_graph, write_table

_ORDERS = 1.0 + np.exp(np.linspace(-4.0, 14.0, 60_000))
"""Orders of Rényi's divergence: every one of them gives a bound, and the best is as good as the nearest of these."""
_ABOUT_ORDERS = (_ORDERS * np.log1p(-1.0 / _ORDERS) - np.log(_ORDERS - 1.0)) / (_ORDERS - 1.0)
VALUES = ("a", "b", "c")
EDGES = (0.0, 2.5, 10.0)


@dataclass(frozen=True)
class Drawn:
    """The account of the draws, and the promise."""

    epsilon: float
    delta: float
    measure: str
    contributions: int
    counted: int
    """Number of records per person that the mechanism claims to have counted."""
    person: bool
    steps: tuple[tuple[str, tuple[str, ...], float], ...]
    """Kind, columns and scale of every drawing."""
    rows: tuple[tuple[str, str], ...]
    declared: tuple[str, ...] = VALUES
    number: int | None = None
    """Number of records that the policy declares."""
    charged: int | None = None
    budget: int | None = None


def differential_privacy(rng: random.Random) -> Trial:
    """A table of a few rows, and draws that may or may not cost more than promised."""
    epsilon, delta = rng.choice((0.5, 1.0, 3.0)), rng.choice((0.0, 1e-6, 1e-9))
    contributions = rng.choice((1, 1, 3))
    measure = "pure" if delta == 0 else "zcdp"
    kinds = [("count", ("s",)), ("count", ("x",))] + [("choice", ()), ("count", ("s", "x"))] * rng.randint(0, 2)
    weights = [rng.choice((1, 2, 5)) for _ in kinds]
    whole = _budget(epsilon, delta) * rng.choice((0.5, 0.999, 0.999, 0.999, 1.01))
    steps = tuple(
        (kind, columns, _scale(kind, whole * weight / sum(weights), measure, contributions))
        for (kind, columns), weight in zip(kinds, weights, strict=True)
    )
    rows = tuple((rng.choice(VALUES), rng.choice(("0.0", "1.5", "9.9", "10.0"))) for _ in range(rng.randint(2, 6)))
    drawn = Drawn(epsilon, delta, measure, contributions, contributions, rng.random() < 0.4, steps, rows)
    return _trial(rng.choice((drawn, drawn, drawn, _spoilt(rng, drawn))), rng.sample(TABLE_FORMATS, rng.randint(1, 2)))


def _scale(kind: str, loss: float, measure: str, contributions: int) -> float:
    """The scale that has the given loss by the definition."""
    if kind == "count":
        return contributions / loss if measure == "pure" else contributions / math.sqrt(2 * loss)
    return 2 * contributions / loss if measure == "pure" else 2 * contributions / math.sqrt(8 * loss)


def _epsilon(rho: float, delta: float) -> float:
    return float(np.min(_ORDERS * rho + _ABOUT_ORDERS - math.log(delta) / (_ORDERS - 1.0)))


@cache
def _budget(epsilon: float, delta: float) -> float:
    """The largest allowed loss, in the measure that delta requires."""
    if delta == 0:
        return epsilon
    low, high = 0.0, epsilon
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if _epsilon(middle, delta) <= epsilon else (low, middle)
    return low


def _spoilt(rng: random.Random, drawn: Drawn) -> Drawn:
    """The same with one thing changed."""
    place = rng.randrange(len(drawn.steps))
    kind, columns, scale = drawn.steps[place]
    micro = round(drawn.epsilon * 10**6)

    def step(*other: Any) -> tuple[Any, ...]:
        return (*drawn.steps[:place], other, *drawn.steps[place + 1 :])

    return rng.choice(
        (
            replace(drawn, steps=step(kind, columns, scale * rng.choice((0.1, 0.7)))),
            replace(drawn, steps=step(kind, columns, -scale)),
            replace(drawn, steps=step("guess", columns, scale)),
            replace(drawn, steps=step(kind, ("name",), scale)),
            replace(drawn, steps=()),
            replace(drawn, counted=drawn.contributions + rng.choice((-1, 1))),
            replace(drawn, measure="pure" if drawn.delta else "zcdp"),
            replace(drawn, rows=(*drawn.rows, (rng.choice(VALUES), rng.choice(("10.1", "-0.1", "1.23", "many"))))),
            replace(drawn, declared=VALUES[: rng.choice((1, 2))]),
            replace(drawn, number=len(drawn.rows) + rng.choice((0, 1))),
            replace(drawn, budget=10**8, charged=rng.choice((None, micro - 1, micro, micro + 1))),
        )
    )


def _loss(drawn: Drawn) -> Decimal | None:
    """Directly from the definitions: how much more likely an outcome can be for one of two neighbors."""
    total = 0.0
    for kind, columns, scale in drawn.steps:
        if scale <= 0 or kind not in ("count", "choice") or (kind == "choice") == bool(columns) or "name" in columns:
            return None
        width = drawn.contributions if kind == "count" else 2 * drawn.contributions
        total += width / scale if drawn.measure == "pure" else (width / scale) ** 2 / (2 if kind == "count" else 8)
    return Decimal(total if drawn.delta == 0 else _epsilon(total, drawn.delta))


def _expected(drawn: Drawn) -> Expected:
    loss = _loss(drawn) if drawn.measure == ("pure" if drawn.delta == 0 else "zcdp") and drawn.steps else None
    shown = all(value in drawn.declared and number in ("0.0", "1.5", "9.9", "10.0") for value, number in drawn.rows)
    paid = drawn.budget is None or (drawn.charged or 0) >= drawn.epsilon * 10**6
    fits = drawn.counted == drawn.contributions and drawn.number in (None, len(drawn.rows))
    holds = loss is not None and loss <= Decimal(drawn.epsilon) * (1 + Decimal("1e-9")) and shown and paid and fits
    return Expected(holds, at_most={"epsilon": loss} if holds and loss is not None else {})


def _trial(drawn: Drawn, formats: Sequence[str]) -> Trial:
    method: dict[str, Any] = {
        "name": "synthetic",
        "model": "dp_marginals",
        "values": {"s": list(drawn.declared)},
        "edges": {"x": list(EDGES)},
        "contributions": drawn.contributions,
    }
    if drawn.number is not None:
        method["rows"] = drawn.number
    policy: dict[str, Any] = {
        "kind": "table",
        "attributes": {"name": {"role": "identifier"}, "s": {"role": "sensitive"}, "x": {"role": "insensitive"}},
        "guarantees": [{"model": "differential_privacy", "epsilon": drawn.epsilon, "delta": drawn.delta}],
        "method": method,
    }
    if drawn.person:
        policy["privacy_unit"] = "name"
    ledger = None if drawn.budget is None else {"charged": drawn.charged, "budget": drawn.budget}
    told = {
        "measure": drawn.measure,
        "contributions": drawn.counted,
        "unit": "a person" if drawn.person else "a record",
        "steps": [{"kind": kind, "columns": list(columns), "scale": scale} for kind, columns, scale in drawn.steps],
        "ledger": ledger,
    }
    return Trial(
        policy,
        lambda: [write_table(format_, ("s", "x"), drawn.rows) for format_ in formats],
        _expected(drawn),
        {"marginals": told},
        spoil=lambda rng: _trial(_spoilt(rng, drawn), formats),
    )


def edge_differential_privacy(rng: random.Random) -> Trial:
    """A small graph, and noise on degrees that may or may not be as wide as promised."""
    epsilon = rng.choice((0.5, 1.0, 3.0))
    return _degrees(
        epsilon, 2 / epsilon * rng.choice((0.7, 0.99, 1, 1.001, 2)), None, rng.random() < 0.15, rng.random()
    )


def _degrees(epsilon: float, scale: float, charged: int | None, directed: bool, seed: float) -> Trial:
    """Joining or separating one pair changes two degrees by one, each with its own noise."""
    chance = random.Random(seed)
    pairs = [(u, v) for u in range(5) for v in range(u + 1, 5) if chance.random() < 0.4]
    loss = Decimal(2) / Decimal(scale) if scale > 0 else None
    paid = charged is None or charged >= epsilon * 10**6
    holds = loss is not None and loss <= Decimal(epsilon) * (1 + Decimal("1e-9")) and paid and not directed
    sealed = {"scale": scale, "ledger": None if charged is None else {"charged": charged, "budget": 10**8}}

    def spoil(rng: random.Random) -> Trial:
        micro = round(epsilon * 10**6)
        return rng.choice(
            (
                _degrees(epsilon, scale * 0.5, charged, directed, seed),
                _degrees(epsilon, -scale, charged, directed, seed),
                _degrees(epsilon, scale, micro + rng.choice((-1, 0, 1)), directed, seed),
            )
        )

    return Trial(
        {
            "kind": "graph",
            "guarantees": [{"model": "edge_differential_privacy", "epsilon": epsilon}],
            "method": {"name": "noisy_degrees"},
        },
        lambda: [
            write_graph("edgelist", 5, pairs, directed),
            write_table("csv", ("node",), [(str(node),) for node in range(5)], "nodes"),
        ],
        Expected(holds, at_most={"epsilon": loss} if holds and loss is not None else {}),
        {"degree_noise": sealed},
        directed,
        spoil,
    )
