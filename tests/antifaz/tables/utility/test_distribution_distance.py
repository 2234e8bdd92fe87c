"""Distribution distance: hand-checked distances of released columns."""

import numpy as np
import pytest

from antifaz.hierarchies.levels import Levels
from antifaz.tables.labels.recode import release_classes
from antifaz.tables.utility.distribution_distance import DistributionDistance
from antifaz.watch import unwatched


def measure(table, released):
    return DistributionDistance().measure(table, released, np.random.default_rng(0), unwatched)


def test_an_original_is_at_no_distance(table_of):
    table = table_of({"a": ["1", "1", "5", ""], "v": list("xxyz"), "s": list("pqpq")}, {"s": "sensitive"})
    outcome = measure(table, release_classes(table, np.arange(4), 4))
    assert outcome["value"] == pytest.approx(0.0)
    assert set(outcome["columns"]) == {"a", "v", "s"}
    for distances in outcome["columns"].values():
        assert list(distances.values()) == pytest.approx([0.0] * 3, abs=1e-7)


def test_hand_checked_distances_of_a_range(table_of):
    # 1, 1, 1, 5 as one class: [1, 5] covers 1 and 5 in equal parts, so 3/4, 1/4 became 1/2, 1/2.
    table = table_of({"a": ["1", "1", "1", "5"]})
    distances = measure(table, release_classes(table, np.zeros(4, dtype=np.int64), 1))["columns"]["a"]
    assert distances["total_variation"] == pytest.approx(0.25)
    assert distances["emd"] == pytest.approx(0.25)
    assert distances["hellinger"] == pytest.approx(np.sqrt(1 - np.sqrt(3 / 8) - np.sqrt(1 / 8)))


def test_numbers_are_moved_by_their_difference(table_of):
    # 0, 0, 1, 10: [0, 1] for the first three moves a sixth of a quarter... from 0 to 1, a tenth of the width.
    table = table_of({"a": ["0", "0", "1", "10"]})
    distances = measure(table, release_classes(table, np.array([0, 0, 0, 1]), 2))["columns"]["a"]
    assert distances["total_variation"] == pytest.approx(0.125)
    assert distances["emd"] == pytest.approx(0.125 * 0.1)


def test_texts_are_moved_by_their_hierarchy(table_of):
    tree = Levels(rows=[["a", "low", "*"], ["b", "low", "*"], ["c", "high", "*"]])
    cells = {"v": list("aaabc")}
    plain = table_of(cells)
    grouped = table_of(cells, hierarchies={"v": tree})
    labels = np.array([0, 0, 0, 0, 1])  # {a, b} in equal parts: a fifth moves from a to b
    without = measure(plain, release_classes(plain, labels, 2))["columns"]["v"]
    nested = measure(grouped, release_classes(grouped, labels, 2))["columns"]["v"]
    assert without["emd"] == pytest.approx(0.2)
    assert nested["emd"] == pytest.approx(0.1)


def test_an_empty_release_shows_nothing(table_of):
    table = table_of({"a": ["1", "2"]})
    released = release_classes(table, np.arange(2), 2)
    nothing = type(released)(
        tuple(type(c)(c.name, c.source, c.role, c.type, c.codes[:0], c.labels) for c in released.columns),
        released.records[:0],
    )
    assert measure(table, nothing) == {"value": 0.0, "columns": {}}
