"""Edge rotation: exactly the requested number of edges, each keeping one of its ends."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.graphs.edits.edge_moves import Ending
from antifaz.graphs.methods.edge_rotation import EdgeRotation
from tests.antifaz.graphs.perturbing import DEGENERATE, graph_of, graphs, p_of_uniform, pairs, perturbed


@settings(deadline=None, max_examples=40)
@given(graph=graphs(), share=st.floats(0.01, 1.0))
def test_every_rotation_replaces_one_edge(graph, share):
    released = perturbed(EdgeRotation(share=share), graph)
    account = released.account
    assert released.graph.m == graph.m
    assert account["edges_added"] == account["edges_removed"] == account["rotations"]
    assert account["rotations_wanted"] == round(share * graph.m)
    assert (account["rotations"] == account["rotations_wanted"]) == (account["stopped_because"] == Ending.DONE.value)


@settings(deadline=None, max_examples=25)
@given(graph=graphs(), seed=st.integers(0, 1000))
def test_a_single_rotation_moves_one_unit_of_degree(graph, seed):
    released = perturbed(EdgeRotation(share=min(1.0, 1 / max(1, graph.m))), graph, seed)
    moved = np.concatenate(
        [released.graph.in_degrees - graph.in_degrees, released.graph.out_degrees - graph.out_degrees]
        if graph.directed
        else [released.graph.degrees - graph.degrees]
    )
    assert sorted(moved[moved != 0].tolist()) == ([-1, 1] if released.account["rotations"] else [])


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_graphs_come_to_an_end(name, directed):
    graph = graph_of(DEGENERATE[name], directed)
    assert perturbed(EdgeRotation(share=1.0), graph).graph.m == graph.m


def test_a_clique_has_no_rotation():
    account = perturbed(EdgeRotation(share=0.5), graph_of(nx.complete_graph(8))).account
    assert account["rotations"] == 0
    assert account["stopped_because"] == "no valid move is left"


@pytest.mark.parametrize("directed", [False, True])
def test_every_rotation_is_as_likely_as_any_other(directed):
    graph = pairs((0, 1), (1, 2), (3, 4), n=6, directed=directed)
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(1200):
        keys = tuple(perturbed(EdgeRotation(share=1 / 3), graph, seed).graph.keys.tolist())
        counts[keys] = counts.get(keys, 0) + 1
    ways = {}
    for key in graph.keys.tolist():
        u, v = divmod(key, 6)
        for w in range(6):
            for first, second in ((u, w), (w, v)):
                if first == second:
                    continue
                new = first * 6 + second if directed else min(first, second) * 6 + max(first, second)
                if new not in graph.keys:
                    result = tuple(sorted(set(graph.keys.tolist()) - {key} | {new}))
                    ways[result] = ways.get(result, 0) + 1
    assert set(counts) == set(ways)
    expected = np.array(list(ways.values()), dtype=float)
    seen = np.array([counts[result] for result in ways]) / expected
    assert p_of_uniform(seen) > 0.001
    seen[0] += 2 * seen.mean()
    assert p_of_uniform(seen) < 0.001, "the test would notice"
