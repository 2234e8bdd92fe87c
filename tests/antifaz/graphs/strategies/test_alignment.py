"""Alignment: orbits counted by hand, functions, and a search that finds existing ones."""

import networkx as nx
import numpy as np
import pytest

from antifaz.graphs.analysis.similarity import LOOKUPS
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.strategies.alignment import STEPS, WORK, Alignment, Orbits, _ends, align_nodes
from antifaz.kernels.graphs.alignment import COST, Cooling, Ends, Room, align
from antifaz.watch import unwatched
from tests.antifaz.graphs.releases import graph_of

NOBODY = np.zeros(0, dtype=np.int64)


def aligned(graph: Graph, k: int, remainder: str = "made_up") -> Alignment:
    return align_nodes(graph, k, remainder, "fast", np.random.default_rng(1), unwatched)  # type: ignore[arg-type]


def test_orbits_are_rows_and_the_columns_between_them():
    # Rows 0: 0 1 2, row 1: 3 4 5. The edges 0-4 and 1-5 lead one column on; 5-2 none; 0-1 and 0-2 are one circle.
    sources, targets = np.array([0, 1, 5, 0, 0]), np.array([4, 5, 2, 1, 2])
    orbits = Orbits.of(sources, targets, 3, directed=False)
    found = zip(orbits.first, orbits.second, orbits.jump, orbits.edges, orbits.sizes, strict=True)
    assert [tuple(map(int, each)) for each in found] == [(0, 0, 1, 2, 3), (0, 1, 0, 1, 3), (0, 1, 1, 2, 3)]
    directed = Orbits.of(sources, targets, 3, directed=True)
    assert len(directed.edges) == 4


def test_an_orbit_that_meets_itself_halfway_has_half_the_edges():
    orbits = Orbits.of(np.array([0, 3]), np.array([2, 1]), 4, directed=False)
    assert orbits.sizes.tolist() == [2]
    assert orbits.edges.tolist() == [2]
    assert Orbits.of(np.array([0]), np.array([2]), 4, directed=True).sizes.tolist() == [4]


def test_filling_orbits_copies_every_edge_along_the_columns():
    alignment = Alignment(6, np.arange(6).reshape(2, 3), NOBODY)
    graph = Graph.from_pairs(6, np.array([0, 0]), np.array([4, 1]))
    copied = alignment.close(graph, "copied", np.random.default_rng(0), unwatched)
    assert sorted(zip(copied.sources.tolist(), copied.targets.tolist(), strict=True)) == [
        (0, 1), (0, 2), (0, 4), (1, 2), (1, 5), (2, 3),
    ]  # fmt: skip
    assert KAutomorphic(k=3).shown_by(copied, alignment.functions())


def test_balanced_keeps_the_orbits_that_lack_least():
    alignment = Alignment(6, np.arange(6).reshape(2, 3), NOBODY)
    graph = Graph.from_pairs(6, np.array([0, 1, 0]), np.array([4, 5, 3]))
    balanced = alignment.close(graph, "balanced", np.random.default_rng(0), unwatched)
    assert sorted(zip(balanced.sources.tolist(), balanced.targets.tolist(), strict=True)) == [(0, 4), (1, 5), (2, 3)]


def test_nodes_set_apart_lose_their_edges_and_go_round():
    alignment = Alignment(5, np.zeros((0, 2), dtype=np.int64), np.arange(5))
    graph = graph_of(nx.path_graph(5))
    assert alignment.close(graph, "copied", np.random.default_rng(0), unwatched).m == 0
    assert alignment.functions().tolist() == [[1, 2, 3, 4, 0]]


@pytest.mark.parametrize("n", [6, 7, 8, 20])
def test_every_node_has_one_cell(n):
    graph = graph_of(nx.gnm_random_graph(n, 2 * n, seed=1))
    for remainder in ("made_up", "isolated"):
        alignment = aligned(graph, 3, remainder)
        everyone = np.sort(np.concatenate([alignment.rows.ravel(), alignment.apart]))
        assert np.array_equal(everyone, np.arange(alignment.nodes))
        assert alignment.nodes == (n if remainder == "isolated" else -(-n // 3) * 3)


def test_the_cost_that_the_search_tells_is_the_number_of_edges_after_copying():
    rng = np.random.default_rng(5)
    for directed in (False, True):
        graph = graph_of(nx.gnm_random_graph(24, 60, seed=2, directed=directed))
        owners = np.concatenate([graph.sources, graph.targets])
        order = np.argsort(owners, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=24))]).astype(np.int64)
        others = np.concatenate([graph.targets, graph.sources])[order].astype(np.int32)
        arrives = (order >= graph.m).astype(np.uint8) if directed else np.zeros(len(others), dtype=np.uint8)
        for k in (2, 3, 4):
            node = rng.permutation(24)
            cell = np.argsort(node)
            room = Room(np.empty(2048, dtype=np.int64), np.empty(2048, dtype=np.int64))
            ends = Ends(offsets, others, arrives)
            counts, stream = np.zeros(4, dtype=np.int64), np.full(1, 7, dtype=np.uint64)
            while not align(
                k, 24 // k, directed, ends, cell, node, room, Cooling(0.4 * k, 0.1 * k, 20_000), counts, stream, 999
            ):
                pass
            assert np.array_equal(np.argsort(node), cell)
            closed = Alignment(24, node.reshape(-1, k), NOBODY).close(graph, "copied", rng, unwatched)
            assert counts[COST] == closed.m


def test_the_search_brings_copies_together():
    piece = nx.gnm_random_graph(12, 20, seed=4)
    graph = graph_of(nx.disjoint_union_all([piece] * 3)).relabeled(np.random.default_rng(0).permutation(36))
    alignment = aligned(graph, 3)
    assert alignment.close(graph, "copied", np.random.default_rng(0), unwatched).m <= graph.m + 9


@pytest.mark.parametrize("directed", [False, True])
def test_a_long_search_looks_at_its_watch_as_often_as_a_short_one(directed):
    """A call is limited by its steps, not by its share of the search: these would be several seconds on some graphs."""
    graph = Graph.from_pairs(50_000, np.zeros(49_999, np.int64), np.arange(1, 50_000), directed)
    fractions: list[float] = []

    def watch(fraction: float) -> bool:
        fractions.append(fraction)
        return fraction > 0

    assert align_nodes(graph, 5, "made_up", "high", np.random.default_rng(1), watch).stopped
    assert fractions[-1] * WORK["high"] <= STEPS


def test_ties_between_orbits_of_a_dense_graph_are_broken_in_slices():
    """Common neighbors of all pairs of a clique are cubic work: on a large one, minutes without a look at the watch."""
    graph = graph_of(nx.complete_graph(260))
    fractions: list[float] = []
    alignment = Alignment(260, np.arange(260).reshape(52, 5), NOBODY)
    closed = alignment.close(graph, "balanced", np.random.default_rng(0), lambda at: bool(fractions.append(at)))
    assert np.array_equal(closed.keys, graph.keys)
    assert len(fractions) >= graph.m * 260 // LOOKUPS + 2
    assert fractions == sorted(fractions)
    assert fractions[-1] <= 1


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("steps", [1, 50, 777])
def test_pauses_do_not_change_what_the_search_finds(steps, directed):
    graph = graph_of(nx.gnm_random_graph(24, 60, seed=2, directed=directed))
    found = []
    for pause in (steps, 10**9):
        node = np.random.default_rng(5).permutation(24)
        cell = np.argsort(node)
        # So little room that edges have to be counted again in the middle of the search.
        room = Room(np.empty(128, dtype=np.int64), np.empty(128, dtype=np.int64))
        counts, stream = np.zeros(4, dtype=np.int64), np.full(1, 7, dtype=np.uint64)
        calls = 1
        while not align(
            3, 8, directed, _ends(graph, unwatched), cell, node, room, Cooling(1.2, 0.3, 20_000), counts, stream, pause
        ):
            calls += 1
        found.append([node.tolist(), counts.tolist(), stream.tolist()])
        assert (calls > 1) == (pause == steps)
    assert found[0] == found[1]
