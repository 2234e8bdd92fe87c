"""Dialects: what an upload states about how its cells are written, checked and stored for the workers."""

from datetime import UTC, datetime
from typing import Any

from antifaz.suggestions import suggest
from antifaz.tables.reading.dialect import DateForm
from antifaz.tables.texts.value_types import ValueType
from api_schemas.data.datasets import ColumnReading, UploadMetadata
from service.http.problems import Problem, fault
from storage.datasets.datasets import DatasetRecord

_OF_FILE = ("delimiter", "encoding", "decimal", "sheet")
"""Settings of the file itself, which its format needs; the others are needed to read cells."""
_SUCH_AS = "must be a form such as dd/mm/yyyy, mm/dd/yyyy, dd.mm.yyyy or yyyy-mm-dd"


def check_dialect(metadata: UploadMetadata) -> None:
    """Refuse settings that contradict each other or belong to another kind of dataset."""
    faults = [fault(f"/metadata/{pointer}", detail) for pointer, detail in _faults(metadata)]
    if faults:
        raise Problem("invalid-upload", f"{len(faults)} fault(s), see errors.", errors=faults)


def _faults(metadata: UploadMetadata) -> list[tuple[str, str]]:
    found = []
    columns = metadata.columns
    if metadata.kind == "table" and isinstance(columns, list):
        found.append(("columns", 'must be an object such as {"birth": {"type": "date", "format": "dd/mm/yyyy"}}'))
    if metadata.kind != "table" and isinstance(columns, dict):
        found.append(("columns", 'must be a list such as ["source", "target", "weight", "time"]'))
    for name, column in columns.items() if isinstance(columns, dict) else ():
        found += [(f"columns/{name}/{field}", detail) for field, detail in _faults_of_column(column)]
    dialect = metadata.dialect
    if dialect is None:
        return found
    if dialect.dates is not None and DateForm.of(dialect.dates) is None:
        found.append(("dialect/dates", _SUCH_AS))
    decimal = dialect.decimal or metadata.decimal
    if dialect.thousands is not None and dialect.thousands == (decimal or "."):
        found.append(("dialect/thousands", "must differ from the decimal mark; state that as well"))
    for name in ("delimiter", "encoding", "decimal"):
        outside, inside = getattr(metadata, name), getattr(dialect, name)
        if None not in (outside, inside) and outside != inside:
            found.append((f"dialect/{name}", f"differs from /metadata/{name}"))
    return found


def _faults_of_column(column: ColumnReading) -> list[tuple[str, str]]:
    if column.format is None:
        return []
    if DateForm.of(column.format) is None:
        return [("format", _SUCH_AS)]
    has_dates = column.type is None or ValueType(column.type).definition.calendar
    return [] if has_dates else [("format", "is only for dates")]


def check_described(metadata: UploadMetadata, columns: list[str] | None) -> None:
    """Require every described column to be in the file."""
    described = metadata.columns if isinstance(metadata.columns, dict) else {}
    unknown = [name for name in described if columns is not None and name not in columns]
    if unknown:
        faults = [
            fault(f"/metadata/columns/{name}", "there is no such column" + suggest(name, columns or ()))
            for name in unknown
        ]
        raise Problem("invalid-upload", f"{len(faults)} fault(s), see errors.", errors=faults)


def sniffing_metadata(metadata: UploadMetadata, document: dict[str, Any]) -> dict[str, Any]:
    """The metadata that a format gets about its file, with the dialect's members merged in."""
    dialect = {} if metadata.dialect is None else metadata.dialect.model_dump(exclude_none=True)
    return {**document, **{name: dialect[name] for name in _OF_FILE if name in dialect}}


def place_of(pointer: str, document: dict[str, Any]) -> str:
    """The pointer to the setting that a format rejected."""
    name = pointer.removeprefix("/metadata/")
    return f"/metadata/dialect/{name}" if name in (document.get("dialect") or {}) else pointer


def kept_dialect(metadata: UploadMetadata) -> dict[str, Any]:
    """What workers are given about the cells of a table, in addition to what was detected in its file."""
    if metadata.kind != "table":
        return {}
    stated = {} if metadata.dialect is None else metadata.dialect.model_dump(exclude_none=True)
    kept = {name: value for name, value in stated.items() if name not in _OF_FILE}
    if isinstance(metadata.columns, dict):
        kept["columns"] = {name: column.model_dump(exclude_none=True) for name, column in metadata.columns.items()}
    # A year with two digits is one of the hundred that end this year.
    return {"cells": {**kept, "latest_year": datetime.now(UTC).year}}


def dialect_answer(dataset: DatasetRecord) -> dict[str, Any] | None:
    """How the cells of a table are written, as far as is known so far."""
    if dataset.kind != "table":
        return None
    details, cells = dataset.details, dataset.details.get("cells", {})
    known = {name: details.get(name) for name in _OF_FILE}
    stated = {name: cells.get(name) for name in ("thousands", "dates", "missing")}
    found = {name: value for name, value in details.get("found", {}).items() if value is not None}
    return {**known, **stated, **found}
