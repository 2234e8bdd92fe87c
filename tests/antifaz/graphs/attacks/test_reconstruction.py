"""Reconstruction attack: blocks remain visible after random changes."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks import reconstruction as module
from antifaz.graphs.attacks.reconstruction import Reconstruction
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph, **parameters: int) -> dict:
    return Reconstruction(**parameters).attempt(graph, released, np.random.default_rng(0), unwatched)


def blocks() -> Graph:
    return graph_of(nx.disjoint_union_all([nx.complete_graph(20)] * 4))


def test_a_graph_of_low_rank_is_found_again():
    result = attempt(blocks(), perturbed(blocks(), 0.4), rank=4)
    assert result["as_released"] < 0.7
    assert result["rate"] > 0.9
    assert result["rows"] == 80


def test_full_rank_is_the_release_itself():
    graph = random_graph(60, 200)
    result = attempt(graph, perturbed(graph, 0.2), rank=60)
    assert result["rate"] == pytest.approx(result["as_released"])


def test_an_unrelated_release_gives_no_more_than_its_density():
    result = attempt(blocks(), renumbered(blocks(), 0, random_graph(80, 700, seed=5)))
    assert result["rate"] < 2 * result["baseline"]


def test_a_large_graph_is_attacked_in_some_rows(monkeypatch):
    monkeypatch.setattr(module, "ENTRIES", 80 * 30)
    result = attempt(blocks(), renumbered(blocks()), rank=4)
    assert result["rows"] == 30
    assert result["rate"] > 0.9


def test_made_up_nodes_have_no_real_edges():
    graph = graph_of(nx.complete_graph(6))
    grown = ProtectedGraph(graph_of(nx.complete_graph(8)), np.array([0, 1, 2, 3, 4, 5, -1, -1]))
    assert attempt(graph, grown)["as_released"] == 1.0


def test_a_graph_without_nodes_gives_nothing_away():
    empty = graph_of(nx.Graph())
    assert attempt(empty, renumbered(empty))["rate"] == 0.0
