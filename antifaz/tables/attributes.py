"""Attributes: from the texts of a column and what a policy says of it to an `Attribute`.

Everything here works on the distinct values of a column, never on its rows. Types are detected where the policy leaves
them out: integer, decimal, boolean (`true`, `false`), date and datetime in ISO form, else text. Numbers with leading
zeros are identifiers in disguise (postal codes, record numbers) and stay text.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.tables.table import Attribute, Column, Recoding, Role, ValueType

Reading = tuple[str, float]
"""A value's canonical text and its number (NaN where the type has none)."""
Reader = Callable[[str], Reading | None]
"""Reads one value, or answers None where it does not belong to the type."""

DETECTED = (ValueType.BOOLEAN, ValueType.INTEGER, ValueType.DECIMAL, ValueType.DATE, ValueType.DATETIME)
"""The types that are tried, in this order, where none is declared."""
MEASURED = frozenset({ValueType.INTEGER, ValueType.DECIMAL, ValueType.DATE, ValueType.DATETIME})
NUMERIC_RECODINGS = frozenset({Recoding.RANGE, Recoding.MEAN, Recoding.MEDIAN, Recoding.BOUNDS})


class AttributeSettings(BaseModel):
    """What a policy says of one column."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    role: Role
    """What the column means for privacy; identifiers are never released as they are."""
    pseudonym: bool = False
    """Whether an identifier is released as a keyed pseudonym, so that the rows of one person can be told to belong
    together; the key dies with the dataset. For identifiers only."""
    type: ValueType | None = None
    """What the values are; detected where it is left out."""
    recoding: Recoding | None = None
    """How a class's values are written; by default a range for numbers and dates, an ancestor with a hierarchy, else a
    set. For quasi-identifiers only."""
    missing: Literal["own_value", "reject", "suppress_row"] = "own_value"
    """How an empty cell counts: as a value of its own, as an error, or as a reason to leave the row out."""
    order: list[str] | None = None
    """The order of a text column's values, lowest first; by default that of their characters. For quasi-identifiers and
    sensitive columns."""


def cast_column(
    name: str,
    texts: Sequence[str] | NDArray[np.object_],
    codes: NDArray[np.int32],
    declared: ValueType | None = None,
    decimal: str = ".",
) -> Column:
    """A column from its distinct texts and the index of each row's text.

    Texts are put in Unicode form NFC; those that mean the same value become one. Raises `InvalidDataset` with the first
    offending row where a value is not of the declared type.
    """
    plain = [unicodedata.normalize("NFC", text) for text in texts]
    used = np.flatnonzero(np.bincount(codes, minlength=len(plain)))
    known = [plain[index] for index in used]
    type_ = declared or detect_type(known, decimal)
    readings = _read(known, _reader(type_, decimal, declared is not None))
    _refuse_mismatch(name, codes, used, readings, type_)
    canonical = np.array([reading[0] for reading in readings if reading is not None], dtype=object)
    numbers = np.array([reading[1] for reading in readings if reading is not None], dtype=np.float64)
    return _sort_values(name, type_, codes, used, len(plain), canonical, numbers)


def detect_type(texts: Sequence[str], decimal: str = ".") -> ValueType:
    """The narrowest type that every text but the empty one belongs to."""
    known = [text for text in texts if text]
    for type_ in DETECTED if known else ():
        reader = _reader(type_, decimal, lenient=False)
        if all(reader(text) is not None for text in known):
            return type_
    return ValueType.TEXT


def _read(texts: Sequence[str], reader: Reader) -> list[Reading | None]:
    return [reader(text) if text else ("", np.nan) for text in texts]


def _reader(type_: ValueType, decimal: str, lenient: bool) -> Reader:
    """How values of a type are read; a declared type also takes leading zeros and plus signs."""
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


def read_number(type_: ValueType, text: str) -> float | None:
    """The number of a released value of a measured type, or None where the text is not one."""
    type_ = ValueType.DECIMAL if type_ is ValueType.INTEGER else type_
    reading = _reader(type_, ".", lenient=True)(text)
    return None if reading is None or np.isnan(reading[1]) else reading[1]


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
    """The shortest plain way to write the same decimal: no exponent, no trailing zeros, digits otherwise as given."""
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


def _refuse_mismatch(
    name: str, codes: NDArray[np.int32], used: NDArray[np.int64], readings: list[Reading | None], type_: ValueType
) -> None:
    strange = [used[index] for index, reading in enumerate(readings) if reading is None]
    if strange:
        rows = np.flatnonzero(np.isin(codes, strange))
        detail = f"{len(rows)} cells of the column are not of type {type_.value}"
        raise InvalidDataset("type_mismatch", detail, column=name, row=int(rows[0]) + 1)


def _sort_values(
    name: str,
    type_: ValueType,
    codes: NDArray[np.int32],
    used: NDArray[np.int64],
    size: int,
    canonical: NDArray[np.object_],
    numbers: NDArray[np.float64],
) -> Column:
    """Merge equal values, sort them by the type's order with the missing one first, and renumber the codes."""
    measured = type_ in MEASURED
    values, first, places = np.unique(canonical, return_index=True, return_inverse=True)
    weights = np.nan_to_num(numbers[first], nan=-np.inf) if measured else np.zeros(len(values))
    order = np.argsort(weights, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    lookup = np.zeros(size, dtype=np.int32)
    lookup[used] = rank[places]
    renumbered = lookup[codes] if size else np.zeros(0, dtype=np.int32)
    return Column(name, type_, renumbered, values[order], numbers[first][order] if measured else None)


def resolve_attribute(column: Column, settings: AttributeSettings, hierarchy: Hierarchy | None) -> Attribute:
    """The column with its role, recoding and hierarchy, checked against one another and against its values."""
    _refuse_missing(column, settings)
    column = order_column(column, settings.order)
    recoding = choose_recoding(column, settings, hierarchy)
    generalization = hierarchy.resolve(column.name, column.values, column.numbers) if hierarchy else None
    return Attribute(column, settings.role, recoding, generalization)


def _refuse_missing(column: Column, settings: AttributeSettings) -> None:
    if settings.missing == "reject" and column.missing >= 0:
        row = int(np.argmax(column.codes == column.missing)) + 1
        raise InvalidDataset("missing_value", "an empty cell, which the policy rejects", column=column.name, row=row)


def order_column(column: Column, order: Sequence[str] | None) -> Column:
    """The column with its text values in a stated order; the missing value stays first."""
    if order is None:
        return column
    if column.numbers is not None:
        raise InvalidPolicy(point_to(column.name, "order"), "only text has an order to state")
    ranks = {unicodedata.normalize("NFC", text): rank for rank, text in enumerate(order)}
    unplaced = sum(1 for value in column.values if value and value not in ranks)
    if unplaced:
        detail = f"{unplaced} distinct values have no place in the stated order"
        raise InvalidDataset("unknown_value", detail, column=column.name)
    walk = np.argsort([ranks.get(value, -1) if value else -1 for value in column.values], kind="stable")
    places = np.empty(len(walk), dtype=np.int32)
    places[walk] = np.arange(len(walk), dtype=np.int32)
    return replace(column, codes=places[column.codes], values=column.values[walk])


def choose_recoding(column: Column, settings: AttributeSettings, hierarchy: Hierarchy | None) -> Recoding | None:
    """The recoding that the policy states, or the default of the type; `InvalidPolicy` where it does not fit."""
    pointer = point_to(column.name, "recoding")
    if settings.role is not Role.QUASI_IDENTIFIER:
        if settings.recoding is not None:
            raise InvalidPolicy(pointer, "only quasi-identifiers are recoded")
        return None
    if settings.recoding is None:
        if hierarchy is not None:
            return Recoding.ANCESTOR
        return Recoding.RANGE if column.numbers is not None else Recoding.SET
    if settings.recoding in NUMERIC_RECODINGS and column.numbers is None:
        detail = f"{settings.recoding.value} needs numbers or dates, and the column is {column.type.value}"
        raise InvalidPolicy(pointer, detail)
    if settings.recoding is Recoding.ANCESTOR and hierarchy is None:
        raise InvalidPolicy(pointer, "ancestor needs a hierarchy")
    return settings.recoding


def point_to(column: str, field: str) -> str:
    """The RFC 6901 pointer to a field of a column's settings."""
    return f"/attributes/{column.replace('~', '~0').replace('/', '~1')}/{field}"


def rows_to_suppress(columns: Sequence[Column], settings: Mapping[str, AttributeSettings]) -> NDArray[np.bool_]:
    """The rows that a policy leaves out because of an empty cell."""
    rows = np.zeros(len(columns[0].codes) if columns else 0, dtype=np.bool_)
    for column in columns:
        if column.missing >= 0 and settings[column.name].missing == "suppress_row":
            rows |= column.codes == column.missing
    return rows
