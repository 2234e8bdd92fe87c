"""Vertex refinement attack: everyone is found in a renumbered graph, few in a changed one."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks.vertex_refinement import VertexRefinement
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.methods.k_automorphism import KAutomorphism
from antifaz.graphs.risk.vertex_refinement import VertexRefinement as Risk
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, karate, perturbed, random_graph, renumbered


def attempt(graph: Graph, released: ProtectedGraph) -> dict:
    return VertexRefinement().attempt(graph, released, np.random.default_rng(0), unwatched)


def test_new_numbers_alone_protect_nobody():
    graph = random_graph(400, 1600)
    result = attempt(graph, renumbered(graph))
    assert result["rate"] > 0.95
    assert result["query"] in ("H3", "H4")
    assert result["baseline"] == pytest.approx(1 / 400)


def test_the_chance_is_one_over_the_class():
    graph = karate()
    result = attempt(graph, renumbered(graph))
    # Eleven degrees occur, and each class adds one expected hit.
    assert result["by_query"]["H1"] == pytest.approx(11 / 34)


def test_changed_edges_mislead_an_attacker_who_knows_more():
    graph = random_graph(400, 1600)
    result = attempt(graph, perturbed(graph, 0.3))
    assert result["by_query"]["H4"] < 0.05
    assert result["query"] == "H1"


def test_a_cycle_gives_nothing_away():
    graph = graph_of(nx.cycle_graph(20))
    result = attempt(graph, renumbered(graph))
    assert result["rate"] == pytest.approx(0.05)
    assert result["baseline"] == pytest.approx(0.05)


@pytest.mark.parametrize("k", [2, 4])
def test_after_k_automorphism_nobody_is_found_with_more_than_one_in_k(k):
    graph = karate()
    released = KAutomorphism().apply(graph, [KAutomorphic(k=k)], np.random.default_rng(0), unwatched)
    result = attempt(graph, released)
    assert 0 < result["highest"] <= 1 / k
    assert min(risk["k"] for risk in Risk().after(released).values()) >= k


def test_a_graph_without_nodes_has_nobody_to_find():
    graph = graph_of(nx.Graph())
    assert attempt(graph, renumbered(graph))["rate"] == 0.0
