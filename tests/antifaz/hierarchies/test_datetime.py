"""Datetime: units, weeks that nest, and refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.hierarchies.datetime import Datetime


def resolve(values, **parameters):
    return Datetime(**parameters).resolve("c", np.array(values, dtype=object), None)


def climb(values, **parameters):
    placed = resolve(values, **parameters)
    return [list(labels[groups]) for labels, groups in zip(placed.labels, placed.groups, strict=True)]


def test_rises_from_second_to_year():
    path = [level[0] for level in climb(["2020-01-31T10:11:12.5+02:00"])]
    assert path == [
        "2020-01-31T10:11:12.5+02:00",
        "2020-01-31T10:11:12",
        "2020-01-31T10:11",
        "2020-01-31T10",
        "2020-01-31",
        "2020-01-27/2020-01-31",
        "2020-01",
        "2020",
        "*",
    ]


def test_a_week_is_cut_where_the_month_ends():
    weeks = climb(["2020-01-31", "2020-02-01 09:00"], units=["week", "month"])[1]
    assert weeks == ["2020-01-27/2020-01-31", "2020-02-01/2020-02-02"]


def test_only_stated_units_are_levels():
    assert climb(["2020-01-31T10:11", ""], units=["day", "year"]) == [
        ["2020-01-31T10:11", ""],
        ["2020-01-31", "*"],
        ["2020", "*"],
        ["*", "*"],
    ]
    with pytest.raises(ValidationError):
        Datetime(units=["year", "day"])


@pytest.mark.parametrize("strange", ["cnry", "2020-13-01", "2020-01-01T1", "10:11"])
def test_refuses_values_that_are_no_moments(strange):
    with pytest.raises(InvalidDataset) as caught:
        resolve(["2020-01-31T10:11", strange])
    assert caught.value.rule == "unknown_value"
    assert strange not in str(caught.value)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.datetimes().map(lambda moment: moment.isoformat()), min_size=1, max_size=40, unique=True))
def test_labels_contain_their_values(values):
    levels = climb(values)
    for place, value in enumerate(values):
        first, last = levels[5][place].split("/")
        assert first <= value[:10] <= last
        assert first[:7] == last[:7] == levels[6][place]
