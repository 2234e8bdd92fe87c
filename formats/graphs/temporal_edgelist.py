"""Temporal edge lists: two ids and a time per line; the time is the last column, and a weight may precede it.

The columns are identified by the metadata, by a header, or by the values. If none of these is clear, the file is
refused and the error explains how to name the columns. Lines are split as in an edge list, and each distinct time is
parsed once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formats.core import faults
from formats.core.faults import Fault
from formats.core.format import GraphReading, Look, Sniffed, TemporalFormat
from formats.core.raw import RawColumn, RawSnapshots, RawTable
from formats.core.times import UnreadableTime, Windows, cut_windows, is_surely_time, is_time, is_whole
from formats.graphs.edge_records import END_NAMES, check_edges, edge_delimiter, edge_rows, first_records
from formats.graphs.edgelist import Ends, read_edges
from formats.graphs.parts import chosen_rows, distinct, distinct_first, refuse_loops_and_repeats
from formats.tables.delimited import stated_delimiter
from formats.tables.header import is_number

# --- sniffing --------------------------------------------------------------------------------------------------------

_TIMES = {
    "time", "times", "timestamp", "timestamps", "ts", "t", "date", "datetime", "moment", "when", "snapshot",
    "unixtime", "unix_time", "unixts", "epoch", "time_id",
}  # fmt: skip
_MISSING = {"na", "n/a", "nan", "nat", "nil", "none", "null", "missing", "unknown"}
_WEIGHTS = {"weight", "weights", "w", "value", "count", "strength"}
_LEAST = 3
_SAMPLE = 1_000
_HOW = 'name the columns in the metadata, such as "columns": ["source", "target", "weight", "time"]'
MOST_CELLS = 2**63 - 1
"""Most pairs of nodes in all snapshots, joined or not: each has a 64-bit number."""
_TAKEN = ("snapshot", "first", "last")
"""Names of the time columns of releases; no edge attribute may have such a name."""


@dataclass(frozen=True)
class _Layout:
    """The meaning of the columns of a file."""

    source: int
    target: int
    time: int
    width: int
    named: bool
    """Whether the time column is named, and not only assumed to be the last."""

    @property
    def order(self) -> list[int]:
        """The ends, then the attributes of edges, and the time last."""
        taken = (self.source, self.target, self.time)
        return [self.source, self.target, *(p for p in range(self.width) if p not in taken), self.time]


def _sniff(look: Look) -> Sniffed:
    window = _window(look)
    records, encoding = first_records(look)
    delimiter = stated_delimiter(look) or (edge_delimiter(records) if records else None)
    rows = edge_rows(records, delimiter) if delimiter is not None else []
    if not rows:
        raise faults.no_records(f"edges among its first {len(look.head)} bytes")
    if len(rows[0]) < _LEAST:
        raise faults.too_few_cells(1, len(rows[0]), _LEAST)
    stated = _stated_layout(look, len(rows[0]))
    header = _is_header(rows, stated)
    layout = stated or _detected_layout(rows[0] if header else None, len(rows[0]))
    check_edges(rows[header:], look, _LEAST)
    _check_widths(rows, header)
    _check_times(rows[header:], layout, window)
    details = {
        "delimiter": delimiter,
        "encoding": encoding,
        "header": header,
        "extra_columns": layout.width - 2,
        "order": layout.order,
        "names": _attribute_names(look, layout),
        "window": window,
        "empty_windows": look.metadata.get("empty_windows") or "drop",
    }
    return Sniffed("edgelist", details, [])


def _window(look: Look) -> Any:
    window = look.metadata.get("window")
    if window is None:
        detail = 'is required: "hour", "day", "week", "month", "year", "snapshot" or {"seconds": …}'
        raise Fault("no_window", detail, pointer="/metadata/window")
    return window


def _stated_layout(look: Look, width: int) -> _Layout | None:
    """The columns that the uploader declares."""
    stated = look.metadata.get("columns")
    if stated is None:
        return None
    names = [str(name).strip().lower() for name in stated]
    if len(names) != width:
        detail = f"{len(names)} columns are named, and the file has {width}"
        raise Fault("columns", detail, pointer="/metadata/columns")
    if any(names.count(name) != 1 for name in ("source", "target", "time")):
        raise Fault("columns", "must have source, target and time, each once", pointer="/metadata/columns")
    if len(set(names)) < len(names):
        raise Fault("columns", "two columns have the same name", pointer="/metadata/columns")
    return _Layout(names.index("source"), names.index("target"), names.index("time"), width, True)


def _is_header(rows: Sequence[Sequence[str]], stated: _Layout | None) -> bool:
    """Whether the first row is a header: it has a name where other rows have a time.

    An edge with an unreadable time must not pass for a header, or it would silently be lost: its ends are numbers, or
    ids that other rows have too.
    """
    first, ends = rows[0], (0, 1) if stated is None else (stated.source, stated.target)
    times = first[2:] if stated is None else [first[stated.time]]
    if any(map(is_time, times)):
        return False
    if tuple(first[place].lower() for place in ends) in END_NAMES:
        return True
    if not all(map(_is_name, times)):
        return False
    ids = {row[place] for row in rows[1:] for place in ends if place < len(row)}
    return not any(is_number(first[place]) or first[place] in ids for place in ends)


def _is_name(cell: str) -> bool:
    """Whether a cell can be the name of a column and is not a notation for a missing time."""
    return cell[:1].isalpha() and cell.lower() not in _MISSING


def _detected_layout(header: Sequence[str] | None, width: int) -> _Layout:
    """The columns according to the header, or else according to their order."""
    names = [cell.strip().lower() for cell in header or ()]
    times = [place for place, name in enumerate(names) if name in _TIMES]
    if len(times) == 1:
        rest = [place for place in range(width) if place != times[0]]
        source, target = _ends_among(names, rest)
        return _Layout(source, target, times[0], width, True)
    if names and names[-1] in _WEIGHTS:
        raise _unclear("the last column is named like a weight, and no column is named like a time")
    return _Layout(0, 1, width - 1, width, False)


def _ends_among(names: Sequence[str], rest: Sequence[int]) -> tuple[int, int]:
    """The two columns named like the ends of an edge, or else the first two that are not a time."""
    for source in rest:
        for target in rest:
            if (names[source], names[target]) in END_NAMES:
                return source, target
    return rest[0], rest[1]


def _unclear(what: str) -> Fault:
    return Fault("unclear_columns", f"{what}: {_HOW}", pointer="/metadata/columns")


def _check_widths(rows: Sequence[Sequence[str]], header: bool) -> None:
    """Refuse rows that are not as wide as the first: a dictionary of attributes would hide which cell is the time."""
    for number, row in enumerate(rows[header:], start=1):
        if len(row) != len(rows[0]):
            raise faults.ragged_row(number, len(row), len(rows[0]), "the header" if header else "the first")


def _check_times(rows: Sequence[Sequence[str]], layout: _Layout, window: Any) -> None:
    """Refuse cells that are not times, and a last column that could also be a weight."""
    for number, row in enumerate(rows, start=1):
        if not is_time(row[layout.time]):
            raise _no_time(number, layout.named)
    if layout.named:
        return
    sample = rows[:_SAMPLE]
    if all(is_surely_time(row[layout.time]) for row in sample):
        return
    between = [place for place in range(2, layout.width - 1) if all(is_surely_time(row[place]) for row in sample)]
    if between:
        raise _unclear(f"column {between[0] + 1} looks like a time, and the last one does not")
    if window != "snapshot" or not all(is_whole(row[layout.time]) for row in sample):
        what = "the last column could be a weight or a time"
        raise _unclear(f'{what}; if it has numbers of snapshots, set "window": "snapshot"; otherwise')


def _no_time(row: int, named: bool) -> Fault:
    expected = "Unix seconds, a moment such as 2001-02-03T04:05:06Z, or the number of a snapshot"
    detail = f"row {row} has no time: {expected} is expected" + ("" if named else f" in the last column; or {_HOW}")
    return Fault("time", detail, row=row)


def _attribute_names(look: Look, layout: _Layout) -> list[str] | None:
    """Declared names of the edge attributes, in their order; None if the file names them."""
    stated = look.metadata.get("columns")
    return None if stated is None else [str(stated[place]) for place in layout.order[2:-1]]


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], reading: GraphReading) -> RawSnapshots:
    header, order = bool(details.get("header")), details["order"]
    ends = read_edges(
        chunks,
        details.get("delimiter"),
        header,
        details.get("encoding"),
        reading.limits,
        with_columns=True,
        order=order,
    )
    if ends.columns is None:
        raise faults.ragged_row(1, 2, len(order), "the first")
    windows = windows_of(ends.columns.columns[-1], details)
    attributes = _attributes(ends.columns, details) if reading.with_edges else None
    return snapshots_of(ends, windows, attributes, bool(reading.directed), reading.strict)


def windows_of(times: RawColumn, details: Mapping[str, Any]) -> Windows:
    """The window of every distinct time; a window with only self-loops is a snapshot without edges."""
    try:
        return cut_windows(times.values, details["window"], details.get("empty_windows") == "keep")
    except UnreadableTime as error:
        wrong = error.code
    raise _no_time(int((times.codes == wrong).argmax()) + 1, True)


def _attributes(columns: RawTable, details: Mapping[str, Any]) -> RawTable | None:
    """The attributes of edges, without ends and time."""
    names = columns.names[:-1]
    if details.get("names") is not None:
        names = list(details["names"])
    elif not details.get("header") and len(names) == 1:
        names = ["weight"]
    for name in names:
        if name in _TAKEN:
            detail = "no attribute of edges may have a name that releases use for times"
            raise Fault("reserved_column", detail, column=name)
    return RawTable(names, columns.columns[:-1], columns.n) if names else None


def snapshots_of(
    ends: Ends, windows: Windows, attributes: RawTable | None, directed: bool, strict: bool
) -> RawSnapshots:
    """Remove and count self-loops and repeated edges, in total and by snapshot."""
    assert ends.columns is not None
    n, length = len(ends.ids), len(windows.labels)
    times = windows.positions[ends.columns.columns[-1].codes]
    loops = ends.sources == ends.targets
    first, second = ends.sources, ends.targets
    if not directed:
        first, second = np.minimum(first, second), np.maximum(first, second)
    refuse_many_cells(n, length)
    keys = ((times * np.int64(n) + first) * np.int64(n) + second)[~loops]
    kept, places = (distinct(keys), None) if attributes is None else distinct_first(keys)
    of_key, pairs = kept // np.int64(n * n), kept % np.int64(n * n)
    looped = _counted(times[loops], length)
    repeated = _counted(times[~loops], length) - _counted(of_key, length)
    if strict:
        refuse_loops_and_repeats(loops, int(repeated.sum()))
    return RawSnapshots(
        n, pairs // np.int64(n), pairs % np.int64(n), ends.ids, None, int(loops.sum()), int(repeated.sum()), directed,
        edge_attributes=ends.attributes - 1,
        edge_columns=None if attributes is None else chosen_rows(attributes, np.flatnonzero(~loops)[places]),
        times=of_key, labels=tuple(windows.labels), self_loops_by_snapshot=looped, repeated_by_snapshot=repeated,
    )  # fmt: skip


def refuse_many_cells(n: int, length: int) -> None:
    """Refuse more pairs of nodes over time than can be distinguished: snapshot and pair together are one number."""
    if n * n * length > MOST_CELLS:
        detail = f"{n} nodes in {length} snapshots have more pairs than can be distinguished: choose a longer window"
        raise Fault("too_many_pairs", detail, pointer="/metadata/window")


def _counted(times: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    return np.bincount(times, minlength=length).astype(np.int64)


TEMPORAL_EDGELIST = TemporalFormat(
    name="edgelist",
    endings=("csv", "tsv", "txt", "edges", "edgelist", "el"),
    fallback=True,
    media_type="text/csv; charset=utf-8",
    suffix="csv",
    sniff=_sniff,
    read=_read,
)
