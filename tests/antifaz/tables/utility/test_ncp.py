"""NCP: the loss of cells, attributes and tables."""

import numpy as np
import pytest

from antifaz.tables.labels.recode import release_classes
from antifaz.tables.table import ProtectedTable
from antifaz.tables.utility.ncp import Ncp
from antifaz.watch import unwatched


def measure(table, released):
    return Ncp().measure(table, released, np.random.default_rng(0), unwatched)


def test_averages_the_losses_of_all_cells(table_of):
    table = table_of({"a": ["0", "5", "10", "10"], "b": ["x", "y", "z", "z"]})
    loss = measure(table, release_classes(table, np.array([0, 0, 1, 1]), 2))
    assert loss["attributes"] == {"a": pytest.approx(0.25), "b": pytest.approx(1 / 3)}
    assert loss["value"] == pytest.approx((0.25 + 1 / 3) / 2)


def test_an_exact_release_loses_nothing(table_of):
    table = table_of({"a": ["1", "2"], "b": ["x", "y"]})
    assert measure(table, release_classes(table, np.array([0, 1]), 2))["value"] == 0.0


def test_bounds_count_once(table_of):
    table = table_of({"a": ["0", "5", "10", "10"]}, a={"recoding": "bounds"})
    assert measure(table, release_classes(table, np.array([0, 0, 1, 1]), 2))["value"] == pytest.approx(0.25)


def test_suppressed_records_lose_everything(table_of):
    table = table_of({"a": ["0", "10"]})
    whole = release_classes(table, np.array([0, 1]), 2)
    column = whole.columns[0]
    half = ProtectedTable((type(column)(**{**vars(column), "codes": column.codes[:1]}),), whole.records[:1])
    assert measure(table, half)["value"] == pytest.approx(0.5)


def test_numbers_mixed_with_missing_values_lose_everything(table_of):
    table = table_of({"a": ["", "3", "9"]})
    assert measure(table, release_classes(table, np.array([0, 0, 1]), 2))["value"] == pytest.approx(2 / 3)


def test_a_table_without_quasi_identifiers_has_nothing_to_lose(table_of):
    table = table_of({"s": ["x", "y"]}, {"s": "sensitive"})
    assert measure(table, release_classes(table, np.zeros(2, dtype=np.int64), 1)) == {"value": 0.0, "attributes": {}}
