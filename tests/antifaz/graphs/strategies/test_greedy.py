"""The greedy strategy: near the optimum by exhaustive search, with plausible added edges."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies import greedy
from antifaz.graphs.strategies.greedy import anonymize_degrees
from antifaz.graphs.strategies.sides import Rows, edited
from antifaz.watch import unwatched


def test_it_finds_the_optimum_of_small_graphs_nearly_always():
    n = 6
    pairs = np.array(list(combinations(range(n), 2)))
    rows = (np.arange(1 << len(pairs))[:, None] >> np.arange(len(pairs))) & 1
    ends = np.zeros((len(pairs), n), dtype=np.int64)
    ends[np.arange(len(pairs))[:, None], pairs] = 1
    degrees = rows @ ends
    classes = (degrees[:, :, None] == degrees[:, None, :]).sum(axis=2).min(axis=1)
    rng = np.random.default_rng(2)
    excess = []
    for number in rng.choice(len(rows), 12, replace=False):
        chosen = pairs[rows[number] == 1]
        graph = Graph.from_pairs(n, chosen[:, 0], chosen[:, 1])
        for k in (2, 3):
            optimum = int((rows[classes >= k] != rows[number]).sum(axis=1).min())
            _, account = anonymize_degrees(graph, k, "fast", rng, unwatched)
            excess.append(account["edges_added"] + account["edges_removed"] - optimum)
    assert min(excess) >= 0
    assert np.mean(np.array(excess) == 0) > 0.9
    assert max(excess) <= 2


def test_the_rows_of_a_directed_graph_are_those_of_its_double_cover():
    graph = Graph.from_pairs(3, np.array([0, 0, 2]), np.array([1, 2, 1]), directed=True)
    rows = Rows.of(graph)
    by_side = [rows.neighbors[rows.offsets[s] : rows.offsets[s + 1]].tolist() for s in range(6)]
    assert by_side == [[4, 5], [], [4], [], [0, 2], [0]]


def common_neighbors(graph: Graph, keys: np.ndarray) -> float:
    network = nx.Graph(list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True)))
    network.add_nodes_from(range(graph.n))
    ends = zip((keys // graph.n).tolist(), (keys % graph.n).tolist(), strict=True)
    return float(np.mean([len(list(nx.common_neighbors(network, u, v))) for u, v in ends]))


def test_added_edges_are_exchanged_for_more_plausible_ones_at_the_same_price():
    network = nx.powerlaw_cluster_graph(400, 4, 0.7, seed=4)
    graph = Graph.from_pairs(400, *np.array(list(network.edges), dtype=np.int64).T)
    rng = np.random.default_rng(5)
    absent = Graph.from_pairs(400, *rng.integers(0, 400, (2, 60)))
    added = np.setdiff1d(absent.keys, graph.keys)
    edits = np.stack([added // 400, added % 400])
    plain = edited(graph, edits)
    plausible = edited(graph, greedy._most_plausible(graph, Rows.of(graph), edits, rng, unwatched))
    assert np.array_equal(np.sort(plausible.degrees), np.sort(plain.degrees))
    assert len(np.setxor1d(plausible.keys, graph.keys)) <= len(added)
    better = np.setdiff1d(plausible.keys, graph.keys)
    assert common_neighbors(graph, better) > 2 * common_neighbors(graph, added)


def test_more_effort_means_more_trials():
    network = nx.karate_club_graph()
    graph = Graph.from_pairs(34, *np.array(list(network.edges), dtype=np.int64).T)
    trials = [
        anonymize_degrees(graph, 4, effort, np.random.default_rng(1), unwatched)[1]["search_trials"]
        for effort in ("fast", "normal")
    ]
    assert trials[1] > 5 * trials[0]


@pytest.mark.parametrize(("pairs", "edges"), [([(0, 1)], 0), ([(0, 1), (0, 2), (1, 2), (2, 3)], 6)])
def test_the_last_resort_is_the_nearer_of_no_edges_and_all(pairs, edges):
    ends = np.array(pairs, dtype=np.int64)
    assert greedy._uniform(Graph.from_pairs(4, ends[:, 0], ends[:, 1])).m == edges
