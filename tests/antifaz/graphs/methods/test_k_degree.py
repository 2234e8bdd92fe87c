"""k-degree: worked examples, properties on random graphs, and graphs on which simpler realizations do not end."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from antifaz.errors import Cancelled, Infeasible, InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_candidate_anonymity import KCandidateAnonymity
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.guarantees.supernode_size import SupernodeSize
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.policy.parse import parse_policy
from antifaz.watch import unwatched
from bench.graphs import read_graph
from tests.datasets import data_file, find_data

PUBLISHED = [
    ("graphs/football/football.gml", 4, 2),
    ("graphs/football/football.gml", 10, 4),
    ("graphs/jazz/jazz.net", 2, 10),
    ("graphs/jazz/jazz.net", 5, 75),
    ("graphs/polblogs/polblogs.gml", 5, 205),
    ("graphs/ca-GrQc/CA-GrQc.txt", 5, 39),
    ("graphs/ego-facebook/facebook_combined.txt", 5, 1060),
]


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


def protect(graph: Graph, k: int, seed: int = 0, effort: str = "fast") -> ProtectedGraph:
    method = KDegree.model_validate({"effort": effort})
    return method.apply(graph, [KDegreeAnonymity(k=k)], np.random.default_rng(seed), unwatched)


def edits(released: ProtectedGraph) -> int:
    return int(released.account["edges_added"] + released.account["edges_removed"])


def check(graph: Graph, k: int, released: ProtectedGraph) -> None:
    """Properties of every result."""
    after = released.graph
    assert after.n == graph.n
    assert after.directed == graph.directed
    assert KDegreeAnonymity(k=k).holds(after)
    assert np.array_equal(np.unique(after.keys), after.keys)
    assert (after.sources != after.targets).all()
    assert graph.directed or (after.sources < after.targets).all()
    assert released.account["edges_added"] == len(np.setdiff1d(after.keys, graph.keys))
    assert released.account["edges_removed"] == len(np.setdiff1d(graph.keys, after.keys))
    assert released.account["nodes_added"] == 0
    assert released.account["edit_lower_bound"] <= edits(released)
    assert released.account["proven_fewest"] == (released.account["edit_lower_bound"] == edits(released))
    assert np.array_equal(released.origin, np.arange(graph.n))


@st.composite
def graphs(draw, most_nodes: int):
    """Sparse and dense graphs, directed or not, isolated nodes included."""
    n = draw(st.integers(2, most_nodes))
    directed = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skew = draw(st.sampled_from([1.0, 2.0, 3.0]))
    count = draw(st.integers(0, n * n))
    ends = (n * rng.random((2, count)) ** skew).astype(np.int64)
    return Graph.from_pairs(n, ends[0], ends[1], directed)


def test_the_published_example_needs_one_edge():
    network = nx.Graph([(1, 0), (1, 2), (1, 3), (1, 4), (4, 5), (4, 6), (0, 7), (2, 8), (5, 7), (6, 8)])
    graph = Graph.from_pairs(9, *np.array(list(network.edges), dtype=np.int64).T)
    assert graph.degrees.tolist() == [2, 4, 2, 1, 3, 2, 2, 2, 2]
    released = protect(graph, 2)
    check(graph, 2, released)
    assert released.account["edges_added"] == 1
    assert released.graph.degrees.tolist() == [2, 4, 2, 2, 4, 2, 2, 2, 2]


def test_a_graph_that_is_anonymous_already_stays_as_it_is():
    graph = graph_of(nx.cycle_graph(9))
    released = protect(graph, 9)
    check(graph, 9, released)
    assert np.array_equal(released.graph.keys, graph.keys)


@pytest.mark.parametrize("seed", range(100))
def test_karate_at_k_two_takes_at_most_four_edits_on_every_run(seed):
    graph = graph_of(nx.karate_club_graph())
    released = protect(graph, 2, seed, "normal")
    check(graph, 2, released)
    assert edits(released) <= 4


@pytest.mark.parametrize(("k", "most"), [(3, 9), (4, 14), (5, 15)])
def test_karate_at_larger_k_stays_near_the_best_known(k, most):
    graph = graph_of(nx.karate_club_graph())
    released = protect(graph, k)
    check(graph, k, released)
    assert edits(released) <= most


@pytest.mark.parametrize(("file", "k", "most"), [case for case in PUBLISHED if find_data(case[0])])
@pytest.mark.parametrize("seed", [1, 2])
def test_published_graphs_stay_near_the_best_known(file, k, most, seed):
    graph = read_graph(data_file(file))
    released = protect(graph, k, seed)
    check(graph, k, released)
    assert edits(released) <= most


def test_both_degrees_of_a_real_directed_graph_become_anonymous():
    graph = read_graph(data_file("graphs/polblogs/polblogs.gml"), directed=True)
    assert (graph.n, graph.m) == (1490, 19022)
    released = protect(graph, 5)
    check(graph, 5, released)
    assert edits(released) < 1750


@settings(deadline=None, max_examples=50)
@given(graph=graphs(most_nodes=12), data=st.data())
def test_every_small_graph_becomes_anonymous_for_every_k_up_to_its_size(graph, data):
    k = data.draw(st.integers(2, graph.n))
    before = graph.keys.copy()
    released = protect(graph, k)
    check(graph, k, released)
    assert np.array_equal(before, graph.keys)


@settings(deadline=None, max_examples=25)
@given(graph=graphs(most_nodes=40), data=st.data())
def test_every_graph_becomes_anonymous(graph, data):
    k = data.draw(st.integers(2, min(graph.n, 8)))
    check(graph, k, protect(graph, k))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("k", [2, 5, 7])
@pytest.mark.parametrize(
    "network",
    [
        nx.empty_graph(7),
        nx.complete_graph(7),
        nx.star_graph(6),
        nx.path_graph(7),
        nx.disjoint_union(nx.complete_graph(4), nx.path_graph(3)),
        nx.complement(nx.star_graph(6)),
        nx.wheel_graph(7),
    ],
    ids=["empty", "complete", "star", "path", "disconnected", "nearly complete", "wheel"],
)
def test_graphs_on_which_a_greedy_realization_gets_stuck_come_to_an_end(network, k, directed):
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], directed)
    check(graph, k, protect(graph, k))


def test_two_nodes_end_with_the_same_degree():
    for directed in (False, True):
        for pairs in ([], [(0, 1)], [(0, 1), (1, 0)]):
            ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
            graph = Graph.from_pairs(2, ends[:, 0], ends[:, 1], directed)
            check(graph, 2, protect(graph, 2))


def test_odd_sums_of_degrees_are_settled_without_noise():
    # Five nodes in one class: the common degree must be even.
    graph = graph_of(nx.disjoint_union(nx.complete_graph(4), nx.empty_graph(1)))
    released = protect(graph, 5)
    check(graph, 5, released)
    assert int(released.graph.degrees[0]) % 2 == 0


@pytest.mark.parametrize("n", [0, 1, 3])
def test_fewer_nodes_than_k_are_infeasible_and_the_answer_names_what_would_work(n):
    graph = Graph(n, np.zeros(0, dtype=np.int64))
    with pytest.raises(Infeasible) as answer:
        protect(graph, 4)
    assert answer.value.reasons[0].rule == "k_degree_anonymity"
    assert answer.value.nearest == ({"k": 3.0} if n == 3 else None)


def test_the_largest_k_asked_for_counts():
    graph = graph_of(nx.karate_club_graph())
    both = [KDegreeAnonymity(k=2), KDegreeAnonymity(k=4)]
    released = KDegree(effort="fast").apply(graph, both, np.random.default_rng(0), unwatched)
    check(graph, 4, released)


def test_it_gives_degree_anonymity_and_nothing_else():
    beyond = KCandidateAnonymity(k=2, query="H2")
    graph = graph_of(nx.path_graph(4))
    for asked in ([], [SupernodeSize(k=2), KDegreeAnonymity(k=2)], [beyond]):
        with pytest.raises(InvalidPolicy):
            KDegree().apply(graph, asked, np.random.default_rng(0), unwatched)


def test_the_watch_sees_rising_fractions():
    seen: list[float] = []

    def watch(fraction: float) -> bool:
        seen.append(fraction)
        return False

    KDegree(effort="fast").apply(
        graph_of(nx.karate_club_graph()), [KDegreeAnonymity(k=5)], np.random.default_rng(0), watch
    )
    assert seen == sorted(seen)
    assert seen[0] >= 0.0
    assert seen[-1] <= 1.0
    assert len(seen) > 10


def test_when_the_time_is_used_up_the_best_so_far_is_returned_and_said_to_be_so():
    graph = graph_of(nx.karate_club_graph())
    released = KDegree(effort="high").apply(graph, [KDegreeAnonymity(k=5)], np.random.default_rng(0), lambda _: True)
    check(graph, 5, released)
    assert released.account["search_stopped_early"]
    assert not protect(graph, 5).account["search_stopped_early"]


def test_a_cancelled_search_gets_out():
    def watch(fraction: float) -> bool:
        raise Cancelled

    with pytest.raises(Cancelled):
        KDegree().apply(graph_of(nx.karate_club_graph()), [KDegreeAnonymity(k=5)], np.random.default_rng(0), watch)


def test_the_same_generator_gives_the_same_release():
    graph = graph_of(nx.karate_club_graph())
    assert np.array_equal(protect(graph, 4, seed=3).graph.keys, protect(graph, 4, seed=3).graph.keys)


@pytest.mark.parametrize("strategy", ["liu_terzi", "genetic", "umga", "vertex_addition"])
def test_the_published_strategies_refuse_a_directed_graph_before_any_work(strategy):
    graph = graph_of(nx.path_graph(6, create_using=nx.DiGraph))
    method = KDegree.model_validate({"strategy": strategy})
    with pytest.raises(InvalidDataset) as refusal:
        method.admit(graph)
    assert refusal.value.rule == "undirected_only"
    with pytest.raises(InvalidDataset):
        method.apply(graph, [KDegreeAnonymity(k=2)], np.random.default_rng(0), unwatched)
    KDegree().admit(graph)


def test_only_one_strategy_makes_nodes_up_and_only_one_selects_edges():
    assert KDegree(strategy="vertex_addition").makes_nodes()
    assert not KDegree().makes_nodes()
    assert KDegree(strategy="umga", edge_selection="relevance").edge_selection == "relevance"
    with pytest.raises(ValidationError, match="umga"):
        KDegree(strategy="greedy", edge_selection="relevance")


@pytest.mark.parametrize("strategy", ["liu_terzi", "genetic", "umga", "vertex_addition"])
def test_the_watch_of_every_strategy_rises_and_a_cancelled_one_gets_out(strategy):
    graph = graph_of(nx.karate_club_graph())
    seen: list[float] = []

    def watch(fraction: float) -> bool:
        seen.append(fraction)
        return False

    def cancel(fraction: float) -> bool:
        raise Cancelled

    method = KDegree.model_validate({"strategy": strategy, "effort": "fast"})
    method.apply(graph, [KDegreeAnonymity(k=8)], np.random.default_rng(0), watch)
    assert seen == sorted(seen)
    assert 0.0 <= seen[0] <= seen[-1] <= 1.0
    with pytest.raises(Cancelled):
        method.apply(graph, [KDegreeAnonymity(k=8)], np.random.default_rng(0), cancel)


@pytest.mark.parametrize("directed", [False, True])
def test_it_protects_against_the_first_query_of_refinement(directed):
    graph = graph_of(nx.gnp_random_graph(40, 0.12, seed=5, directed=directed))
    asked = [KCandidateAnonymity(k=4, query="H1")]
    released = KDegree(effort="fast").apply(graph, asked, np.random.default_rng(1), unwatched)
    assert asked[0].holds(released.graph)
    assert KDegreeAnonymity(k=4).holds(released.graph)


@pytest.mark.parametrize("method", [{"name": "k_degree"}, {"name": "pipeline", "steps": [{"name": "k_degree"}]}])
def test_it_does_not_protect_against_further_queries(method):
    asked = {"model": "k_candidate_anonymity", "k": 3, "query": "H1"}
    policy = {"kind": "graph", "method": method, "guarantees": [asked]}
    assert parse_policy(policy)
    asked["query"] = "H2"
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(policy)
    assert caught.value.pointer == "/guarantees/0/query"
