"""Degree trajectory anonymity on snapshots whose trajectories are read off by hand."""

import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.temporal.guarantees.degree_trajectory_anonymity import DegreeTrajectoryAnonymity
from antifaz.temporal.guarantees.temporal_k_degree_anonymity import TemporalKDegreeAnonymity
from tests.antifaz.temporal.pictures import snapshots_of


def test_two_nodes_follow_each_trajectory():
    # Trajectories 1 1 0, 1 1 0, 0 0 1, 0 0 1.
    moments = snapshots_of(4, [[(0, 1)], [(0, 1)], [(2, 3)]])
    assert DegreeTrajectoryAnonymity(k=2).holds(moments)
    assert not DegreeTrajectoryAnonymity(k=3).holds(moments)


def test_what_holds_at_each_time_and_recurs_can_still_show_a_unique_trajectory():
    # Degrees 1 1 0 0 and 1 0 1 0, twice each: the trajectories are all different.
    moments = snapshots_of(4, [[(0, 1)], [(0, 2)], [(0, 1)], [(0, 2)]])
    assert TemporalKDegreeAnonymity(k=2).holds(moments)
    assert not DegreeTrajectoryAnonymity(k=2).holds(moments)


def test_in_directed_graphs_the_pairs_of_degrees_count():
    there_and_back = snapshots_of(4, [[(0, 1), (2, 3)], [(1, 0), (3, 2)]], directed=True)
    assert DegreeTrajectoryAnonymity(k=2).holds(there_and_back)
    assert not DegreeTrajectoryAnonymity(k=3).holds(there_and_back)
    assert not DegreeTrajectoryAnonymity(k=2).holds(snapshots_of(2, [[(0, 1)]], directed=True))


def test_nodes_that_never_have_an_edge_share_a_trajectory():
    assert DegreeTrajectoryAnonymity(k=3).holds(snapshots_of(3, [[], []]))
    assert not DegreeTrajectoryAnonymity(k=2).holds(snapshots_of(3, [[(0, 1)], []]))


def test_without_nodes_nothing_can_break_it():
    assert DegreeTrajectoryAnonymity(k=2).holds(snapshots_of(0, []))


def test_fewer_than_k_nodes_are_not_admitted_and_must_go():
    with pytest.raises(InvalidDataset) as refusal:
        DegreeTrajectoryAnonymity(k=4).admit(snapshots_of(3, [[(0, 1)]]))
    assert refusal.value.rule == "k_above_nodes"
    assert refusal.value.shred
    DegreeTrajectoryAnonymity(k=3).admit(snapshots_of(3, []))


def test_k_below_two_is_no_guarantee():
    with pytest.raises(ValidationError):
        DegreeTrajectoryAnonymity(k=1)
