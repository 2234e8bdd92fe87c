"""Feature-preserving switch: degrees stay, and so do transitivity and distances within the tolerance."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidDataset
from antifaz.graphs.methods.feature_preserving_switch import FeaturePreservingSwitch
from antifaz.graphs.methods.random_switch import RandomSwitch
from antifaz.graphs.utility.transitivity import transitivity
from tests.antifaz.graphs.perturbing import DEGENERATE, degrees_kept, graph_of, graphs, pairs, perturbed


@settings(deadline=None, max_examples=40)
@given(graph=graphs(directed=False), share=st.floats(0.05, 1.0), tolerance=st.floats(0.01, 1.0))
def test_degrees_stay_and_the_transitivity_is_within_its_bounds(graph, share, tolerance):
    released = perturbed(FeaturePreservingSwitch(share=share, tolerance=tolerance), graph)
    assert degrees_kept(graph, released)
    assert released.account["edges_removed"] <= round(share * graph.m)
    before = transitivity(graph)
    assert abs(transitivity(released.graph) - before) <= tolerance * before + 1e-12


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_graphs_come_to_an_end(name):
    graph = graph_of(DEGENERATE[name])
    assert degrees_kept(graph, perturbed(FeaturePreservingSwitch(share=1.0), graph))


def test_where_there_is_no_switch_the_account_says_that_the_tries_are_used_up():
    account = perturbed(FeaturePreservingSwitch(share=1.0), graph_of(nx.star_graph(8))).account
    assert account["switches"] == 0
    assert account["stopped_because"] == "the tries are used up"


def test_transitivity_stays_where_blind_switches_destroy_it():
    graph = graph_of(nx.powerlaw_cluster_graph(400, 5, 0.9, seed=2))
    before = transitivity(graph)
    blind = perturbed(RandomSwitch(share=0.3), graph)
    kept = perturbed(FeaturePreservingSwitch(share=0.3, features=("transitivity",)), graph)
    assert kept.account["stopped_because"] == "all moves were made"
    assert kept.account["edges_removed"] in (round(0.3 * graph.m) - 1, round(0.3 * graph.m))
    assert abs(transitivity(kept.graph) - before) <= 0.05 * before
    assert abs(transitivity(blind.graph) - before) > 0.2 * before


def average_distance(graph) -> float:
    network = nx.Graph(list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)))
    return nx.average_shortest_path_length(network)


def test_distances_stay_where_blind_switches_shorten_them():
    graph = graph_of(nx.watts_strogatz_graph(200, 6, 0.02, seed=3))
    before = average_distance(graph)
    method = FeaturePreservingSwitch(share=0.5, features=("average_distance",), tolerance=0.1)
    kept = perturbed(method, graph)
    assert kept.account["stopped_because"] == "no further move keeps the features close"
    assert kept.account["switches"] > 0
    assert abs(average_distance(kept.graph) - before) <= 0.15 * before
    assert average_distance(perturbed(RandomSwitch(share=0.5), graph).graph) < 0.7 * before


def test_a_directed_graph_is_refused():
    with pytest.raises(InvalidDataset, match="undirected"):
        perturbed(FeaturePreservingSwitch(), pairs((0, 1), (2, 3), n=4, directed=True))


def test_when_the_time_is_used_up_what_was_done_is_returned_and_said():
    graph = graph_of(nx.karate_club_graph())
    released = FeaturePreservingSwitch().apply(graph, [], np.random.default_rng(0), lambda _: True)
    assert np.array_equal(released.graph.keys, graph.keys)
    assert released.account["stopped_because"] == "the time is used up"
