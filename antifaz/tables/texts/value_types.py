"""Value types: all that is known of the type of a column's values, one row for each type.

A row states how a text is read, what its number measures, how a computed number is written, and what the type is called
in metadata. Everything else asks for these properties, so that a new type is a row and its functions.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any, Self

import numpy as np

from antifaz.tables.texts.fast_readings import (
    Decided,
    read_dates,
    read_datetimes,
    read_decimals,
    read_integers,
    read_none,
)

Reading = tuple[str, float]
"""A value's canonical text and its number (NaN if the type has none)."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_LENIENT_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_LENIENT_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)
_END_OF_DATES = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[0-9T:.+Z -]*"
_FIRST_DAY = (date.min - date(1970, 1, 1)).days
_LAST_DAY = (date.max - date(1970, 1, 1)).days


def _read_text(text: str, decimal: str, lenient: bool) -> Reading | None:
    return text, np.nan


def _read_boolean(text: str, decimal: str, lenient: bool) -> Reading | None:
    return (text, np.nan) if text in ("true", "false") else None


def _read_integer(text: str, decimal: str, lenient: bool) -> Reading | None:
    if not (_LENIENT_INTEGER if lenient else _INTEGER).fullmatch(text):
        return None
    return str(int(text)), float(int(text))


def _read_decimal(text: str, decimal: str, lenient: bool) -> Reading | None:
    pointed = text if decimal == "." else text.replace(".", "x").replace(decimal, ".")
    if not (_LENIENT_DECIMAL if lenient else _DECIMAL).fullmatch(pointed) or not np.isfinite(float(pointed)):
        return None
    return shorten(pointed), float(pointed)


def shorten(text: str) -> str:
    """The shortest plain form of the same decimal: no exponent, no trailing zeros, other digits unchanged."""
    plain = format(Decimal(text), "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in ("-0", "") else plain


def _read_date(text: str, decimal: str, lenient: bool) -> Reading | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return text, float((date.fromisoformat(text) - date(1970, 1, 1)).days)
    except ValueError:
        return None


def _read_datetime(text: str, decimal: str, lenient: bool) -> Reading | None:
    if not _DATETIME.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return text, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _write_date(days: float) -> str:
    return (date(1970, 1, 1) + timedelta(days=round(days))).isoformat()


def _write_datetime(seconds: float) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=round(seconds))).isoformat()


@dataclass(frozen=True)
class Definition:
    """What is known of a type."""

    read: Callable[[str, str, bool], Reading | None]
    """Reads one text, given the decimal mark and whether leading zeros and plus signs are accepted, as in a declared
    column; None if it is not a value of the type. It alone decides which texts belong to the type and how they are
    written."""
    read_fast: Callable[[Any, str], Decided] = read_none
    """Reads the plain texts of a whole column in exactly the same way; the others stay undecided."""
    detected: bool = True
    """Whether a column may be recognized as of this type without a declaration; types are tried in their order here."""
    measures: str | None = None
    """What the numbers of the values count; None if values have no size. Values are sorted by their numbers, else by
    character code. Numbers that count the same are comparable. The verifier reads the same types by itself
    (`verifier/readers/sizes.py`)."""
    write: Callable[[float], str] | None = None
    """Writes a computed number, such as a mean, as a value; None if it is written as a number."""
    limits: tuple[float, float] = (-np.inf, np.inf)
    """The smallest and the largest number that can be written."""
    calendar: bool = False
    """Whether values begin with a day of the calendar, which files may write with the day or the month first."""
    end_of_range: str = ""
    """Pattern of the ends of a range, if they are no numbers."""
    hierarchy: str | None = None
    """Kind of the hierarchy that advice proposes for every column of this type, if there is one."""
    croissant: str = "sc:Text"
    """Name in Croissant metadata."""
    data_package: str = "string"
    """Name in Data Package metadata."""


_AS_WRITTEN = Definition(read=_read_text, detected=False)


class ValueType(StrEnum):
    """Type of the values of a column."""

    definition: Definition
    _value_: str

    def __new__(cls, name: str, definition: Definition = _AS_WRITTEN) -> Self:
        """Create the type of that name on the wire."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.definition = definition
        return member

    INTEGER = (
        "integer",
        Definition(
            read=_read_integer,
            read_fast=read_integers,
            measures="units",
            croissant="sc:Integer",
            data_package="integer",
        ),
    )
    DECIMAL = (
        "decimal",
        Definition(
            read=_read_decimal,
            read_fast=read_decimals,
            measures="units",
            croissant="sc:Float",
            data_package="number",
        ),
    )
    TEXT = "text"
    DATE = (
        "date",
        Definition(
            read=_read_date,
            read_fast=read_dates,
            measures="days since 1970-01-01",
            write=_write_date,
            limits=(_FIRST_DAY, _LAST_DAY),
            calendar=True,
            end_of_range=_END_OF_DATES,
            hierarchy="date",
        ),
    )
    DATETIME = (
        "datetime",
        Definition(
            read=_read_datetime,
            read_fast=read_datetimes,
            measures="seconds since 1970-01-01",
            write=_write_datetime,
            limits=(_FIRST_DAY * 86400.0, _LAST_DAY * 86400.0),
            calendar=True,
            end_of_range=_END_OF_DATES,
            hierarchy="datetime",
        ),
    )
    BOOLEAN = "boolean", Definition(read=_read_boolean, croissant="sc:Boolean", data_package="boolean")

    @cached_property
    def is_measured(self) -> bool:
        """Whether values have a size: numbers, dates and times."""
        return self.definition.measures is not None

    @cached_property
    def is_number(self) -> bool:
        """Whether values are plain numbers."""
        return self.definition.measures == "units"

    def is_comparable(self, other: "ValueType") -> bool:
        """Whether numbers of both types can be compared: not those of dates with those of years."""
        return self is other or (self.is_measured and self.definition.measures == other.definition.measures)
