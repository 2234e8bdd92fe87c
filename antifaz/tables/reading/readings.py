"""Readings: the texts of a column as values of a type.

The `Reader` of a type reads one text; it alone decides which texts belong to the type and how they are written.
`fast_readings` reads a whole column at a time. Texts that it leaves undecided go to the reader one by one, so both ways
agree on every text.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.reading.fast_readings import pack, read_fast
from antifaz.tables.table import ValueType

Reading = tuple[str, float]
"""A value's canonical text and its number (NaN if the type has none)."""
Reader = Callable[[str], Reading | None]
"""Reads one value, or returns None if it does not belong to the type."""

DETECTED = (ValueType.BOOLEAN, ValueType.INTEGER, ValueType.DECIMAL, ValueType.DATE, ValueType.DATETIME)
"""Types that are tried, in this order, if none is declared."""


@dataclass(frozen=True)
class Readings:
    """The texts of a column, each read as a value of one type."""

    type: ValueType
    canonical: NDArray[np.object_]
    numbers: NDArray[np.float64]
    strange: NDArray[np.int64]
    """Positions of the texts that do not belong to the type."""
    form: str = ""
    """How the texts were written, if they had to be converted to plain form first."""
    marks: frozenset[str] = frozenset()
    """Texts that marked a missing value."""


def read_declared(texts: NDArray[np.object_], type_: ValueType, decimal: str = ".") -> Readings:
    """Every text as a value of a declared type, which also accepts leading zeros and plus signs."""
    if type_ is ValueType.TEXT:
        return Readings(type_, texts, np.full(len(texts), np.nan), np.zeros(0, dtype=np.int64))
    return _read(texts, pack(texts), type_, decimal, lenient=True)


def read_detected(texts: NDArray[np.object_], decimal: str = ".") -> Readings:
    """Every text as a value of the narrowest type that all but the empty one belong to."""
    some = next(filter(None, texts), None)
    likely = [type_ for type_ in DETECTED if some and reader_of(type_, decimal, lenient=False)(some)]
    packed = pack(texts) if likely else None
    for type_ in likely:
        readings = _read(texts, packed, type_, decimal, lenient=False)
        if not len(readings.strange):
            return readings
    return read_declared(texts, ValueType.TEXT)


def detect_type(texts: Sequence[str], decimal: str = ".") -> ValueType:
    """The narrowest type that every text but the empty one belongs to."""
    return read_detected(np.array(texts, dtype=object), decimal).type


def read_number(type_: ValueType, text: str) -> float | None:
    """The number of a released value of a measured type, or None if the text is not one."""
    type_ = ValueType.DECIMAL if type_ is ValueType.INTEGER else type_
    reading = reader_of(type_, ".", lenient=True)(text)
    return None if reading is None or np.isnan(reading[1]) else reading[1]


def _read(texts: NDArray[np.object_], packed: Any, type_: ValueType, decimal: str, lenient: bool) -> Readings:
    """The readings of all texts; unless lenient, only up to the first text that does not belong to the type."""
    canonical, numbers = texts.copy(), np.full(len(texts), np.nan)
    decided = read_fast(packed, type_, decimal, canonical, numbers)
    read, strange = reader_of(type_, decimal, lenient), []
    for place in np.flatnonzero(~decided):
        reading = read(texts[place])
        if reading is not None:
            canonical[place], numbers[place] = reading
            continue
        strange.append(place)
        if not lenient:
            break
    return Readings(type_, canonical, numbers, np.array(strange, dtype=np.int64))


def reader_of(type_: ValueType, decimal: str, lenient: bool) -> Reader:
    """The reader of a type; a declared type also accepts leading zeros and plus signs."""
    match type_:
        case ValueType.INTEGER:
            return lambda text: _read_integer(text, lenient)
        case ValueType.DECIMAL:
            return lambda text: _read_decimal(text, decimal, lenient)
        case ValueType.BOOLEAN:
            return lambda text: (text, np.nan) if text in ("true", "false") else None
        case ValueType.DATE:
            return _read_date
        case ValueType.DATETIME:
            return _read_datetime
        case _:
            return lambda text: (text, np.nan)


INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
LENIENT_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
DECIMAL = re.compile(r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
LENIENT_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)


def _read_integer(text: str, lenient: bool) -> Reading | None:
    if not (LENIENT_INTEGER if lenient else INTEGER).fullmatch(text):
        return None
    return str(int(text)), float(int(text))


def _read_decimal(text: str, decimal: str, lenient: bool) -> Reading | None:
    pointed = text if decimal == "." else text.replace(".", "x").replace(decimal, ".")
    if not (LENIENT_DECIMAL if lenient else DECIMAL).fullmatch(pointed) or not np.isfinite(float(pointed)):
        return None
    return shorten(pointed), float(pointed)


def shorten(text: str) -> str:
    """The shortest plain form of the same decimal: no exponent, no trailing zeros, other digits unchanged."""
    plain = format(Decimal(text), "f")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    return "0" if plain in ("-0", "") else plain


def _read_date(text: str) -> Reading | None:
    if not DATE.fullmatch(text):
        return None
    try:
        return text, float((date.fromisoformat(text) - date(1970, 1, 1)).days)
    except ValueError:
        return None


def _read_datetime(text: str) -> Reading | None:
    if not DATETIME.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return text, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
