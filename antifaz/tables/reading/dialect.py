"""Dialect: how the cells of a file are written, as its uploader declares; the rest is detected.

People write dates with the day or the month first, numbers with marks between thousands, and missing values as `N/A`. A
dialect declares this for a whole file or for one column. `PLAIN` is how the engine itself writes values.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from antifaz.tables.texts.value_types import ValueType

SURELY_MISSING = frozenset(
    {"N/A", "n/a", "#N/A", "NULL", "null", "<NA>", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!"}
)
"""Texts that mean a missing cell in any column."""
OFTEN_MISSING = frozenset(
    {
        *("NA", "na", "NaN", "nan", "None", "none", "NONE", "nil", "-", "--", "---", "–", "—", "?", ".", "..", "..."),
        *("ND", "nd", "n.d.", "N.D.", "s/d", "S/D", "s.d.", "k.A.", "k. A.", "#"),
    }
)
"""Texts that mean a missing cell if every other cell is a number, a date or a truth value; else they may be values."""
THOUSANDS = {" ": " \u00a0\u2009\u202f", "'": "'\u2019", ".": ".", ",": ","}
"""Marks between thousands, and the characters that are written for each."""

_ORDERS = ("dmy", "mdy", "ymd", "ydm")
_LETTERS = {"d": "day", "m": "month", "y": "year"}
_FORM = re.compile(
    r"(?P<date>[dmyDMY]{1,4}([-/. ]?)[dmyDMY]{1,2}\2[dmyDMY]{1,4})(?:[T ][hH]{1,2}:[mM]{2}(?::[sS]{2})?)?"
)
_TIME = r"(?:(?:T| ?, ?| +)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?)?"


@dataclass(frozen=True)
class DateForm:
    """One way to write dates: the order of day, month and year, the separator, and the number of year digits."""

    order: str
    separator: str
    year_digits: int = 4

    @classmethod
    def of(cls, text: str) -> "DateForm | None":
        """The form that a text such as ``dd/mm/yyyy`` describes; None if it describes none."""
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        date, separator = found["date"].lower(), found[2]
        parts = re.findall(r"d+|m+|y+", date)
        order = "".join(part[0] for part in parts)
        years = len(next((part for part in parts if part[0] == "y"), ""))
        if order not in _ORDERS or years not in (2, 4) or any(len(part) > 2 for part in parts if part[0] != "y"):
            return None
        return cls(order, separator, years)

    @property
    def name(self) -> str:
        """The form as people describe it."""
        parts = ["yyyy"[: self.year_digits] if letter == "y" else letter * 2 for letter in self.order]
        return self.separator.join(parts)

    @cached_property
    def pattern(self) -> str:
        """Regular expression for a date in this form, with or without a time of day."""
        # Without a separator, only fixed widths show where a part ends.
        short = "[0-9]{1,2}" if self.separator else "[0-9]{2}"
        widths = {"d": short, "m": short, "y": f"[0-9]{{{self.year_digits}}}"}
        parts = [f"(?P<{_LETTERS[letter]}>{widths[letter]})" for letter in self.order]
        return r"\A" + re.escape(self.separator).join(parts) + _TIME + r"\z"


ISO = DateForm("ymd", "-")


@dataclass(frozen=True)
class ColumnDialect:
    """Declarations for one column."""

    type: ValueType | None = None
    form: DateForm | None = None


@dataclass(frozen=True)
class Dialect:
    """Declarations for a file; None means "detect"."""

    decimal: str = "."
    thousands: str | None = None
    """Mark between thousands; empty if there is none."""
    dates: DateForm | None = None
    missing: frozenset[str] | None = None
    """Texts that mean a missing cell, in every column."""
    latest_year: int | None = None
    """Last possible year of a date whose year has two digits; without it such dates are not read."""
    day_first: bool | None = None
    """Whether dates that could have the day or the month first have the day first; None if unknown."""
    columns: Mapping[str, ColumnDialect] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to detect or to convert to plain form."""
        return self.dates == ISO and self.thousands == "" and self.missing == frozenset() and not self.columns

    def of(self, name: str) -> "Dialect":
        """The dialect of one column."""
        stated = self.columns.get(name)
        return self if stated is None or stated.form is None else replace(self, dates=stated.form)

    def type_of(self, name: str) -> ValueType | None:
        """The declared type of a column, if any; a column with a date form holds dates."""
        stated = self.columns.get(name)
        if stated is None:
            return None
        return stated.type or (None if stated.form is None else ValueType.DATE)


DETECTED = Dialect()
"""Detect everything."""
PLAIN = Dialect(thousands="", dates=ISO, missing=frozenset())
"""As the engine writes: ISO dates, decimal points, no marks, and an empty text for a missing value."""
