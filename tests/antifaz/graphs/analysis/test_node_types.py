"""Node types from attributes."""

import numpy as np
import pytest

from antifaz.graphs.analysis.node_types import node_types
from antifaz.graphs.graph import Graph, NodeAttribute, ProtectedGraph


def graph_with(*attributes: NodeAttribute) -> Graph:
    return Graph(len(attributes[0].codes), np.zeros(0, dtype=np.int64), attributes=attributes)


def test_values_with_few_nodes_are_left_out():
    codes = np.repeat([0, 1, 2], [12, 3, 15])
    found = node_types(graph_with(NodeAttribute("job", "insensitive", codes, 3)), None)
    assert found.count == 2
    assert np.bincount(found.types + 1).tolist() == [3, 12, 15]


def test_many_values_are_grouped_by_the_finest_level_that_has_few():
    codes = np.arange(60)
    ancestors = np.stack([np.arange(60), np.arange(60) // 2, np.arange(60) // 20, np.zeros(60, dtype=np.int64)])
    found = node_types(graph_with(NodeAttribute("town", "quasi_identifier", codes, 60, None, ancestors)), "town")
    assert found.types.tolist() == np.repeat([0, 1, 2], 20).tolist()


def test_many_numbers_are_grouped_by_quartiles():
    found = node_types(graph_with(NodeAttribute("age", "quasi_identifier", np.arange(80), 80, np.arange(80.0))), None)
    assert np.bincount(found.types).tolist() == [20, 20, 20, 20]


def test_the_first_attribute_with_types_is_taken():
    unique = NodeAttribute("name", "insensitive", np.arange(40), 40)
    constant = NodeAttribute("kind", "insensitive", np.zeros(40, dtype=np.int64), 1)
    halves = NodeAttribute("half", "sensitive", np.arange(40) % 2, 2)
    assert node_types(graph_with(unique, constant, halves), None).attribute == "half"
    assert node_types(graph_with(unique, constant, halves), "name") is None
    assert node_types(graph_with(unique, constant, halves), None, roles=("insensitive",)) is None


def test_released_nodes_have_the_types_of_their_originals():
    found = node_types(graph_with(NodeAttribute("half", "sensitive", np.arange(40) % 2, 2)), None)
    released = ProtectedGraph(Graph(3, np.zeros(0, dtype=np.int64)), np.array([5, -1, 4]))
    assert found.released(released).tolist() == [1, -1, 0]


@pytest.mark.parametrize("numbers", [np.full(30, np.nan)])
def test_numbers_that_are_all_missing_make_no_types(numbers):
    assert node_types(graph_with(NodeAttribute("age", "insensitive", np.arange(30), 30, numbers)), None) is None
