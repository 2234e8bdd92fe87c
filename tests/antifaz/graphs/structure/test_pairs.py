"""Ranks of pairs against the list of all pairs, and samples of absent pairs against chance."""

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.pairs import absent_count, contains, draw_absent, keys_of, pair_count, ranks_of
from tests.antifaz.graphs.perturbing import graph_of, p_of_uniform


def all_keys(n: int, directed: bool) -> np.ndarray:
    listed = permutations(range(n), 2) if directed else combinations(range(n), 2)
    return np.array([u * n + v for u, v in listed], dtype=np.int64)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 12])
def test_ranks_number_all_pairs_in_the_order_of_their_keys(n, directed):
    keys = all_keys(n, directed)
    assert pair_count(n, directed) == len(keys)
    assert ranks_of(keys, n, directed).tolist() == list(range(len(keys)))
    assert keys_of(np.arange(len(keys)), n, directed).tolist() == keys.tolist()


@pytest.mark.parametrize("directed", [False, True])
def test_ranks_are_exact_where_their_numbers_are_large(directed):
    n = 3_000_000
    last = pair_count(n, directed) - 1
    ranks = np.unique(np.concatenate([np.arange(1000), last - np.arange(1000), np.linspace(0, last, 1000, dtype=int)]))
    keys = keys_of(ranks, n, directed)
    assert (keys // n != keys % n).all()
    assert directed or (keys // n < keys % n).all()
    assert np.array_equal(ranks_of(keys, n, directed), ranks)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("network", [nx.path_graph(6), nx.complement(nx.path_graph(6)), nx.empty_graph(6)])
def test_drawing_all_absent_pairs_gives_each_of_them_once(network, directed):
    graph = graph_of(network, directed)
    drawn = draw_absent(graph, absent_count(graph), np.random.default_rng(1))
    assert sorted(drawn.tolist()) == np.setdiff1d(all_keys(6, directed), graph.keys).tolist()


def draws(graph: Graph, biased: bool) -> np.ndarray:
    rng = np.random.default_rng(8)
    absent = np.setdiff1d(all_keys(graph.n, graph.directed), graph.keys)
    drawn = np.concatenate([draw_absent(graph, 3, rng) for _ in range(700)])
    if biased:
        drawn = drawn[: len(drawn) * 4 // 5].tolist() + [absent[0]] * 200
    return np.array([(np.asarray(drawn) == key).sum() for key in absent])


@pytest.mark.parametrize("directed", [False, True])
def test_every_absent_pair_is_as_likely_as_any_other(directed):
    graph = graph_of(nx.krackhardt_kite_graph(), directed)
    assert p_of_uniform(draws(graph, biased=False)) > 0.001
    assert p_of_uniform(draws(graph, biased=True)) < 1e-6, "the test would notice"


def test_contains_answers_in_the_shape_of_the_question():
    ordered = np.array([2, 5, 9])
    assert contains(ordered, np.array([[5, 6], [9, 1]])).tolist() == [[True, False], [True, False]]
    assert contains(ordered[:0], np.array([[5]])).tolist() == [[False]]
    assert contains(ordered, np.zeros((0, 2), dtype=np.int64)).shape == (0, 2)
