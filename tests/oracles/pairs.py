"""Random mechanisms that report pairs of nodes, judged by the definition."""

import random
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import write_graph, write_table

_DIGITS = 60
_RATE, _KEEP = 2**56, 2**64
_CLOSE = Decimal(2) ** -54


@dataclass(frozen=True)
class Telling:
    """A mechanism and its promise: probabilities as whole numbers, epsilons as decimals."""

    n: int
    directed: bool
    edges: int
    seed: int
    rate: int
    keep: int
    density: Fraction
    source: str
    epsilon: Decimal
    structure: Decimal
    counted: Decimal
    charged: int | None
    budget: int | None


def edge_local_dp(rng: random.Random) -> Trial:
    """A graph of a few nodes, and a mechanism that may or may not keep its promise."""
    n, directed = rng.randint(4, 9), rng.random() < 0.4
    pairs = n * (n - 1) // (1 if directed else 2)
    structure = Decimal(str(rng.choice((0.5, 1, 1.7, 3))))
    counted = rng.choice((Decimal(0), Decimal(0), Decimal("0.25")))
    density = Fraction(rng.choice(("0.1", "0.25", "0.5", "0.7", "0.95")))
    rate, keep = _chances(structure * Decimal(str(rng.choice((0.5, 1, 1, 1, 1.01)))), density)
    told = Telling(
        n,
        directed,
        edges=rng.randint(0, pairs),
        seed=rng.randrange(2**30),
        rate=rate,
        keep=keep,
        density=density,
        source="noisy" if counted else "declared",
        epsilon=structure + counted,
        structure=structure,
        counted=counted,
        charged=None,
        budget=None,
    )
    return _trial(rng.choice((told, told, _spoilt(rng, told))))


def _chances(epsilon: Decimal, density: Fraction) -> tuple[int, int]:
    """Probabilities by the formula, rounded to the safe side."""
    with localcontext() as context:
        context.prec = _DIGITS
        share = Decimal(density.numerator) / Decimal(density.denominator)
        odds = epsilon.exp()
        q = odds - 1 + 1 / min(share, 1 - share)
        p01, p11 = (1 / q, odds / q) if share <= Decimal("0.5") else (1 - odds / q, 1 - 1 / q)
        return int(-(1 - p01).ln() * _RATE) + 1, int(p11 * _KEEP) - 1


def _spoilt(rng: random.Random, told: Telling) -> Telling:
    """The same with one thing changed."""
    p01, p11 = _as_decimals(told)
    micro = int(told.epsilon * 10**6)
    return rng.choice(
        (
            replace(told, rate=int(told.rate * rng.choice((0.75, 1.25)))),
            replace(told, keep=int(told.keep * rng.choice((0.75, 0.99)))),
            replace(told, rate=max(1, int(-p11.ln() * _RATE)), keep=int((1 - p01) * _KEEP)),
            replace(told, density=min(told.density + Fraction(1, 100), Fraction(99, 100))),
            replace(told, epsilon=told.epsilon - Decimal("0.01")),
            replace(told, budget=10**7, charged=rng.choice((None, micro - 1, micro, micro + 1))),
        )
    )


def _as_decimals(told: Telling) -> tuple[Decimal, Decimal]:
    """The probabilities that an edge is added and that one is kept."""
    with localcontext() as context:
        context.prec = _DIGITS
        return 1 - (-Decimal(told.rate) / _RATE).exp(), Decimal(told.keep) / _KEEP


def _expected(told: Telling) -> Expected:
    """Directly from the definition: probabilities of both answers for both states of a pair, and their ratios."""
    p01, p11 = _as_decimals(told)
    with localcontext() as context:
        context.prec = _DIGITS
        answers = ((1 - p01, p01), (1 - p11, p11))
        loss = max((first[a] / second[a]).ln() for first in answers for second in answers for a in (0, 1))
        share = Decimal(told.density.numerator) / Decimal(told.density.denominator)
        keeps = abs(share * p11 + (1 - share) * p01 - share) <= _CLOSE
        paid = told.budget is None or (told.charged is not None and told.charged >= told.epsilon * 10**6)
        holds = loss <= told.structure and told.structure + told.counted <= told.epsilon and keeps and paid
        return Expected(holds, at_most={"epsilon": loss + told.counted} if holds else {})


def _trial(told: Telling) -> Trial:
    chance = random.Random(told.seed)
    p01, p11 = map(float, _as_decimals(told))
    walk = permutations if told.directed else combinations
    pairs = list(walk(range(told.n), 2))
    joined = set(chance.sample(pairs, told.edges))
    shown = [pair for pair in pairs if chance.random() < (p11 if pair in joined else p01)]
    stated: Any = {"declared": float(told.density)} if told.source == "declared" else {"noisy": float(told.counted)}
    policy = {
        "kind": "graph",
        "guarantees": [{"model": "edge_local_dp", "epsilon": float(told.epsilon), "density": stated}],
        "method": {"name": "edge_local_dp"},
    }
    sealed = {
        "rate": f"{told.rate}/{_RATE}",
        "keep": f"{told.keep}/{_KEEP}",
        "density": str(told.density),
        "density_source": told.source,
        "epsilon_structure": str(told.structure),
        "epsilon_density": str(told.counted),
        "charged": told.charged,
        "budget": told.budget,
    }
    nodes = [[node] for node in range(told.n)]
    return Trial(
        policy,
        lambda: [write_graph("edgelist", told.n, shown, told.directed), write_table("csv", ["node"], nodes, "nodes")],
        _expected(told),
        {"pairs": sealed},
        told.directed,
        spoil=lambda rng: _trial(_spoilt(rng, told)),
    )
