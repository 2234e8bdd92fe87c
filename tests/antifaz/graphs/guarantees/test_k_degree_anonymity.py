"""k-degree anonymity on graphs whose classes are counted by hand."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity, degree_classes

# Degrees 2, 3, 3, 2, 2, 2.
SIX_NODES = [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (2, 3), (4, 5)]


def graph_of(n: int, pairs: list[tuple[int, int]], directed: bool = False) -> Graph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, ends[:, 0], ends[:, 1], directed)


def test_a_graph_with_four_nodes_of_degree_two_and_two_of_degree_three_has_k_two():
    graph = graph_of(6, SIX_NODES)
    assert graph.degrees.tolist() == [2, 3, 3, 2, 2, 2]
    assert KDegreeAnonymity(k=2).holds(graph)
    assert not KDegreeAnonymity(k=3).holds(graph)


def test_moving_one_end_of_an_edge_can_leave_a_node_alone_with_its_degree():
    moved = graph_of(6, [*SIX_NODES[1:], (0, 2)])
    assert moved.degrees.tolist() == [2, 2, 4, 2, 2, 2]
    assert not KDegreeAnonymity(k=2).holds(moved)


def test_in_a_directed_graph_the_pair_of_degrees_counts():
    cycle = graph_of(4, [(0, 1), (1, 2), (2, 3), (3, 0)], directed=True)
    path = graph_of(4, [(0, 1), (2, 1), (2, 3), (0, 3)], directed=True)
    star = graph_of(4, [(0, 1), (1, 0), (0, 2), (3, 0)], directed=True)
    assert KDegreeAnonymity(k=4).holds(cycle)
    assert KDegreeAnonymity(k=2).holds(path)
    assert not KDegreeAnonymity(k=3).holds(path)
    assert not KDegreeAnonymity(k=2).holds(star)


def test_nodes_without_edges_are_a_class_like_any_other():
    assert not KDegreeAnonymity(k=2).holds(graph_of(3, [(0, 1)]))
    assert KDegreeAnonymity(k=2).holds(graph_of(4, [(0, 1)]))


def test_the_empty_graph_has_no_class_that_could_be_too_small():
    assert KDegreeAnonymity(k=2).holds(graph_of(0, []))


def test_classes_are_numbered_and_counted():
    members, sizes = degree_classes(graph_of(5, [(0, 1), (2, 3)]))
    assert sizes.tolist() == [1, 4]
    assert members.tolist() == [1, 1, 1, 1, 0]


def test_a_graph_with_fewer_than_k_nodes_is_not_admitted_and_must_go():
    with pytest.raises(InvalidDataset) as refusal:
        KDegreeAnonymity(k=4).admit(graph_of(3, [(0, 1)]))
    assert refusal.value.rule == "k_above_nodes"
    assert refusal.value.shred
    KDegreeAnonymity(k=3).admit(graph_of(3, [(0, 1)]))


@pytest.mark.parametrize("k", [1, 0, -5])
def test_k_below_two_is_no_guarantee(k):
    with pytest.raises(ValidationError):
        KDegreeAnonymity(k=k)
