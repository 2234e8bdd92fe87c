"""Surroundings: what a rare node's neighborhood shows, and edits that stay within it."""

import networkx as nx
import numpy as np

from antifaz.graphs.guarantees.k_neighborhood_anonymity import KNeighborhoodAnonymity
from antifaz.graphs.strategies import surroundings
from antifaz.graphs.strategies.surroundings import align_all_nodes, align_rare
from antifaz.watch import unwatched
from tests.antifaz.graphs.releases import graph_of

RNG = np.random.default_rng(0)


def test_a_neighborhood_shows_a_nodes_edges_and_those_between_its_neighbors():
    graph = graph_of(nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]))
    rare = np.array([True, False, False, False, False])
    shown = surroundings._shown(graph, rare, unwatched)
    pairs = zip(graph.sources[shown].tolist(), graph.targets[shown].tolist(), strict=True)
    assert sorted(pairs) == [(0, 1), (0, 2), (1, 2)]


def test_what_no_rare_node_shows_is_not_edited():
    # A wheel is rare; a far away ladder is not, and its edges stay.
    ladder = nx.circular_ladder_graph(9)
    graph = graph_of(nx.disjoint_union_all([nx.wheel_graph(7), nx.wheel_graph(6), nx.empty_graph(3), ladder]))
    made = align_rare(graph, 2, "balanced", "fast", RNG, unwatched)
    assert KNeighborhoodAnonymity(k=2).holds(made.graph)
    assert not made.all_nodes
    changed = np.setxor1d(graph.keys, made.graph.keys)
    assert 0 < len(changed) <= 12
    assert made.aligned < graph.n


def test_nothing_is_done_where_nobody_is_rare():
    graph = graph_of(nx.cycle_graph(8))
    made = align_rare(graph, 8, "copied", "fast", RNG, unwatched)
    assert made.graph is graph
    assert (made.rounds, made.aligned) == (0, 0)


def test_everybody_aligned_is_isomorphic_at_any_distance():
    graph = graph_of(nx.gnm_random_graph(21, 40, seed=2))
    made = align_all_nodes(graph, 3, "copied", "fast", RNG, unwatched)
    for radius in (1, 2, 3):
        assert KNeighborhoodAnonymity(k=3, radius=radius).holds(made.graph)
    assert made.all_nodes
