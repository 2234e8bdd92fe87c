"""Names: rules for the names of columns and attributes."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from formats.core import faults
from formats.core.faults import Fault
from formats.core.limits import Limits

RESERVED = "node"
"""Name of the node column of a release; no attribute may have it."""
_ENDS = ("source", "target")


@dataclass(frozen=True)
class Header:
    """The columns of a delimited text or a sheet. Columns without a name are left out if they are empty."""

    names: list[str]
    places: list[int]
    """Position of every named column in the file."""
    unnamed: list[int]
    """Positions of the columns without a name."""


def split_header(cells: Sequence[str], limits: Limits) -> Header:
    """The named and the unnamed columns of a header, whose names are checked."""
    normal = _checked(cells, limits, unnamed=True)
    places = [place for place, name in enumerate(normal) if name.strip()]
    if not places:
        raise faults.no_columns()
    unnamed = [place for place, name in enumerate(normal) if not name.strip()]
    return Header([normal[place] for place in places], places, unnamed)


def checked_names(names: Sequence[str], limits: Limits) -> list[str]:
    """Column names in normal form; refuses empty and repeated names, and none or too many of them."""
    if not names:
        raise faults.no_columns()
    return checked_attributes(names, limits)


def checked_attributes(names: Sequence[str], limits: Limits) -> list[str]:
    """The same, but the list may be empty."""
    return _checked(names, limits, unnamed=False)


def _checked(names: Sequence[str], limits: Limits, unnamed: bool) -> list[str]:
    if len(names) > limits.max_columns:
        raise faults.too_many_columns(limits.max_columns)
    normal = [unicodedata.normalize("NFC", name) for name in names]
    seen: dict[str, int] = {}
    found: list[Fault] = []
    for position, name in enumerate(normal, start=1):
        if not name.strip() and unnamed:
            continue
        if not name.strip():
            found.append(Fault("empty_column_name", f"column {position} has no name"))
        elif name in seen:
            found.append(Fault("duplicate_column", f"columns {seen[name]} and {position} have the same name"))
        elif "\0" in name:
            found.append(Fault("nul_bytes", f"the name of column {position} has a NUL character"))
        elif len(name.encode()) > limits.max_cell_bytes:
            detail = f"the name of column {position} is longer than {limits.max_cell_bytes} bytes"
            found.append(Fault("cell_too_long", detail))
        seen.setdefault(name, position)
    if found:
        raise Fault.of(found)
    return normal


def node_names(names: Sequence[str], limits: Limits) -> list[str]:
    """Names of node attributes, in normal form; the name of the release's own node column is refused."""
    normal = checked_names(names, limits)
    refuse_reserved(normal)
    return normal


def refuse_reserved(names: Sequence[str]) -> None:
    """Refuse the name of the release's own node column."""
    if RESERVED in names:
        raise Fault("reserved_column", "no attribute may have the name of the node column", column=RESERVED)


def edge_names(names: Sequence[str], limits: Limits) -> list[str]:
    """Names of edge attributes, in normal form; the names of the ends of an edge are refused."""
    normal = checked_names(names, limits)
    for name in _ENDS:
        if name in normal:
            raise Fault("reserved_column", "no attribute of edges may have the name of an end", column=name)
    return normal
