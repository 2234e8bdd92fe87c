"""DeltaCon of every snapshot: against full matrices, and with samples."""

import numpy as np
import pytest
from hypothesis import given, settings

from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.utility import deltacon
from antifaz.temporal.utility.deltacon import Deltacon
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import changed, random_snapshots, released_as, renumbered, sequences, snapshots_of


def measure(snapshots: Snapshots, released: ProtectedSnapshots) -> dict:
    return Deltacon().measure(snapshots, released, np.random.default_rng(0), unwatched)


def affinities(snapshots: Snapshots, t: int) -> np.ndarray:
    """By the definition: [I + e²D - eA]^-1 over all nodes."""
    graph, n = snapshots.graph(t), snapshots.n
    matrix = np.zeros((n, n))
    matrix[graph.sources, graph.targets] = 1
    if not snapshots.directed:
        matrix += matrix.T
    degrees = graph.degrees
    e = 1 / (1 + degrees.max())
    return np.linalg.inv(np.eye(n) + e**2 * np.diag(degrees) - e * matrix)


@settings(max_examples=50)
@given(sequences())
def test_it_is_the_mean_of_the_definition(snapshots):
    other = released_as(changed(snapshots, 0.5).snapshots)
    distances = [
        np.sqrt(((np.sqrt(affinities(snapshots, t)) - np.sqrt(affinities(other.snapshots, t))) ** 2).sum())
        for t in range(len(snapshots))
    ]
    found = measure(snapshots, other)
    assert found["value"] == pytest.approx(np.mean([1 / (1 + d) for d in distances]), abs=1e-7)
    assert found["form"] == "exact"


def test_an_edge_that_is_lost_is_checked_by_hand():
    """S = [[20, 8], [8, 20]] / 21 with the edge and the identity without; two empty snapshots are equal."""
    distance = np.sqrt(2 * (1 - np.sqrt(20 / 21)) ** 2 + 2 * 8 / 21)
    found = measure(snapshots_of(3, [(0, 1)], []), released_as(snapshots_of(3, [], [])))
    assert found["value"] == pytest.approx((1 / (1 + distance) + 1) / 2)


@given(sequences())
def test_new_numbers_change_nothing(snapshots):
    assert measure(snapshots, renumbered(snapshots))["value"] == pytest.approx(1, abs=1e-6)


def test_snapshots_are_sampled_if_all_cost_too_much_and_the_result_says_so(monkeypatch):
    snapshots = random_snapshots(20, 30, 25)
    released = changed(snapshots, 0.3)
    whole = measure(snapshots, released)
    monkeypatch.setattr(deltacon, "AFFORDABLE", 1.0)
    found = measure(snapshots, released)
    assert found["snapshots"] == {"measured": 8, "of": 30}
    assert not found["exact"]
    assert found["standard_error"] > 0
    assert sum(value is not None for value in found["by_snapshot"]) == 8
    assert abs(found["value"] - whole["value"]) < 6 * found["standard_error"]


def test_snapshots_with_many_nodes_are_compared_by_groups_and_the_result_says_so(monkeypatch):
    monkeypatch.setattr(deltacon, "EXACT", 10)
    snapshots = random_snapshots(20, 3, 25, directed=True)
    found = measure(snapshots, changed(snapshots, 0.3))
    assert (found["form"], found["directions"]) == ("grouped", "ignored")
    assert 0 < found["value"] < 1
