"""Homogeneity: records whose class reveals their sensitive value."""

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.risk.homogeneity import Homogeneity


def test_counts_records_in_classes_with_one_value(table_of):
    table = table_of(
        {"a": ["1", "1", "2", "2", "3"], "s": ["x", "x", "x", "y", "y"], "t": ["u", "u", "u", "u", "v"]},
        {"s": "sensitive", "t": "sensitive"},
    )
    risk = Homogeneity().before(table)
    assert risk["columns"] == {"s": pytest.approx(3 / 5), "t": 1.0}
    assert risk["value"] == 1.0
    released = release_classes(table, np.array([0, 0, 0, 0, 0]), 1)
    assert Homogeneity().after(released)["value"] == 0.0


def test_the_third_class_of_the_hospital_table_is_homogeneous(table_of):
    classes = np.repeat([0, 1, 2], 4)
    diseases = ["arrhythmia", "arrhythmia", "infection", "infection", "cancer", "arrhythmia", "infection", "infection"]
    table = table_of(
        {"age": [str(20 + 20 * group) for group in classes], "disease": diseases + ["cancer"] * 4},
        {"disease": "sensitive"},
    )
    released = release_classes(table, classes, 3)
    assert Homogeneity().after(released)["columns"]["disease"] == pytest.approx(4 / 12)


def test_without_sensitive_columns_nothing_is_given_away(table_of):
    assert Homogeneity().before(table_of({"a": ["1", "2"]})) == {"value": 0.0, "columns": {}}
