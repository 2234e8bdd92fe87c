"""Discernibility: the sum of squared class sizes."""

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.utility.discernibility import Discernibility
from antifaz.watch import unwatched


def test_sums_the_squares_of_class_sizes(table_of):
    table = table_of({"a": ["1", "2", "3", "9", "9"]})
    released = release_classes(table, np.array([0, 0, 0, 1, 1]), 2)
    measured = Discernibility().measure(table, released, np.random.default_rng(0), unwatched)
    assert measured["value"] == 13
    assert measured["normalized"] == pytest.approx(13 / 25)


def test_classes_with_equal_labels_are_one(table_of):
    table = table_of({"a": ["1", "9", "1", "9"]})
    released = release_classes(table, np.array([0, 0, 1, 1]), 2)
    assert Discernibility().measure(table, released, np.random.default_rng(0), unwatched)["value"] == 16
