"""Formats: bytes ↔ tables, graphs and temporal graphs, one module per file format.

Sniffing examines the beginning of an upload; reading takes the chunks of a stored original and the result of sniffing;
writing yields the exact bytes of a release, chunk by chunk. No fault contains a cell, an id or a label.

A new format is one new module that defines a `TableFormat`, a `GraphFormat` or a `TemporalFormat`; the catalogue
discovers it by walking the package.
"""

from formats.catalogue import all_formats
from formats.core.faults import Fault
from formats.core.format import GraphReading, Sniffed
from formats.core.inflate import Inflater
from formats.core.limits import Limits
from formats.core.raw import RawColumn, RawGraph, RawSnapshots, RawTable
from formats.graphs.nodes import merge_nodes
from formats.graphs.temporal_edgelist import refuse_many_cells
from formats.reading import read_graph, read_snapshots, read_table
from formats.sniffing import sniff
from formats.writing import render_graph, render_nodes, render_snapshots, render_table, render_windows

__all__ = [
    "Fault",
    "GraphReading",
    "Inflater",
    "Limits",
    "RawColumn",
    "RawGraph",
    "RawSnapshots",
    "RawTable",
    "Sniffed",
    "all_formats",
    "merge_nodes",
    "read_graph",
    "read_snapshots",
    "read_table",
    "refuse_many_cells",
    "render_graph",
    "render_nodes",
    "render_snapshots",
    "render_table",
    "render_windows",
    "sniff",
]
