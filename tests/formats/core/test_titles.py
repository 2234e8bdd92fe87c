"""Lines above a header: only titles and names of groups are removed."""

import pytest

from formats.core.titles import count_titles, length_of_titles

ROWS = "name;town;age\n" + "".join(f"p{i};t;{i}\n" for i in range(5))


@pytest.mark.parametrize(
    "titles",
    [
        "Quarterly report\n",
        "Quarterly report;;\n",
        "Quarterly report\r\n\r\n",
        "Report\nprinted by the ward\n\n",
        "Person;;\n",
        "Register;;\n;Person;\n",
        '"Quarterly report; spring"\n',
        '"Register\nof the ward";;\n',
    ],
)
def test_what_stands_above_the_header_is_left_out(titles: str) -> None:
    assert (titles + ROWS)[length_of_titles(titles + ROWS) :].lstrip("\r\n") == ROWS


def test_delimiters_within_quotes_do_not_count() -> None:
    noted = "name;town;note\n" + "".join(f'p{i};t;"{"calls; " * (i % 3)}ok"\n' for i in range(6))
    assert length_of_titles(noted) == 0
    assert length_of_titles("Visits\n" + noted) == len("Visits\n")


@pytest.mark.parametrize("header", ["name;town;\n", "name;town\n"])
def test_rows_that_end_with_a_delimiter_may_have_titles(header: str) -> None:
    table = header + "".join(f"p{i};t;\n" for i in range(6))
    assert length_of_titles("Visits\n" + table) == len("Visits\n")


@pytest.mark.parametrize("line", [ROWS, "Visits\n" + ROWS, "Visits;;\n;Person;\n" + ROWS])
def test_the_rows_of_a_sheet_follow_the_same_rule(line: str) -> None:
    rows = [row.split(";") for row in line.splitlines()]
    rows = [row + [""] * (3 - len(row)) for row in rows]
    assert rows[count_titles(rows)] == ["name", "town", "age"]


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        "name;town;age\n",
        "name\n1,2\n",
        "name\nAnna\nBerta\nCarla\nDora\n",
        '"a\ntitle";town\n' + ROWS,
        ";town;age\n" + "".join(f"p{i};t;{i}\n" for i in range(5)),
        "",
    ],
)
def test_a_header_is_no_title(text: str) -> None:
    assert length_of_titles(text) == 0
