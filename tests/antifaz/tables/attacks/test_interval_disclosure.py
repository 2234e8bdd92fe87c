"""Interval disclosure: only of what the attacker does not know, hand-checked, and less once protected."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.tables.attacks.interval_disclosure import IntervalDisclosure, class_medians
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.guarantees.local_differential_privacy import LocalDifferentialPrivacy
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.methods.rank_swapping import RankSwapping
from antifaz.watch import unwatched


def attack(table, released, guarantees=(), **parameters):
    placed = IntervalDisclosure(**parameters).beside(guarantees)
    return placed.attempt(table, released, np.random.default_rng(2), unwatched)


NOTHING = {"rate": 0.0, "baseline": 0.0, "deviation_rate": 0.0, "targets": 0, "columns": {}}


def test_quasi_identifiers_that_the_attacker_knows_are_not_estimated(table_of):
    """Under k-anonymity an interval around an age is one minus the loss by another name."""
    rng = np.random.default_rng(5)
    table = table_of({"a": rng.integers(0, 500, 1000).astype(str), "b": rng.integers(0, 500, 1000).astype(str)})
    protected = Mondrian().apply(table, [KAnonymity(k=5)], rng, unwatched)
    assert attack(table, protected, [KAnonymity(k=5)]) == NOTHING
    assert attack(table, protected) == NOTHING  # generalized, not masked: also without the guarantee


def test_a_sensitive_number_is_estimated_from_the_class(table_of):
    """Incomes follow ages: a class of equal ages discloses them closely, one class of all does not."""
    ages = np.repeat(np.arange(20), 10)
    columns = {"age": ages.astype(str), "income": (1000 * ages + np.tile(np.arange(10), 20)).astype(str)}
    table = table_of(columns, {"income": "sensitive"})
    close = attack(table, release_classes(table, ages.astype(np.int64), 20), [KAnonymity(k=10)])
    assert (close["column"], close["targets"]) == ("income", 200)
    assert close["rate"] > 0.8
    assert close["baseline"] == pytest.approx(0.11, abs=0.01)
    together = attack(table, release_classes(table, np.zeros(200, dtype=np.int64), 1), [KAnonymity(k=10)])
    assert together["rate"] == pytest.approx(together["baseline"])


def test_hand_checked_ranks(table_of):
    # The median of 0…9 is 4.5: one rank to either side reaches 4 and 5, two reach 3 and 6.
    table = table_of({"a": ["x"] * 10, "s": [str(value) for value in range(10)]}, {"s": "sensitive"})
    released = release_classes(table, np.zeros(10, dtype=np.int64), 1)
    for width in (10, 20):
        expected = np.mean([round(percent * 10 / 100) * 2 / 10 for percent in range(1, width + 1)])
        assert attack(table, released, width=width)["rate"] == pytest.approx(expected)


def test_medians_of_classes_by_hand():
    shown = np.array([1.0, 3.0, 10.0, np.nan, 7.0, np.nan])
    medians = class_medians(np.array([0, 0, 0, 0, 1, 2]), 3, shown)
    assert medians[:5].tolist() == [3.0, 3.0, 3.0, 3.0, 7.0]
    assert np.isnan(medians[5])


def test_a_masked_quasi_identifier_is_estimated_by_someone_who_knows_the_others(table_of):
    """Little swapping among ages that follow the zip code: the nearest records by zip disclose the age."""
    rng = np.random.default_rng(9)
    zips = np.repeat(np.arange(50), 6)
    table = table_of({"age": (zips * 10 + np.tile(np.arange(6), 50)).astype(str), "zip": [f"z{z}" for z in zips]})
    swapped = RankSwapping(percent=2, attributes=["age"]).apply(table, [], rng, unwatched)
    found = attack(table, swapped)
    assert (found["column"], set(found["columns"])) == ("age", {"age"})
    assert found["rate"] > 0.7 > 0.3 > found["baseline"]
    assert attack(table, swapped, [LocalDifferentialPrivacy(epsilon=1)])["rate"] > 0.7
    assert attack(table, swapped, [KAnonymity(k=2)]) == NOTHING


def test_a_masked_number_of_someone_of_whom_nothing_else_is_known_is_not_disclosed(table_of):
    """Whose row it is would have to be known first."""
    table = table_of({"a": [str(value) for value in range(100)]})
    released = release_classes(table, np.arange(100), 100)
    moved = replace(released.columns[0], codes=np.roll(released.columns[0].codes, 1))
    assert attack(table, replace(released, columns=(moved,))) == NOTHING


def test_without_numbers_there_is_nothing_to_disclose(table_of):
    table = table_of({"city": ["x", "y"], "s": ["", ""]}, {"s": "sensitive"}, s={"type": "integer"})
    outcome = attack(table, release_classes(table, np.zeros(2, dtype=np.int64), 1))
    assert outcome["rate"] == outcome["baseline"] == 0.0


def test_attacks_no_more_targets_than_it_may(table_of):
    table = table_of({"a": ["x"] * 300, "s": [str(value) for value in range(300)]}, {"s": "sensitive"})
    released = release_classes(table, np.zeros(300, dtype=np.int64), 1)
    assert attack(table, released, targets=150)["targets"] == 150
    assert attack(table, released, targets=1)["targets"] == 100
