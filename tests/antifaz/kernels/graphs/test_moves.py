"""Kernels of moves against plain counting."""

import networkx as nx
import numpy as np

from antifaz.kernels.graphs.moves import REPLACED, TRIANGLES, accept_within, common_neighbors, switch_within
from tests.antifaz.graphs.perturbing import graph_of


def test_moves_are_accepted_in_turn_while_the_drift_is_within_bounds_or_comes_back():
    changes = np.array([[0.6], [0.6], [-0.3], [0.6], [-5.0]])
    drift, accepted = np.zeros(1), np.zeros(5, dtype=np.uint8)
    accept_within(changes, drift, np.ones(1), accepted)
    assert accepted.tolist() == [1, 0, 1, 1, 0]
    assert drift[0] == 0.8999999999999999
    outside = np.array([3.0])
    accept_within(np.array([[-0.5], [0.1], [-4.0]]), outside, np.ones(1), accepted)
    assert accepted[:3].tolist() == [1, 0, 1]  # 2.5 is nearer than 3, 2.6 is not, -1.5 is nearer than 2.5
    assert outside[0] == -1.5


def test_shared_neighbors_are_counted():
    network = nx.karate_club_graph()
    offsets, neighbors = graph_of(network).neighbors
    left, right = (ends.ravel().astype(np.int64) for ends in np.indices((34, 34)))
    shared = np.zeros(34 * 34, dtype=np.int64)
    common_neighbors(offsets, neighbors, left, right, shared)
    expected = [len(set(network[u]) & set(network[v])) for u in range(34) for v in range(34)]
    assert shared.tolist() == expected


def test_the_triangles_and_the_rows_are_right_after_every_batch_of_switches():
    network = nx.powerlaw_cluster_graph(60, 4, 0.8, seed=1)
    graph = graph_of(network)
    offsets, neighbors = graph.neighbors
    rows, ends = neighbors.copy(), np.stack([graph.sources, graph.targets])
    triangles = sum(nx.triangles(network).values()) // 3
    tally = np.array([triangles, 0, 0], dtype=np.int64)
    rng = np.random.default_rng(4)
    made = 0
    for _ in range(20):
        drawn, turned = rng.integers(0, graph.m, (2, 50)), rng.integers(0, 2, 50, dtype=np.uint8)
        bounds = (triangles - 20, triangles + 20)
        made += switch_within(offsets, rows, ends, graph.keys, drawn, turned, *bounds, graph.m, 10**9, tally)
        now = nx.Graph(ends.T.tolist())
        assert now.number_of_edges() == graph.m
        assert tally[TRIANGLES] == sum(nx.triangles(now).values()) // 3
        assert bounds[0] <= tally[TRIANGLES] <= bounds[1]
        keys = np.minimum(ends[0], ends[1]) * graph.n + np.maximum(ends[0], ends[1])
        assert tally[REPLACED] == len(np.setdiff1d(keys, graph.keys))
        for node in range(graph.n):
            assert sorted(rows[offsets[node] : offsets[node + 1]].tolist()) == sorted(now[node])
    assert made > 100
