"""Composition: two releases that are harmless alone."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.tables.attacks.composition import Composition
from antifaz.tables.labels.recode import release_classes
from antifaz.watch import unwatched


def attack(table, released, *earlier):
    together = replace(table, earlier=tuple(np.array(classes) for classes in earlier))
    return Composition().attempt(together, released, np.random.default_rng(0), unwatched)


@pytest.fixture
def table(table_of):
    return table_of({"a": ["1", "2", "8", "9"], "s": ["x", "y", "x", "y"]}, {"s": "sensitive"})


def test_two_releases_together_find_everybody(table):
    released = release_classes(table, np.array([0, 0, 1, 1]), 2)
    alone = attack(table, released)
    assert alone["rate"] == alone["alone"] == 0.5
    assert alone["baseline"] == 0.25
    assert alone["releases"] == 1
    assert alone["certain"] == 0.0
    both = attack(table, released, [0, 1, 0, 1])
    assert both["rate"] == 1.0
    assert (both["alone"], both["baseline"], both["highest"]) == (0.5, 0.25, 1.0)
    assert both["unique_share"] == 1.0
    assert both["certain"] == 1.0


def test_the_same_classes_twice_tell_nothing_new(table):
    released = release_classes(table, np.array([0, 0, 1, 1]), 2)
    assert attack(table, released, [7, 7, 3, 3])["rate"] == 0.5


def test_to_be_absent_from_a_release_is_a_class_too(table):
    released = release_classes(table, np.zeros(4, dtype=np.int64), 1)
    outcome = attack(table, released, [-1, 0, 0, 0])
    assert outcome["smallest"] == 1
    assert outcome["rate"] == pytest.approx(2 / 4)


def test_three_releases_of_a_random_table_lose_ground(table_of):
    rng = np.random.default_rng(2)
    table = table_of({"a": rng.integers(0, 1000, 3000).astype(str)})
    classes = [rng.integers(0, 300, 3000) for _ in range(2)]
    released = release_classes(table, np.argsort(np.argsort(table.attributes[0].column.codes)) // 10, 300)
    outcome = attack(table, released, *classes)
    assert outcome["alone"] <= 0.1
    assert outcome["baseline"] == pytest.approx(1 / 3000)
    assert outcome["rate"] > 0.9


def test_classes_of_masked_values_are_not_intersected(table):
    """Swapped ages make every record alone, and show no one which one is theirs."""
    released = release_classes(table, np.arange(4), 4)
    swapped = replace(released.columns[0], codes=released.columns[0].codes[::-1].copy())
    outcome = attack(table, replace(released, columns=(swapped, *released.columns[1:])), [0, 0, 1, 1])
    assert (outcome["rate"], outcome["applicable"]) == (None, False)


def test_it_runs_only_if_there_are_other_releases():
    assert Composition.default is False
