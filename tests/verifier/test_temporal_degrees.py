"""Degrees over time, as the verifier counts them: worked examples, and releases that it refuses."""

from dataclasses import replace

import numpy as np
import pytest

from verifier.temporal_degrees import find_degree_trajectory, find_temporal_k_degree, smallest_trajectory
from verifier.timelines import TemporalEvidence, Timeline
from verifier.watch import watched_by

# Two pictures of six nodes in which every degree is that of two nodes or more.
FIRST, SECOND = [(0, 1), (1, 2), (2, 3)], [(0, 5), (4, 5), (4, 1)]


def moments_of(n: int, pictures: list[list[tuple[int, int]]], directed: bool = False) -> TemporalEvidence:
    rows = np.array([(u, v, t) for t, edges in enumerate(pictures) for u, v in edges], dtype=np.int64).reshape(-1, 3)
    return TemporalEvidence({}, Timeline(n, len(pictures), directed, *rows.T), "")


def asked(**settings: object) -> dict[str, object]:
    return {"model": "temporal_k_degree_anonymity", "k": 2, **settings}


def test_accepts_degrees_and_sequences_that_occur_twice_and_states_the_smallest_trajectory():
    finding = find_temporal_k_degree(asked(), moments_of(6, [FIRST, SECOND, FIRST, SECOND]))
    assert finding.holds
    # Node by node the degrees are 1 2 2 1 0 0 and 1 1 0 0 2 2.
    assert finding.achieved == {"k": 2, "nodes": 2, "snapshots": 2, "smallest_trajectory": 1}
    assert finding.required == {"k": 2, "recurrence": "vector", "directed": "pairs"}


def test_refuses_a_sequence_that_occurs_once():
    finding = find_temporal_k_degree(asked(), moments_of(6, [FIRST, SECOND, FIRST]))
    assert not finding.holds
    assert finding.detail == "fewer than k snapshots share a degree sequence"
    assert find_temporal_k_degree(asked(recurrence="multiset"), moments_of(6, [FIRST, SECOND, FIRST])).holds


def test_refuses_a_degree_that_one_node_has():
    finding = find_temporal_k_degree(asked(), moments_of(6, [FIRST[1:], FIRST[1:]]))
    assert not finding.holds
    assert finding.detail == "in a snapshot fewer than k nodes share a degree"
    assert finding.achieved["nodes"] == 1


def test_refuses_pairs_that_hold_only_when_directions_are_judged_separately():
    arcs = [(0, 2), (1, 0)]
    assert not find_temporal_k_degree(asked(), moments_of(4, [arcs, arcs], directed=True)).holds
    assert find_temporal_k_degree(asked(directed="separate"), moments_of(4, [arcs, arcs], directed=True)).holds


def test_refuses_a_trajectory_that_one_node_has():
    finding = find_degree_trajectory({"k": 2}, moments_of(6, [FIRST, SECOND]))
    assert not finding.holds
    assert finding.detail == "fewer than k nodes share a trajectory of degrees"
    assert finding.achieved == {"k": 1, "smallest_trajectory": 1}
    assert find_degree_trajectory({"k": 2}, moments_of(6, [FIRST, FIRST])).holds


@pytest.mark.parametrize(
    "settings", [{"k": 1}, {"k": True}, {"k": "2"}, {"k": None}, {"recurrence": "both"}, {"directed": None}]
)
def test_refuses_a_guarantee_that_is_none(settings):
    finding = find_temporal_k_degree(asked(**settings), moments_of(6, [FIRST, FIRST]))
    assert not finding.holds
    assert finding.achieved == {}
    if "k" in settings:
        assert not find_degree_trajectory(settings, moments_of(6, [FIRST, FIRST])).holds


@pytest.mark.parametrize("nothing", [moments_of(0, [[], []]), moments_of(3, [])])
def test_refuses_a_release_without_nodes_or_snapshots(nothing):
    assert not find_temporal_k_degree(asked(), nothing).holds
    assert not find_degree_trajectory({"k": 2}, nothing).holds


def test_refuses_whatever_could_not_be_read():
    unread = replace(moments_of(6, [FIRST, FIRST]), flaw="an artifact cannot be read")
    for find in (find_temporal_k_degree, find_degree_trajectory):
        assert not find(asked(), unread).holds
        assert find(asked(), unread).detail == "an artifact cannot be read"


def test_empty_snapshots_are_snapshots():
    finding = find_temporal_k_degree(asked(), moments_of(3, [[], []]))
    assert finding.holds
    assert finding.achieved == {"k": 2, "nodes": 3, "snapshots": 2, "smallest_trajectory": 3}


def test_a_verdict_that_is_no_longer_wanted_is_given_up():
    def watch() -> None:
        raise InterruptedError

    for find in (find_temporal_k_degree, find_degree_trajectory):
        with watched_by(watch), pytest.raises(InterruptedError):
            find(asked(), moments_of(6, [FIRST, FIRST]))


def test_trajectories_are_told_apart_by_any_one_snapshot():
    assert smallest_trajectory(moments_of(4, [[(0, 1), (2, 3)]] * 3).timeline) == 4
    assert smallest_trajectory(moments_of(4, [[(0, 1), (2, 3)]] * 3 + [[(0, 1)]]).timeline) == 2
