"""Uncertain: obfuscation of small graphs by enumeration, the noise's law, and graphs on which drawing might not end."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, truncnorm

from antifaz.errors import Cancelled, Infeasible, InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.guarantees.k_eps_obfuscation import KEpsObfuscation
from antifaz.graphs.methods import uncertain as module
from antifaz.graphs.methods.uncertain import Uncertain, _draw_noise, _draw_pairs, _rareness
from antifaz.watch import Watch, unwatched
from bench.graphs import power_law_graph, read_graph
from tests.antifaz.graphs.releases import COLLABORATIONS
from tests.datasets import data_file
from tests.oracles.possible_worlds import obfuscation_k

REJECTED = 1e-6


def graph_of(network: nx.Graph) -> Graph:
    ends = np.array(list(network.edges), dtype=np.int64).reshape(-1, 2)
    return Graph.from_pairs(len(network), ends[:, 0], ends[:, 1], network.is_directed())


KARATE = graph_of(nx.karate_club_graph())


def protect(
    graph: Graph, k: int, epsilon: float, seed: int = 0, watch: Watch = unwatched, **parameters: float
) -> ProtectedGraph:
    method = Uncertain.model_validate(parameters)
    return method.apply(graph, [KEpsObfuscation(k=k, epsilon=epsilon)], np.random.default_rng(seed), watch)


def probabilities(released: ProtectedGraph) -> np.ndarray:
    (column,) = released.edge_columns
    assert column.name == "probability"
    return column.values


def check(graph: Graph, k: int, epsilon: float, released: ProtectedGraph) -> None:
    """Properties of every result."""
    likely = probabilities(released)
    assert released.graph.n == graph.n
    assert released.graph.keys.tolist() == np.unique(released.graph.keys).tolist()
    assert (released.graph.sources < released.graph.targets).all()
    assert len(likely) == released.graph.m
    assert ((likely > 0) & (likely <= 1)).all()
    assert np.array_equal(likely, np.round(likely, 4))
    assert released.origin.tolist() == list(range(graph.n))
    assert KEpsObfuscation(k=k, epsilon=epsilon).holds_in(released, graph)
    world = released.stand_in
    assert world is not released
    assert np.isin(world.graph.keys, released.graph.keys).all()
    assert np.isin(released.graph.keys[likely == 1.0], world.graph.keys).all()
    assert world.origin.tolist() == list(range(graph.n))
    told = released.account["uncertain_degree_statistics"]
    assert told["pairs"] == released.graph.m
    assert told["expected_edges"] == pytest.approx(likely.sum())
    assert told["mean_degree"] == pytest.approx(2 * likely.sum() / graph.n)


def test_the_karate_club_is_obfuscated():
    released = protect(KARATE, 5, 0.1)
    check(KARATE, 5, 0.1, released)
    assert released.account["stopped_early"] is False
    assert released.graph.m <= 2 * KARATE.m


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.2, 0.4]), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_small_graphs_are_obfuscated_as_the_enumeration_of_all_graphs_says(seed, epsilon, k):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 8))
    ends = rng.integers(0, n, (2, int(rng.integers(0, 6))))
    graph = Graph.from_pairs(n, ends[0], ends[1])
    try:
        released = protect(graph, k, epsilon, seed, attempts=2)
    except Infeasible:
        return
    check(graph, k, epsilon, released)
    pairs = list(zip(released.graph.sources.tolist(), released.graph.targets.tolist(), strict=True))
    likely = [Fraction(str(p)) for p in probabilities(released).tolist()]
    assert obfuscation_k(n, pairs, likely, graph.degrees.tolist(), Fraction(str(epsilon))) >= k


def test_less_privacy_needs_less_noise():
    edges = [protect(KARATE, k, 0.2, seed=3) for k in (2, 8)]
    sure = [probabilities(released)[np.isin(released.graph.keys, KARATE.keys)].mean() for released in edges]
    assert sure[0] > sure[1]


def test_a_circle_needs_hardly_any():
    circle = graph_of(nx.cycle_graph(40))
    released = protect(circle, 8, 0.0)
    check(circle, 8, 0.0, released)
    kept = np.isin(released.graph.keys, circle.keys)
    assert probabilities(released)[kept].mean() > 0.95


@pytest.mark.parametrize(
    ("network", "k", "epsilon"),
    [
        (nx.empty_graph(5), 5, 0.0),
        (nx.complete_graph(8), 7, 0.0),
        (nx.complete_graph(2), 2, 0.0),
        (nx.star_graph(30), 4, 0.1),
        (nx.complement(nx.path_graph(9)), 2, 0.3),
    ],
    ids=["empty", "complete", "one edge", "star", "nearly complete"],
)
def test_degenerate_graphs_are_obfuscated_too(network, k, epsilon):
    graph = graph_of(network)
    check(graph, k, epsilon, protect(graph, k, epsilon))


def test_what_no_noise_can_hide_is_infeasible_and_a_feasible_k_is_told():
    with pytest.raises(Infeasible) as caught:
        protect(KARATE, 30, 0.1)
    assert [reason.rule for reason in caught.value.reasons] == ["k_eps_obfuscation"]
    assert caught.value.nearest is not None
    nearest = int(caught.value.nearest["k"])
    assert 2 <= nearest < 30
    check(KARATE, nearest, 0.1, protect(KARATE, nearest, 0.1, attempts=20))


def test_where_somebody_cannot_hide_at_all_no_k_is_told():
    with pytest.raises(Infeasible) as caught:
        protect(KARATE, 30, 0.0)
    assert caught.value.nearest is None


def test_fewer_nodes_than_k_are_infeasible():
    with pytest.raises(Infeasible) as caught:
        protect(graph_of(nx.path_graph(4)), 5, 0.1)
    assert caught.value.nearest == {"k": 4.0}


def test_directed_graphs_are_refused():
    with pytest.raises(InvalidDataset) as caught:
        protect(graph_of(nx.DiGraph([(0, 1), (1, 2)])), 2, 0.1)
    assert caught.value.rule == "directed"


def test_parameters_come_from_its_guarantee_alone():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidPolicy):
        Uncertain().apply(KARATE, [], rng, unwatched)
    with pytest.raises(InvalidPolicy):
        Uncertain().apply(KARATE, [KEpsObfuscation(k=2, epsilon=0.1), KDegreeAnonymity(k=2)], rng, unwatched)


def test_several_guarantees_hold_at_once():
    goals = [KEpsObfuscation(k=5, epsilon=0.3), KEpsObfuscation(k=3, epsilon=0.1)]
    released = Uncertain().apply(KARATE, goals, np.random.default_rng(0), unwatched)
    for goal in goals:
        check(KARATE, goal.k, goal.epsilon, released)


def test_no_time_leaves_the_first_graph_found():
    released = protect(KARATE, 5, 0.1, watch=lambda fraction: True)
    check(KARATE, 5, 0.1, released)
    assert released.account["stopped_early"] is True


def test_the_watch_can_end_it_halfway():
    def watch(fraction: float) -> bool:
        if fraction > 0.5:
            raise Cancelled("enough")
        return False

    with pytest.raises(Cancelled):
        protect(KARATE, 5, 0.1, watch=watch)


def test_hubs_are_taken_as_normal_in_the_search_and_counted_at_the_end(monkeypatch):
    monkeypatch.setattr(module, "EXACT_PAIRS", 5)
    check(KARATE, 5, 0.1, protect(KARATE, 5, 0.1))


def test_rare_degrees_are_rarer_and_a_wide_window_sees_less_of_it():
    narrow, wide = _rareness(KARATE.degrees, 0.01), _rareness(KARATE.degrees, 50.0)
    hub = int(np.argmax(KARATE.degrees))
    assert narrow.mean() == pytest.approx(1.0)
    assert narrow[hub] == narrow.max()
    # Eleven nodes have degree 2, the hub's degree is its own.
    assert narrow[hub] / narrow[KARATE.degrees == 2][0] == pytest.approx(11.0)
    assert 1.0 < wide[hub] < narrow[hub]


@pytest.mark.parametrize("candidates", [1.0, 1.5, 2.0, 3.0])
def test_as_many_pairs_are_drawn_as_asked_for(candidates):
    even = np.full(KARATE.n, 1.0 / KARATE.n)
    keys = _draw_pairs(KARATE, candidates, even, np.random.default_rng(1))
    assert len(keys) == round(candidates * KARATE.m)
    assert np.array_equal(keys, np.unique(keys))
    assert (keys // KARATE.n < keys % KARATE.n).all()


def test_drawing_ends_where_there_are_no_more_pairs():
    complete = graph_of(nx.complete_graph(6))
    even = np.full(6, 1 / 6)
    assert _draw_pairs(complete, 3.0, even, np.random.default_rng(1)).tolist() == complete.keys.tolist()
    one = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    path = graph_of(nx.path_graph(6))
    assert _draw_pairs(path, 3.0, one, np.random.default_rng(1)).tolist() == path.keys.tolist()


def fits(scale: float) -> float:
    """p-value of noise of spread 0.3 times the scale, against a normal of spread 0.3 within [0, 1]."""
    noise = _draw_noise(np.full(20_000, 0.3 * scale), np.random.default_rng(9))
    assert ((noise >= 0.0) & (noise <= 1.0)).all()
    return float(kstest(noise, truncnorm(0.0, 1.0 / 0.3, scale=0.3).cdf).pvalue)


def test_the_noise_is_normal_within_its_bounds():
    assert fits(1.0) > REJECTED


@pytest.mark.parametrize("scale", [0.9, 1.1])
def test_noise_of_another_spread_would_be_found_out(scale):
    assert fits(scale) < REJECTED


def test_wide_noise_is_uniform_and_narrow_noise_is_none():
    rng = np.random.default_rng(2)
    assert kstest(_draw_noise(np.full(20_000, 1e6), rng), "uniform").pvalue > REJECTED
    assert _draw_noise(np.full(1_000, 1e-9), rng).max() < 1e-7


@pytest.mark.long
@pytest.mark.parametrize(("k", "epsilon"), [(5, 0.01), (20, 0.01), (20, 0.001)])
def test_a_published_graph_is_obfuscated(k, epsilon):
    graph = read_graph(data_file(COLLABORATIONS))
    check(graph, k, epsilon, protect(graph, k, epsilon))


@pytest.mark.long
def test_a_hundred_thousand_nodes_are_obfuscated():
    graph = power_law_graph(100_000, 500_000, np.random.default_rng(1))
    check(graph, 20, 0.001, protect(graph, 20, 0.001))
