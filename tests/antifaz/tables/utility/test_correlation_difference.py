"""Correlation difference: correlations that stay, fade, or never existed."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.table import ProtectedTable
from antifaz.tables.utility.correlation_difference import CorrelationDifference
from antifaz.watch import unwatched


def measure(table, released, **parameters):
    return CorrelationDifference(**parameters).measure(table, released, np.random.default_rng(0), unwatched)


def test_an_original_keeps_its_relations(table_of):
    table = table_of({"a": ["1", "2", "3", "9"], "b": ["2", "4", "6", "1"], "u": list("xxyz"), "v": list("ppqq")})
    outcome = measure(table, release_classes(table, np.arange(4), 4))
    assert outcome["value"] == pytest.approx(0.0, abs=1e-12)
    assert outcome["pairs"] == 2


def test_one_class_loses_them_all(table_of):
    # a and b agree wholly, as do u and v; as one class both relations are 0.
    table = table_of({"a": ["1", "2", "3", "4"], "b": ["2", "4", "6", "8"], "u": list("xxyy"), "v": list("ppqq")})
    outcome = measure(table, release_classes(table, np.zeros(4, dtype=np.int64), 1))
    assert outcome["value"] == pytest.approx(1.0)
    assert outcome["largest"] == pytest.approx(1.0)


def test_hand_checked_correlation_of_middles(table_of):
    table = table_of({"a": ["0", "2", "10", "12"], "b": ["0", "1", "1", "0"]}, {"b": "sensitive"})
    released = release_classes(table, np.array([0, 0, 1, 1]), 2)
    before = np.corrcoef([0, 2, 10, 12], [0, 1, 1, 0])[0, 1]
    after = np.corrcoef([1, 1, 11, 11], [0, 1, 1, 0])[0, 1]
    assert measure(table, released)["value"] == pytest.approx(abs(before - after))


def test_a_missing_number_is_left_out_of_its_pairs(table_of):
    table = table_of({"a": ["", "1", "2", "3"], "b": ["5", "1", "2", "3"]})
    assert measure(table, release_classes(table, np.arange(4), 4))["value"] == pytest.approx(0.0, abs=1e-12)


def test_a_table_without_pairs_has_nothing_to_lose(table_of):
    table = table_of({"a": ["1", "2"], "v": ["x", "y"]})
    outcome = measure(table, release_classes(table, np.zeros(2, dtype=np.int64), 1))
    assert outcome["pairs"] == 0
    assert outcome["value"] == 0.0


def test_looks_at_no_more_records_than_it_may(table_of):
    table = table_of({"a": [str(value) for value in range(100)], "b": [str(value) for value in range(100)]})
    assert measure(table, release_classes(table, np.arange(100), 100), records=10)["records"] == 10


def test_a_value_whose_records_are_left_out_takes_no_relation_with_it(table_of):
    # u and v agree wholly, with the value z and without it.
    table = table_of({"u": list("xxyyz"), "v": list("ppqqr")})
    released = release_classes(table, np.arange(5), 5)
    columns = tuple(replace(column, codes=column.codes[:4]) for column in released.columns)
    outcome = measure(table, ProtectedTable(columns, released.records[:4]))
    assert (outcome["pairs"], outcome["value"]) == (1, pytest.approx(0.0, abs=1e-12))
