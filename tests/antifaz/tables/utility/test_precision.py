"""Precision: levels of labels over the height of the hierarchy."""

import numpy as np
import pytest

from antifaz.hierarchies.levels import Levels
from antifaz.hierarchies.mask import Mask
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.utility.precision import Precision
from antifaz.watch import unwatched


def measure(table, released):
    return Precision().measure(table, released, np.random.default_rng(0), unwatched)


TREE = Levels(rows=[["a", "low", "*"], ["b", "low", "*"], ["c", "high", "*"], ["d", "high", "*"]])


def test_hand_checked_levels(table_of):
    table = table_of({"v": list("aabcd"), "q": ["1", "1", "1", "2", "3"]}, hierarchies={"v": TREE})
    released = release_classes(table, np.array([0, 0, 1, 2, 2]), 3)
    # v: a, a, b at level 0, two at "high" (1 of 2). q: 1, 1, 1 exact, two in a range.
    outcome = measure(table, released)
    assert outcome["attributes"] == {"v": pytest.approx(1 - 2 * 0.5 / 5), "q": pytest.approx(1 - 2 / 5)}
    assert outcome["value"] == pytest.approx((0.8 + 0.6) / 2)


def test_an_original_is_precise_and_a_single_class_is_not(table_of):
    table = table_of({"zip": ["13053", "13068", "14850"]}, hierarchies={"zip": Mask()}, zip={"type": "text"})
    assert measure(table, release_classes(table, np.arange(3), 3))["value"] == 1.0
    merged = measure(table, release_classes(table, np.array([0, 0, 1]), 2))["value"]
    assert merged == pytest.approx(1 - 2 * (2 / 5) / 3)  # 130** is two of five levels up


def test_a_set_counts_as_its_lowest_common_ancestor(table_of):
    table = table_of({"v": list("abcd")}, hierarchies={"v": TREE}, v={"recoding": "set"})
    assert measure(table, release_classes(table, np.array([0, 0, 1, 1]), 2))["value"] == pytest.approx(0.5)
    assert measure(table, release_classes(table, np.array([0, 1, 0, 1]), 2))["value"] == 0.0


def test_a_suppressed_record_loses_everything(table_of):
    table = table_of({"q": ["1", "2"]})
    released = release_classes(table, np.arange(2), 2)
    half = type(released)(
        tuple(type(c)(c.name, c.source, c.role, c.type, c.codes[:1], c.labels) for c in released.columns),
        released.records[:1],
    )
    assert measure(table, half)["value"] == 0.5
