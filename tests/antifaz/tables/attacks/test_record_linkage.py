"""Record linkage: hand-checked links, and an independent brute-force attacker."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz import catalogue
from antifaz.hierarchies.levels import Levels
from antifaz.tables.attacks.record_linkage import RecordLinkage
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.methods.generalize import Generalize
from antifaz.tables.methods.pipeline import Pipeline
from antifaz.watch import unwatched


def attack(table, released, **parameters):
    return RecordLinkage(**parameters).attempt(table, released, np.random.default_rng(2), unwatched)


def test_an_unprotected_release_is_linked_wholly(table_of):
    table = table_of({"a": ["1", "2", "3", "4"], "b": ["x", "x", "y", "y"]})
    outcome = attack(table, release_classes(table, np.arange(4), 4))
    assert outcome["rate"] == 1.0
    assert outcome["baseline"] == 0.25


def test_ties_share_the_guess(table_of):
    table = table_of({"a": ["1", "2", "8", "9"]})
    assert attack(table, release_classes(table, np.array([0, 0, 1, 1]), 2))["rate"] == pytest.approx(0.5)


def test_one_class_is_no_better_than_guessing(table_of):
    table = table_of({"a": ["1", "2", "8", "9"], "b": list("wxyz")})
    outcome = attack(table, release_classes(table, np.zeros(4, dtype=np.int64), 1))
    assert outcome["rate"] == pytest.approx(outcome["baseline"])


@pytest.mark.parametrize("recoding", ["mean", "median", "bounds", "set", "range"])
def test_reads_every_kind_of_numeric_label(table_of, recoding):
    table = table_of({"a": ["1", "2", "8", "9", "", ""]}, a={"recoding": recoding})
    outcome = attack(table, release_classes(table, np.array([0, 0, 1, 1, 2, 2]), 3))
    assert outcome["rate"] == pytest.approx(0.5)


def test_reads_labels_of_dates_and_hierarchies(table_of):
    rows = [["a", "low", "*"], ["b", "low", "*"], ["c", "high", "*"], ["d", "high", "*"]]
    table = table_of(
        {"day": ["2020-01-01", "2020-01-02", "2021-01-01", "2021-01-02"], "v": list("abcd")},
        hierarchies={"v": Levels(rows=rows)},
    )
    assert attack(table, release_classes(table, np.array([0, 0, 1, 1]), 2))["rate"] == pytest.approx(0.5)


def test_attacks_no_more_targets_than_it_may(table_of):
    table = table_of({"a": [str(value) for value in range(300)]})
    assert attack(table, release_classes(table, np.arange(300), 300), targets=150)["targets"] == 150


def test_a_policy_cannot_ask_for_so_few_targets_that_nothing_is_measured(table_of):
    table = table_of({"a": [str(value) for value in range(300)]})
    found = attack(table, release_classes(table, np.arange(300), 300), targets=1)
    assert (found["targets"], found["rate"], found["highest"]) == (100, 1.0, 1.0)


records = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=2, max_size=25)


@settings(deadline=None, max_examples=40)
@given(records, st.integers(1, 5))
def test_agrees_with_a_brute_force_attacker(table_of, rows_of, rows, classes):
    table = table_of({"a": [str(row[0]) for row in rows], "b": [row[1] for row in rows]})
    labels = np.unique(np.arange(len(rows)) % classes, return_inverse=True)[1]
    released = release_classes(table, labels, labels.max() + 1)
    cells = rows_of(released)
    span = max(row[0] for row in rows) - min(row[0] for row in rows)
    chances = []
    for index, row in enumerate(rows):
        distances = np.array([gap(row[0], cell[0]) / max(span, 1) + outside(row[1], cell[1]) for cell in cells])
        nearest = np.isclose(distances, distances.min(), atol=1e-5)
        chances.append(nearest[index] / nearest.sum())
    assert attack(table, released)["rate"] == pytest.approx(np.mean(chances))


def gap(value, label):
    ends = json.loads(label) if label.startswith("[") else [int(label), int(label)]
    return max(ends[0] - value, value - ends[1], 0)


def outside(value, label):
    return 0 if value == label or (label.startswith("[") and value in json.loads(label)) else 1


def test_labels_that_name_no_original_value_are_read_as_their_records(table_of):
    """The hierarchy of a type cuts codes to a prefix; who knows the method knows which codes have it."""
    table = table_of({"code": ["AB1", "AB2", "CD1", "CD2"]})
    released = Generalize(levels={"code": 1}).apply(table, [], np.random.default_rng(1), unwatched)
    assert set(released.column("code").labels) == {"AB", "CD"}
    assert attack(table, released)["rate"] == pytest.approx(0.5)


def test_labels_of_the_labels_of_an_earlier_step_are_read_as_their_records(table_of):
    catalogue.parts("methods", "table")
    table = table_of({"v": list("aabbccdd"), "w": list("xxxxyyyy")})
    steps = [{"name": "mondrian"}, {"name": "mondrian"}]
    released = Pipeline(steps=steps).apply(table, [KAnonymity(k=4)], np.random.default_rng(1), unwatched)
    assert attack(table, released)["rate"] == pytest.approx(1 / 4)
