"""The verifier's notations, which must see the same values as the engine's and share no code with it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.tables.texts.notations import readings, value_codes
from tests.antifaz.tables.texts.test_notations import DIFFERENT, ONE_VALUE
from verifier.verdict.folding import folded
from verifier.verdict.notations import meanings, merged_codes

DIGITS = st.text("0123459\u0661\uff12\u0969", min_size=1, max_size=3)
GROUPS = st.lists(st.tuples(st.sampled_from(",.' \u202f\u2019\u066c"), DIGITS), max_size=3)
NUMBERS = st.builds(
    lambda before, first, groups, point, part, power, after: (
        before + first + "".join(mark + digits for mark, digits in groups) + point + part + power + after
    ),
    st.sampled_from(("", "", "", "-", "+", "\u2212", "$", "\u20ac ", "% ", "%", "eur ", "-$", "$-", "chf")),
    st.sampled_from(("", "0", "7", "12", "345", "1234", "\u0661")),
    GROUPS,
    st.sampled_from(("", "", ".", ",", "\u066b")),
    st.sampled_from(("", "0", "5", "50", "234")),
    st.sampled_from(("", "", "e3", "E-2", "e+999999999", "e-999999998", "e")),
    st.sampled_from(("", "", "", "%", " %", "\u066a", " \u20ac", "\u20ac", " usd", " mg", "mg", " mm hg", "% x", " e")),
)
PART = st.sampled_from(("1", "3", "03", "05", "12", "13", "31", "24", "99", "2024", "1924", "0024", "5"))
MONTH = st.sampled_from(("jan", "Mar", "march", "sept", "may", "december", "Mai", "of", "th", "octo"))
MARK = st.sampled_from(("-", "/", ".", " ", ". ", ", ", "", "th ", "th, ", " of "))
TIMES = (
    "",
    "",
    "0:00",
    "00:00",
    "12:00 am",
    "12:00 p.m.",
    "1:05:09 pm",
    "10:00:00.50",
    "10:00:00,",
    "10:00z",
    "10:00 utc",
)
ODD_TIMES = (
    "10:00+02",
    "10:00 +02:00",
    "10:00-0030",
    "24:00",
    "10:60",
    "10:0",
    "10:00:0",
    "13:00 am",
    "10:00 am z",
    "1000",
)
DATES = st.builds(
    "{}{}{}".format,
    st.one_of(
        st.builds("{0}{3}{1}{3}{2}".format, PART, PART, PART, st.sampled_from("-/. ")),
        st.builds("{}{}{}{}{}".format, PART, MARK, MONTH, MARK, PART),
        st.builds("{}{}{}{}{}".format, MONTH, MARK, PART, MARK, PART),
        st.sampled_from(
            ("20240305", "19991231", "20241301", "30240305", "20240305t1000", "20240305T100000Z", "20240305t1")
        ),
    ),
    st.sampled_from(("", " ", "T", ", ", ",")),
    st.sampled_from((*TIMES, *ODD_TIMES)),
)
TEXTS = st.one_of(NUMBERS, DATES, st.text("0123,.'% e-+:/tz$mg", max_size=7), st.sampled_from(DIFFERENT))


@pytest.mark.parametrize("texts", ONE_VALUE.values(), ids=ONE_VALUE)
def test_what_may_be_one_number_or_moment_is_one_value(texts: tuple[str, ...]) -> None:
    assert len(set(merged_codes([*texts, "something else"])[:-1].tolist())) == 1


def test_what_cannot_be_the_same_stays_different() -> None:
    assert merged_codes(DIFFERENT).tolist() == list(range(len(DIFFERENT)))


@settings(deadline=None, max_examples=400)
@given(TEXTS)
def test_engine_and_verifier_find_as_many_meanings(text: str) -> None:
    assert len(readings(text)) == len(meanings(text))


@settings(deadline=None, max_examples=200)
@given(st.lists(TEXTS, max_size=20))
def test_engine_and_verifier_see_the_same_values(texts: list[str]) -> None:
    assert value_codes(texts).tolist() == merged_codes(texts).tolist()


@settings(deadline=None, max_examples=100)
@given(st.lists(TEXTS, max_size=15), st.randoms(use_true_random=False))
def test_more_texts_never_tell_two_values_apart_that_fewer_took_for_one(texts: list[str], order: random.Random) -> None:
    """So the engine, which sees the whole table, is at least as strict as the verifier, which sees the release."""
    some = [text for text in texts if order.random() < 0.6]
    fewer, more = merged_codes(some).tolist(), dict(zip(texts, merged_codes(texts).tolist(), strict=True))
    for one, first in zip(some, fewer, strict=True):
        for other, second in zip(some, fewer, strict=True):
            assert first != second or more[one] == more[other]


@settings(deadline=None, max_examples=100)
@given(st.lists(TEXTS, max_size=20))
def test_spellings_of_one_value_stay_one(texts: list[str]) -> None:
    numbers = dict(zip(map(folded, texts), merged_codes(texts).tolist(), strict=True))
    assert [numbers[folded(text)] for text in texts] == merged_codes(texts).tolist()
