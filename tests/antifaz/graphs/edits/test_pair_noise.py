"""Noise on pairs: the algebra in fractions, audits of samples, and broken variants that must fail them."""

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from antifaz.graphs.edits.pair_noise import (
    KEEP_UNIT,
    RATE_UNIT,
    PairNoise,
    flip_pairs,
    least_epsilon,
    pair_noise,
    pairs_of,
)
from antifaz.graphs.graph import Graph
from antifaz.watch import unwatched

EPSILONS = ("0.1", "0.5", "1", "2", "3.7", "6", "10")
DENSITIES = ("1e-9", "1e-6", "0.001", "0.01", "0.1", "0.3", "0.5", "0.5000001", "0.75", "0.9", "0.999")
ALPHA = 1e-6


def noise_of(epsilon: str, density: str) -> PairNoise:
    return pair_noise(Decimal(epsilon), Decimal(density))


def test_the_worked_example() -> None:
    noise = noise_of("1", "0.1")
    assert noise.p01 == pytest.approx(1 / (math.e - 1 + 10), rel=1e-12)
    assert (round(noise.p01, 4), round(noise.p10, 3)) == (0.0853, 0.768)
    assert noise.survival == noise.p11 == pytest.approx(1 - noise.p10)


def test_one_half_is_classic_randomized_response() -> None:
    noise = noise_of("1", "0.5")
    assert noise.p01 == pytest.approx(1 / (math.e + 1), rel=1e-12)
    assert noise.p10 == pytest.approx(noise.p01, rel=1e-12)


def test_above_one_half_the_roles_are_exchanged() -> None:
    above, below = noise_of("1", "0.9"), noise_of("1", "0.1")
    assert above.p10 == pytest.approx(below.p01, rel=1e-12)
    assert 1 - above.p01 == pytest.approx(below.p11, rel=1e-12)
    assert above.survival == pytest.approx(below.survival, rel=1e-12)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_every_ratio_stays_within_epsilon_and_the_density_is_kept(epsilon: str, density: str) -> None:
    """By eighty digits of decimal arithmetic, of which sixty are certain."""
    noise = noise_of(epsilon, density)
    with localcontext() as context:
        context.prec = 80
        p01 = 1 - (-Decimal(noise.rate) / RATE_UNIT).exp()
        p11 = Decimal(noise.keep) / KEEP_UNIT
        odds = Decimal(epsilon).exp()
        for likely, seldom in ((p11, p01), (1 - p01, 1 - p11), (p01, p11), (1 - p11, 1 - p01)):
            assert likely <= odds * seldom
        kept = Decimal(density) * p11 + (1 - Decimal(density)) * p01
        assert abs(kept - Decimal(density)) < Decimal(2) ** -54
        tight = p11 / p01 if Decimal(density) <= Decimal("0.5") else (1 - p01) / (1 - p11)
        assert odds / tight - 1 < Decimal("1e-6") or noise.p01 < 1e-9


def test_the_formula_without_exchanged_roles_would_lose_more_than_it_says() -> None:
    density, odds = Fraction(3, 4), Fraction(math.e)
    q = odds - 1 + 1 / density
    p01, p11 = 1 / q, odds / q
    assert round(math.log((1 - p01) / (1 - p11)), 3) == 1.817


def test_the_epsilon_for_a_survival_is_the_one_that_gives_it() -> None:
    for density in ("0.001", "0.02", "0.5", "0.98"):
        for survival in (0.6, 0.9):
            epsilon = least_epsilon(survival, Decimal(density))
            assert noise_of(str(epsilon), density).survival == pytest.approx(survival, rel=1e-6)
    assert least_epsilon(0.5, Decimal("0.001")) == pytest.approx(math.log(999))


def test_the_expected_jaccard_is_that_of_edges_kept_among_all() -> None:
    assert noise_of("6", "0.01").expected_jaccard() == pytest.approx(0.803 / (2 - 0.803), abs=0.001)


# --- samples ---


def half_joined(n: int, directed: bool = False) -> Graph:
    """A graph that half of all pairs are edges of."""
    places = np.arange(n * n).reshape(n, n)
    pairs = places[~np.eye(n, dtype=bool)] if directed else places[np.triu_indices(n, 1)]
    return Graph(n, np.sort(np.random.default_rng(8).permutation(pairs)[: len(pairs) // 2]), directed)


def least_loss(graph: Graph, noise: PairNoise, seed: int) -> float:
    """A lower bound of the privacy loss, by Clopper and Pearson, from one release."""
    _, added, removed = flip_pairs(graph, noise, np.random.default_rng(seed), unwatched)
    absent = pairs_of(graph.n, graph.directed) - graph.m

    def bounds(yes: int, of: int) -> tuple[float, float]:
        low = stats.beta.ppf(ALPHA, yes, of - yes + 1) if yes else 0.0
        high = stats.beta.ppf(1 - ALPHA, yes + 1, of - yes) if yes < of else 1.0
        return float(low), float(high)

    p01, p11 = bounds(added, absent), bounds(graph.m - removed, graph.m)
    p00, p10 = bounds(absent - added, absent), bounds(removed, graph.m)
    ratios = [(p11, p01), (p01, p11), (p00, p10), (p10, p00)]
    return max(math.log(likely[0] / seldom[1]) for likely, seldom in ratios if likely[0] > 0)


def with_chances(p01: float, p11: float) -> PairNoise:
    return replace(noise_of("1", "0.1"), rate=int(-math.log1p(-p01) * RATE_UNIT), keep=int(p11 * KEEP_UNIT))


@pytest.mark.parametrize("density", ["0.1", "0.5", "0.75"])
def test_an_audit_of_four_hundred_thousand_pairs_does_not_refute_epsilon(density: str) -> None:
    for seed in range(3):
        assert 0.9 < least_loss(half_joined(900), noise_of("1", density), seed) <= 1.0


def test_the_audit_refutes_what_is_wrong() -> None:
    graph, q = half_joined(900), math.e - 1 + 1 / 0.75
    unchecked = with_chances(1 / q, math.e / q)
    only_added = replace(noise_of("1", "0.1"), keep=KEEP_UNIT - 1)
    too_little = noise_of("1.25", "0.1")
    for seed in range(3):
        assert least_loss(graph, unchecked, seed) > 1.5
        assert least_loss(graph, only_added, seed) > 5
        assert least_loss(graph, too_little, seed) > 1.05


def off_by(graph: Graph, noise: PairNoise, meant: PairNoise, seed: int) -> float:
    """The difference between the number of edges and its expectation, in standard deviations."""
    released, _, _ = flip_pairs(graph, noise, np.random.default_rng(seed), unwatched)
    absent = pairs_of(graph.n, graph.directed) - graph.m
    expected = graph.m * meant.p11 + absent * meant.p01
    spread = math.sqrt(graph.m * meant.p11 * meant.p10 + absent * meant.p01 * (1 - meant.p01))
    return abs(released.m - expected) / spread


def sparse(n: int, density: float, directed: bool = False) -> Graph:
    rng = np.random.default_rng(9)
    count = round(density * pairs_of(n, directed))
    keys = half_joined(n, directed).keys
    return Graph(n, np.sort(rng.choice(keys, count, replace=False)), directed)


@pytest.mark.parametrize("directed", [False, True])
def test_the_density_is_kept_and_exchanged_chances_which_an_audit_passes_do_not_keep_it(directed: bool) -> None:
    graph, noise = sparse(600, 0.1, directed), noise_of("1", "0.1")
    exchanged = with_chances(noise.p10, 1 - noise.p01)
    for seed in range(3):
        released, _, _ = flip_pairs(graph, noise, np.random.default_rng(seed), unwatched)
        assert abs(released.m - graph.m) <= 5 * math.sqrt(graph.m * 2)
        assert off_by(graph, noise, noise, seed) <= 5
        assert off_by(graph, exchanged, noise, seed) > 5
        assert off_by(graph, with_chances(noise.p01 * 1.25, noise.p11), noise, seed) > 5
        assert off_by(graph, with_chances(noise.p01, noise.p11 * 0.75), noise, seed) > 5
    assert least_loss(half_joined(900), exchanged, 1) <= 1.0


def test_edges_are_added_and_removed_anywhere_alike() -> None:
    graph, noise = half_joined(600), noise_of("1", "0.3")
    released, _, _ = flip_pairs(graph, noise, np.random.default_rng(4), unwatched)
    for changed in (np.setdiff1d(released.keys, graph.keys), np.setdiff1d(graph.keys, released.keys)):
        ends = np.concatenate([changed // 600, changed % 600])
        seen = np.bincount(ends // 12, minlength=50)
        assert stats.chisquare(seen).pvalue > 1e-6
        skewed = np.bincount((600 * np.sqrt(ends / 600)).astype(int) // 12, minlength=50)
        assert stats.chisquare(skewed).pvalue < 1e-6


@pytest.mark.parametrize("directed", [False, True])
def test_the_account_of_what_was_changed_is_true(directed: bool) -> None:
    graph = sparse(80, 0.2, directed)
    released, added, removed = flip_pairs(graph, noise_of("2", "0.2"), np.random.default_rng(7), unwatched)
    assert len(np.setdiff1d(released.keys, graph.keys)) == added
    assert len(np.setdiff1d(graph.keys, released.keys)) == removed
    assert (np.diff(released.keys) > 0).all()
    assert released.n == graph.n
    assert released.directed is directed


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_graphs_with_hardly_a_pair_are_no_trouble(n: int) -> None:
    released, _, _ = flip_pairs(
        Graph(n, np.empty(0, np.int64)), noise_of("1", "0.4"), np.random.default_rng(1), unwatched
    )
    assert released.m <= pairs_of(n, False)


def test_a_huge_sparse_graph_is_not_walked_pair_by_pair() -> None:
    n = 1_000_000
    graph = Graph.from_pairs(n, np.arange(n - 1), np.arange(1, n))
    released, added, _ = flip_pairs(graph, noise_of("14", "2e-6"), np.random.default_rng(2), unwatched)
    expected = pairs_of(n, False) * noise_of("14", "2e-6").p01
    assert abs(added - expected) < 6 * math.sqrt(expected)
    assert released.m > 0.6 * graph.m
