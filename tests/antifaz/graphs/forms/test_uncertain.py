"""Uncertain graphs: probabilities of degrees against the enumeration of all possible graphs."""

import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.forms.uncertain import Uncertain, allowed_short, entropies, excess
from antifaz.graphs.graph import Graph
from tests.oracles.possible_worlds import belief, degree_chances, doubt


@st.composite
def uncertain_graphs(draw):
    n = draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ends = rng.integers(0, n, (2, draw(st.integers(0, 9))))
    pairs = Graph.from_pairs(n, ends[0], ends[1])
    pool = draw(st.lists(st.integers(1, 10_000), min_size=1, max_size=4))
    return Uncertain(pairs, rng.choice(np.array(pool) / 10_000, pairs.m))


def enumerated(uncertain: Uncertain) -> list[list[Fraction]]:
    pairs = list(zip(uncertain.pairs.sources.tolist(), uncertain.pairs.targets.tolist(), strict=True))
    return degree_chances(uncertain.pairs.n, pairs, [Fraction(str(p)) for p in uncertain.probabilities.tolist()])


@given(uncertain_graphs())
@settings(max_examples=60, deadline=None)
def test_entropies_are_those_of_all_graphs_that_may_be(uncertain):
    chances = enumerated(uncertain)
    asked = np.arange(uncertain.pairs.n + 1)
    for degree, bits in zip(asked, entropies(uncertain, asked), strict=True):
        worth = float(doubt(belief(chances, int(degree))))
        assert bits == (pytest.approx(math.log2(worth), abs=1e-9) if worth else -math.inf)


@given(uncertain_graphs())
@settings(max_examples=30, deadline=None)
def test_means_and_variances_are_those_of_all_graphs_that_may_be(uncertain):
    for node, row in enumerate(enumerated(uncertain)):
        mean = sum(degree * x for degree, x in enumerate(row))
        variance = sum(degree**2 * x for degree, x in enumerate(row)) - mean**2
        assert uncertain.expected_degrees[node] == pytest.approx(float(mean))
        assert uncertain.degree_variances[node] == pytest.approx(float(variance), abs=1e-12)


def test_statistics_of_a_square_by_hand():
    square = Graph.from_pairs(4, np.arange(4), (np.arange(4) + 1) % 4)
    told = Uncertain(square, np.array([1.0, 0.5, 0.5, 0.5])).statistics()
    assert told["pairs"] == 4
    assert told["expected_edges"] == pytest.approx(2.5)
    assert told["mean_degree"] == pytest.approx(1.25)
    assert told["max_expected_degree"] == pytest.approx(1.5)
    assert told["mean_degree_variance"] == pytest.approx(0.375)


def test_an_empty_graph_has_statistics():
    told = Uncertain(Graph(0, np.zeros(0, dtype=np.int64)), np.zeros(0)).statistics()
    assert told == {
        "pairs": 0,
        "expected_edges": 0.0,
        "mean_degree": 0.0,
        "max_expected_degree": 0.0,
        "mean_degree_variance": 0.0,
    }


def test_very_rare_degrees_keep_their_digits():
    # Two hubs of 70 pairs with small chances: that one has all 70 edges is as likely for one as for the other.
    hubs = np.repeat([0, 1], 70)
    leaves = np.arange(2, 142)
    uncertain = Uncertain(Graph.from_pairs(142, hubs, leaves), np.full(140, 0.0001))
    assert entropies(uncertain, np.array([70]))[0] == pytest.approx(1.0, abs=1e-9)


def test_many_pairs_are_nearly_normal():
    network = nx.gnp_random_graph(300, 0.5, seed=1)
    ends = np.array(list(network.edges))
    rng = np.random.default_rng(2)
    uncertain = Uncertain(Graph.from_pairs(300, ends[:, 0], ends[:, 1]), rng.uniform(0.2, 0.8, len(ends)))
    asked = np.array([60, 70, 75, 80])
    exact, nearly = entropies(uncertain, asked), entropies(uncertain, asked, longest=20)
    assert nearly == pytest.approx(exact, abs=0.01)
    assert not np.array_equal(nearly, exact)


def test_graphs_are_drawn_edge_by_edge():
    circle = Graph.from_pairs(6, np.arange(6), (np.arange(6) + 1) % 6)
    likely = np.array([1.0, 0.9, 0.5, 0.1, 0.5, 0.0001])
    rng = np.random.default_rng(4)
    uncertain = Uncertain(circle, likely)
    counts = sum(np.isin(circle.keys, uncertain.draw(rng).keys).astype(int) for _ in range(4_000))
    error = np.sqrt(4_000 * likely * (1 - likely)) + 1e-9
    assert (np.abs(counts - 4_000 * likely) <= 5 * error + 1).all()
    # The same counts are no longer plausible for probabilities that are off by a tenth.
    assert (np.abs(counts - 4_000 * (likely - 0.1)) > 5 * error + 1).all()


def test_falling_short_forgives_rounding_and_no_more():
    assert excess(2.0, 4) == 0.0
    assert excess(2.0 - 1e-12, 4) == 0.0
    assert excess(2.0 - 1e-6, 4) == pytest.approx(-1e-6)
    assert excess(3.0, 4) == 1.0
    assert excess(-np.inf, 4) == -np.inf


def test_shares_are_whole_numbers_of_nodes():
    assert [allowed_short(share, 10) for share in (0.0, 0.09, 0.1, 0.3, 0.999)] == [0, 0, 1, 3, 9]
