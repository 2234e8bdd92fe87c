"""Kept: the share of cells that a release still shows, by hand."""

from dataclasses import replace

import numpy as np

from antifaz.tables.labels.kept import kept_cells
from antifaz.tables.labels.recode import SUPPRESSED, release_classes


def test_known_cells_that_are_shown_are_counted_and_those_of_identifiers_are_not(table_of):
    table = table_of(
        {"name": ["p", "q", "r", "s"], "a": ["1", "2", "", "4"], "b": list("xyxy")}, {"name": "identifier"}
    )
    released = release_classes(table, np.arange(4), 4)
    assert kept_cells(table, released) == 1.0
    hidden = replace(released.column("b"), labels=np.array(["x", SUPPRESSED], dtype=object))
    columns = tuple(hidden if column.source == "b" else column for column in released.columns)
    assert kept_cells(table, replace(released, columns=columns)) == 5 / 7


def test_a_column_of_one_label_keeps_nothing_unless_the_original_has_one_value(table_of):
    table = table_of({"a": ["1", "2", "3", "4"], "b": ["x", "x", "x", "x"]})
    assert kept_cells(table, release_classes(table, np.zeros(4, dtype=np.int64), 1)) == 0.5


def test_a_table_without_known_cells_loses_none(table_of):
    table = table_of({"a": ["", ""]})
    assert kept_cells(table, release_classes(table, np.zeros(2, dtype=np.int64), 1)) == 1.0
