"""Random switch: every degree stays, the requested number of edges is replaced, and the search always ends."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.edits.edge_moves import Ending
from antifaz.graphs.methods.random_switch import RandomSwitch
from antifaz.watch import unwatched
from tests.antifaz.graphs.perturbing import DEGENERATE, degrees_kept, graph_of, graphs, p_of_uniform, pairs, perturbed


@settings(deadline=None, max_examples=40)
@given(graph=graphs(), share=st.floats(0.01, 1.0))
def test_degrees_stay_and_every_switch_replaces_two_edges(graph, share):
    released = perturbed(RandomSwitch(share=share), graph)
    account = released.account
    assert degrees_kept(graph, released)
    assert account["edges_added"] == account["edges_removed"] == 2 * account["switches"]
    assert account["switches_wanted"] == round(share * graph.m) // 2
    assert account["switches"] <= account["switches_wanted"]
    assert (account["switches"] == account["switches_wanted"]) == (account["stopped_because"] == Ending.DONE.value)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_graphs_come_to_an_end(name, directed):
    graph = graph_of(DEGENERATE[name], directed)
    assert degrees_kept(graph, perturbed(RandomSwitch(share=1.0), graph))


@pytest.mark.parametrize("network", [nx.star_graph(9), nx.complete_graph(7), nx.path_graph(3)])
def test_where_there_is_no_switch_the_account_says_that_none_is_left(network):
    released = perturbed(RandomSwitch(share=1.0), graph_of(network))
    assert released.account["switches"] == 0
    assert released.account["switches_wanted"] > 0
    assert released.account["stopped_because"] == "no valid move is left"


def test_the_published_example_keeps_its_degrees():
    # Nodes 1…9 of the source are 0…8 here; {1,2} and {4,5} give way to {1,4} and {2,5}.
    graph = pairs((0, 1), (0, 2), (0, 5), (1, 3), (2, 3), (2, 5), (2, 7), (3, 4), (3, 5), (4, 6), (5, 8), (6, 7), n=9)
    assert graph.degrees.tolist() == [3, 2, 4, 4, 2, 4, 2, 2, 1]
    switched = pairs(
        (0, 3), (1, 4), (0, 2), (0, 5), (1, 3), (2, 3), (2, 5), (2, 7), (3, 5), (4, 6), (5, 8), (6, 7), n=9
    )
    assert switched.degrees.tolist() == graph.degrees.tolist()
    reached = {tuple(perturbed(RandomSwitch(share=2 / 12), graph, seed).graph.keys) for seed in range(300)}
    assert tuple(switched.keys) in reached


def test_a_single_directed_switch_exchanges_heads_and_not_tails():
    graph = pairs((0, 1), (2, 3), n=4, directed=True)
    released = perturbed(RandomSwitch(share=1.0), graph)
    assert np.array_equal(released.graph.keys, pairs((0, 3), (2, 1), n=4, directed=True).keys)


def single_switches(graph) -> dict[tuple[int, ...], int]:
    """Every graph that one switch reaches, by trying all."""
    found = {}
    n, edges = graph.n, [divmod(int(key), graph.n) for key in graph.keys]
    for (a, b), (c, d) in combinations(edges, 2):
        for x, y in ((c, d), (d, c)):
            new = {min(a, y) * n + max(a, y), min(x, b) * n + max(x, b)}
            if len({a, b, c, d}) == 4 and not new & set(graph.keys.tolist()):
                gone = {a * n + b, c * n + d}
                found[tuple(sorted(set(graph.keys.tolist()) - gone | new))] = 0
    return found


def test_every_switch_is_as_likely_as_any_other():
    graph = graph_of(nx.cycle_graph(7))
    counts = single_switches(graph)
    assert len(counts) > 10
    for seed in range(30 * len(counts)):
        counts[tuple(perturbed(RandomSwitch(share=2 / 7), graph, seed).graph.keys.tolist())] += 1
    seen = np.array(list(counts.values()))
    assert p_of_uniform(seen) > 0.001
    seen[0] += 2 * seen.mean()
    assert p_of_uniform(seen) < 0.001, "the test would notice"


def test_all_edges_of_a_large_sparse_graph_can_be_switched():
    graph = graph_of(nx.gnm_random_graph(2000, 6000, seed=1))
    released = perturbed(RandomSwitch(share=1.0), graph)
    assert released.account["switches"] >= 2990
    assert degrees_kept(graph, released)


def test_when_the_time_is_used_up_what_was_done_is_returned_and_said():
    graph = graph_of(nx.gnm_random_graph(200, 600, seed=1))
    released = RandomSwitch(share=0.5).apply(graph, [], np.random.default_rng(0), lambda _: True)
    assert released.account["switches"] == 0
    assert released.account["stopped_because"] == "the time is used up"
    whole = RandomSwitch(share=0.5).apply(graph, [], np.random.default_rng(0), unwatched)
    assert whole.account["stopped_because"] == "all moves were made"
