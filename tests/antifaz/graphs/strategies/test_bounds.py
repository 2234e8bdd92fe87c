"""Lower bounds: never above the optimum by exhaustive search, and equal to published figures."""

from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies.bounds import edit_lower_bound


def all_graphs(n: int, directed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every edge set as a row of zeros and ones, the pairs, and an attacker's knowledge of each node in it."""
    pairs = np.array(list(permutations(range(n), 2) if directed else combinations(range(n), 2)))
    rows = (np.arange(1 << len(pairs))[:, None] >> np.arange(len(pairs))) & 1
    leaves = np.zeros((len(pairs), n), dtype=np.int64)
    enters = np.zeros((len(pairs), n), dtype=np.int64)
    leaves[np.arange(len(pairs)), pairs[:, 0]] = 1
    enters[np.arange(len(pairs)), pairs[:, 1]] = 1
    known = rows @ (leaves * (n if directed else 1)) + rows @ enters
    return rows, pairs, known


def smallest_classes(known: np.ndarray) -> np.ndarray:
    return (known[:, :, None] == known[:, None, :]).sum(axis=2).min(axis=1)


@pytest.mark.parametrize(("n", "directed", "tries"), [(4, False, 64), (5, False, 60), (6, False, 30), (4, True, 60)])
def test_no_graph_within_fewer_edits_than_the_bound_is_anonymous(n, directed, tries):
    rows, pairs, known = all_graphs(n, directed)
    classes = smallest_classes(known)
    rng = np.random.default_rng(1)
    reached = 0
    for number in rng.choice(len(rows), tries, replace=False):
        chosen = pairs[rows[number] == 1]
        graph = Graph.from_pairs(n, chosen[:, 0], chosen[:, 1], directed)
        distance = (rows != rows[number]).sum(axis=1)
        for k in range(2, n + 1):
            optimum = int(distance[classes >= k].min())
            bound = edit_lower_bound(graph, k)
            assert bound <= optimum
            reached += bound == optimum
    assert reached > tries * (n - 1) / 4, "a bound that is hardly ever tight is of no use"


@pytest.mark.parametrize(("k", "bound"), [(2, 3), (3, 6), (4, 9), (5, 10)])
def test_the_bounds_of_karate_are_at_least_the_published_ones(k, bound):
    network = nx.karate_club_graph()
    graph = Graph.from_pairs(34, *np.array(list(network.edges), dtype=np.int64).T)
    assert edit_lower_bound(graph, k) >= bound


def test_a_star_must_lose_or_share_its_hub():
    # One hub of degree 8: lowering it costs an edit per unit, far more than half.
    graph = Graph.from_pairs(9, np.zeros(8, dtype=np.int64), np.arange(1, 9))
    assert edit_lower_bound(graph, 2) > 4


def test_an_anonymous_graph_needs_nothing():
    graph = Graph.from_pairs(6, np.arange(6), (np.arange(6) + 1) % 6)
    assert edit_lower_bound(graph, 6) == 0


def test_a_directed_graph_changes_one_in_degree_per_arc():
    # In-degrees 3, 0, 0, 0: three arcs go, or three are added for a second node.
    graph = Graph.from_pairs(4, np.array([1, 2, 3]), np.zeros(3, dtype=np.int64), directed=True)
    assert edit_lower_bound(graph, 2) == 3


def test_where_k_is_very_large_nothing_is_claimed():
    star = Graph.from_pairs(40_000, np.zeros(39_999, dtype=np.int64), np.arange(1, 40_000))
    assert edit_lower_bound(star, 1_000) > 0
    assert edit_lower_bound(star, 10_000) == 0
