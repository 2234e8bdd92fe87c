"""Spellings of one value, by hand; that the verifier sees the same is tested in
tests/verifier/verdict/test_folding.py."""

import pytest

from antifaz.tables.texts.folding import fold, fold_codes

ONE_VALUE = {
    "case": ("HIV", "hiv", "Hiv"),
    "white space": ("HIV", "HIV ", " HIV", "\tHIV\r\n", "HIV\u00a0", "\u3000HIV", "HIV\u2800"),
    "inner white space": ("type 2", "type  2", "type\u00a02", "type\u20092", "Type\n2"),
    "invisible characters": (
        "HIV",
        "H\u200bIV",
        "HIV\ufeff",
        "HI\u00adV",
        "\u202eHIV",
        "HIV\ufe0f",
        "H\u034fIV",
        "HI\x00V",
    ),
    "width": ("HIV 7", "\uff28\uff29\uff36 \uff17"),
    "composition": ("caf\u00e9", "cafe\u0301", "CAFE\u0301", "cafe\u034f\u0301"),
    "ligatures and long letters": ("Stra\u00dfe", "STRASSE", "stra\u1e9ee"),
    "whole numbers": ("7", "07", "007", "+7", "7.", "7.0", "70e-1", "0.7E1", "\u0667", "\uff17", " 7 "),
    "negative numbers": ("-5", "'-5", "\u22125", "-5.00", "-05"),
    "nothing": ("0", "-0", "0.0", ".0", "0e9", "+000"),
    "large numbers": ("100000", "1e5", "1E+05", "100000.000"),
    "moments": ("2020-01-31 10:00", "2020-01-31T10:00:00Z", "2020-01-31T12:00+02:00", "2020-01-31t10:00:00.000"),
    "midnight": ("2020-01-31", "2020-01-31T00:00", "2020-01-30T23:30-00:30", "2020-01-31 00:00:00,0"),
    "texts that a spreadsheet would run": ("=1+1", "'=1+1"),
    "missing": ("", " ", "\u200b", "\u00a0\u00a0"),
}
DIFFERENT = (
    *(
        "HIV",
        "HI V",
        "H\u0130V",
        "HIV-1",
        "HIV1",
        "\u041dIV",
        "cafe",
        "caf\u00e9",
        "",
        "0",
        "7",
        "-7",
        "70",
        "0.7",
        "7,0",
    ),
    *("2020-01-31", "2020-01-30", "2020-01-31T10:00", "2020-01-31T10:00:01", "2020-01-31T10:00:00.5", "2020-13-31"),
    *("2020-01-31T24:00", "2020-01-31T10:00+24:00", "20200131", "1e9999999999", "nan", "true", "'HIV'", "'"),
)


@pytest.mark.parametrize("spellings", ONE_VALUE.values(), ids=ONE_VALUE)
def test_spellings_of_one_value_fold_to_one(spellings: tuple[str, ...]) -> None:
    assert len(set(map(fold, spellings))) == 1


def test_values_that_read_differently_stay_different() -> None:
    assert len(set(map(fold, DIFFERENT))) == len(DIFFERENT)


def test_numbers_values_by_first_sight() -> None:
    assert fold_codes(["flu", "HIV", "Flu ", "hiv", "7", "07"]).tolist() == [0, 1, 0, 1, 2, 2]


def test_a_number_of_a_million_digits_is_folded_at_once() -> None:
    assert fold("1" + "0" * 1_000_000) == fold("1e1000000")
