"""The verifier's folding, which must see the same values as the engine's and shares no code with it."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.tables.texts.folding import fold_codes
from tests.antifaz.tables.texts.test_folding import DIFFERENT, ONE_VALUE
from verifier.verdict.folding import folded, folded_codes

ALPHABET = (
    "0017eE+-.,:TZ '=aAsSkK\x00\t\u00df\u212a\u0131\u0130\u0661\u0301\u0308\u00e9"
    "\u200b\u00a0\u00ad\ufe0f\u2212\uff17\u1160\ud7a3"
)
NUMBERS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(("", "+", "-", "\u2212", "'-", " ")),
    st.sampled_from(("", "0", "00", "7", "070", "\u0667")),
    st.sampled_from(("", ".", ".0", ".70", ".007")),
    st.sampled_from(("", "e0", "E1", "e-1", "e+002", "e", "e1234567890")),
)
MOMENTS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(("2020-01-31", "2020-02-01", "0001-01-01", "9999-12-31", "2020-02-30", "0000-01-01")),
    st.sampled_from(("", "T00:00", " 23:30", "t10:00:00", "T10:00:60", " 24:00", "T23:30:00.50", "T00:00,5")),
    st.sampled_from(("", ".0", ",500")),
    st.sampled_from(("", "Z", " z", "+00:00", "-00:30", "+0030", "+01", "+24:00", "+02:", "-23:59")),
)
TEXTS = st.one_of(st.text(ALPHABET, max_size=6), st.text(max_size=5), NUMBERS, MOMENTS)


@pytest.mark.parametrize("spellings", ONE_VALUE.values(), ids=ONE_VALUE)
def test_spellings_of_one_value_fold_to_one(spellings: tuple[str, ...]) -> None:
    assert len(set(map(folded, spellings))) == 1


def test_values_that_read_differently_stay_different() -> None:
    assert len(set(map(folded, DIFFERENT))) == len(DIFFERENT)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=40))
def test_engine_and_verifier_see_the_same_values(texts: list[str]) -> None:
    assert fold_codes(texts).tolist() == folded_codes(texts).tolist()


@settings(deadline=None)
@given(st.lists(st.text("'=-\u200b \t7", max_size=4), max_size=60))
def test_engine_and_verifier_see_the_same_values_behind_marks(texts: list[str]) -> None:
    assert fold_codes(texts).tolist() == folded_codes(texts).tolist()


def test_engine_and_verifier_agree_on_every_character() -> None:
    alone = [chr(point) for point in range(sys.maxunicode + 1) if point < 0x20000 or 0xE0000 <= point < 0xE2000]
    assert fold_codes(alone).tolist() == folded_codes(alone).tolist()
    between = [f"1{character}1" for character in alone]
    assert fold_codes(between).tolist() == folded_codes(between).tolist()


@settings(deadline=None)
@given(TEXTS)
def test_the_mark_of_a_csv_cell_never_changes_a_value(text: str) -> None:
    if text.startswith(("=", "+", "-", "@", "\t", "\r")):
        assert folded(f"'{text}") == folded(text)


def test_a_number_of_a_million_digits_is_folded_at_once() -> None:
    assert folded("1" + "0" * 1_000_000) == folded("1e1000000")
