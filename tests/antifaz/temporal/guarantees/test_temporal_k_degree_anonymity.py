"""Temporal k-degree anonymity on snapshots whose degrees are counted by hand."""

import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.temporal.guarantees.temporal_k_degree_anonymity import TemporalKDegreeAnonymity
from tests.antifaz.temporal.pictures import snapshots_of

# Degrees 1 1 0 0, 0 0 1 1 and 1 0 0 1: as multisets all the same.
FIRST, LAST, OUTER = [(0, 1)], [(2, 3)], [(0, 3)]


def test_each_degree_is_shared_and_each_sequence_occurs_twice():
    assert TemporalKDegreeAnonymity(k=2).holds(snapshots_of(4, [FIRST, LAST, FIRST, LAST]))


def test_a_sequence_that_occurs_once_breaks_it_node_by_node_and_not_as_a_multiset():
    once = snapshots_of(4, [FIRST, LAST, FIRST])
    assert not TemporalKDegreeAnonymity(k=2).holds(once)
    assert TemporalKDegreeAnonymity(k=2, recurrence="multiset").holds(once)
    assert not TemporalKDegreeAnonymity(k=3, recurrence="multiset").holds(once)


def test_snapshots_that_recur_do_not_help_a_degree_that_one_node_has():
    star = [(0, 1), (0, 2)]
    assert not TemporalKDegreeAnonymity(k=2).holds(snapshots_of(4, [star, star]))


def test_nodes_without_edges_are_a_class_like_any_other():
    assert not TemporalKDegreeAnonymity(k=2).holds(snapshots_of(3, [FIRST, FIRST]))


def test_in_directed_graphs_pairs_count_unless_directions_are_judged_separately():
    # Out-degrees 1 1 0 0, in-degrees 1 0 1 0: each occurs twice, each pair once.
    arcs = [(0, 2), (1, 0)]
    twice = snapshots_of(4, [arcs, arcs], directed=True)
    assert not TemporalKDegreeAnonymity(k=2).holds(twice)
    assert TemporalKDegreeAnonymity(k=2, directed="separate").holds(twice)


def test_each_direction_has_to_recur_by_itself():
    # The first two have the same out-degrees, and so have the last two; in-degrees differ throughout.
    pictures = [[(0, 2), (1, 3)], [(0, 3), (1, 2)], [(0, 1), (1, 0)]]
    moments = snapshots_of(4, pictures, directed=True)
    assert TemporalKDegreeAnonymity(k=2, directed="separate", recurrence="multiset").holds(moments)
    assert not TemporalKDegreeAnonymity(k=2, directed="separate").holds(moments)
    assert moments.out_degrees.tolist() == [[1, 1, 0, 0]] * 3


def test_with_fewer_than_k_snapshots_it_cannot_hold():
    assert not TemporalKDegreeAnonymity(k=2).holds(snapshots_of(4, [FIRST]))
    assert not TemporalKDegreeAnonymity(k=2).holds(snapshots_of(4, [[]]))
    assert TemporalKDegreeAnonymity(k=2).holds(snapshots_of(4, [[], []]))


def test_without_nodes_nothing_can_break_it():
    assert TemporalKDegreeAnonymity(k=2).holds(snapshots_of(0, []))


def test_fewer_than_k_nodes_are_not_admitted_and_must_go():
    with pytest.raises(InvalidDataset) as refusal:
        TemporalKDegreeAnonymity(k=5).admit(snapshots_of(4, [FIRST] * 5))
    assert refusal.value.rule == "k_above_nodes"
    assert refusal.value.shred
    TemporalKDegreeAnonymity(k=4).admit(snapshots_of(4, [OUTER]))


@pytest.mark.parametrize("settings", [{"k": 1}, {"k": 2, "recurrence": "set"}, {"k": 2, "directed": "both"}])
def test_other_settings_are_no_guarantee(settings):
    with pytest.raises(ValidationError):
        TemporalKDegreeAnonymity.model_validate(settings)
