"""Degree attack: probabilities of a correct guess, checked by hand."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks.degree import Degree
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.watch import unwatched

SIX_NODES = [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (2, 3), (4, 5)]


def graph_of(n: int, pairs: list[tuple[int, int]], directed: bool = False) -> Graph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, ends[:, 0], ends[:, 1], directed)


def attempt(graph: Graph, released: Graph, origin: np.ndarray | None = None) -> dict:
    whose = np.arange(released.n) if origin is None else origin
    return Degree().attempt(graph, ProtectedGraph(released, whose), np.random.default_rng(0), unwatched)


def test_an_added_edge_halves_the_chance_of_finding_a_node_of_degree_three():
    graph = graph_of(6, SIX_NODES)
    release = graph_of(6, [*SIX_NODES, (3, 4)])
    # Nodes 1 and 2 are found with 1/4 among the four of degree 3, nodes 0 and 5 with 1/2, nodes 3 and 4 never.
    result = attempt(graph, release)
    assert result["rate"] == pytest.approx((2 / 4 + 2 / 2) / 6)
    assert result["highest"] == 0.5
    assert result["baseline"] == pytest.approx(1 / 6)


def test_the_thesis_k_is_the_larger_of_both_and_the_strict_k_that_of_the_release():
    graph = graph_of(6, SIX_NODES)
    release = graph_of(6, [*SIX_NODES[1:], (0, 2)])
    result = attempt(graph, release)
    assert result["strict_k"] == 1
    assert result["thesis_k"] == 2
    assert attempt(release, graph)["thesis_k"] == 2


def test_new_node_numbers_change_nothing():
    graph = graph_of(6, SIX_NODES)
    new_names = np.array([3, 5, 0, 1, 4, 2])
    result = attempt(graph, graph.relabeled(new_names), np.argsort(new_names))
    assert result["rate"] == pytest.approx((4 / 4 + 2 / 2) / 6)


def test_a_made_up_node_is_a_candidate_but_nobody():
    graph = graph_of(2, [(0, 1)])
    release = graph_of(4, [(0, 1), (2, 3)])
    result = attempt(graph, release, np.array([0, 1, -1, -1]))
    assert result["rate"] == pytest.approx(1 / 4)
    assert result["baseline"] == pytest.approx(1 / 4)


def test_directed_degrees_are_known_both():
    graph = graph_of(3, [(0, 1), (1, 2)], directed=True)
    assert attempt(graph, graph)["rate"] == 1.0


def test_after_k_degree_nobody_is_found_with_more_than_one_in_k():
    network = nx.karate_club_graph()
    graph = Graph.from_pairs(34, *np.array(list(network.edges), dtype=np.int64).T)
    released = KDegree(effort="fast").apply(graph, [KDegreeAnonymity(k=4)], np.random.default_rng(0), unwatched)
    result = Degree().attempt(graph, released, np.random.default_rng(0), unwatched)
    assert result["highest"] <= 1 / 4
    assert result["rate"] < attempt(graph, graph)["rate"]


def test_a_graph_without_nodes_has_nobody_to_find():
    empty = graph_of(0, [])
    assert attempt(empty, empty)["rate"] == 0.0
