"""Cores and communities of TSCAN: against the definitions, on small random sequences and on published data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import Cancelled
from antifaz.temporal import tscan
from antifaz.temporal.snapshots import Snapshots
from antifaz.temporal.tscan import Similar, communities, consecutive_cores, stable_cores, strong_cores, weak_cores
from antifaz.temporal.utility.tscan import Clustering, Tscan
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import sequences, snapshots_of
from tests.oracles import temporal_communities as oracle


def cluster(snapshots: Snapshots, **parameters: object) -> Clustering:
    return Tscan(**parameters).cluster(snapshots, unwatched)


@settings(max_examples=3 * settings().max_examples // 2)
@given(sequences(), st.sampled_from([0.2, 0.5, 0.8, 1.0]), st.integers(1, 3), st.integers(1, 3))
def test_cores_and_communities_are_those_of_the_definitions(snapshots, epsilon, mu, tau):
    count, nodes = len(snapshots), range(snapshots.n)
    times = oracle.similar_times(snapshots, epsilon)
    weak = [oracle.is_weak(times, node, mu, tau) for node in nodes]
    strong = [oracle.is_strong(times, node, mu, tau, count) for node in nodes]
    stable = [oracle.is_stable(times, node, mu, tau, count) for node in nodes]
    rows = [oracle.is_stable(times, node, mu, tau, count, consecutive=True) for node in nodes]
    for variant, cores in (("A", stable), ("B", stable), ("S", strong)):
        found = cluster(snapshots, variant=variant, epsilon=epsilon, mu=mu, tau=tau)
        assert found.weak.tolist() == weak
        assert found.strong.tolist() == strong
        assert found.stable.tolist() == stable
        assert not found.undecided.any()
        wanted = oracle.communities(times, {node for node in nodes if cores[node]}, tau)
        assert {frozenset(each.tolist()) for each in found.communities} == wanted
        assert len(found.communities) == len(wanted)
    in_a_row = cluster(snapshots, consecutive=True, epsilon=epsilon, mu=mu, tau=tau)
    assert in_a_row.stable.tolist() == rows


def test_a_core_can_be_strong_and_not_stable():
    """Node 0 has three of four neighbors in each of four snapshots, and never the same three twice."""
    stars = [[(0, other) for other in (1, 2, 3, 4) if other != left] for left in (1, 2, 3, 4)]
    found = cluster(snapshots_of(5, *stars), mu=3, tau=2)
    assert (found.weak[0], found.strong[0], found.stable[0]) == (True, True, False)
    found = cluster(snapshots_of(5, *stars), mu=2, tau=2, variant="B")
    assert found.stable[0]


def test_a_pair_is_as_similar_as_is_checked_by_hand():
    """In a triangle with a tail: 0 and 1 share node 2, (1 + 2) / sqrt(3 * 3) = 1; 2 and 3, 2 / sqrt(4 * 2) = 0.707."""
    snapshots = snapshots_of(4, [(0, 1), (0, 2), (1, 2), (2, 3)])
    for epsilon, expected in ((1.0, {(0, 1), (1, 0)}), (0.7, {*((0, 1), (1, 0)), *((2, 3), (3, 2))})):
        found = Similar.of(snapshots, epsilon, unwatched)
        pairs = set(zip(found.first.tolist(), found.second.tolist(), strict=True))
        assert {pair for pair in pairs if pair in {(0, 1), (1, 0), (2, 3), (3, 2)}} == expected


def test_communities_may_share_nodes_that_are_no_cores():
    """Two stars that last share a leaf."""
    star = [(0, 1), (0, 2), (0, 3), (4, 3), (4, 5), (4, 6)]
    found = cluster(snapshots_of(7, star, star, star), mu=3, tau=3)
    assert [each.tolist() for each in found.communities] == [[0, 1, 2, 3], [3, 4, 5, 6]]


def test_nobody_is_a_core_of_nothing():
    for snapshots in (snapshots_of(0), snapshots_of(3, []), snapshots_of(2, [(0, 1)])):
        found = cluster(snapshots)
        assert found.counts() == {"weak": 0, "strong": 0, "stable": 0, "undecided": 0}
        assert found.communities == []


def test_batches_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    ends, times = rng.integers(0, 12, (2, 300)), rng.integers(0, 9, 300)
    snapshots = Snapshots.from_rows(12, ends[0], ends[1], times, [str(t) for t in range(9)])
    whole = Similar.of(snapshots, 0.5, unwatched)
    monkeypatch.setattr(tscan, "BATCH", 20)
    parts = Similar.of(snapshots, 0.5, unwatched)
    assert np.array_equal(whole.times, parts.times)
    assert np.array_equal(whole.first, parts.first)


def hard() -> Similar:
    """A node with forty neighbors, each similar in a random half of eighty snapshots: hardly any set is in common."""
    rng = np.random.default_rng(1)
    half = [np.sort(rng.choice(80, 40, replace=False)) for _ in range(40)]
    starts = np.arange(41) * 40
    return Similar(41, 80, np.zeros(40, dtype=np.int64), np.arange(1, 41), starts, np.concatenate(half))


@pytest.mark.parametrize("prune", [True, False])
def test_a_search_without_end_is_ended_and_its_node_counted(prune, monkeypatch):
    monkeypatch.setattr(tscan, "NODE_STEPS", 5_000)
    stable, undecided = stable_cores(hard(), 12, 12, prune, unwatched)
    assert not stable.any()
    assert np.flatnonzero(undecided).tolist() == [0]


def test_a_long_search_can_be_stopped(monkeypatch):
    monkeypatch.setattr(tscan, "LOOK", 1_000)
    looks = []

    def watch(fraction: float) -> bool:
        looks.append(fraction)
        if len(looks) > 3:
            raise Cancelled("enough")
        return False

    with pytest.raises(Cancelled):
        stable_cores(hard(), 12, 12, True, watch)
    assert looks == sorted(looks)


def test_parts_of_the_clustering_agree_with_each_other():
    lasting = hard()
    assert weak_cores(lasting, 40)[0]
    assert not weak_cores(lasting, 41)[0]
    assert strong_cores(lasting, 12, 12)[0]
    assert not consecutive_cores(lasting, 12, 12).any()
    assert [len(each) for each in communities(lasting, weak_cores(lasting, 40))] == [41]
