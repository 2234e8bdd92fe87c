"""Date: day, month, year, decade."""

import numpy as np
import pytest

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.date import Date


def resolve(values):
    return Date().resolve("c", np.array(values, dtype=object), None)


def test_rises_from_day_to_decade():
    placed = resolve(["", "1984-05-17", "1987-01-02"])
    named = [list(labels[groups]) for labels, groups in zip(placed.labels, placed.groups, strict=True)]
    assert named == [
        ["", "1984-05-17", "1987-01-02"],
        ["*", "1984-05", "1987-01"],
        ["*", "1984", "1987"],
        ["*", "1980s", "1980s"],
        ["*", "*", "*"],
    ]


def test_refuses_values_that_are_not_dates():
    with pytest.raises(InvalidDataset) as caught:
        resolve(["1984-05-17", "cnry"])
    assert caught.value.rule == "unknown_value"
    assert "cnry" not in str(caught.value)
