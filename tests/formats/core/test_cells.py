import numpy as np
import pyarrow as pa
import pytest

from antifaz.tables.table import ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType
from formats.core.cells import cells_of, glue, joined_rows, node_cells, number_kind, rewritten


def labels(*texts: str) -> pa.Array:
    return pa.array(texts, pa.large_string())


def test_leaves_behind_labels_that_no_row_shows():
    codes = np.array([2, 0, 2], np.int32)
    column = ReleasedColumn("c", "c", Role.SENSITIVE, ValueType.TEXT, codes, np.array(["a", "cnry", "b"], object))
    cells = cells_of(column)
    assert cells.labels.to_pylist() == ["a", "b"]
    assert [cells.labels[code].as_py() for code in cells.codes] == ["b", "a", "b"]


@pytest.mark.parametrize(
    ("type_", "texts", "kind"),
    [
        (ValueType.INTEGER, ("1", "-5", ""), "integer"),
        (ValueType.INTEGER, ("46.5", "21"), "decimal"),
        (ValueType.INTEGER, ("007",), None),
        (ValueType.INTEGER, ("[1, 2]", "3"), None),
        (ValueType.INTEGER, ("*",), None),
        (ValueType.INTEGER, ("",), None),
        (ValueType.INTEGER, (), None),
        (ValueType.INTEGER, ("12345678901234567890",), None),
        (ValueType.DECIMAL, ("1", "2"), "decimal"),
        (ValueType.DECIMAL, ("0.30000000000000004", "1e-07"), "decimal"),
        (ValueType.DECIMAL, ("0.1234567890123456789",), None),
        (ValueType.DECIMAL, ("1e999",), None),
        (ValueType.DECIMAL, ("1,5",), None),
        (ValueType.TEXT, ("1", "2"), None),
        (ValueType.DATE, ("2020",), None),
    ],
)
def test_labels_are_numbers_only_where_nothing_is_lost(type_, texts, kind):
    assert number_kind(type_, labels(*texts)) == kind


def test_rows_are_the_labels_end_to_end():
    nodes = node_cells("node", 70_000)
    ended = nodes.with_labels(glue(nodes.labels, ";"))
    assert b"".join(joined_rows([ended], "")).decode() == "".join(f"{i};" for i in range(70_000))
    assert list(joined_rows([], ",")) == []


def test_rewrites_only_what_needs_it():
    assert rewritten(labels("a", "b<", "c"), "<", lambda text: text.upper()).to_pylist() == ["a", "B<", "c"]
