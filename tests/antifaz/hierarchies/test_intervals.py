"""Intervals: bins that double, and bins with given bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.intervals import Intervals


def labels_of(intervals, values):
    numbers = np.array([float(value) if value else np.nan for value in values])
    placed = intervals.resolve("c", np.array(values, dtype=object), numbers)
    return [list(labels[groups]) for labels, groups in zip(placed.labels, placed.groups, strict=True)]


def test_bins_double_until_one_holds_all():
    assert labels_of(Intervals(width=5), ["3", "7", "12"]) == [
        ["3", "7", "12"],
        ["[0, 4]", "[5, 9]", "[10, 14]"],
        ["[0, 9]", "[0, 9]", "[10, 19]"],
        ["*", "*", "*"],
    ]


def test_a_bound_belongs_to_the_bin_that_starts_there():
    assert labels_of(Intervals(width=10, levels=1), ["10", "20", "30"])[1] == ["[10, 19]", "[20, 29]", "[30, 39]"]


def test_bins_of_decimals_are_half_open():
    assert labels_of(Intervals(width=0.5, levels=1), ["0.25", "0.5"])[1] == ["[0, 0.5)", "[0.5, 1)"]


def test_takes_bounds_per_level():
    intervals = Intervals(bounds=[[18, 40, 65], [40]])
    assert labels_of(intervals, ["5", "18", "39", "80"]) == [
        ["5", "18", "39", "80"],
        ["< 18", "[18, 39]", "[18, 39]", ">= 65"],
        ["< 40", "< 40", "< 40", ">= 40"],
        ["*", "*", "*", "*"],
    ]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"width": 0},
        {"width": 1, "bounds": [[1]]},
        {"bounds": [[2, 1]]},
        {"bounds": [[1, 3], [2]]},
        {"bounds": [[]]},
    ],
)
def test_refuses_what_is_no_hierarchy(parameters):
    with pytest.raises(ValidationError):
        Intervals(**parameters)


def test_the_missing_value_goes_straight_to_the_root():
    assert labels_of(Intervals(width=5, levels=1), ["", "3"])[1] == ["*", "[0, 4]"]


def test_refuses_values_that_are_not_numbers():
    for values, numbers in ((["cnry"], None), (["2020-01-01"], np.array([18262.0]))):
        with pytest.raises(InvalidDataset) as caught:
            Intervals(width=5).resolve("c", np.array(values, dtype=object), numbers)
        assert caught.value.column == "c"
        assert values[0] not in str(caught.value)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=30, unique=True), st.integers(1, 50), st.integers(-9, 9))
def test_levels_nest_and_labels_contain_their_values(values, width, origin):
    values = sorted(values)
    texts = np.array([str(value) for value in values], dtype=object)
    placed = Intervals(width=width, origin=origin).resolve("c", texts, np.array(values, dtype=float))
    for lower, upper in zip(placed.groups, placed.groups[1:], strict=False):
        assert len(np.unique(np.stack([lower, upper]), axis=1).T) == len(np.unique(lower))
    for labels, groups in list(zip(placed.labels, placed.groups, strict=True))[1:-1]:
        for value, label in zip(values, labels[groups], strict=True):
            low, high = label.strip("[]").split(", ")
            assert int(low) <= value <= int(high)
