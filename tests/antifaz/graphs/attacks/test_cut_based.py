"""Cut-based attack: groups that few edges leave are found in a renumbered graph and hardly in a changed one."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks import cut_based as module
from antifaz.graphs.attacks.cut_based import CutBased
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph, **parameters: int) -> dict:
    return CutBased(**parameters).attempt(graph, released, np.random.default_rng(0), unwatched)


def test_groups_are_found_in_a_renumbered_graph():
    graph = random_graph(300, 1500)
    result = attempt(graph, renumbered(graph))
    assert result["rate"] > 0.7
    assert result["highest"] == 1.0
    assert result["reidentified_by_group"] > 4
    assert result["mistaken_by_group"] < 0.5
    assert result["searched"] == pytest.approx(1, abs=0.05)


def test_changed_edges_hide_the_groups():
    graph = random_graph(300, 1500)
    assert attempt(graph, perturbed(graph, 0.3))["rate"] < 0.05


def test_groups_that_look_alike_are_guessed_among():
    graph = graph_of(nx.disjoint_union_all([nx.complete_graph(4)] * 5))
    result = attempt(graph, renumbered(graph), size=4)
    # From every node of every clique a group grows, and all look alike.
    assert result["rate"] <= 1 / 5
    assert result["reidentified_by_group"] == 0.0


def test_an_attack_ends_when_its_steps_are_used_up(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 1)
    graph = random_graph(100, 500)
    assert attempt(graph, renumbered(graph))["searched"] <= 0.01


def test_a_graph_without_groups_is_safe():
    for graph in (graph_of(nx.Graph()), graph_of(nx.empty_graph(5))):
        assert attempt(graph, renumbered(graph))["rate"] == 0.0
