"""Codecs: bytes ↔ tables and graphs.

Reading takes the pieces of a stored original and what the upload found out about its form; writing gives the exact
bytes of a release, piece by piece. No error holds a cell, an id or a label.
"""

from workers.codecs.dictionary import describe_columns
from workers.codecs.graphs import merge_nodes, read_graph
from workers.codecs.raw import RawColumn, RawGraph, RawTable
from workers.codecs.render_graphs import render_graph
from workers.codecs.render_tables import render_nodes, render_table
from workers.codecs.tables import read_table

__all__ = [
    "RawColumn",
    "RawGraph",
    "RawTable",
    "describe_columns",
    "merge_nodes",
    "read_graph",
    "read_table",
    "render_graph",
    "render_nodes",
    "render_table",
]
