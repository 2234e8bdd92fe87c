"""Conformance: what a format must fulfill, so that the API and the workers can read uploads in it.

Our own tests run `faults_of_reading` on every format. A package with formats is checked by `faults_of` when a process
starts; its tests should run `faults_of_reading` on files of their own.
"""

import gzip
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from formats.core.faults import Fault
from formats.core.format import Format, GraphFormat, GraphReading, Look, Sniffed, TableFormat
from formats.core.limits import Limits
from formats.core.raw import RawColumn, RawGraph, RawTable
from formats.core.rules import RULES

LIMITS = Limits(
    max_bytes=1 << 24, max_ratio=1_000, max_rows=100_000, max_columns=1_000, max_cell_bytes=10_000, max_json_depth=50
)
_NAME = re.compile(r"[a-z][a-z0-9-]{1,39}")
_ENDING = re.compile(r"[a-z0-9]{1,10}")
_COMPRESSED = {"gz", "gzip", "zst", "zstd"}
_SHORTEST_QUOTE = 5
"""Shorter cells may be words of a message by chance."""
_MOST_DAMAGED = 150


def faults_of(found: TableFormat | GraphFormat) -> list[str]:
    """Return what is wrong with a format of a package, if anything."""
    return list(_faults_of_format(found))


def _faults_of_format(found: TableFormat | GraphFormat) -> Iterator[str]:
    if not _NAME.fullmatch(found.name):
        yield "its name must be lower-case letters, digits and dashes"
    if found.kinds != (("table",) if isinstance(found, TableFormat) else ("graph",)):
        yield "kinds must be left out"
    if found.write is not None:
        yield "it must not write: the verifier reads no foreign formats, so no release is in one"
    if found.fallback or found.recognize is not Format.recognize:
        yield "it must not recognize files: they are given to it by their names or by the metadata alone"
    # A tuple of one ending is easily written without its comma.
    if isinstance(found.endings, str) or not found.endings or not all(map(_ENDING.fullmatch, found.endings)):
        yield "endings must be a tuple of file name endings in lower case, without a dot"
    if _COMPRESSED & set(found.endings):
        yield "endings of compressed files belong to no format"


def faults_of_reading(
    found: TableFormat | GraphFormat, content: bytes, metadata: Mapping[str, Any] | None = None
) -> list[str]:
    """Return what is wrong with how a format sniffs and reads a file, if anything.

    The file is read whole, in pieces, compressed, damaged in many places and under limits that it exceeds. It should
    have at least two rows or edges, a cell or an id of five characters or more, and a cell longer than every column's
    name.
    """
    trial = _Trial(found, content, metadata or {})
    try:
        sniffed = trial.sniff(content)
        raw = trial.read([content], sniffed)
    except Fault as fault:
        return [f"the file is refused: {fault.rule}"]
    return [
        *_faults_of_sniffing(trial, sniffed, raw),
        *_faults_of_content(trial, sniffed, raw),
        *_faults_of_limits(trial, sniffed, raw),
        *_faults_of_damage(trial, sniffed, raw),
    ]


class _Trial:
    """A format with a file that it reads."""

    def __init__(self, found: TableFormat | GraphFormat, content: bytes, metadata: Mapping[str, Any]) -> None:
        self.format, self.content, self._metadata = found, content, metadata

    def sniff(self, head: bytes, limits: Limits = LIMITS, *, complete: bool = True) -> Sniffed:
        return self.format.sniff(Look(self.format.kinds[0], self._metadata, head, complete, limits))

    def read(self, chunks: list[bytes], sniffed: Sniffed, limits: Limits = LIMITS) -> RawTable | RawGraph:
        if isinstance(self.format, TableFormat):
            return self.format.read(chunks, sniffed.details, limits)
        return self.format.read(chunks, sniffed.details, GraphReading(limits))


def _faults_of_sniffing(trial: _Trial, sniffed: Sniffed, raw: RawTable | RawGraph) -> Iterator[str]:
    if sniffed.format != trial.format.name:
        yield "the sniffer must name its format"
    if isinstance(raw, RawTable) and sniffed.columns is not None and sniffed.columns != raw.names:
        yield "the sniffer must name the columns that are read"
    begun, _ = _attempt(partial(trial.sniff, trial.content[:-1], complete=False))
    if begun is None:
        yield "the beginning of a larger file must be sniffed too"
    elif begun.columns not in (None, sniffed.columns):
        yield "the beginning of a file must show its columns, or None"


def _faults_of_content(trial: _Trial, sniffed: Sniffed, raw: RawTable | RawGraph) -> Iterator[str]:
    n = raw.n
    for column in _columns_of(raw):
        if len(column.codes) != n or (n and not 0 <= column.codes.min() <= column.codes.max() < len(column.values)):
            yield "every row needs a code of a text in every column"
    expected = _written(raw)
    pieces = [trial.content[start : start + 7] for start in range(0, len(trial.content), 7)]
    for how, chunks in (("in pieces", pieces), ("compressed with gzip", [gzip.compress(trial.content)])):
        again, _ = _attempt(partial(trial.read, chunks, sniffed))
        if again is None or _written(again) != expected:
            yield f"a file that arrives {how} must be read as if it were whole"


def _faults_of_limits(trial: _Trial, sniffed: Sniffed, raw: RawTable | RawGraph) -> Iterator[str]:
    # An edge of the file may be two of the graph.
    exceeded = {"max_bytes": len(trial.content) - 1, "max_rows": raw.n - 1 if isinstance(raw, RawTable) else 1}
    if isinstance(raw, RawTable):
        exceeded["max_columns"] = len(raw.names) - 1
        exceeded["max_cell_bytes"] = max(len(text.encode()) for text in _texts_of(raw)) - 1
    for name, limit in exceeded.items():
        limits = replace(LIMITS, **{name: limit})
        read, fault = _attempt(partial(trial.read, [trial.content], sniffed, limits))
        if read is not None:
            yield f"a file beyond {name} must be refused"
        elif fault is not None:
            yield from _faults_of_fault(fault, raw)


def _faults_of_damage(trial: _Trial, sniffed: Sniffed, raw: RawTable | RawGraph) -> Iterator[str]:
    found: dict[str, None] = {}
    for content in _damaged(trial.content):
        for attempt in (partial(trial.sniff, content), partial(trial.read, [content], sniffed)):
            try:
                _, fault = _attempt(attempt)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                found[f"a damaged file raises {type(error).__name__}; only Fault may be raised"] = None
                continue
            found |= dict.fromkeys(() if fault is None else _faults_of_fault(fault, raw))
    yield from found


def _damaged(content: bytes) -> Iterator[bytes]:
    step = max(1, len(content) // _MOST_DAMAGED)
    for place in range(0, len(content), step):
        yield content[:place]
        for wrong in (b"\x00", b"\xff", b"9"):
            yield content[:place] + wrong + content[place + 1 :]
        yield content[:place] + content[place + 1 :]


def _attempt(action: Callable[[], Any]) -> tuple[Any, Fault | None]:
    try:
        return action(), None
    except Fault as fault:
        return None, fault


def _faults_of_fault(fault: Fault, raw: RawTable | RawGraph) -> Iterator[str]:
    for each in fault.faults:
        if each.rule not in RULES:
            yield f"{each.rule} is no rule of formats/core/rules.py"
        if any(text in each.detail for text in _texts_of(raw) if len(text) >= _SHORTEST_QUOTE):
            yield f"the fault {each.rule} quotes a cell or an id"
    if fault.__cause__ is not None or fault.__context__ is not None:
        yield f"the fault {fault.rule} carries another error, which may quote a cell: raise it after the except clause"


def _columns_of(raw: RawTable | RawGraph) -> list[RawColumn]:
    table = raw if isinstance(raw, RawTable) else raw.node_columns
    return [] if table is None else table.columns


def _texts_of(raw: RawTable | RawGraph) -> list[str]:
    texts = [text for column in _columns_of(raw) for text in column.values]
    return texts if isinstance(raw, RawTable) else [*texts, *map(str, raw.ids)]


def _written(raw: RawTable | RawGraph) -> list[Any]:
    """All of its content, for comparisons."""
    cells: list[Any] = [(column.name, column.values[column.codes].tolist()) for column in _columns_of(raw)]
    if isinstance(raw, RawTable):
        return [raw.n, cells]
    return [raw.n, cells, raw.ids.tolist(), raw.sources.tolist(), raw.targets.tolist(), raw.directed]
