"""Interval disclosure: everything on the original, a hand-checked share, and less once protected."""

import numpy as np
import pytest

from antifaz.tables.attacks.interval_disclosure import IntervalDisclosure
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.recode import release_classes
from antifaz.watch import unwatched


def attack(table, released, **parameters):
    return IntervalDisclosure(**parameters).attempt(table, released, np.random.default_rng(2), unwatched)


def test_an_unprotected_release_discloses_everything(table_of):
    table = table_of({"a": [str(value) for value in range(200)], "city": ["x"] * 200})
    outcome = attack(table, release_classes(table, np.arange(200), 200))
    assert outcome["rate"] == outcome["deviation_rate"] == 1.0
    assert outcome["baseline"] < 0.3
    assert set(outcome["columns"]) == {"a"}


def test_hand_checked_ranks(table_of):
    # Released as the middle 4.5 of 0…9: one rank to either side reaches 4 and 5, two reach 3 and 6.
    table = table_of({"a": [str(value) for value in range(10)]})
    released = release_classes(table, np.zeros(10, dtype=np.int64), 1)
    for width, share in ((10, 0.2 * 6 / 10), (20, (0.2 * 10 + 0.4 * 5 + 0.0) / 20)):
        expected = np.mean([round(percent * 10 / 100) * 2 / 10 for percent in range(1, width + 1)])
        assert attack(table, released, width=width)["rate"] == pytest.approx(expected)
        assert expected == pytest.approx(share, abs=0.11)


def test_protection_lowers_it(table_of):
    rng = np.random.default_rng(5)
    table = table_of({"a": rng.integers(0, 500, 1000).astype(str), "b": rng.integers(0, 500, 1000).astype(str)})
    before = attack(table, release_classes(table, np.arange(1000), 1000))["rate"]
    protected = Mondrian().apply(table, [KAnonymity(k=40)], rng, unwatched)
    after = attack(table, protected)["rate"]
    assert before == 1.0
    assert after < 0.6


def test_without_numbers_there_is_nothing_to_disclose(table_of):
    table = table_of({"city": ["x", "y"], "age": ["", ""]}, age={"type": "integer"})
    outcome = attack(table, release_classes(table, np.zeros(2, dtype=np.int64), 1))
    assert outcome["rate"] == outcome["baseline"] == 0.0


def test_attacks_no_more_targets_than_it_may(table_of):
    table = table_of({"a": [str(value) for value in range(50)]})
    assert attack(table, release_classes(table, np.arange(50), 50), targets=7)["targets"] == 7
