"""k-automorphism: every result is proved by its functions, and all consequences hold too."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible, InvalidPolicy
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.guarantees.kl_anonymity import KlAnonymity
from antifaz.graphs.methods.k_automorphism import KAutomorphism
from antifaz.watch import unwatched
from bench.graphs import read_graph
from tests.antifaz.graphs.releases import COLLABORATIONS, SHAPES, check, edits, graph_of, graphs, verified
from tests.datasets import data_file


def protect(graph: Graph, k: int, **parameters: str) -> ProtectedGraph:
    method = KAutomorphism.model_validate({"effort": "fast", **parameters})
    return method.apply(graph, [KAutomorphic(k=k)], np.random.default_rng(0), unwatched)


def check_symmetric(graph: Graph, k: int, released: ProtectedGraph) -> None:
    check(graph, released)
    assert verified(released, model="k_automorphism", k=k)
    assert verified(released, model="k_degree_anonymity", k=k)
    for query in ("H1", "H2", "H3", "H4"):
        assert verified(released, model="k_candidate_anonymity", k=k, query=query)
    if not graph.directed:
        for radius in (1, 2):
            assert verified(released, model="k_neighborhood_anonymity", k=k, radius=radius)


@settings(deadline=None, max_examples=12)
@given(graph=graphs(), data=st.data())
def test_every_graph_becomes_symmetric_and_nothing_else_is_wrong_with_it(graph, data):
    k = data.draw(st.integers(2, min(graph.n, 6)))
    closure = data.draw(st.sampled_from(["balanced", "copied"]))
    remainder = data.draw(st.sampled_from(["made_up", "isolated"]))
    released = protect(graph, k, closure=closure, remainder=remainder)
    check_symmetric(graph, k, released)
    assert released.graph.n % k == 0 or remainder == "isolated"
    if remainder == "isolated":
        assert released.graph.n == graph.n
    elif closure == "copied":
        assert released.account["edges_removed"] == 0
    else:
        assert abs(released.graph.m - graph.m) <= k


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("remainder", ["made_up", "isolated"])
def test_degenerate_graphs_come_to_an_end(shape, directed, remainder):
    graph = graph_of(SHAPES[shape], directed)
    for k in (2, 4):
        if k > graph.n:
            with pytest.raises(Infeasible) as answer:
                protect(graph, k, remainder=remainder)
            assert answer.value.nearest == ({"k": float(graph.n)} if graph.n >= 2 else None)
        else:
            check_symmetric(graph, k, protect(graph, k, remainder=remainder))


def test_a_graph_that_is_symmetric_stays_as_it_is():
    for network in (nx.cycle_graph(12), nx.disjoint_union(nx.star_graph(5), nx.star_graph(5))):
        released = protect(graph_of(network), 2)
        assert edits(released) == 0
        assert verified(released, model="k_automorphism", k=2)


def test_two_copies_of_a_real_graph_are_found_to_be_copies():
    karate = nx.convert_node_labels_to_integers(nx.karate_club_graph())
    twice = graph_of(nx.disjoint_union(karate, karate)).relabeled(np.random.default_rng(3).permutation(68))
    assert edits(protect(twice, 2, closure="copied")) <= 20


@pytest.mark.parametrize(("k", "most"), [(2, 28), (5, 64)])
def test_karate_needs_few_edits(k, most):
    graph = graph_of(nx.convert_node_labels_to_integers(nx.karate_club_graph()))
    released = protect(graph, k)
    check_symmetric(graph, k, released)
    assert edits(released) <= most
    copied = protect(graph, k, closure="copied")
    assert copied.account["edges_removed"] == 0
    assert edits(released) <= edits(copied)


def test_made_up_nodes_are_fewer_than_k_and_share_no_row():
    graph = graph_of(nx.convert_node_labels_to_integers(nx.karate_club_graph()))
    released = protect(graph, 4)
    assert released.account["nodes_added"] == 2
    assert KAutomorphism().makes_nodes()
    assert not KAutomorphism(remainder="isolated").makes_nodes()
    assert released.witness is not None
    made_up = np.flatnonzero(released.origin < 0)
    assert (released.origin[released.witness[:, made_up]] >= 0).all()


@pytest.mark.long
@pytest.mark.parametrize(("k", "most"), [(2, 6600), (10, 17000)])
def test_a_graph_of_collaborations_is_done_in_a_moment(k, most):
    graph = read_graph(data_file(COLLABORATIONS))
    released = protect(graph, k)
    check(graph, released)
    assert verified(released, model="k_automorphism", k=k)
    assert edits(released) <= most


def test_guarantees_that_it_cannot_give_are_refused():
    graph = graph_of(nx.path_graph(6))
    for asked in ([], [KAutomorphic(k=2), KlAnonymity(k=2, l=1)]):
        with pytest.raises(InvalidPolicy):
            KAutomorphism().apply(graph, asked, np.random.default_rng(0), unwatched)


def test_the_largest_k_asked_for_counts():
    graph = graph_of(nx.path_graph(9))
    asked = [KAutomorphic(k=2), KDegreeAnonymity(k=3)]
    released = KAutomorphism(effort="fast").apply(graph, asked, np.random.default_rng(0), unwatched)
    assert verified(released, model="k_automorphism", k=3)


def test_when_the_time_is_used_up_the_best_so_far_is_returned_and_said_to_be_so():
    graph = graph_of(nx.convert_node_labels_to_integers(nx.karate_club_graph()))
    released = KAutomorphism(effort="high").apply(graph, [KAutomorphic(k=3)], np.random.default_rng(0), lambda _: True)
    check_symmetric(graph, 3, released)
    assert released.account["search_stopped_early"]
    assert not protect(graph, 3).account["search_stopped_early"]


def test_one_edge_moved_is_noticed():
    graph = graph_of(nx.convert_node_labels_to_integers(nx.karate_club_graph()))
    released = protect(graph, 3)
    keys = released.graph.keys[1:]
    moved = ProtectedGraph(Graph(released.graph.n, keys), released.origin, {}, witness=released.witness)
    assert not verified(moved, model="k_automorphism", k=3)
