"""The greedy strategy: near the optimum by exhaustive search, with plausible added edges, and never an empty graph."""

from itertools import combinations, permutations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Infeasible
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.strategies import greedy
from antifaz.graphs.strategies.greedy import Search, anonymize_degrees
from antifaz.graphs.strategies.sides import Rows, edited
from antifaz.watch import unwatched
from tests.antifaz.graphs.strategies.test_double_cover import directed_graphs


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


def powers(n: int, arcs: int, seed: int) -> Graph:
    """A directed graph with the given number of arcs whose out- and in-degrees follow a power law."""
    rng = np.random.default_rng(seed)
    weights = rng.pareto(1.5, (2, n)) + 1
    weights /= weights.sum(axis=1, keepdims=True)
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < arcs:
        senders, receivers = (rng.choice(n, arcs, p=each) for each in weights)
        apart = senders != receivers
        keys = np.unique(np.append(keys, (senders * n + receivers)[apart]))
        keys = rng.choice(keys, min(arcs, len(keys)), replace=False)
    return Graph.from_pairs(n, keys // n, keys % n, directed=True)


def uniform(n: int, arcs: int, seed: int) -> Graph:
    """A directed graph whose arcs are drawn from all pairs."""
    keys = np.random.default_rng(seed).choice(n * (n - 1), arcs, replace=False)
    senders, others = np.divmod(keys, n - 1)
    return Graph.from_pairs(n, senders, others + (others >= senders), directed=True)


def edits_of(graph: Graph, k: int, effort: Any, seed: int) -> int:
    """The edits of the result, which is k-degree anonymous and has not lost the graph."""
    protected, account = anonymize_degrees(graph, k, effort, np.random.default_rng(seed), unwatched)
    assert KDegreeAnonymity(k=k).holds(protected)
    edits = len(np.setxor1d(graph.keys, protected.keys))
    assert edits == account["edges_added"] + account["edges_removed"]
    assert account["edit_lower_bound"] <= edits
    return edits


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("make", "n", "arcs", "k", "seed", "most"),
    [
        pytest.param(powers, 1000, 23_161, 50, 4, 8_000, id="a table of edits that fills"),
        pytest.param(powers, 1000, 23_161, 20, 1, 6_000, id="no two classes one degree apart"),
        pytest.param(powers, 1000, 30_000, 20, 1, 6_500, id="denser"),
        pytest.param(uniform, 2000, 100_000, 20, 3, 2_000, id="uniform"),
        pytest.param(powers, 1000, 8_000, 400, 2, 6_500, id="groups larger than any window"),
    ],
)
def test_ordinary_directed_graphs_keep_most_of_their_arcs(make, n, arcs, k, seed, most):
    assert edits_of(make(n, arcs, seed), k, "normal", seed) < most


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("effort", ["fast", "normal", "high"])
@pytest.mark.parametrize("k", [5, 20, 50])
@pytest.mark.parametrize(
    ("make", "n", "arcs"), [(uniform, 2000, 100_000), (powers, 1000, 30_000), (powers, 3000, 20_000)]
)
def test_no_directed_graph_loses_its_arcs_at_any_effort(make, n, arcs, k, effort):
    for seed in (1, 2, 3):
        assert edits_of(make(n, arcs, seed), k, effort, seed) < 0.4 * arcs


@pytest.mark.parametrize("directed", [False, True])
def test_a_search_that_begins_without_room_for_edits_makes_some(directed):
    graph = powers(200, 1500, 3)
    graph = graph if directed else Graph.from_pairs(200, graph.sources, graph.targets)
    sought = greedy._search_directed if directed else greedy._search_undirected
    search = sought(graph, Rows.of(graph), 5, 1_000_000, 0, Search.with_room(1), np.random.default_rng(1), unwatched)
    assert search.found
    assert search.pairs.shape[1] >= search.outcome[0] > 1
    assert KDegreeAnonymity(k=5).holds(edited(graph, search.edits))


def test_what_no_search_settles_is_refused_and_not_emptied(monkeypatch):
    # With no trial at all, nothing is found on any rung of the ladder: the number is the only thing that changes.
    monkeypatch.setattr(greedy, "LEAST_TRIALS", 0)
    with pytest.raises(Infeasible) as refusal:
        anonymize_degrees(powers(60, 300, 1), 7, "fast", np.random.default_rng(1), unwatched)
    assert refusal.value.reasons[0].rule == "k_degree_anonymity"
    assert refusal.value.reasons[0].limit == 7


ARCS = np.array(list(permutations(range(4), 2)))
ROWS = (np.arange(1 << len(ARCS))[:, None] >> np.arange(len(ARCS))) & 1
"""Every directed graph of four nodes, as a row of its arcs."""
PAIRS = ROWS @ ((ARCS[:, :1] == np.arange(4)) * 5 + (ARCS[:, 1:] == np.arange(4)))
CLASSES = (PAIRS[:, :, None] == PAIRS[:, None, :]).sum(axis=2).min(axis=1)


@settings(deadline=None, max_examples=30)
@given(
    number=st.integers(0, len(ROWS) - 1),
    k=st.integers(2, 4),
    effort=st.sampled_from(["fast", "normal"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_small_directed_graphs_come_near_the_optimum_of_all_graphs(number, k, effort, seed):
    arcs = ARCS[ROWS[number] == 1]
    graph = Graph.from_pairs(4, arcs[:, 0], arcs[:, 1], directed=True)
    optimum = int((ROWS[k <= CLASSES] != ROWS[number]).sum(axis=1).min())
    assert optimum <= edits_of(graph, k, effort, seed) <= optimum + 2


@settings(deadline=None, max_examples=30)
@given(graph=directed_graphs(), k=st.integers(2, 9), effort=st.sampled_from(["fast", "normal"]))
def test_every_directed_graph_has_a_result(graph, k, effort):
    edits_of(graph, min(k, graph.n), effort, 7)
