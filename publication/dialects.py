"""Dialects of the engine, from the declarations of an upload and the detected properties of its file."""

from collections.abc import Mapping
from typing import Any

from antifaz.tables.reading.dialect import ColumnDialect, DateForm, Dialect
from antifaz.tables.texts.value_types import ValueType


def dialect_of(details: Mapping[str, Any]) -> Dialect:
    """How the cells of a stored table are written; undeclared properties are detected."""
    cells: Mapping[str, Any] = details.get("cells") or {}
    missing = cells.get("missing")
    return Dialect(
        decimal=details.get("decimal") or ".",
        thousands=cells.get("thousands"),
        dates=_form(cells.get("dates")),
        missing=None if missing is None else frozenset(missing),
        latest_year=cells.get("latest_year"),
        columns={name: _column(stated) for name, stated in cells.get("columns", {}).items()},
    )


def _column(stated: Mapping[str, Any]) -> ColumnDialect:
    type_ = stated.get("type")
    return ColumnDialect(None if type_ is None else ValueType(type_), _form(stated.get("format")))


def _form(text: str | None) -> DateForm | None:
    return None if text is None else DateForm.of(text)
