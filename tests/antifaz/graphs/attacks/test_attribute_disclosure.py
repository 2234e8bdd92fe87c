"""Attribute disclosure attack: what a degree reveals about a sensitive value, checked by hand."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.attacks.attribute_disclosure import AttributeDisclosure
from antifaz.graphs.graph import Graph, NodeAttribute, ProtectedGraph
from antifaz.watch import unwatched
from tests.antifaz.graphs.networks import graph_of, perturbed, random_graph, renumbered


def ill(graph: Graph, values: list[int], name: str = "illness") -> Graph:
    attribute = NodeAttribute(name, "sensitive", np.array(values), max(values) + 1)
    return replace(graph, attributes=(*graph.attributes, attribute))


def attempt(graph: Graph, released: ProtectedGraph, **parameters: str) -> dict:
    return AttributeDisclosure(**parameters).attempt(graph, released, np.random.default_rng(0), unwatched)


def two_stars() -> Graph:
    return graph_of(nx.disjoint_union(nx.star_graph(3), nx.star_graph(3)))


def test_a_class_with_one_value_tells_it_though_nobody_is_unique():
    # Both centers have value 1, leaves have 0, 0, 0, 0, 1, 2.
    graph = ill(two_stars(), [1, 0, 0, 0, 1, 0, 1, 2])
    result = attempt(graph, renumbered(graph))
    assert result["rate"] == pytest.approx((2 + 4) / 8)
    assert result["homogeneous"] == pytest.approx(2 / 8)
    assert result["baseline"] == pytest.approx(4 / 8)


def test_who_finds_no_candidate_guesses_the_commonest_value():
    graph = ill(two_stars(), [1, 0, 0, 0, 1, 0, 1, 2])
    result = attempt(graph, ProtectedGraph(Graph(8, graph.keys[:0]), np.arange(8)))
    assert result["rate"] == result["baseline"] == pytest.approx(4 / 8)
    assert result["homogeneous"] == 0.0


def test_the_attribute_that_is_told_best_makes_the_rate():
    graph = ill(ill(two_stars(), [0] * 8, "constant"), [1, 0, 0, 0, 1, 0, 0, 0])
    result = attempt(graph, renumbered(graph))
    assert result["rate"] == 1.0
    assert result["baseline"] == pytest.approx(6 / 8)
    assert set(result["attributes"]) == {"constant", "illness"}


def test_deeper_knowledge_tells_more_in_an_unchanged_graph_only():
    graph = random_graph(300, 900)
    graph = ill(graph, np.random.default_rng(1).integers(0, 4, 300).tolist())
    assert attempt(graph, renumbered(graph), query="H2")["rate"] > attempt(graph, renumbered(graph))["rate"] + 0.2
    assert attempt(graph, perturbed(graph, 0.6), query="H2")["rate"] < 0.5


def test_without_sensitive_attributes_there_is_nothing_to_tell():
    assert attempt(two_stars(), renumbered(two_stars()))["targets"] == 0
