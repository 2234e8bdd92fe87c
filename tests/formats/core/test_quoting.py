"""Quoting: lines of an edge list whose ids are quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.core.faults import Fault
from formats.core.quoting import cut_quoted


@pytest.mark.parametrize(
    ("line", "delimiter", "cells"),
    [
        ('"a b",c', ",", ["a b", "c"]),
        ('"a ""b""" , "c,d"', ",", ['a "b"', "c,d"]),
        ('  "a b"\tc  ', " ", ["a b", "c"]),
        ('"a"\t"b c"', "\t", ["a", "b c"]),
        ("a;b;", ";", ["a", "b", ""]),
        ('a"b,c', ",", ['a"b', "c"]),
    ],
)
def test_a_line_is_cut_outside_quotes(line: str, delimiter: str, cells: list[str]) -> None:
    assert cut_quoted([line], delimiter) == [cells]


@pytest.mark.parametrize(
    ("lines", "row"),
    [(['"a,b'], 1), (['a,"b'], 1), (['a,"b', 'c",d'], 1), (["a,b", 'a,"b'], 2), (["a,b", 'a,"b', "c,d"], 2)],
)
def test_a_quote_that_stays_open_ends_the_cutting(lines: list[str], row: int) -> None:
    with pytest.raises(Fault) as caught:
        cut_quoted(lines, ",", done=40)
    assert (caught.value.rule, caught.value.row) == ("quoting", 40 + row)
    assert caught.value.detail == f"row {40 + row} has a quote that does not end"


def test_no_lines_have_no_cells() -> None:
    assert cut_quoted([], ",") == []


@given(st.lists(st.tuples(*[st.text('ab" ,\t', min_size=1, max_size=6)] * 2), max_size=5), st.sampled_from(",;\t"))
def test_whatever_was_quoted_is_read_back_line_by_line(pairs: list[tuple[str, str]], delimiter: str) -> None:
    lines = [delimiter.join('"' + cell.replace('"', '""') + '"' for cell in pair) for pair in pairs]
    assert cut_quoted(lines, delimiter) == [[cell.strip() for cell in pair] for pair in pairs]
