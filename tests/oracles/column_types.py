"""The types of columns, text by text: the expected results of `cast_column`."""

import re
import unicodedata
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np

DETECTED = ("boolean", "integer", "decimal", "date", "datetime")
INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
LENIENT_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
DECIMAL = re.compile(r"-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
LENIENT_DECIMAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
DATETIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)


def type_cells(cells, declared=None, decimal="."):
    """Type, values, numbers (None for text and booleans) and codes of a column; the number of a row if its cell
    does not have the declared type."""
    plain = [unicodedata.normalize("NFC", cell) for cell in cells]
    type_ = declared or next((t for t in DETECTED if any(plain) and _all_of(plain, t, decimal)), "text")
    readings = [read(cell, type_, decimal, declared is not None) if cell else ("", np.nan) for cell in plain]
    if None in readings:
        return readings.index(None) + 1
    numbers = {}
    for text, number in readings:
        numbers.setdefault(text, number)
    measured = type_ not in ("text", "boolean")
    values = sorted(numbers, key=lambda text: (bool(text), numbers[text] if measured and text else 0.0, text))
    places = {text: place for place, text in enumerate(values)}
    codes = [places[text] for text, _ in readings]
    return type_, values, [numbers[text] for text in values] if measured else None, codes


def _all_of(texts, type_, decimal):
    return all(read(text, type_, decimal, False) is not None for text in texts if text)


def read(text, type_, decimal, lenient):
    """Canonical text and number of one text, or None if it is not of the type."""
    if type_ == "integer":
        return (str(int(text)), float(int(text))) if _matches(LENIENT_INTEGER if lenient else INTEGER, text) else None
    if type_ == "decimal":
        return _read_decimal(text, decimal, lenient)
    if type_ == "boolean":
        return (text, np.nan) if text in ("true", "false") else None
    if type_ == "date":
        return _read_date(text)
    if type_ == "datetime":
        return _read_datetime(text)
    return text, np.nan


def _matches(pattern, text):
    return pattern.fullmatch(text) is not None


def _read_decimal(text, decimal, lenient):
    pointed = text if decimal == "." else text.replace(".", "x").replace(decimal, ".")
    if not _matches(LENIENT_DECIMAL if lenient else DECIMAL, pointed) or not np.isfinite(float(pointed)):
        return None
    plain = format(Decimal(pointed), "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain in ("-0", "") else plain, float(pointed)


def _read_date(text):
    try:
        return (text, float((date.fromisoformat(text) - date(1970, 1, 1)).days)) if _matches(DATE, text) else None
    except ValueError:
        return None


def _read_datetime(text):
    try:
        moment = datetime.fromisoformat(text) if _matches(DATETIME, text) else None
    except ValueError:
        return None
    if moment is None:
        return None
    return text, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
