"""A format: everything about one file format, in one object."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from formats.core.cells import Cells
from formats.core.limits import Limits
from formats.core.raw import RawGraph, RawSnapshots, RawTable


@dataclass(frozen=True)
class Look:
    """Input of a sniffer: the beginning of a file, and the metadata of its upload."""

    kind: str
    metadata: Mapping[str, Any]
    head: bytes
    complete: bool
    """Whether the beginning is the whole file."""
    limits: Limits


@dataclass(frozen=True)
class Sniffed:
    """Result of sniffing an upload."""

    format: str
    details: dict[str, Any] = field(default_factory=dict)
    """Details that a worker needs to read the file: delimiter, encoding, decimal mark, whether there is a header."""
    columns: list[str] | None = None
    """Names of the columns, or of the nodes' attributes; None if the beginning does not show them all."""


@dataclass(frozen=True)
class GraphReading:
    """Options for reading a graph."""

    limits: Limits
    directed: bool | None = None
    """Whether edges have a direction; None if the file determines it."""
    strict: bool = False
    """Whether to refuse self-loops and repeated edges instead of dropping them."""
    with_edges: bool = False
    """Whether to read the attributes of edges as well."""


class Network(Protocol):
    """A released graph over the nodes 0…n-1."""

    @property
    def n(self) -> int: ...
    @property
    def m(self) -> int: ...
    @property
    def directed(self) -> bool: ...
    @property
    def sources(self) -> NDArray[np.int64]: ...
    @property
    def targets(self) -> NDArray[np.int64]: ...


class Series(Network, Protocol):
    """Released snapshots over the nodes 0…n-1: every edge with the number of its snapshot, in ascending order."""

    @property
    def times(self) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True, kw_only=True)
class Format:
    """One file format."""

    name: str
    """Name in the API."""
    kinds: tuple[str, ...] = ()
    """The kinds of data that it holds."""
    endings: tuple[str, ...]
    """File name endings of uploads in this format."""
    sniff: Callable[[Look], Sniffed]
    """Examines the beginning of a file, and refuses files that no worker could read."""
    recognize: Callable[[bytes], bool] = lambda head: False
    """Whether a file without a known ending begins like a file of this format."""
    fallback: bool = False
    """Whether a file that no format recognizes is read as this format."""
    media_type: str = "application/octet-stream"
    """Media type of a released file."""
    suffix: str = ""
    """File name ending of a released file."""
    repeats_labels: bool = False
    """Whether a released file repeats a label in every row, so that the cells give a lower bound on its size."""


_ReadTable = Callable[[Iterable[bytes], Mapping[str, Any], Limits], RawTable]
_WriteTable = Callable[[Sequence[Cells]], Iterator[bytes]]
_ReadGraph = Callable[[Iterable[bytes], Mapping[str, Any], GraphReading], RawGraph]
_WriteGraph = Callable[[Network, Sequence[Cells], Sequence[Cells]], Iterator[bytes]]


_ReadSnapshots = Callable[[Iterable[bytes], Mapping[str, Any], GraphReading], RawSnapshots]


@dataclass(frozen=True, kw_only=True)
class TableFormat(Format):
    """A format of tables."""

    read: _ReadTable
    write: _WriteTable | None = None
    """None if releases are not written in it."""
    most_rows: int | None = None
    """Largest number of rows below the header that spreadsheets open; None if the format is no workbook."""
    longest_cell: int | None = None
    """Largest number of characters in a cell that spreadsheets open; None if the format is no workbook."""
    kinds: tuple[str, ...] = ("table",)


@dataclass(frozen=True, kw_only=True)
class GraphFormat(Format):
    """A format of graphs."""

    read: _ReadGraph
    write: _WriteGraph | None = None
    """None if releases are not written in it."""
    kinds: tuple[str, ...] = ("graph",)
    lists_nodes: bool = True
    """Whether a file lists its nodes in addition to its edges."""


@dataclass(frozen=True, kw_only=True)
class TemporalFormat(Format):
    """A format in which temporal graphs are uploaded; `formats.graphs.snapshot_rows` writes their releases."""

    read: _ReadSnapshots
    kinds: tuple[str, ...] = ("temporal_graph",)
