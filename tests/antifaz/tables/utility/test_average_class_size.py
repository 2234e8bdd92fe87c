"""Average class size: the mean over the smallest."""

import numpy as np
import pytest

from antifaz.tables.recode import release_classes
from antifaz.tables.utility.average_class_size import AverageClassSize
from antifaz.watch import unwatched


def test_divides_the_mean_by_the_smallest(table_of):
    table = table_of({"a": ["1", "2", "3", "9", "9"]})
    released = release_classes(table, np.array([0, 0, 0, 1, 1]), 2)
    measured = AverageClassSize().measure(table, released, np.random.default_rng(0), unwatched)
    assert measured == {"value": pytest.approx(1.25), "mean": 2.5}
