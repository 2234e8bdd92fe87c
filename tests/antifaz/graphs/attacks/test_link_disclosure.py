"""Link disclosure attack: two degree classes joined completely, and similarity."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks.link_disclosure import LinkDisclosure, _highest_share
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, random_graph, renumbered, unchanged


def attempt(graph: Graph, released: ProtectedGraph, **parameters: float) -> dict:
    return LinkDisclosure(**parameters).attempt(graph, released, np.random.default_rng(0), unwatched)


def test_two_degree_classes_joined_completely_reveal_every_edge_between_them():
    # Nodes of degree 5 and of degree 3, each joined to all of the other kind: no node is unique.
    graph = graph_of(nx.complete_bipartite_graph(3, 5))
    result = attempt(graph, renumbered(graph))
    assert result["rate"] == 1.0
    assert result["highest"] == 1.0
    assert result["precision"] == 1.0
    assert result["baseline"] == 0.0  # 15 of 28 pairs are joined: no pair is sure by that


def test_one_degree_for_all_tells_no_more_than_the_density():
    graph = graph_of(nx.cycle_graph(10))
    result = attempt(graph, renumbered(graph))
    assert result["rate"] == 0.0
    assert result["highest"] == pytest.approx(10 / 45)
    assert result["mean_of_edges"] == pytest.approx(10 / 45)


def test_directed_classes_are_ordered():
    # Three followers of two others: every pair from the first to the second class is joined, none back.
    graph = graph_of(nx.DiGraph([(a, b) for a in (0, 1, 2) for b in (3, 4)]))
    assert attempt(graph, renumbered(graph))["rate"] == 1.0


def test_degrees_that_the_release_does_not_have_tell_nothing():
    graph = graph_of(nx.star_graph(5))
    result = attempt(graph, unchanged(graph_of(nx.cycle_graph(6))))
    assert result["rate"] == 0.0
    assert result["mean_of_edges"] == 0.0


def test_similarity_tells_real_edges_where_few_were_changed():
    graph = graph_of(nx.relaxed_caveman_graph(20, 10, 0.1, seed=1))
    result = attempt(graph, perturbed(graph, 0.3))
    assert result["by_similarity"]["joined"] > 0.9
    assert result["by_similarity"]["apart"] > 0.3
    unrelated = attempt(graph, unchanged(random_graph(200, graph.m)))
    assert unrelated["by_similarity"]["joined"] < 0.3


def test_small_classes_of_similarity_are_taken_together():
    similarity = np.array([0] * 100 + [1] * 60 + [2] * 3)
    real = np.array([False] * 100 + [True] * 30 + [False] * 30 + [True] * 3)
    assert _highest_share(similarity, real) == pytest.approx(33 / 63)


def test_a_graph_without_edges_gives_nothing_away():
    for graph in (graph_of(nx.Graph()), graph_of(nx.empty_graph(4))):
        assert attempt(graph, renumbered(graph))["rate"] == 0.0
