"""Excel workbooks: what is read, and how hostile ones are refused."""

import pytest

from formats.core.faults import Fault
from formats.reading import read_table
from formats.sniffing import sniff
from tests.formats.limits import limits_of
from tests.formats.workbooks import packed, xlsx, xlsx_members

LIMITS = limits_of(max_bytes=64 << 20, max_rows=1000, max_columns=50)
HEADER = ["name", "born", "cost", "smokes"]


def read(content: bytes, limits=LIMITS, **metadata: str) -> dict[str, list[str]]:
    seen = sniff("table", metadata, "stays.xlsx", content, True, limits)
    table = read_table([content], seen.format, seen.details, limits)
    assert seen.columns == table.names
    return {column.name: [column.values[code] for code in column.codes] for column in table.columns}


def refusal(content: bytes, **metadata: str) -> Fault:
    with pytest.raises(Fault) as caught:
        read(content, **metadata)
    return caught.value


def test_reads_texts_numbers_dates_and_truth_values():
    row = ["Ànna", 's="1"><v>30814</v>', "><v>0.30000000000000004</v>", 't="b"><v>1</v>']
    assert read(xlsx([HEADER, row])) == {
        "name": ["Ànna"], "born": ["1984-05-12"], "cost": ["0.30000000000000004"], "smokes": ["true"],
    }  # fmt: skip


def test_reads_the_value_that_a_formula_had_and_refuses_one_without():
    computed = 't="str"><f>1+1</f><v>two</v>'
    assert read(xlsx([["a"], [computed]])) == {"a": ["two"]}
    fault = refusal(xlsx([["a"], ["x"], ["><f>1+1</f>"]]))
    assert (fault.rule, fault.row) == ("formula", 2)


def test_shared_texts_are_read_without_how_they_are_pronounced():
    shared = "<sst><si><r><t>Jo</t></r><r><t>an</t></r><rPh><t>said</t></rPh></si><si><t>_x0041_b</t></si></sst>"
    cells = [["a"], ['t="s"><v>0</v>'], ['t="s"><v>1</v>']]
    assert read(xlsx(cells, sharedStrings=shared)) == {"a": ["Joan", "Ab"]}


def test_cells_may_say_where_they_stand_and_blank_rows_are_left_out():
    rows = [["a", "b", "c"], ['r="C2" t="n"><v>1</v>'], [], ['r="A4" t="n"><v>2</v>']]
    assert read(xlsx(rows)) == {"a": ["", "2"], "b": ["", ""], "c": ["1", ""]}


def test_counts_days_since_1904_if_the_workbook_does():
    members = xlsx_members([["born"], ['s="1"><v>0</v>'], ['s="1"><v>1.5</v>']])
    book = str(members["xl/workbook.xml"])
    members["xl/workbook.xml"] = book.replace("<sheets>", '<workbookPr date1904="1"/><sheets>')
    assert read(packed(members)) == {"born": ["1904-01-01", "1904-01-02T12:00:00"]}


def test_a_format_of_ones_own_can_be_one_of_dates():
    formats = {164: "[$-C0A]dd&quot; de &quot;mmm", 165: "0.0 &quot;days&quot;"}
    codes = "".join(f'<numFmt numFmtId="{number}" formatCode="{code}"/>' for number, code in formats.items())
    used = "".join(f'<xf numFmtId="{number}"/>' for number in formats)
    content = xlsx(
        [["a", "b"], ['s="0"><v>59</v>', 's="1"><v>59</v>']],
        styles=f"<s><numFmts>{codes}</numFmts><cellXfs>{used}</cellXfs></s>",
    )
    assert read(content) == {"a": ["1900-02-28"], "b": ["59"]}


def test_reads_the_stated_sheet_or_the_first_that_is_shown():
    members = xlsx_members([["a"], ["x"]], ["Hidden", "Shown"])
    members["xl/workbook.xml"] = str(members["xl/workbook.xml"]).replace(
        'name="Hidden"', 'name="Hidden" state="hidden"'
    )
    seen = sniff("table", {}, None, packed(members), True, LIMITS)
    assert (seen.format, seen.details["sheet"]) == ("xlsx", "Shown")
    assert sniff("table", {"sheet": "hidden "}, None, packed(members), True, LIMITS).details["sheet"] == "Hidden"
    assert refusal(packed(members), sheet="Other").pointer == "/metadata/sheet"


def test_all_rows_that_are_longer_than_the_header_are_counted():
    fault = refusal(xlsx([["a", "b"], ["1", "x"], ["1", "x", "y"], ["1", "x", "y"]]))
    assert (fault.rule, fault.row) == ("ragged_row", 2)
    assert fault.detail == "row 2 has 3 cells; the header has 2; 2 rows of the file are not as long as the header"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (xlsx([["1", "2"], ["3", "4"]]), "no_header"),
        (xlsx([["a", "a"], ["3", "4"]]), "duplicate_column"),
        (xlsx([["a"]]), "no_records"),
        (xlsx([]), "empty_file"),
        (xlsx([["a"], ['r="XFD1048576"><v>1</v>']]), "too_many_columns"),
        (xlsx([["a"], ['r="ZZZ2"><v>1</v>']]), "unreadable"),
        (xlsx([["a"], ['t="s"><v>7</v>']]), "unreadable"),
        (xlsx([["a"], ["x"]], styles='<!DOCTYPE s [<!ENTITY e SYSTEM "file:///secret">]><s>&e;</s>'), "dtd"),
        (xlsx([["a"], ["x"]], styles="<s>" + "<a/>" * 4_000_000 + "</s>"), "decompression_bomb"),
        (xlsx([["a"], ["x"]])[:-40], "unreadable"),
        (xlsx([["a"], *[["x"]] * 1001]), "too_many_rows"),
        (packed({"xl/workbook.xml": "<workbook"}), "unreadable"),
    ],
)
def test_refuses_what_no_table_can_be_read_from(content, rule):
    assert refusal(content).rule == rule


def test_a_member_that_lies_about_its_size_is_not_inflated_beyond_the_limit():
    content = xlsx([["a"], ["x"]], styles="<s>" + "<a/>" * 4_000_000 + "</s>")
    size = (16_000_007).to_bytes(4, "little")
    assert size in content
    assert refusal(content.replace(size, (100).to_bytes(4, "little"))).rule == "decompression_bomb"


def test_two_members_of_one_name_are_refused():
    members = xlsx_members([["a"], ["x"]])
    content = packed({**members, "xl/workbooK.xml": "<workbook/>"}).replace(b"xl/workbooK.xml", b"xl/workbook.xml")
    assert refusal(content).rule == "unreadable"


def test_a_workbook_that_is_called_csv_is_named_for_what_it_is():
    with pytest.raises(Fault, match="is an Excel workbook and not delimited text; state the format xlsx"):
        sniff("table", {"format": "csv"}, None, xlsx([["a"], ["x"]]), True, LIMITS)
    with pytest.raises(Fault, match="save it as xlsx without a password"):
        sniff("table", {}, "old.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", True, LIMITS)


TITLES = [["Staff on 31 March", "", ""], [], ["Person", "", "Work"]]
STAFF = [["name", "town", "grade", "unit"], *([f"p{i}", "Lugo", f"E{i % 3}", "north"] for i in range(40))]


@pytest.mark.parametrize("above", [TITLES[:1], TITLES[:2], TITLES[2:], TITLES])
@pytest.mark.parametrize("rows", [5, 41])
def test_titles_and_names_of_groups_are_left_out(above, rows):
    table = read(xlsx([*above, *STAFF[:rows]]))
    assert list(table) == ["name", "town", "grade", "unit"]
    assert table["name"] == [f"p{i}" for i in range(rows - 1)]


def test_a_short_header_over_few_rows_is_no_title():
    assert refusal(xlsx([["name"], ["Ana", "Lugo"], ["Eva", "Vigo"]])).rule == "ragged_row"


def test_rows_below_titles_are_counted_from_the_header():
    rows = [*TITLES, *STAFF[:20], ["p", "Lugo", "E1", "north", "cnry"]]
    assert refusal(xlsx(rows)).row == 20
