"""Tops by betweenness: against networkx, snapshot by snapshot."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from antifaz.temporal import centrality
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.utility.betweenness_centrality import BetweennessCentrality
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import changed, random_snapshots, released_as, renumbered, sequences, snapshots_of


def measure(snapshots: Snapshots, released: ProtectedSnapshots) -> dict:
    return BetweennessCentrality().measure(snapshots, released, np.random.default_rng(0), unwatched)


def top(snapshots: Snapshots, t: int) -> set[int]:
    """The first of all nodes in a stable sort by networkx's scores, which are rounded."""
    network = nx.DiGraph() if snapshots.directed else nx.Graph()
    network.add_nodes_from(range(snapshots.n))
    graph = snapshots.graph(t)
    network.add_edges_from(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    scores = nx.betweenness_centrality(network)
    size = max(1, int(0.05 * snapshots.n))
    return set(sorted(range(snapshots.n), key=lambda node: (-round(scores[node], 9), node))[:size])


def expected(one: Snapshots, other: Snapshots) -> float:
    pairs = [(top(one, t), top(other, t)) for t in range(len(one))]
    return float(np.mean([len(a & b) / len(a | b) for a, b in pairs]))


@settings(max_examples=40)
@given(sequences())
def test_the_tops_of_small_sequences_are_those_of_networkx(snapshots):
    other = changed(snapshots, 0.5).snapshots
    assert measure(snapshots, released_as(other))["value"] == pytest.approx(expected(snapshots, other))


@pytest.mark.parametrize("directed", [False, True])
def test_the_tops_of_larger_sequences_are_those_of_networkx(directed):
    snapshots = random_snapshots(60, 5, 70, directed)
    other = changed(snapshots, 0.3).snapshots
    found = measure(snapshots, released_as(other))
    assert found["value"] == pytest.approx(expected(snapshots, other))
    assert found["exact"]


@given(sequences())
def test_new_numbers_change_nothing(snapshots):
    assert measure(snapshots, renumbered(snapshots))["value"] == 1


def test_what_a_tie_decides_is_left_out_of_the_clear_tops():
    """Nobody stands out in a snapshot without edges or where all are alike; the middle of a star does."""
    star, pairs = [(0, 1), (1, 2), (1, 3)], [(0, 1), (2, 3)]
    original, released = snapshots_of(4, star, pairs, []), snapshots_of(4, pairs, pairs, [])
    found = measure(original, released_as(released))
    assert (found["clear_top"], found["snapshots_with_clear_top"]) == (0.0, 1)
    assert found["by_snapshot"] == [0.0, 1.0, 1.0]


def test_large_snapshots_are_searched_from_random_nodes_and_many_are_sampled(monkeypatch):
    snapshots = random_snapshots(60, 20, 120)
    monkeypatch.setattr(centrality, "MOST_VISITS", 1)
    found = measure(snapshots, changed(snapshots, 0.1))
    assert not found["exact"]
    assert found["snapshots_searched_from_random_nodes"] == 20
    monkeypatch.setattr(centrality, "AFFORDABLE", 1)
    found = measure(snapshots, changed(snapshots, 0.1))
    assert found["snapshots"] == {"measured": 8, "of": 20}
