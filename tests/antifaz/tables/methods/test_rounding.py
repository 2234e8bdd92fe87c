"""Rounding: modes, bases, dates."""

import numpy as np
import pytest

from antifaz.errors import InvalidPolicy
from antifaz.tables.methods.rounding import Rounding
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched


def protect(table, method, seed=1):
    return method.apply(table, [], np.random.default_rng(seed), unwatched)


@pytest.mark.parametrize(
    ("parameters", "shown"),
    [
        ({}, ["10", "10", "20", "-10", ""]),
        ({"mode": "down"}, ["10", "0", "10", "-20", ""]),
        ({"base": 25}, ["0", "0", "25", "0", ""]),
        ({"bases": {"a": 4}}, ["12", "8", "16", "-12", ""]),
    ],
)
def test_numbers_become_multiples(table_of, rows_of, parameters, shown):
    table = table_of({"a": ["12", "8", "17", "-12", ""]})
    released = protect(table, Rounding(**parameters))
    assert [row[0] for row in rows_of(released)] == shown
    assert released.column("a").type is ValueType.INTEGER


def test_decimal_bases_leave_no_binary_dust(table_of, rows_of):
    released = protect(table_of({"a": ["0.29", "0.34", "1.06"]}), Rounding(base=0.1))
    assert [row[0] for row in rows_of(released)] == ["0.3", "0.3", "1.1"]


def test_random_rounding_keeps_the_mean(table_of):
    released = protect(table_of({"a": ["13"] * 5000}), Rounding(mode="random"))
    column = released.column("a")
    assert sorted(column.labels) == ["10", "20"]
    assert column.labels[column.codes].astype(float).mean() == pytest.approx(13, abs=0.3)


def test_dates_are_rounded_to_days(table_of, rows_of):
    released = protect(table_of({"a": ["1970-01-04", "1970-01-09"]}), Rounding(base=7))
    assert [row[0] for row in rows_of(released)] == ["1970-01-01", "1970-01-08"]


def test_faults_of_the_policy(table_of):
    table = table_of({"a": ["x", "y"]})
    with pytest.raises(InvalidPolicy):
        protect(table, Rounding(bases={"a": 2}))
    with pytest.raises(InvalidPolicy):
        protect(table, Rounding(attributes=["a"]))
