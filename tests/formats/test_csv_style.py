"""csv for the program that will open it: delimiter, decimal comma, byte order mark, dashes; undone by the verifier."""

from typing import Any

import numpy as np
import pytest

import verifier
from antifaz.tables.reading.attributes import AttributeSettings
from antifaz.tables.reading.range_labels import with_dashes
from antifaz.tables.table import Recoding, ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType
from formats.tables.csv_writer import CsvStyle
from formats.writing import render_table
from verifier.evidence.release_parts import read_tables
from verifier.readers.output import dialect_of

AGES = ["[20, 29]", "[20, 29]", "[-5, -1]", "[-5, -1]"]
WEIGHTS = ["1.5", "1.5", "-20.25", "-20.25"]
PLACES = ['["a;b", "c"]', '["a;b", "c"]', "1,5", "1,5"]
SIZES = ["[0.5, 1.5]", "[0.5, 1.5]", "2.5", "2.5"]
DAYS = ['["2020-01-01", "2020-03-31"]'] * 4


def column(name: str, type_: ValueType, cells: list[str]) -> ReleasedColumn:
    labels, codes = np.unique(np.array(cells, dtype=object).astype(str), return_inverse=True)
    role = Role.QUASI_IDENTIFIER
    return ReleasedColumn(name, name, role, type_, codes.astype(np.int32), labels.astype(object), "a class")


COLUMNS = (
    column("age", ValueType.TEXT, AGES),
    column("weight", ValueType.DECIMAL, WEIGHTS),
    column("place", ValueType.TEXT, PLACES),
    column("day", ValueType.TEXT, DAYS),
    column("size", ValueType.TEXT, SIZES),
)
POLICY: dict[str, Any] = {
    "kind": "table",
    "attributes": {name: {"role": "quasi_identifier"} for name in ("age", "weight", "place", "day", "size")},
    "guarantees": [{"model": "k_anonymity", "k": 2}],
    "method": {"name": "mondrian"},
}
STYLE = {"delimiter": ";", "decimal": ",", "bom": True}
DASHED = {"ranges": "20–29"}


def settings_of(column: ReleasedColumn) -> AttributeSettings:
    return AttributeSettings(role=column.role, type=ValueType.DATE if column.name == "day" else None)


def written(style: dict[str, Any], dashes: bool = False) -> bytes:
    settings = {each.name: settings_of(each) for each in COLUMNS}
    columns = with_dashes(COLUMNS, settings) if dashes else list(COLUMNS)
    return b"".join(render_table(columns, "csv", CsvStyle(**style)))


def test_a_file_for_a_spreadsheet_of_another_country():
    assert written(STYLE, dashes=True).decode("utf-8-sig").splitlines() == [
        "age;weight;place;day;size",
        '20–29;1,5;"[""a;b"", ""c""]";2020-01-01–2020-03-31;0,5–1,5',
        '20–29;1,5;"[""a;b"", ""c""]";2020-01-01–2020-03-31;0,5–1,5',
        "'-5–-1;-20,25;1,5;2020-01-01–2020-03-31;2,5",
        "'-5–-1;-20,25;1,5;2020-01-01–2020-03-31;2,5",
    ]


@pytest.mark.parametrize("style", [{}, STYLE, {"delimiter": "\t"}, {"delimiter": "\t", "decimal": ","}, {"bom": True}])
@pytest.mark.parametrize("dashes", [False, True])
def test_the_verifier_sees_the_same_labels_however_they_are_written(style, dashes):
    policy = POLICY | {"csv": style} | ({"labels": DASHED} if dashes else {})
    [cells], faults = read_tables([verifier.Artifact("csv", "table", written(style, dashes))], policy)
    assert faults == []
    shown = [[found.texts[code] for code in found.codes] for found in cells.columns]
    assert shown == [AGES, WEIGHTS, PLACES, DAYS, SIZES]


def test_all_formats_of_a_release_agree_and_keep_k():
    settings = {each.name: settings_of(each) for each in COLUMNS}
    columns = with_dashes(COLUMNS, settings)
    forms = ("csv", "parquet", "jsonl", "xlsx")
    artifacts = [
        verifier.Artifact(form, "table", b"".join(render_table(columns, form, CsvStyle(**STYLE)))) for form in forms
    ]
    verdict = verifier.verify(POLICY | {"csv": STYLE, "labels": DASHED}, artifacts)
    assert (verdict.faults, verdict.holds) == ((), True)
    assert verdict.findings[0].achieved == {"k": 2}
    wrong = [*artifacts[:3], verifier.Artifact("xlsx", "table", b"".join(render_table(COLUMNS[::-1], "xlsx")))]
    wrong[3] = verifier.Artifact("xlsx", "table", wrong[3].content[:-1])
    assert not verifier.verify(POLICY | {"csv": STYLE, "labels": DASHED}, wrong).holds


def test_a_file_that_is_not_written_as_the_policy_says_is_refused():
    plain, styled = written({}), written(STYLE)
    for policy, content in (
        (POLICY | {"csv": STYLE}, plain),
        (POLICY, styled),
        (POLICY | {"csv": {"bom": True}}, plain),
    ):
        assert not verifier.verify(policy, [verifier.Artifact("csv", "table", content)]).holds


@pytest.mark.parametrize(
    "stated", [{"delimiter": "x"}, {"decimal": ","}, {"bom": "yes"}, {"quote": "'"}, "semicolons", {"decimal": "·"}]
)
def test_the_verifier_knows_no_other_way_to_write(stated):
    assert dialect_of({"csv": stated}) is None
    assert not verifier.verify(POLICY | {"csv": stated}, [verifier.Artifact("csv", "table", written({}))]).holds
    assert not verifier.verify(
        POLICY | {"labels": {"ranges": "x"}}, [verifier.Artifact("csv", "table", written({}))]
    ).holds


def test_sets_and_values_of_other_columns_are_no_ranges():
    quasi = Role.QUASI_IDENTIFIER
    columns = [
        column("number", ValueType.TEXT, ["[1, 2]"]),
        column("digits", ValueType.TEXT, ['["1", "2"]']),
        column("day", ValueType.TEXT, DAYS[:1]),
    ]
    undated = {name: AttributeSettings(role=quasi) for name in ("number", "digits", "day")}
    assert [list(each.labels) for each in with_dashes(columns, undated)] == [["1–2"], ['["1", "2"]'], DAYS[:1]]
    as_sets = {name: AttributeSettings(role=quasi, recoding=Recoding.SET) for name in undated}
    assert with_dashes(columns, as_sets) == columns
