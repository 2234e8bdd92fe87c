"""Writing: the bytes of a release in one of the release formats.

Every file is made only from the labels that its rows use.
"""

from collections.abc import Iterator, Sequence

from formats.catalogue import graph_format, table_format
from formats.core.cells import Cells, Column, cells_of, node_cells
from formats.core.format import Network, Series
from formats.core.names import RESERVED
from formats.graphs.snapshot_rows import SNAPSHOT_WRITERS, begin_cells
from formats.tables.csv_writer import PLAIN, CsvStyle, render_csv


def render_table(columns: Sequence[Column], format_: str, style: CsvStyle = PLAIN) -> Iterator[bytes]:
    """The bytes of a released table, in chunks; the style applies to csv files."""
    cells = [cells_of(column) for column in columns]
    return render_csv(cells, style) if format_ == "csv" else _write_table(cells, format_)


def render_nodes(n: int, columns: Sequence[Column], format_: str) -> Iterator[bytes]:
    """The bytes of the node table: every node 0…n-1 with its attributes."""
    return _write_table([node_cells(RESERVED, n), *map(cells_of, columns)], format_)


def render_graph(
    graph: Network,
    format_: str,
    attributes: Sequence[Column] | None = None,
    edges: Sequence[Column] | None = None,
) -> Iterator[bytes]:
    """The bytes of a released graph, in chunks; attributes are in the order of the nodes and of the edges."""
    write = graph_format(format_).write
    if write is None:
        raise ValueError("releases are not written in this format")
    of_edges = [cells_of(column) for column in edges or ()] if graph.m else []
    return write(graph, [cells_of(column) for column in attributes or ()], of_edges)


def render_snapshots(
    series: Series, format_: str, attributes: Sequence[Column] | None = None, edges: Sequence[Column] | None = None
) -> Iterator[bytes]:
    """The bytes of a released temporal graph, in chunks."""
    of_edges = [cells_of(column) for column in edges or ()] if series.m else []
    return SNAPSHOT_WRITERS[format_](series, [cells_of(column) for column in attributes or ()], of_edges)


def render_windows(labels: Sequence[str], format_: str) -> Iterator[bytes]:
    """The bytes of the table of snapshots: the number of each, and the beginning of its window."""
    return _write_table([node_cells("snapshot", len(labels)), begin_cells(labels)], format_)


def _write_table(columns: Sequence[Cells], format_: str) -> Iterator[bytes]:
    write = table_format(format_).write
    if write is None:
        raise ValueError("releases are not written in this format")
    return write(columns)
