"""k-neighborhood: every neighborhood occurs k times, and common ones are left unchanged."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.guarantees.k_neighborhood_anonymity import KNeighborhoodAnonymity
from antifaz.graphs.methods.k_neighborhood import KNeighborhood
from antifaz.graphs.strategies import surroundings
from antifaz.watch import unwatched
from bench.graphs import read_graph
from tests.antifaz.graphs.releases import COLLABORATIONS, SHAPES, check, edits, graph_of, graphs, verified
from tests.datasets import data_file

KARATE = graph_of(nx.convert_node_labels_to_integers(nx.karate_club_graph()))


def protect(graph: Graph, k: int, radius: int = 1, closure: str = "balanced") -> ProtectedGraph:
    method = KNeighborhood.model_validate({"effort": "fast", "closure": closure})
    return method.apply(graph, [KNeighborhoodAnonymity(k=k, radius=radius)], np.random.default_rng(0), unwatched)


def check_anonymous(graph: Graph, k: int, radius: int, released: ProtectedGraph) -> None:
    check(graph, released)
    assert released.graph.n == graph.n
    assert verified(released, model="k_neighborhood_anonymity", k=k, radius=radius)
    assert verified(released, model="k_degree_anonymity", k=k)


@settings(deadline=None, max_examples=20)
@given(graph=graphs(directed=False), data=st.data())
def test_every_graph_becomes_anonymous(graph, data):
    k = data.draw(st.integers(2, min(graph.n, 5)))
    radius = data.draw(st.sampled_from([1, 1, 2]))
    closure = data.draw(st.sampled_from(["balanced", "copied"]))
    check_anonymous(graph, k, radius, protect(graph, k, radius, closure))


@pytest.mark.parametrize("shape", SHAPES)
def test_degenerate_graphs_come_to_an_end(shape):
    graph = graph_of(SHAPES[shape])
    for k in (2, 4):
        if k > graph.n:
            with pytest.raises(Infeasible):
                protect(graph, k)
        else:
            for closure in ("balanced", "copied"):
                check_anonymous(graph, k, 1, protect(graph, k, closure=closure))


def test_what_is_anonymous_already_stays_as_it_is():
    released = protect(graph_of(nx.cycle_graph(9)), 9)
    assert edits(released) == 0
    assert released.account["nodes_aligned"] == "<10"


def test_what_is_common_is_left_alone():
    # Ten triangles and one star: only the star's middle is rare.
    triangles = [nx.complete_graph(3)] * 10
    graph = graph_of(nx.disjoint_union_all([*triangles, nx.star_graph(4), nx.star_graph(3)]))
    released = protect(graph, 2)
    check_anonymous(graph, 2, 1, released)
    assert edits(released) <= 6
    assert not released.account["all_nodes_aligned"]


@pytest.mark.parametrize(("k", "most"), [(2, 30), (5, 64)])
def test_karate_needs_few_edits(k, most):
    released = protect(KARATE, k)
    check_anonymous(KARATE, k, 1, released)
    assert edits(released) <= most


def test_where_rounds_run_out_all_nodes_are_aligned_and_the_account_says_so(monkeypatch):
    monkeypatch.setattr(surroundings, "ROUNDS", 0)
    released = protect(KARATE, 3)
    check_anonymous(KARATE, 3, 1, released)
    assert released.account["all_nodes_aligned"]
    assert verified(released, model="k_neighborhood_anonymity", k=3, radius=3)


def test_a_wider_radius_is_had_by_aligning_all_nodes():
    released = protect(KARATE, 3, radius=2)
    assert released.account["rounds"] == 0
    check_anonymous(KARATE, 3, 2, released)
    assert released.account["all_nodes_aligned"]


@pytest.mark.long
@pytest.mark.parametrize(("k", "most"), [(2, 6600), (10, 17000)])
def test_a_graph_of_collaborations_is_done_in_a_moment(k, most):
    graph = read_graph(data_file(COLLABORATIONS))
    released = protect(graph, k)
    check_anonymous(graph, k, 1, released)
    assert edits(released) <= most


def test_directed_graphs_and_other_guarantees_are_refused():
    with pytest.raises(InvalidDataset):
        protect(graph_of(nx.cycle_graph(8), directed=True), 2)
    for asked in ([], [KAutomorphic(k=2)]):
        with pytest.raises(InvalidPolicy):
            KNeighborhood().apply(KARATE, asked, np.random.default_rng(0), unwatched)


def test_when_the_time_is_used_up_the_best_so_far_is_returned_and_said_to_be_so():
    asked = [KNeighborhoodAnonymity(k=3)]
    released = KNeighborhood(effort="high").apply(KARATE, asked, np.random.default_rng(0), lambda _: True)
    check_anonymous(KARATE, 3, 1, released)
    assert released.account["search_stopped_early"]


def test_one_edge_moved_is_noticed():
    released = protect(KARATE, 5)
    moved = ProtectedGraph(Graph(KARATE.n, released.graph.keys[1:]), released.origin, {})
    assert not verified(moved, model="k_neighborhood_anonymity", k=5, radius=1)
