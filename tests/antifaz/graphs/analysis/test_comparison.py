"""Comparison of a release with its original."""

import numpy as np
import pytest

from antifaz.graphs.analysis.comparison import as_loss, kept_edges
from antifaz.graphs.graph import Graph, ProtectedGraph


def test_edges_are_matched_through_the_map_and_not_by_number():
    graph = Graph.from_pairs(4, np.array([0, 1, 2]), np.array([1, 2, 3]))
    new_names = np.array([2, 0, 3, 1])
    released = ProtectedGraph(graph.relabeled(new_names), np.argsort(new_names))
    assert kept_edges(graph, released) == 3


def test_edges_of_made_up_nodes_are_never_kept():
    graph = Graph.from_pairs(2, np.array([0]), np.array([1]))
    release = Graph.from_pairs(3, np.array([0, 1]), np.array([1, 2]))
    assert kept_edges(graph, ProtectedGraph(release, np.array([0, 1, -1]))) == 1


def test_direction_matters_in_directed_graphs():
    graph = Graph.from_pairs(2, np.array([0]), np.array([1]), directed=True)
    turned = Graph.from_pairs(2, np.array([1]), np.array([0]), directed=True)
    assert kept_edges(graph, ProtectedGraph(turned, np.arange(2))) == 0


@pytest.mark.parametrize(
    ("original", "released", "loss"), [(2.0, 2.5, 0.25), (0.0, 0.0, 0.0), (0.0, 3.0, 1.0), (4.0, 0.0, 1.0)]
)
def test_loss_is_the_relative_change(original, released, loss):
    assert as_loss(original, released) == {"original": original, "released": released, "loss": loss}
