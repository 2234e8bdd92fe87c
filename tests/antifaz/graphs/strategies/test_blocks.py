"""Blocks: which nodes come together, and which blocks are joined."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies.blocks import Blocks, blow_up, form_blocks
from tests.antifaz.graphs.releases import graph_of, graphs

RNG = np.random.default_rng(0)


@settings(deadline=None, max_examples=30)
@given(graph=graphs(), data=st.data())
def test_every_block_has_k_nodes(graph, data):
    k = data.draw(st.integers(2, graph.n))
    closed = data.draw(st.booleans()) and not graph.directed
    blocks = form_blocks(graph, k, closed)
    assert len(blocks.of) == graph.n
    assert int(blocks.sizes.min()) >= k
    assert blocks.sizes.sum() == graph.n


def test_nodes_with_the_same_neighbors_come_together():
    graph = graph_of(nx.complete_multipartite_graph(2, 3, 4)).relabeled(np.array([4, 7, 0, 1, 2, 3, 5, 6, 8]))
    blocks = form_blocks(graph, 2)
    assert blocks.of[4] == blocks.of[7]
    cliques = form_blocks(graph_of(nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4))), 4, closed=True)
    assert cliques.sizes.tolist() == [4, 4]
    assert len(set(cliques.of[:4].tolist())) == 1


def test_rotations_stay_in_the_block_and_agree_nowhere():
    functions = Blocks.numbered(np.array([0, 1, 0, 1, 1, 0])).rotations(3)
    assert functions.tolist() == [[2, 3, 5, 4, 1, 0], [5, 4, 0, 1, 3, 2]]


def test_a_pair_of_blocks_is_joined_by_majority_or_by_rank():
    # Between blocks (0 1) and (2 3) three of four edges, between (0 1) and (4 5) one.
    graph = Graph.from_pairs(6, np.array([0, 0, 1, 0]), np.array([2, 3, 2, 4]))
    blocks = Blocks.numbered(np.array([0, 0, 1, 1, 2, 2]))
    for quotient in ("majority", "balanced"):
        made = blow_up(graph, blocks, quotient, RNG)  # type: ignore[arg-type]
        assert made.keys.tolist() == [2, 3, 8, 9]


def test_directions_are_joined_apart():
    graph = Graph.from_pairs(4, np.array([0, 0, 1, 2]), np.array([2, 3, 2, 0]), directed=True)
    made = blow_up(graph, Blocks.numbered(np.array([0, 0, 1, 1])), "majority", RNG)
    assert made.keys.tolist() == [2, 3, 6, 7]


def test_blocks_are_joined_inside_only_where_that_is_allowed():
    graph = graph_of(nx.complete_graph(4))
    blocks = Blocks.numbered(np.zeros(4, dtype=np.int64))
    assert blow_up(graph, blocks, "majority", RNG).m == 0
    assert blow_up(graph, blocks, "majority", RNG, least_inside=4).m == 6
    assert blow_up(graph, blocks, "majority", RNG, least_inside=5).m == 0


@pytest.mark.parametrize("degree", [1, 3, 4])
def test_nodes_get_the_neighbors_that_they_need(degree):
    graph = graph_of(nx.disjoint_union(nx.complete_bipartite_graph(2, 2), nx.empty_graph(4)))
    made = blow_up(graph, Blocks.numbered(np.arange(8) // 2), "balanced", RNG, degree=degree)
    assert int(made.degrees.min()) >= degree
