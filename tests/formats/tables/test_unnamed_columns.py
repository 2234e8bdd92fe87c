"""Columns without a name: left out if they are empty in every row, and refused otherwise."""

import pytest

from antifaz.kinds.records import reading_warnings
from formats.core.faults import Fault
from formats.core.raw import RawTable
from formats.reading import read_table
from formats.sniffing import sniff
from publication.kinds import PUBLISHERS
from publication.source import Source
from tests.formats.limits import limits_of
from tests.formats.workbooks import ods, ods_text, xlsx

LIMITS = limits_of()


def read(content: bytes, file_name: str = "people.csv") -> RawTable:
    seen = sniff("table", {}, file_name, content, True, LIMITS)
    table = read_table([content], seen.format, seen.details, LIMITS)
    assert seen.columns == table.names
    return table


def texts_of(table: RawTable) -> list[list[str]]:
    return [[str(text) for text in column.values[column.codes]] for column in table.columns]


@pytest.mark.parametrize(
    ("content", "left_out"),
    [
        ("name;town;\nAna;Lugo;\nEva;Vigo;\n", (3,)),
        ("name;town\nAna;Lugo;\nEva;Vigo;\n", (3,)),
        ("name;town;\nAna;Lugo\nEva;Vigo\n", ()),
        ("name;;town\nAna;;Lugo\nEva; ;Vigo\n", (2,)),
        (';name;"";town;\n;Ana;;Lugo;\n\n;Eva;"";Vigo;\n', (1, 3, 5)),
    ],
)
@pytest.mark.parametrize("file_name", ["people.csv", "people.tsv"])
def test_empty_columns_without_a_name_are_left_out(content, left_out, file_name):
    delimiter = "\t" if file_name.endswith("tsv") else ";"
    table = read(content.replace(";", delimiter).encode(), file_name)
    assert (table.names, texts_of(table)) == (["name", "town"], [["Ana", "Eva"], ["Lugo", "Vigo"]])
    assert table.unnamed == left_out


def test_one_column_before_a_delimiter_keeps_its_missing_cells():
    assert texts_of(read(b"name,\nAna,\n,\nEva,\n")) == [["Ana", "", "Eva"]]


def test_empty_columns_of_workbooks_are_left_out():
    table = read(xlsx([["name", " ", "town"], ["Ana", " ", "Lugo"], ["Eva", "", "Vigo"]]), "people.xlsx")
    assert (table.names, table.unnamed) == (["name", "town"], (2,))
    blank = "<table:table-cell/>"
    rows = [f">{ods_text('name')}{blank}{ods_text('town')}", f">{ods_text('Ana')}{blank}{ods_text('Lugo')}"]
    table = read(ods(rows), "people.ods")
    assert (table.names, texts_of(table), table.unnamed) == (["name", "town"], [["Ana"], ["Lugo"]], (2,))


@pytest.mark.parametrize(
    ("content", "file_name"),
    [
        (b"name;town;\nAna;Lugo;\nEva;Vigo;cnry\nIda;Vigo;cnry\n", "people.csv"),
        (b"name;town\nAna;Lugo;\nEva;Vigo;cnry\nIda;Vigo;0\n", "people.csv"),
        (xlsx([["name", "town", " "], ["Ana", "Lugo"], ["Eva", "Vigo", "cnry"], ["Ida", "", "cnry"]]), "people.xlsx"),
    ],
)
def test_a_value_in_a_column_without_a_name_is_refused_with_the_number_of_rows(content, file_name):
    with pytest.raises(Fault) as caught:
        read(content, file_name)
    assert caught.value.rule == "empty_column_name"
    assert caught.value.detail == "column 3 has no name, but 2 rows have a value there"


@pytest.mark.parametrize("header", ["name;town;\n", "name;town\n"])
def test_a_value_beyond_what_the_upload_saw_is_refused_by_the_worker(header):
    content = (header + "Ana;Lugo;\n" * 1000).encode()
    seen = sniff("table", {}, "people.csv", content, False, LIMITS)
    assert seen.columns == ["name", "town"]
    with pytest.raises(Fault, match="column 3 has no name, but 1 row has a value there"):
        read_table([content, b"Eva;Vigo;cnry\n"], seen.format, seen.details, LIMITS)


def test_rows_of_the_wrong_length_are_still_refused():
    with pytest.raises(Fault, match="row 2 has 4 cells; the header has 3"):
        read(b"name;town;\nAna;Lugo;\nEva;Vigo;;\n")
    with pytest.raises(Fault, match="row 1 has 4 cells; the header has 2"):
        read(b"name;town\nAna;Lugo;;\n")


def test_the_steward_is_told_what_was_left_out():
    source = Source("csv", {}, lambda: iter([b"name,town,\nAna,Lugo,\n"]))
    dataset = PUBLISHERS["table"].read(source, LIMITS, None).dataset
    (warning,) = reading_warnings(dataset)
    assert warning["detail"] == "column 3 has no name and is empty in every row, so it was left out"


def test_the_same_is_said_of_a_list_of_nodes():
    nodes = [b"node;age;\na;3;\nb;4;\n"]
    details = {"nodes": {"format": "csv", "delimiter": ";"}}
    source = Source("edgelist", details, lambda: iter([b"a,b\n"]), lambda: iter(nodes))
    dataset = PUBLISHERS["graph"].read(source, LIMITS, None).dataset
    assert dataset.unnamed == (3,)
