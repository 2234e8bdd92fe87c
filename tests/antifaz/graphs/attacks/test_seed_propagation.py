"""Seed propagation attack: a few known people identify nearly all others in a renumbered graph."""

import numpy as np
import pytest

from antifaz.graphs.attacks.seed_propagation import SeedPropagation
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import perturbed, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph, **parameters: float) -> dict:
    return SeedPropagation(**parameters).attempt(graph, released, np.random.default_rng(0), unwatched)


@pytest.mark.parametrize("directed", [False, True])
def test_a_few_seeds_find_nearly_everybody_in_a_renumbered_graph(directed):
    graph = random_graph(600, 4000, directed=directed)
    result = attempt(graph, renumbered(graph), known=15)
    assert result["rate"] > 0.97
    assert result["wrong"] < 0.01
    assert result["known"] == 15
    assert result["baseline"] == pytest.approx(1 / 600)


def test_some_changed_edges_do_not_stop_it_and_many_do():
    graph = random_graph(600, 4000)
    assert attempt(graph, perturbed(graph, 0.1))["rate"] > 0.8
    assert attempt(graph, perturbed(graph, 0.9))["rate"] < 0.1


def test_people_who_are_not_in_the_release_are_not_found():
    graph = random_graph(300, 2000)
    half = np.arange(0, 300, 2)
    kept = (graph.sources % 2 == 0) & (graph.targets % 2 == 0)
    shown = Graph.from_pairs(150, graph.sources[kept] // 2, graph.targets[kept] // 2)
    result = attempt(graph, ProtectedGraph(shown, half), known=10)
    assert result["rate"] <= 150 / result["targets"]


def test_a_graph_without_nodes_has_nobody_to_find():
    empty = Graph(0, np.zeros(0, dtype=np.int64))
    assert attempt(empty, renumbered(empty))["rate"] == 0.0
