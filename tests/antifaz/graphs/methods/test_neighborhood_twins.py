"""Neighborhood twins: blocks of nodes that are joined alike, found in graphs that have them and made in others."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.guarantees.kl_anonymity import KlAnonymity
from antifaz.graphs.guarantees.neighborhood_twins import NeighborhoodTwins
from antifaz.graphs.methods.neighborhood_twins import TwinBlocks
from antifaz.watch import unwatched
from bench.graphs import read_graph
from tests.antifaz.graphs.releases import COLLABORATIONS, SHAPES, check, edits, graph_of, graphs, verified
from tests.datasets import data_file


def protect(graph: Graph, k: int, quotient: str = "balanced") -> ProtectedGraph:
    method = TwinBlocks.model_validate({"quotient": quotient})
    return method.apply(graph, [NeighborhoodTwins(k=k)], np.random.default_rng(0), unwatched)


def check_twins(graph: Graph, k: int, released: ProtectedGraph) -> None:
    check(graph, released)
    for model in ("neighborhood_twins", "k_automorphism", "k_degree_anonymity"):
        assert verified(released, model=model, k=k)
    assert verified(released, model="k_candidate_anonymity", k=k, query="H4")
    if not graph.directed:
        assert verified(released, model="k_neighborhood_anonymity", k=k, radius=1)


@settings(deadline=None, max_examples=30)
@given(graph=graphs(least=4), data=st.data())
def test_every_graph_becomes_one_of_twins(graph, data):
    k = data.draw(st.integers(2, graph.n // 2))
    quotient = data.draw(st.sampled_from(["balanced", "majority"]))
    released = protect(graph, k, quotient)
    check_twins(graph, k, released)
    if not graph.directed and k + 2 <= graph.n:
        assert verified(released, model="kl_anonymity", k=k, l=2, definition="indices")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_degenerate_graphs_come_to_an_end(shape, directed):
    graph = graph_of(SHAPES[shape], directed)
    for k in (2, 4):
        if k > graph.n or (2 * k > graph.n and graph.m):
            with pytest.raises(Infeasible) as answer:
                protect(graph, k)
            nearest = (answer.value.nearest or {}).get("k")
            if nearest is not None and nearest >= 2:
                protect(graph, int(nearest))
        else:
            check_twins(graph, k, protect(graph, k))


def test_blocks_that_are_there_are_found():
    blocks = nx.complete_multipartite_graph(3, 3, 3)
    graph = graph_of(nx.disjoint_union(blocks, nx.complete_bipartite_graph(3, 4)))
    graph = graph.relabeled(np.random.default_rng(2).permutation(graph.n))
    for quotient in ("balanced", "majority"):
        released = protect(graph, 3, quotient)
        assert edits(released) == 0
        check_twins(graph, 3, released)


def test_balanced_keeps_the_number_of_edges_where_the_majority_leaves_few():
    graph = graph_of(nx.convert_node_labels_to_integers(nx.karate_club_graph()))
    balanced, majority = protect(graph, 2), protect(graph, 2, "majority")
    assert abs(balanced.graph.m - 78) <= 4
    assert majority.graph.m < 60
    assert edits(majority) <= edits(balanced) <= 50


def test_nodes_without_edges_are_a_block_where_they_are_k():
    graph = graph_of(nx.disjoint_union(nx.complete_bipartite_graph(3, 3), nx.empty_graph(3)))
    released = protect(graph, 3)
    assert edits(released) == 0
    assert (released.graph.degrees == 0).sum() == 3


def test_degree_and_kl_anonymity_can_be_asked_for_at_once():
    graph = graph_of(nx.convert_node_labels_to_integers(nx.karate_club_graph()))
    asked = [KDegreeAnonymity(k=2), KlAnonymity(k=3, l=2, definition="neighbors")]
    released = TwinBlocks().apply(graph, asked, np.random.default_rng(0), unwatched)
    check_twins(graph, 3, released)
    assert verified(released, model="kl_anonymity", k=3, l=2, definition="neighbors")
    assert int(released.graph.degrees.min()) >= 2


def test_more_neighbors_than_there_are_nodes_outside_a_block_are_infeasible():
    graph = graph_of(nx.complete_bipartite_graph(4, 4))
    asked = [NeighborhoodTwins(k=4), KlAnonymity(k=2, l=6, definition="neighbors")]
    with pytest.raises(Infeasible) as answer:
        TwinBlocks().apply(graph, asked, np.random.default_rng(0), unwatched)
    assert answer.value.nearest == {"l": 4.0}


def test_fewer_than_two_blocks_of_nodes_are_infeasible_and_the_answer_names_what_would_work():
    graph = graph_of(nx.path_graph(7))
    with pytest.raises(Infeasible) as answer:
        protect(graph, 4)
    assert answer.value.nearest == {"k": 3.0}
    check_twins(graph, 3, protect(graph, 3))


@pytest.mark.parametrize("k", [2, 10])
def test_a_graph_of_collaborations_is_done_in_a_moment(k):
    graph = read_graph(data_file(COLLABORATIONS))
    released = protect(graph, k)
    check(graph, released)
    assert verified(released, model="neighborhood_twins", k=k)
    assert abs(released.graph.m - graph.m) <= k * k


def test_a_guarantee_must_be_asked_for():
    with pytest.raises(InvalidPolicy):
        TwinBlocks().apply(graph_of(nx.path_graph(6)), [], np.random.default_rng(0), unwatched)


def test_one_edge_moved_is_noticed():
    graph = graph_of(nx.convert_node_labels_to_integers(nx.karate_club_graph()))
    released = protect(graph, 3)
    moved = ProtectedGraph(Graph(graph.n, released.graph.keys[1:]), released.origin, {}, witness=released.witness)
    for model in ("neighborhood_twins", "k_automorphism"):
        assert not verified(moved, model=model, k=3)
