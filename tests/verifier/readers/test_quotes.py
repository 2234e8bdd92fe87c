"""Quotes: the result for whole words of bytes equals the result byte by byte."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.readers import quotes
from verifier.readers.quotes import following, has_blank_line, looseness_of_csv, marks, with_separators, within

QUOTED = rb'"[^"]*(?:""[^"]*)*"'
STRICT = re.compile(rb'(?:%s|[^",\n\r]*)(?:[,\n](?:%s|[^",\n\r]*))*' % (QUOTED, QUOTED))
"""Cells that are quoted as a whole or have neither quote nor carriage return, between commas and line ends."""

UNENDED, STRAY, RETURN = (
    "a quoted cell does not end",
    "a quote inside a cell that is not quoted as a whole",
    "a carriage return outside quotes",
)
ODD_BYTES = st.text('",\n\rx', max_size=200).map(str.encode)


def array(content: bytes) -> np.typing.NDArray[np.uint8]:
    return np.frombuffer(content, np.uint8)


def places(bits: quotes.Bits) -> list[int]:
    return np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")).tolist()


def test_bits_are_counted_from_the_first_byte_on_across_words() -> None:
    block = array(b"x" * 63 + b"aa" + b"x" * 62 + b"a")
    assert places(marks(block, ord("a"))) == [63, 64, 127]
    assert places(following(marks(block, ord("a")), False)) == [64, 65]
    assert places(following(marks(block, ord("a")), True)) == [0, 64, 65]
    lonely = array(b"x" * 70 + b"a" + b"x" * 121)
    assert places(following(marks(lonely, ord("a")), True)) == [0, 71]
    assert places(following(marks(lonely, ord("a")), False)) == [71]


def test_the_inside_goes_from_an_opening_quote_to_the_byte_before_the_closing_one() -> None:
    block = array(b'..".".' + b"." * 60 + b'"' + b"." * 61)
    assert places(within(marks(block, ord('"')), False)) == [2, 3, *range(66, 128)]
    assert places(within(marks(block, ord('"')), True)) == [0, 1, *range(4, 66)]


@pytest.mark.parametrize(
    ("content", "looseness"),
    [
        (b"", ""),
        (b'"', UNENDED),
        (b'a"', UNENDED),
        (b'a""', STRAY),
        (b'""a', STRAY),
        (b'"a\r"\r', STRAY),
        (b'"a\r",\r', RETURN),
        (b'"\r"', ""),
        (b"x" * 63 + b'""\n', STRAY),
        (b"x" * 63 + b',""\n', ""),
        (b"x" * 62 + b',""x\n', STRAY),
        (b"x" * 61 + b',""x\n', STRAY),
        (b"x" * 62 + b',"\r"\n', ""),
        (b"x" * 62 + b',"a",\r', RETURN),
    ],
)
def test_what_is_loose_in_a_csv_file(content: bytes, looseness: str) -> None:
    assert looseness_of_csv(array(content)) == looseness


@pytest.mark.parametrize(
    ("content", "looseness", "blank"),
    [
        (b'"' + b"x" * 100 + b'"', "", False),
        (b'"' + b"x" * 200 + b'"', "", False),
        (b'"' + b"x" * 100, UNENDED, False),
        (b"x" * 10 + b"\r" + b"x" * 200, RETURN, False),
        (b"x" * 100 + b"\r" + b"x" * 100, RETURN, False),
        (b"x" * 10 + b'""' + b"x" * 200, STRAY, False),
        (b"x" * 63 + b"\n\n" + b"x" * 63, "", True),
        (b"x" * 63 + b"\n" + b"x" * 64 + b"\n", "", False),
        (b"x" * 127 + b"\n\n", "", True),
        (b'"' + b"x" * 99 + b'\n\n"', "", False),
        (b'"' + b"x" * 99 + b'"\n\n', "", True),
    ],
)
def test_what_began_in_one_block_goes_on_in_the_next(
    content: bytes, looseness: str, blank: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for block in (64, 128, 1 << 20):
        monkeypatch.setattr(quotes, "_BLOCK", block)
        assert looseness_of_csv(array(content)) == looseness
        assert has_blank_line(array(content)) is blank


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(ODD_BYTES, st.sampled_from([64, 128, 1 << 20]))
def test_a_csv_file_is_loose_where_its_cells_do_not_fit_the_pattern(content: bytes, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "_BLOCK", block)
        assert (looseness_of_csv(array(content)) == "") is (STRICT.fullmatch(content) is not None)


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(ODD_BYTES, st.sampled_from([64, 128, 1 << 20]))
def test_a_blank_line_is_two_line_ends_in_a_row_after_an_even_number_of_quotes(content: bytes, block: int) -> None:
    blank = any(
        content[place - 1 : place + 1] == b"\n\n" and content.count(b'"', 0, place) % 2 == 0
        for place in range(1, len(content))
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "_BLOCK", block)
        assert has_blank_line(array(content)) is blank


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(st.lists(st.one_of(st.text('\\",x', max_size=70).map(lambda text: text.encode()), st.just(b",")), max_size=6))
def test_commas_are_replaced_outside_the_texts_of_json(parts: list[bytes]) -> None:
    """A text is written between quotes, with a backslash before each quote and backslash of its own."""
    texts = [part if part == b"," else b'"%s"' % re.sub(rb'["\\]', rb"\\\g<0>", part) for part in parts]
    wanted = [b";" if text == b"," else text for text in texts]
    line = b"".join(texts)
    assert with_separators(array(line), ord(";"))[: len(line)].tobytes() == b"".join(wanted)
