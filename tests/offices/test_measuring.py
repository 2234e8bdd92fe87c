"""What is measured on a release: values of people are found in whatever way they are written, and nothing else is."""

import csv
import io
from dataclasses import replace

import pytest

from tests.offices.measuring import Exposed, exposed, key_of
from tests.offices.office import Office, Truth
from verifier import Artifact

HEADER = ("Nr", "Name", "Year", "Town", "Notes", "Paid")
ROWS = (
    ("1001.0", "Müller, Anke", "1981", "Ulm", "see Anke Müller", "1.204,50"),
    ("1002.0", "Vogt, Uwe", "1001", "Ulm", "on leave", "-"),
    ("1003.0", "Roth, Ida", "1990", "Bonn", "", "88,00"),
    ("Summe", "", "", "", "", "1.292,50"),
)
TRUTH = Truth(
    identifying=("Nr", "Name", "Notes"),
    known=("Year", "Town"),
    sensitive=("Paid",),
    texts=("Notes",),
    missing=("-",),
    totals=(3,),
    named=frozenset({"Anke Müller", "Müller, Anke"}),
)
OFFICE = Office("Germany", "club", "German", "club.csv", "cp1252", b"", HEADER, ROWS, TRUTH)


def release(*rows: tuple[str, ...], delimiter: str = ",", piece: str = "table") -> Artifact:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([[f"column {place}" for place in range(len(rows[0]))], *rows])
    return Artifact("csv", piece, out.getvalue().encode())


def test_finds_every_value_in_an_unchanged_release() -> None:
    found = exposed(OFFICE, [release(*ROWS, delimiter=";")])
    # 1001 is also the year of someone's birth.
    assert found == Exposed({"Nr": (2, 2), "Name": (3, 3), "Notes": (1, 1)}, 2, 1, 0)


def test_finds_nothing_in_generalized_columns_and_pseudonyms() -> None:
    found = exposed(OFFICE, [release(("p7f3", "[1980, 1990]", "*"), ("p81a", "[1980, 1990]", "on leave"))])
    assert found == Exposed({}, 0, 0, 0)
    assert not found


@pytest.mark.parametrize("cell", ["1002", "1002.0", "01002", "1002,00", '["1002.0", "x"]', " 1002 "])
def test_finds_ids_in_other_spellings_in_any_column(cell: str) -> None:
    assert exposed(OFFICE, [release(("a", cell))]).ids == {"Nr": (1, 2)}


def test_ends_of_ranges_and_years_are_no_ids() -> None:
    assert not exposed(OFFICE, [release(("[1002, 1003]",), ("1001",))])


def test_short_ids_are_found_below_their_own_name_alone() -> None:
    rows = (("7", "Vogt, Uwe", "1950", "Ulm", "", ""), ("8", "Roth, Ida", "1951", "Ulm", "", ""))
    office = replace(OFFICE, rows=rows, truth=replace(TRUTH, totals=()))
    assert exposed(office, [Artifact("csv", "table", b"Nr,Year\n7,*\n7,*\n")]).ids == {"Nr": (1, 2)}
    assert exposed(office, [Artifact("csv", "table", b"Year,Town\n7,*\n8,*\n")]).ids == {}


def test_counts_records_that_others_find_by_what_they_know() -> None:
    rows = ["Year,Town,x", "1981,Ulm,a", "1990,Ulm,a", "1990,Bonn,a", "*,Ulm,a"]
    found = exposed(OFFICE, [Artifact("csv", "table", "\n".join(rows).encode())])
    assert found.alone == 2
    assert exposed(OFFICE, [Artifact("csv", "table", b"Year,Town\n1981,Ulm\n1981,Ulm\n")]).alone == 0


def test_finds_a_name_inside_a_sentence() -> None:
    assert exposed(OFFICE, [release(("today ANKE Müller came",))]).names == 1


def test_counts_records_beyond_those_of_people_as_totals() -> None:
    assert exposed(OFFICE, [release(*[("*",)] * 4)]).totals == 1
    assert exposed(OFFICE, [release(*[("*",)] * 3)]).totals == 0


def test_looks_into_all_files_of_a_graph_whose_edges_are_no_records() -> None:
    found = exposed(OFFICE, [release(*[("0", "1")] * 9, piece="graph"), release(("0", "Vogt, Uwe"), piece="nodes")])
    assert found == Exposed({"Name": (1, 3)}, 0, 0, 0)
    found = exposed(OFFICE, [release(("0", "Vogt, Uwe"), piece="nodes"), release(*[("0", "1")] * 9, piece="graph")])
    assert found == Exposed({"Name": (1, 3)}, 0, 0, 0)


def test_finds_names_that_were_read_in_a_wrong_encoding() -> None:
    mangled = "Müller, Anke".encode("cp1252").decode("cp1251")
    assert exposed(OFFICE, [release((mangled,))]).names == 0
    assert exposed(OFFICE, [release((mangled,))], "cp1251").ids == {"Name": (1, 3)}


def test_a_release_without_csv_is_not_taken_for_a_clean_one() -> None:
    with pytest.raises(ValueError, match="by its csv"):
        exposed(OFFICE, [Artifact("parquet", "table", b"")])


@pytest.mark.parametrize(
    ("cell", "key"),
    [
        *[("08032", "8032"), ("1 204,50", "1204.5"), ("1.204,50", "1204.5"), ("1,23,456.00", "123456")],
        *[("-0,90", "-0.9"), ("000", "0"), ("P000001", "p000001"), ("2023/00417", "2023/00417"), ("É", "é")],
    ],
)
def test_cells_are_compared_as_a_person_compares_them(cell: str, key: str) -> None:
    assert key_of(cell) == key
