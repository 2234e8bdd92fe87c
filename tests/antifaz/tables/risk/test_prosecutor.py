"""Prosecutor risk: one over the size of the class."""

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.risk.prosecutor import Prosecutor


def test_the_risk_before_is_that_of_the_original_tuples(table_of):
    table = table_of({"a": [str(value) for value in range(12)] + ["x"] * 2 + ["y"] * 10})
    risk = Prosecutor().before(table)
    assert risk["max"] == 1.0
    assert risk["mean"] == pytest.approx(14 / 24)
    assert risk["unique_share"] == pytest.approx(12 / 24)
    assert risk["share_over_threshold"] == pytest.approx(14 / 24)


def test_a_single_small_count_does_not_follow_from_the_others(table_of):
    alone, pairs = [str(value) for value in range(4)], [f"p{value // 2}" for value in range(30)]
    histogram = Prosecutor().before(table_of({"a": alone + pairs + ["x"] * 200}))["class_sizes"]
    assert [entry["classes"] for entry in histogram] == ["<10", 15, 0, 0, 0, 0, 0, "<10"]
    histogram = Prosecutor().before(table_of({"a": alone + pairs}))["class_sizes"]
    assert [entry["classes"] for entry in histogram] == ["<10", ">=10", 0, 0, 0, 0, 0, 0]


def test_a_missing_value_is_a_class_of_its_own(table_of):
    assert Prosecutor().before(table_of({"a": ["a", "a", ""]}))["max"] == 1.0


def test_the_risk_after_is_that_of_the_labels(table_of):
    table = table_of({"a": [str(value) for value in range(10)]})
    released = release_classes(table, np.repeat([0, 1], 5), 2)
    risk = Prosecutor().after(released)
    assert risk["max"] == pytest.approx(0.2)
    assert risk["share_over_threshold"] == 0.0
    assert Prosecutor(threshold=0.1).after(released)["share_over_threshold"] == 1.0
    assert risk["class_sizes"][3] == {"size": "5-9", "classes": 2}


def test_small_counts_of_the_original_are_not_told(table_of):
    table = table_of({"a": [str(value) for value in range(9)] + ["x"] * 2})
    histogram = Prosecutor().before(table)["class_sizes"]
    assert histogram[0] == {"size": "1", "classes": "<10"}
    assert histogram[1] == {"size": "2", "classes": "<10"}
    assert histogram[2] == {"size": "3-4", "classes": 0}
    many = Prosecutor().before(table_of({"a": [str(value) for value in range(10)]}))
    assert many["class_sizes"][0]["classes"] == 10
