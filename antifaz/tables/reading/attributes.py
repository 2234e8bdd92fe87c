"""Attributes: make an `Attribute` from the texts of a column and its settings in the policy.

Everything here works on the distinct values of a column, never on its rows. If the policy does not declare a type, it
is detected: integer, decimal, boolean (`true`, `false`), date and datetime, else text. The dialect of the file states
how values are written; if it does not, that is detected too. Numbers with leading zeros are identifiers in disguise
(postal codes, record numbers) and stay text.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from antifaz.described import Described
from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.tables.reading.dialect import PLAIN, Dialect
from antifaz.tables.reading.readings import Readings
from antifaz.tables.reading.spellings import EITHER, read_texts
from antifaz.tables.table import Attribute, Column, Recoding, Role
from antifaz.tables.texts.fast_readings import rank_texts
from antifaz.tables.texts.value_types import ValueType

NUMERIC_RECODINGS = frozenset({Recoding.RANGE, Recoding.MEAN, Recoding.MEDIAN, Recoding.BOUNDS})


class AttributeSettings(Described):
    """The settings of one column in a policy."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Role
    """What the column means for privacy; identifiers are never released unchanged."""
    pseudonym: bool = False
    """Whether an identifier is released as a keyed pseudonym, which shows which rows belong to one person; the key is
    destroyed with the dataset. For identifiers only."""
    type: ValueType | None = None
    """Type of the values; detected if left out."""
    recoding: Recoding | None = None
    """How a class's values are written; by default a range for numbers and dates, an ancestor with a hierarchy, else a
    set. For quasi-identifiers only."""
    missing: Literal["own_value", "reject", "suppress_row"] = "own_value"
    """How an empty cell counts: as a value like any other, as an error, or as a reason to leave the row out."""
    order: list[str] | None = None
    """Order of a text column's values, lowest first; by default, by character code. For quasi-identifiers and sensitive
    columns."""


def cast_column(
    name: str,
    texts: Sequence[str] | NDArray[np.object_],
    codes: NDArray[np.int32],
    declared: ValueType | None = None,
    dialect: Dialect = PLAIN,
) -> Column:
    """A column from its distinct texts and the index of each row's text.

    Texts are normalized to Unicode form NFC; those that mean the same value become one. If a value is not of the
    declared type, raises `InvalidDataset` with the first offending row.
    """
    plain = np.array([unicodedata.normalize("NFC", text) for text in texts], dtype=object)
    used = np.flatnonzero(np.bincount(codes, minlength=len(plain)))
    known = plain[used]
    readings = read_texts(known, declared or dialect.type_of(name), dialect.of(name))
    _refuse_mismatch(name, codes, used[readings.strange], known[readings.strange], readings)
    return _sort_values(name, codes, used, len(plain), readings)


_LONG_INTEGER = re.compile(r"[+-]?[0-9]{19,}")


def _refuse_mismatch(
    name: str, codes: NDArray[np.int32], strange: NDArray[np.int64], texts: NDArray[np.object_], readings: Readings
) -> None:
    if not len(strange):
        return
    rows = np.flatnonzero(np.isin(codes, strange))
    rule, detail = "type_mismatch", f"cells of the column are not of type {readings.type.value}"
    if EITHER in readings.form:
        rule, detail = "ambiguous_dates", f"cells of the column {open_dates(name, readings.form)}"
    elif readings.type is ValueType.INTEGER and all(_LONG_INTEGER.fullmatch(text) for text in texts):
        detail = "cells of the column are integers of more than 18 digits, which 64 bits may not hold: make it text"
    elif readings.form:
        detail += f", written as {readings.form}"
    raise InvalidDataset(rule, detail, column=name, row=int(rows[0]) + 1, count=len(rows))


def open_dates(column: str, forms: str) -> str:
    """A message with the forms in which the dates can be read, and the metadata that decides between them."""
    reading = {"type": "date", "format": forms.split(EITHER, maxsplit=1)[0]}
    stated = json.dumps({"columns": {column: reading}}, ensure_ascii=False)
    return f"can be read as {forms}; state which in the metadata of the upload, such as {stated}"


def _sort_values(name: str, codes: NDArray[np.int32], used: NDArray[np.int64], size: int, readings: Readings) -> Column:
    """Merge equal values, sort them by the type's order with the missing one first, and renumber the codes."""
    measured = readings.type.is_measured
    weights = np.nan_to_num(readings.numbers, nan=-np.inf) if measured else None
    first, ranks = rank_texts(readings.canonical, weights)
    lookup = np.zeros(size, dtype=np.int32)
    lookup[used] = ranks
    renumbered = lookup[codes] if size else np.zeros(0, dtype=np.int32)
    numbers = readings.numbers[first] if measured else None
    return Column(name, readings.type, renumbered, readings.canonical[first], numbers, readings.form, readings.marks)


def resolve_attribute(column: Column, settings: AttributeSettings, hierarchy: Hierarchy | None) -> Attribute:
    """The column with its role, recoding and hierarchy, checked against one another and against its values."""
    _refuse_missing(column, settings)
    column = order_column(column, settings.order)
    recoding = choose_recoding(column, settings, hierarchy)
    generalization = _generalize(column, hierarchy) if hierarchy else None
    return Attribute(column, settings.role, recoding, generalization)


def _generalize(column: Column, hierarchy: Hierarchy) -> Generalization:
    """The hierarchy over the column's values; an error names the first row whose value it does not place."""
    try:
        return hierarchy.resolve(column.name, column.values, column.numbers)
    except InvalidDataset as error:
        if len(error.unplaced) and len(column.codes):
            error.row = int(np.argmax(np.isin(column.codes, error.unplaced))) + 1
        raise


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
        detail = "distinct values have no place in the stated order"
        raise InvalidDataset("unknown_value", detail, column=column.name, count=unplaced)
    walk = np.argsort([ranks.get(value, -1) if value else -1 for value in column.values], kind="stable")
    places = np.empty(len(walk), dtype=np.int32)
    places[walk] = np.arange(len(walk), dtype=np.int32)
    return replace(column, codes=places[column.codes], values=column.values[walk])


def choose_recoding(column: Column, settings: AttributeSettings, hierarchy: Hierarchy | None) -> Recoding | None:
    """The recoding that the policy states, or the default of the type; `InvalidPolicy` if it does not fit."""
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
