"""Dates with the names of months, in several languages."""

import numpy as np
import pytest

from antifaz.tables.reading.dialect import DETECTED, Dialect
from antifaz.tables.reading.month_names import named_date
from antifaz.tables.reading.spellings import read_texts
from antifaz.tables.texts.value_types import ValueType


def read(*texts: str, declared: ValueType | None = None, dialect: Dialect = DETECTED):
    return read_texts(np.array(texts, dtype=object), declared, dialect)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("07-Jun-1970", "dd-mmm-yyyy"),
        ("7 June 1970", "dd mmm yyyy"),
        ("07/JUN/1970", "dd/mmm/yyyy"),
        ("Jun 7, 1970", "mmm dd, yyyy"),
        ("June 7 1970", "mmm dd yyyy"),
        ("7. Juni 1970", "dd. mmm yyyy"),
        ("7 juin 1970", "dd mmm yyyy"),
        ("7 de junio de 1970", "dd de mmm de yyyy"),
        ("7 de junho de 1970", "dd de mmm de yyyy"),
        ("7 giugno 1970", "dd mmm yyyy"),
        ("07-jun-1970 00:00", "dd-mmm-yyyy"),
    ],
)
def test_dates_with_the_name_of_a_month_are_dates(text, form):
    readings = read(text, "", text.replace("7", "9", 1))
    assert (readings.type, list(readings.canonical)) == (ValueType.DATE, ["1970-06-07", "", "1970-06-09"])
    assert readings.form == form
    assert read(text, declared=ValueType.DATE).canonical[0] == "1970-06-07"


@pytest.mark.parametrize(
    "text", ["jan", "märz", "août", "mayo", "dez", "des", "sept", "mrt", "ott", "déc", "gen", "out", "maj", "juil"]
)
def test_short_names_of_months_are_known(text):
    assert named_date(f"1 {text} 2020") is not None
    assert named_date(f"1 {text}x 2020") is None


@pytest.mark.parametrize(
    "texts",
    [
        ("07-Jun-1970", "31-Jun-1970"),
        ("07-Jun-1970", "unknown"),
        ("07-Jun-1970", "7 June 1970"),
        ("7 Gate 1970",),
        ("May 7 Street",),
        ("12-Mar-21",),
    ],
)
def test_other_texts_stay_texts(texts):
    readings = read(*texts)
    assert (readings.type, list(readings.canonical)) == (ValueType.TEXT, list(texts))


def test_short_years_are_read_if_the_latest_is_known():
    assert read("12-Mar-21", "01-Apr-70", dialect=Dialect(latest_year=2026)).canonical.tolist() == [
        "2021-03-12", "1970-04-01",
    ]  # fmt: skip


def test_times_of_day_are_kept():
    assert read("07-Jun-1970 10:30", "08-Jun-1970 9:05:01").canonical.tolist() == [
        "1970-06-07T10:30:00", "1970-06-08T09:05:01",
    ]  # fmt: skip
