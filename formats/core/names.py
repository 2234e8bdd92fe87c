"""Names: rules for the names of columns and attributes."""

import unicodedata
from collections.abc import Sequence

from formats.core import faults
from formats.core.faults import Fault
from formats.core.limits import Limits

RESERVED = "node"
"""Name of the node column of a release; no attribute may have it."""
_ENDS = ("source", "target")


def checked_names(names: Sequence[str], limits: Limits) -> list[str]:
    """Column names in normal form; refuses empty and repeated names, and none or too many of them."""
    if not names:
        raise faults.no_columns()
    return checked_attributes(names, limits)


def checked_attributes(names: Sequence[str], limits: Limits) -> list[str]:
    """The same, but the list may be empty."""
    if len(names) > limits.max_columns:
        raise faults.too_many_columns(limits.max_columns)
    normal = [unicodedata.normalize("NFC", name) for name in names]
    seen: dict[str, int] = {}
    found: list[Fault] = []
    for position, name in enumerate(normal, start=1):
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
