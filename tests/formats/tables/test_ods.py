"""OpenDocument workbooks: what is read, and how hostile ones are refused."""

import pytest

from formats.core.faults import Fault
from formats.reading import read_table
from formats.sniffing import sniff
from tests.formats.limits import limits_of
from tests.formats.workbooks import ods, ods_members, ods_text, packed

LIMITS = limits_of(max_bytes=8 << 20, max_rows=1000, max_columns=50)
HEADER = ">" + ods_text("name") + ods_text("cost")


def read(content: bytes, **metadata: str) -> dict[str, list[str]]:
    seen = sniff("table", metadata, None, content, True, LIMITS)
    assert seen.format == "ods"
    table = read_table([content], seen.format, seen.details, LIMITS)
    return {column.name: [column.values[code] for code in column.codes] for column in table.columns}


def _cell(about: str, shown: str) -> str:
    return f"<table:table-cell {about}><text:p>{shown}</text:p></table:table-cell>"


def test_reads_values_by_their_type():
    header = ">" + "".join(map(ods_text, ("a", "b", "c", "d", "e")))
    cells = (
        ods_text("Ànna"),
        _cell('office:value-type="float" office:value="1234.5"', "1.234,50"),
        _cell('office:value-type="date" office:date-value="1984-05-12"', "12/05/84"),
        _cell('office:value-type="boolean" office:boolean-value="true"', "TRUE"),
        _cell('office:value-type="time" office:time-value="PT09H05M00S"', "9:05"),
    )
    row = ">" + "".join(cells)
    assert read(ods([header, row])) == {
        "a": ["Ànna"], "b": ["1234.5"], "c": ["1984-05-12"], "d": ["true"], "e": ["09:05:00"],
    }  # fmt: skip


def test_repeated_rows_and_cells_are_as_many_as_they_say():
    rows = [
        HEADER,
        'table:number-rows-repeated="3">' + ods_text("x", 'table:number-columns-repeated="2"'),
        'table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/>',
    ]
    assert read(ods(rows)) == {"name": ["x"] * 3, "cost": ["x"] * 3}


def test_comments_are_not_read():
    noted = "<office:annotation><text:p>secret</text:p></office:annotation><text:p>shown</text:p>"
    rows = [HEADER, f'><table:table-cell office:value-type="string">{noted}</table:table-cell>']
    assert read(ods(rows)) == {"name": ["shown"], "cost": [""]}


def test_reads_the_stated_sheet():
    tables = "".join(
        f'<table:table table:name="{name}"><table:table-row>{ods_text("a")}</table:table-row>'
        f"<table:table-row>{ods_text(name)}</table:table-row></table:table>"
        for name in ("first", "second")
    )
    assert read(packed(ods_members(tables)), sheet="second") == {"a": ["second"]}
    assert read(packed(ods_members(tables))) == {"a": ["first"]}


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ([HEADER, 'table:number-rows-repeated="1000000">' + ods_text("x")], "too_many_rows"),
        ([HEADER, ">" + ods_text("x", 'table:number-columns-repeated="16384"')], "too_many_columns"),
        ([HEADER, ">" + ods_text("x") * 3], "ragged_row"),
        ([HEADER], "no_records"),
        ([], "empty_file"),
    ],
)
def test_refuses_what_no_table_can_be_read_from(rows, rule):
    with pytest.raises(Fault) as caught:
        read(ods(rows))
    assert caught.value.rule == rule


def test_titles_are_left_out_even_if_they_are_repeated():
    title = f'table:number-rows-repeated="2">{ods_text("Staff")}'
    rows = [title, HEADER, *(f">{ods_text(f'p{i}')}{ods_text('Lugo')}" for i in range(4))]
    assert next(iter(read(ods(rows)).values()))[:1] == ["p0"]
