"""Output options of a policy, reversed: labels are verified in the one form that all checks know.

A policy may request csv with decimal commas, and ranges with a dash. Both are reversed here cell by cell, according to
the policy alone; a cell that does not have the expected form stays unchanged.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from verifier.readers.cells import TEXT, Cells, Column, encoded
from verifier.readers.columns import attributes_of

_NUMBER = r"[+-]?[0-9]+(?:{point}[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WITH_COMMA = _NUMBER.format(point=",")
_WITH_POINT = _NUMBER.format(point=r"\.")
_ENDS = re.compile(rf"'?({_WITH_POINT})–({_WITH_POINT})")
_MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[0-9T:.+Z -]*"
_MOMENTS = re.compile(rf"({_MOMENT})–({_MOMENT})")
_MEASURED = re.compile(rf"'?(?:{_WITH_COMMA}(?:–{_WITH_COMMA})?|\[{_WITH_POINT}, {_WITH_POINT}\]|\*|)")


@dataclass(frozen=True)
class Dialect:
    """The dialect of the csv files of a release."""

    delimiter: str = ","
    decimal: str = "."
    bom: bool = False


PLAIN = Dialect()
_DELIMITERS = (",", ";", "\t")


def dialect_of(policy: Mapping[str, Any]) -> Dialect | None:
    """The csv dialect of the policy; None if it requests one that does not exist."""
    stated = policy.get("csv") or {}
    if not isinstance(stated, Mapping) or set(stated) - {"delimiter", "decimal", "bom"}:
        return None
    found = Dialect(stated.get("delimiter", ","), stated.get("decimal", "."), stated.get("bom", False))
    known = found.delimiter in _DELIMITERS and found.decimal in (".", ",") and found.bom in (True, False)
    return found if known and found.delimiter != found.decimal else None


def with_plain_labels(cells: Cells, policy: Mapping[str, Any]) -> Cells:
    """A table with its labels in their usual form."""
    dialect = dialect_of(policy) or PLAIN
    columns = list(cells.columns)
    if cells.format == "csv" and dialect.decimal == ",":
        columns = [_with_points(c) if _may_measure(n, policy) else c for n, c in zip(cells.names, columns, strict=True)]
    if (policy.get("labels") or {}).get("ranges") == "20–29":
        columns = [_as_json(c) if _is_ranged(n, policy) else c for n, c in zip(cells.names, columns, strict=True)]
    return replace(cells, columns=tuple(columns))


def _may_measure(name: str, policy: Mapping[str, Any]) -> bool:
    return attributes_of(policy).get(name, {}).get("type") != "text"


def _is_ranged(name: str, policy: Mapping[str, Any]) -> bool:
    settings = attributes_of(policy).get(name, {})
    plain = settings.get("recoding") != "set" and settings.get("type") != "text"
    return plain and settings.get("role") == "quasi_identifier"


def _with_points(column: Column) -> Column:
    """A column of numbers and ranges with points instead of commas; other columns unchanged."""
    if not all(_MEASURED.fullmatch(text) for text in column.texts):
        return column
    return _changed(column, lambda text: text if text.endswith("]") else text.replace(",", "."))


def _as_json(column: Column) -> Column:
    return _changed(column, _json_of)


def _json_of(text: str) -> str:
    numbers, moments = _ENDS.fullmatch(text), _MOMENTS.fullmatch(text)
    if numbers is not None:
        return f"[{numbers[1]}, {numbers[2]}]"
    return text if moments is None else f'["{moments[1]}", "{moments[2]}"]'


def _changed(column: Column, change: Callable[[str], str]) -> Column:
    texts = [change(text) if kind == TEXT else text for kind, text in zip(column.kinds, column.texts, strict=True)]
    return encoded(column.codes, texts, column.kinds)
