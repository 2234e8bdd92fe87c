"""Top and bottom coding: shares, stated bounds, dates."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidPolicy
from antifaz.tables.methods.top_bottom_coding import TopBottomCoding
from antifaz.watch import unwatched


def protect(table, method):
    return method.apply(table, [], np.random.default_rng(1), unwatched)


def test_a_share_of_each_tail_shows_the_bound(table_of, rows_of):
    table = table_of({"a": [str(number) for number in range(10)]})
    released = protect(table, TopBottomCoding(share=0.2))
    assert [row[0] for row in rows_of(released)] == ["2", "2", "2", "3", "4", "5", "6", "7", "7", "7"]
    assert released.account["share_cut"] == {"a": 0.4}


def test_stated_bounds_need_not_occur(table_of, rows_of):
    table = table_of({"a": ["1", "20", "85", "99", ""]})
    released = protect(table, TopBottomCoding(bounds={"a": {"top": 89.5}}))
    assert [row[0] for row in rows_of(released)] == ["1", "20", "85", "89.5", ""]


def test_dates_are_cut_too(table_of, rows_of):
    table = table_of({"a": ["1900-01-01", "1970-01-05", "1970-01-11"]})
    released = protect(table, TopBottomCoding(bounds={"a": {"bottom": 0, "top": 9}}))
    assert [row[0] for row in rows_of(released)] == ["1970-01-01", "1970-01-05", "1970-01-10"]


def test_no_value_lies_beyond_its_bound(table_of):
    rng = np.random.default_rng(3)
    table = table_of({"a": [f"{number:.3f}" for number in rng.normal(size=500)]})
    shown = protect(table, TopBottomCoding(share=0.1)).column("a")
    counts = np.bincount(shown.codes)
    numbers = shown.labels.astype(float)
    assert counts[np.argmax(numbers)] >= 50
    assert counts[np.argmin(numbers)] >= 50


def test_faults_of_the_policy(table_of):
    table = table_of({"a": ["x", "y"]})
    with pytest.raises(InvalidPolicy):
        protect(table, TopBottomCoding(bounds={"a": {"top": 1}}))
    with pytest.raises(InvalidPolicy):
        protect(table, TopBottomCoding(attributes=["a"]))
    with pytest.raises(ValidationError):
        TopBottomCoding(bounds={"a": {"bottom": 2, "top": 1}})
