"""Notations of one number or moment, by hand; tests/verifier/verdict/test_notations.py compares with the verifier."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from antifaz.errors import Infeasible
from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import persons
from antifaz.policy.parse import parse_policy
from antifaz.tables.guarantees.l_diversity import LDiversity
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.methods.generalize import Generalize
from antifaz.tables.texts.folding import fold_number
from antifaz.tables.texts.notations import _WAYS, SLICE, _may_have_readings, _moments, _numbers, _ways, value_codes
from antifaz.tables.texts.value_types import ValueType
from antifaz.watch import unwatched
from tests.antifaz.protection_samples import encoded

ONE_VALUE = {
    "thousands": ("1234", "1,234", "1 234", "1'234", "1\u202f234", "1\u2019234", "1\u066c234", "+1,234.0", "1.234e3"),
    "points between thousands": ("1234567", "1.234.567", "1,234,567", "1.234.567,00", "1234567.0"),
    "thousands of another country": ("100000", "1,00,000", "100,000", "100 000"),
    "digits of another script": ("1234", "\u0661\u066c\u0662\u0663\u0664", "\uff11,\uff12\uff13\uff14"),
    "decimal comma": ("2.5", "2,5", "2,50", "\u0662\u066b\u0665", "25e-1"),
    "either": ("1,234", "1234", "1.234"),
    "percentages": ("5%", "5 %", "5\u00a0%", "% 5", "5,0 %", "0.05", "5", "\u0665\u066a", "\uff15\uff05"),
    "currencies": ("1000", "1,000 \u20ac", "$1,000", "EUR 1.000,00", "1'000 CHF", "$ 1000"),
    "negative amounts": ("-1000", "-$1,000", "\u22121 000", "-1.000,0 \u20ac"),
    "units": ("5 mg", "5mg", "5.0 mg", "5,0 MG", "05 mg"),
    "days": (
        *("2024-03-05", "2024/03/05", "2024.3.5", "2024-3-5", "20240305", "05.03.2024", "5.3.24", "5/3/2024"),
        *(
            "3/5/2024",
            "5-3-2024",
            "5 Mar 2024",
            "5. March 2024",
            "March 5th, 2024",
            "5-Mar-24",
            "2024 Mar 5",
            "5th of march 2024",
        ),
        *("2024-03-05T00:00", "05.03.2024 00:00:00", "3/5/2024 12:00 AM", "20240305T000000Z", "5 Mar 2024, 0:00 GMT"),
    ),
    "moments": (
        *("2024-03-05 15:30", "05.03.2024 15:30", "3/5/2024, 3:30 PM", "5 Mar 2024 16:30+01:00", "20240305T153000"),
        *("5th of march 2024 15:30 utc",),
    ),
}
DIFFERENT = (
    *("1,234", "1,235", "12,34", "1,2345", "1.234.56", "1,23,4", "0,123", "-1,234", "1 23"),
    *("7%", "700 %", "0.7 %", "70%", "3 mg", "3 g", "3 mg/l", "mg 3", "1%2"),
    *("2024-03-05", "2024-03-06", "05.03.2023", "31.02.2024", "5 Mai 2024", "5 Mar", "Mar 2024", "2024-03-05 15:30"),
    *("2024-03-05 13:00 AM", "3/5/2024 3:31 PM", "1/2/3", "5/13/24/1", "20241301", "flu", "flu 2,5", "a1", "*", ""),
)


@pytest.mark.parametrize("texts", ONE_VALUE.values(), ids=ONE_VALUE)
def test_what_may_be_one_number_or_moment_is_one_value(texts):
    assert len(set(value_codes([*texts, "something else"])[:-1].tolist())) == 1


def test_what_cannot_be_the_same_stays_different():
    assert value_codes(DIFFERENT).tolist() == list(range(len(DIFFERENT)))


PIECES = (
    "5",
    "12",
    "2024",
    "1,234",
    "mar",
    "may",
    "march",
    "of",
    "th",
    "eur",
    "usd",
    "$",
    "\u20ac",
    "%",
    "-",
    "+",
    "t",
)


@given(st.lists(st.sampled_from([*PIECES, "t", ".", ",", "'", "/", ":", " ", "mg", "e", "x", "z", "am"]), max_size=7))
@example(["of", " ", "mar", " ", "5", " ", "2024"])
@example(["\u20ac", " ", "5"])
@example(["-", "$", "5"])
def test_a_text_that_is_passed_over_by_its_beginning_has_no_reading(pieces):
    plain = " ".join("".join(pieces).split())
    assert _may_have_readings(plain) or not [form for form in (*_numbers(plain), *_moments(plain)) if form]


def test_ordinary_texts_are_passed_over():
    assert not any(map(_may_have_readings, ("disease 17", "x5", "flu", "", "*", "m5.1 rheumatoid", "covid-19")))


def test_the_shares_1_and_100_percent_are_two_values_unless_a_bare_1_may_be_either():
    assert len(set(value_codes(["1%", "100%", "0.01%"]).tolist())) == 3
    assert len(set(value_codes(["1%", "100%", "1"]).tolist())) == 1


def test_a_column_of_plain_numbers_has_decimal_points():
    assert value_codes(["1.234", "1234", "", "*", "1.2340"]).tolist() == [0, 1, 2, 3, 0]
    assert value_codes(["1.234", "1234", "unknown"]).tolist() == [0, 0, 1]


def test_a_declared_spelling_settles_what_is_ambiguous(table_of):
    table = table_of({"d": ["1.234", "1234"]}, {"d": "sensitive"}, d={"type": ValueType.DECIMAL})
    assert len(table.attribute("d").folded.column.values) == 2


def test_diversity_is_not_made_of_notations(table_of):
    table = table_of({"q": ["a"] * 3, "d": ["1,234 \u20ac", "1.234 \u20ac", "1234 \u20ac"]}, {"d": "sensitive"})
    with pytest.raises(Infeasible):
        Generalize().apply(table, [LDiversity(l=2, attribute="d")], np.random.default_rng(1), unwatched)
    honest = table_of({"q": ["a"] * 3, "d": ["1,234 \u20ac", "1.235 \u20ac", "1234 \u20ac"]}, {"d": "sensitive"})
    Generalize().apply(honest, [LDiversity(l=2, attribute="d")], np.random.default_rng(1), unwatched)


def test_closeness_must_hold_for_notations_as_written_too(table_of):
    cells = {"q": list("aabb"), "d": ["5 mg", "6 mg", "5.0mg", "6.0mg"]}
    table, close = table_of(cells, {"d": "sensitive"}), TCloseness(t=0.2, attribute="d", distance="equal")
    with pytest.raises(Infeasible):
        Generalize().apply(table, [close], np.random.default_rng(1), unwatched)


def test_people_are_not_merged_by_notations():
    """Which records are one person's must not depend on other people's cells."""
    policy = parse_policy(
        {
            "kind": "table",
            "attributes": {"who": {"role": "identifier"}, "age": {"role": "quasi_identifier"}},
            "privacy_unit": "who",
            "guarantees": [{"model": "k_anonymity", "k": 2}],
            "method": {"name": "mondrian"},
        }
    )
    data = Dataset((encoded("who", ["1,234", "1234", "1.234", "01234"]), encoded("age", list("1234"))), 4)
    assert len(set(persons(data, policy).tolist())) == 3


def test_values_are_read_in_slices_with_a_watch():
    texts = [f"{number} mg" for number in range(2 * SLICE + 1)]
    looks = []
    codes = value_codes(texts, lambda done: bool(looks.append(done)))
    assert len(looks) == 6
    assert codes.tolist() == list(range(len(texts)))


@given(st.text(alphabet="0123456789,.' e-", max_size=12))
@example("1,234.5")
@example("1 234,5")
@example("1.234'567")
def test_the_ways_that_are_tried_find_what_all_ways_find(amount):
    every = set()
    for way in _WAYS.values():
        if match := way.fullmatch(amount):
            sign, whole, part, bare, power = match.groups(default="")
            digits = "".join(character for character in whole if character.isdigit()) or "0"
            every.add(fold_number(f"{sign}{digits}.{part or bare}e{int(power or 0)}"))
    assert set(_ways(amount)) == every - {""}
