"""Columns of questions: packing and reading preserves them, and their width discloses nothing about the data."""

from typing import Any

import numpy as np
import pytest

from antifaz.questions.answers import answer
from antifaz.questions.columns import packed, unpacked
from antifaz.questions.plan import plan
from tests.antifaz.questions.conftest import Table, declared, question

CELLS: dict[str, list[Any]] = {
    "age": [20, "", "many", 120, 0, -7, 500],
    "salary": [0, 1000, 99_999, "", 5e9, "x", 50_000],
    "sex": ["M", "F", "X", "", "m ", "F", "M"],
    "born": ["1992-01-01", "2002-01-01", "1850-05-05", "", "?", "1999-09-09", "2000-02-29"],
    "city": ["Vic", "", "Olot", "Vic", "Vic", "Rupit", "Olot"],
    "who": ["a", "a", "b", "", "", "c", "A"],
}


@pytest.fixture
def table() -> Table:
    return Table(declared(privacy_unit="who", contributions=2), **CELLS)


def test_columns_that_were_packed_and_read_again_are_the_same(table: Table) -> None:
    parts = list(packed(table.prepared, table.declared))
    again = unpacked(table.declared, parts.__getitem__)
    assert (again.n, again.texts["city"]) == (7, table.prepared.texts["city"])
    assert table.prepared.firsts is not None
    assert again.firsts is not None
    assert again.firsts.tolist() == table.prepared.firsts.tolist() == [0, 2, 5, 6]
    assert dict(again.cells).keys() == table.prepared.cells.keys()
    for name, cells in table.prepared.cells.items():
        assert (again.cells[name].dtype, again.cells[name].tolist()) == (np.int32, cells.tolist())


def test_a_question_reads_the_columns_that_it_is_about_and_each_once(table: Table) -> None:
    parts, read = list(packed(table.prepared, table.declared)), []

    def noted(place: int) -> bytes:
        read.append(place)
        return parts[place]

    asked = question(
        [{"count": {}}, {"mean": "age"}, {"sum": "age"}], where=[{"column": "age", "op": "ge", "value": 1}]
    )
    again = unpacked(table.declared, noted)
    answer(again, asked, table.declared, plan(asked, table.declared))
    # The number of rows, whose each row is, and ages.
    assert len(read) == len(set(read)) == 3


@pytest.mark.parametrize(
    ("bounds", "width"), [([0, 120], 1), ([-127, 127], 1), ([0, 255], 2), ([0, 65_534], 2), ([-(10**9), 10**9], 4)]
)
def test_cells_are_as_wide_as_the_declared_bounds_whatever_the_values(bounds: list[int], width: int) -> None:
    one = declared(columns={"age": {"type": "integer", "bounds": bounds}})
    for ages in (["", "x", 1], [*bounds, 10**30]):
        made = Table(one, age=ages)
        parts = list(packed(made.prepared, one))
        assert [len(part) for part in parts] == [1, 3 * width, 0]
        assert unpacked(one, parts.__getitem__).cells["age"].tolist() == made.prepared.cells["age"].tolist()


def test_a_column_that_the_table_lacks_is_packed_as_nothing() -> None:
    table = Table(declared(), age=[1, 2])
    again = unpacked(table.declared, list(packed(table.prepared, table.declared)).__getitem__)
    assert again.cells["age"].tolist() == [1, 2]
    assert (again.firsts, again.cells["sex"].tolist()) == (None, [])
