"""Spellings: convert texts as people write them to the plain form that the readers of types know.

A column is first read unchanged. If that gives text, its cells may be dates in another order, or numbers with marks
between thousands: one way of writing must then fit every cell. If two ways fit, there is no guess: the column stays
text, and its form names the two to choose from. Every step handles all texts of a column together.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antifaz.tables.reading.dialect import ISO, OFTEN_MISSING, SURELY_MISSING, THOUSANDS, DateForm, Dialect
from antifaz.tables.reading.month_names import named_date
from antifaz.tables.reading.readings import Readings, read_declared, read_detected
from antifaz.tables.texts.fast_readings import calendar_days, pack
from antifaz.tables.texts.value_types import ValueType

_LIKE_A_DATE = re.compile(r"[0-9]{1,4}([-/.])[0-9]{1,2}\1(?P<last>[0-9]{1,4})(?:[T ,].*)?", re.DOTALL)
_LIKE_A_NUMBER = re.compile(r"[+-]?[0-9].*", re.DOTALL)
_BLANKS = frozenset(" " * width for width in range(1, 9))
_FEW = 100
EITHER = " or "
"""Separator of the two forms that a column fits."""


@dataclass(frozen=True)
class Respelled:
    """Texts in plain form, if they fit one way of writing."""

    texts: NDArray[np.object_]
    fits: NDArray[np.bool_]
    form: str


def read_texts(texts: NDArray[np.object_], declared: ValueType | None, dialect: Dialect) -> Readings:
    """Every text as a value of the declared type, or of the narrowest one that fits all."""
    if dialect.is_plain:
        return read_declared(texts, declared, dialect.decimal) if declared else read_detected(texts, dialect.decimal)
    if declared is ValueType.TEXT:
        return _read_as_text(texts, dialect.missing or frozenset())
    known, marks = _blank_missing(texts, SURELY_MISSING | OFTEN_MISSING if dialect.missing is None else dialect.missing)
    known = _trim(known)
    readings = _read_as(known, declared, dialect) if declared else _read_any(known, dialect)
    if readings.type is not ValueType.TEXT:
        return replace(readings, marks=marks)
    sure = SURELY_MISSING if dialect.missing is None else dialect.missing
    return replace(_read_as_text(texts, sure), form=readings.form)


def _read_as_text(texts: NDArray[np.object_], marks: frozenset[str]) -> Readings:
    known, found = _blank_missing(texts, marks)
    return replace(read_declared(known, ValueType.TEXT), marks=found)


def _read_any(texts: NDArray[np.object_], dialect: Dialect) -> Readings:
    """The texts unchanged, or in the one other spelling that fits all of them."""
    readings = read_detected(texts, dialect.decimal)
    return readings if readings.type is not ValueType.TEXT else _read_respelled(texts, dialect) or readings


def _blank_missing(texts: NDArray[np.object_], marks: frozenset[str]) -> tuple[NDArray[np.object_], frozenset[str]]:
    """The texts with every mark of a missing cell, and every blank text, emptied; and the marks that occur."""
    if not marks:
        return texts, marks
    mask = np.fromiter(map((marks | _BLANKS).__contains__, texts), np.bool_, len(texts))
    if not mask.any():
        return texts, frozenset()
    return np.where(mask, "", texts), frozenset(texts[mask]) - _BLANKS


def _trim(texts: NDArray[np.object_]) -> NDArray[np.object_]:
    """The texts without blanks around them, as numbers and dates are read."""
    first = next(filter(None, texts), "")
    if not _LIKE_A_NUMBER.match(first.strip()):
        return texts
    return np.array(list(map(str.strip, texts)), dtype=object)


# --- one type --------------------------------------------------------------------------------------------------------


def _read_as(texts: NDArray[np.object_], type_: ValueType, dialect: Dialect) -> Readings:
    """The texts by a declared type and by the spelling that leaves the fewest strange ones."""
    readings = read_declared(texts, type_, dialect.decimal)
    best = readings
    for respelled in _spellings(texts, type_, dialect) if len(readings.strange) else ():
        tried = read_declared(respelled.texts, type_, "." if type_.is_number else dialect.decimal)
        if len(tried.strange) < len(best.strange):
            best = replace(tried, form=respelled.form)
        elif best is not readings and len(tried.strange) == len(best.strange) and type_.definition.calendar:
            return replace(readings, form=f"{best.form}{EITHER}{respelled.form}")
    return best


def _spellings(texts: NDArray[np.object_], type_: ValueType, dialect: Dialect) -> Iterator[Respelled]:
    if type_.is_number:
        yield from _as_numbers(texts, dialect)
    elif type_.definition.calendar:
        yield from _as_any_dates(texts, dialect)


# --- any type --------------------------------------------------------------------------------------------------------


def _read_respelled(texts: NDArray[np.object_], dialect: Dialect) -> Readings | None:
    """The texts read in the one spelling that fits all of them; None if none fits, text if two fit."""
    first = next(filter(None, texts), "")
    if not _LIKE_A_NUMBER.fullmatch(first) and named_date(first) is None:
        return None
    found = [respelled for respelled in _as_any_dates(texts, dialect) if respelled.fits.all()]
    if len(found) > 1:
        form = EITHER.join(respelled.form for respelled in found[:2])
        return replace(read_declared(texts, ValueType.TEXT), form=form)
    found = found or [n for n in _as_numbers(texts, dialect) if n.fits.all() and _is_amount(texts, n)]
    if not found:
        return None
    readings = read_detected(found[0].texts)
    return None if readings.type is ValueType.TEXT else replace(readings, form=found[0].form)


def _is_amount(texts: NDArray[np.object_], respelled: Respelled) -> bool:
    """Whether marked numbers are amounts: codes such as phone numbers are grouped too, but all have the same length."""
    given = [len(text) for text in respelled.texts if text]
    marked = int(np.count_nonzero(respelled.texts != texts))
    has_fractions = any("." in text for text in respelled.texts[:_FEW])
    return len(given) == 1 or len(set(given)) > 1 or (has_fractions and marked > 0)


# --- dates -----------------------------------------------------------------------------------------------------------


def _as_any_dates(texts: NDArray[np.object_], dialect: Dialect) -> Iterator[Respelled]:
    """The texts as dates in every form in which the first one can be read."""
    first = next(filter(None, texts), "")
    named = named_date(first)
    if named is None:
        yield from (_as_dates(texts, form, dialect) for form in _forms(texts, dialect))
        return
    dates = zip(texts, map(named_date, texts), strict=True)
    numbered = [date.text if date is not None and date.form == named.form else text for text, date in dates]
    form = DateForm("dmy", "-", named.year_digits)
    yield replace(_as_dates(np.array(numbered, dtype=object), form, dialect), form=named.form)


def _forms(texts: NDArray[np.object_], dialect: Dialect) -> list[DateForm]:
    """The forms in which the first text can be read as a date; only the declared form, if there is one."""
    if dialect.dates is not None:
        return [] if dialect.dates == ISO else [dialect.dates]
    first = next((text for text in texts if text), "")
    found = _LIKE_A_DATE.fullmatch(first)
    if found is None:
        return []
    separator, lengths = found[1], [len(part) for part in re.split(r"[-/.]", first[: found.end("last")])]
    if lengths[0] == 4:
        return [DateForm("ymd", separator)] if lengths[2] <= 2 else []
    if lengths[2] == 4:
        return _ordered(separator, 4, dialect.day_first)
    return _ordered(separator, 2, dialect.day_first) if lengths[2] == 2 and dialect.latest_year is not None else []


def _ordered(separator: str, years: int, day_first: bool | None) -> list[DateForm]:
    """The possible orders; dates with points start with the day."""
    if separator == "." or day_first is True:
        return [DateForm("dmy", separator, years)]
    if day_first is False:
        return [DateForm("mdy", separator, years)]
    orders = ("dmy", "mdy") if years == 4 else ("dmy", "mdy", "ymd")
    return [DateForm(order, separator, years) for order in orders]


def _as_dates(texts: NDArray[np.object_], form: DateForm, dialect: Dialect) -> Respelled:
    """The texts in ISO form, if they are calendar dates in this form.

    If every time of day is midnight, as spreadsheets write dates, the times are dropped.
    """
    packed = pack(texts)
    if not pa.types.is_large_string(packed.type) or (form.year_digits == 2 and dialect.latest_year is None):
        return Respelled(texts, np.zeros(len(texts), dtype=np.bool_), form.name)
    found = pc.extract_regex(packed, form.pattern)
    matched = np.array(found.is_valid())
    fields = found.drop_null()
    years = _pad(fields, "year", form.year_digits)
    if form.year_digits == 2:
        years = _expand_years(years, int(dialect.latest_year or 0))
    month, day = _pad(fields, "month", 2), _pad(fields, "day", 2)
    _, valid = calendar_days(years, month, day)
    days = pc.binary_join_element_wise(years, month, day, pa.scalar("-", pa.large_string()))
    moments = _with_times(days, fields)
    fits, respelled = texts == "", texts.copy()
    chosen = matched.copy()
    chosen[matched] = valid
    respelled[chosen] = np.array(moments.to_pylist(), dtype=object)[valid]
    return Respelled(respelled, fits | chosen, form.name)


def _pad(fields: Any, name: str, width: int) -> Any:
    return pc.utf8_lpad(fields.field(name).cast(pa.large_string()), width, "0")


def _expand_years(years: Any, latest: int) -> Any:
    """Two-digit years as full years, within the hundred years that end with the latest one."""
    short = pc.cast(years, pa.int64()).to_numpy(zero_copy_only=False)
    full = latest - (latest - short) % 100
    return pc.utf8_lpad(pa.array(full).cast(pa.large_string()), 4, "0")


def _with_times(days: Any, fields: Any) -> Any:
    """Days with their times of day, if any of these is not midnight."""
    clock = [_pad(fields, part, 2) for part in ("hour", "minute")]
    seconds = pc.if_else(pc.equal(fields.field("second"), ""), "00", fields.field("second")).cast(pa.large_string())
    timed = pc.not_equal(fields.field("hour"), "")
    times = pc.binary_join_element_wise(*clock, seconds, pa.scalar(":", pa.large_string()))
    late = pc.and_(timed, pc.not_equal(times, "00:00:00"))
    if not pc.any(late).as_py():
        return days
    moments = pc.binary_join_element_wise(days, times, pa.scalar("T", pa.large_string()))
    return pc.if_else(timed, moments, days)


# --- numbers ---------------------------------------------------------------------------------------------------------


def _as_numbers(texts: NDArray[np.object_], dialect: Dialect) -> Iterator[Respelled]:
    """The texts without marks between thousands and with a decimal point, for every possible mark."""
    packed = pack(texts)
    if dialect.thousands == "" or not pa.types.is_large_string(packed.type):
        return
    marks = (" ", "'", ",", ".") if dialect.thousands is None else (dialect.thousands,)
    for mark in marks:
        if mark != dialect.decimal:
            yield _without_marks(texts, packed, mark, dialect.decimal)


def _without_marks(texts: NDArray[np.object_], packed: Any, mark: str, decimal: str) -> Respelled:
    characters, point = f"[{re.escape(THOUSANDS[mark])}]", re.escape(decimal)
    grouped = rf"\A[+-]?[0-9]{{1,3}}(?:{characters}[0-9]{{3}})+(?:{point}[0-9]+)?\z"
    single = rf"\A[+-]?[0-9]+(?:{point}[0-9]+)?\z"
    marked = np.array(pc.match_substring_regex(packed, grouped))
    plain = np.array(pc.match_substring_regex(packed, single))
    respelled = texts.copy()
    bare = pc.replace_substring_regex(packed.filter(pa.array(marked)), characters, "")
    respelled[marked] = pc.replace_substring(bare, decimal, ".").to_numpy(zero_copy_only=False)
    if decimal != ".":
        rest = packed.filter(pa.array(plain & ~marked))
        respelled[plain & ~marked] = pc.replace_substring(rest, decimal, ".").to_numpy(zero_copy_only=False)
    example = f"1{mark}234{decimal}56"
    return Respelled(respelled, marked | plain | (texts == ""), example)
