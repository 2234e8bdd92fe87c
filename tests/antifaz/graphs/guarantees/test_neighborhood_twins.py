"""Neighborhood twins on the published five blocks of three, and graphs that are one edge short of twins."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.neighborhood_twins import NeighborhoodTwins, twin_classes

BLOCKS = [(1, 2), (1, 4), (1, 5), (2, 4), (3, 5), (4, 5)]
FIVE_BLOCKS = [(3 * (a - 1) + i, 3 * (b - 1) + j) for a, b in BLOCKS for i in range(3) for j in range(3)]


def graph_of(n: int, pairs: list[tuple[int, int]], directed: bool = False) -> Graph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, ends[:, 0], ends[:, 1], directed)


def test_the_published_graph_has_three_twins_of_each():
    graph = graph_of(15, FIVE_BLOCKS)
    assert graph.m == 54
    assert NeighborhoodTwins(k=3).holds(graph)
    assert not NeighborhoodTwins(k=4).holds(graph)
    assert twin_classes(graph).tolist() == [block for block in range(5) for _ in range(3)]


@pytest.mark.parametrize("place", range(0, 54, 7))
def test_one_edge_less_leaves_a_node_without_twins(place):
    assert not NeighborhoodTwins(k=2).holds(graph_of(15, FIVE_BLOCKS[:place] + FIVE_BLOCKS[place + 1 :]))


def test_an_edge_inside_a_block_leaves_its_ends_without_twins():
    assert not NeighborhoodTwins(k=2).holds(graph_of(15, [*FIVE_BLOCKS, (0, 1)]))


def test_nodes_without_edges_are_twins_of_each_other():
    assert NeighborhoodTwins(k=4).holds(graph_of(4, []))
    assert not NeighborhoodTwins(k=2).holds(graph_of(5, [(0, 2), (0, 3), (1, 2), (1, 3)]))
    assert NeighborhoodTwins(k=2).holds(graph_of(6, [(0, 2), (0, 3), (1, 2), (1, 3)]))


def test_in_a_directed_graph_both_sets_of_neighbors_count():
    there = [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert NeighborhoodTwins(k=2).holds(graph_of(4, there, directed=True))
    assert not NeighborhoodTwins(k=2).holds(graph_of(4, [*there, (2, 0)], directed=True))
    assert NeighborhoodTwins(k=2).holds(graph_of(4, [*there, *((b, a) for a, b in there)], directed=True))


def test_a_graph_with_fewer_than_k_nodes_is_not_admitted_and_must_go():
    with pytest.raises(InvalidDataset) as refusal:
        NeighborhoodTwins(k=4).admit(graph_of(3, [(0, 1)]))
    assert refusal.value.shred
    NeighborhoodTwins(k=3).admit(graph_of(3, [(0, 1)]))
    assert NeighborhoodTwins(k=2).holds(graph_of(0, []))
    with pytest.raises(ValidationError):
        NeighborhoodTwins(k=1)
