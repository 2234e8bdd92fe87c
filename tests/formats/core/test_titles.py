"""Lines above a header: only titles and names of groups are removed."""

import pytest

from formats.core.titles import length_of_titles

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
    ],
)
def test_what_stands_above_the_header_is_left_out(titles: str) -> None:
    assert (titles + ROWS)[length_of_titles(titles + ROWS) :].lstrip("\r\n") == ROWS


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
