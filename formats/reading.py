"""Reading: reads a stored file as a table or a graph, in the format that the upload detected."""

from collections.abc import Iterable, Mapping
from typing import Any

from formats.catalogue import temporal_format
from formats.core.format import GraphReading
from formats.core.limits import Limits
from formats.core.raw import RawGraph, RawSnapshots, RawTable
from formats.extending.extensions import graph_format_of_upload, table_format_of_upload


def read_table(chunks: Iterable[bytes], format_: str, details: Mapping[str, Any], limits: Limits) -> RawTable:
    """Read a table from the stored chunks of its file, or raise `Fault`."""
    return table_format_of_upload(format_).read(chunks, details, limits)


def read_graph(
    chunks: Iterable[bytes],
    format_: str,
    details: Mapping[str, Any],
    directed: bool | None,
    strict: bool,
    limits: Limits,
    with_edges: bool = False,
) -> RawGraph:
    """Read a graph from the stored chunks of its file, or raise `Fault`.

    If ``directed`` is None, the file determines whether edges have a direction; in an edge list they have none.
    Attributes of edges are read only if ``with_edges`` is true.
    """
    return graph_format_of_upload(format_).read(chunks, details, GraphReading(limits, directed, strict, with_edges))


def read_snapshots(
    chunks: Iterable[bytes], format_: str, details: Mapping[str, Any], reading: GraphReading
) -> RawSnapshots:
    """Read a temporal graph from the stored chunks of its file, or raise `Fault`."""
    return temporal_format(format_).read(chunks, details, reading)
