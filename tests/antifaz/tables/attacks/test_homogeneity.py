"""Homogeneity attack: naming the most frequent value of the class."""

import numpy as np
import pytest

from antifaz.tables.attacks.homogeneity import Homogeneity
from antifaz.tables.recode import release_classes
from antifaz.watch import unwatched


def test_names_the_most_frequent_value_of_the_class(table_of):
    table = table_of(
        {"a": ["1", "1", "1", "9", "9"], "s": ["x", "x", "y", "y", "y"]},
        {"s": "sensitive"},
    )
    released = release_classes(table, np.array([0, 0, 0, 1, 1]), 2)
    outcome = Homogeneity().attempt(table, released, np.random.default_rng(0), unwatched)
    assert outcome["rate"] == pytest.approx(4 / 5)
    assert outcome["baseline"] == pytest.approx(3 / 5)
    assert outcome["certain"] == pytest.approx(2 / 5)


def test_without_sensitive_columns_there_is_nothing_to_learn(table_of):
    table = table_of({"a": ["1", "2"]})
    outcome = Homogeneity().attempt(table, release_classes(table, np.zeros(2, int), 1), None, unwatched)
    assert outcome == {"rate": 0.0, "baseline": 0.0, "certain": 0.0, "columns": {}}
