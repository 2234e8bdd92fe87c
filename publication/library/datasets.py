"""Datasets: tables from data frames and graphs from networkx, read in the same way as files.

Every cell becomes its text, as in a parquet file: missing values are empty, numbers have the fewest digits. The policy,
or the values themselves, determine the type of the texts.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph as Structure
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from formats.core.faults import Fault
from formats.core.format import GraphReading
from formats.core.limits import Limits
from formats.core.raw import RawGraph, RawTable
from formats.graphs.parts import Collected, graph_of
from formats.tables.parquet import read_arrow
from publication.library.networks import to_networkx

LIMITS = Limits(
    max_bytes=2**40, max_ratio=1, max_rows=2**31 - 1, max_columns=10_000, max_cell_bytes=2**20, max_json_depth=1
)
"""Data that is already in memory is limited only by what the engine can count."""

Read = TypeVar("Read")


@dataclass(frozen=True)
class Table:
    """Records about people, in rows."""

    dataset: Dataset

    @classmethod
    def from_arrow(cls, table: Any) -> "Table":
        """Make a table from a pyarrow table with flat columns of texts, numbers, booleans, dates and times."""
        read = read_in_memory(lambda: read_arrow(table, LIMITS))
        return cls(Dataset(tuple(read.columns), read.n))

    @classmethod
    def from_pandas(cls, frame: Any) -> "Table":
        """Make a table from a pandas data frame, without its index."""
        return cls.from_arrow(arrow_of(frame))

    @classmethod
    def from_polars(cls, frame: Any) -> "Table":
        """Make a table from a polars data frame."""
        return cls.from_arrow(frame.to_arrow())

    @property
    def columns(self) -> list[str]:
        """Names of the columns; a policy gives a role to each."""
        return [column.name for column in self.dataset.columns]

    def __len__(self) -> int:
        return self.dataset.n


@dataclass(frozen=True)
class Graph:
    """People as nodes and their relations as edges, with attributes."""

    dataset: GraphDataset
    nodes: Sequence[Any]
    """The nodes of the original network, in the order of the engine's numbers."""
    self_loops: int = 0
    """Number of edges from a node to itself, which were left out."""
    repeated: int = 0
    """Number of repeated edges, which were left out."""

    @classmethod
    def from_networkx(cls, network: Any) -> "Graph":
        """Make a graph from a networkx graph, directed or not, with the attributes of its nodes and edges. Nodes may be
        any objects; self-loops and parallel edges are left out and counted."""
        read = read_in_memory(lambda: _collected(network))
        structure = Structure.from_pairs(read.n, read.sources, read.targets, read.directed)
        nodes = () if read.node_columns is None else tuple(read.node_columns.columns)
        edges = () if read.edge_columns is None else tuple(read.edge_columns.columns)
        dataset = GraphDataset(nodes, read.n, graph=structure, edges=edges)
        return cls(dataset, list(network.nodes), read.self_loops, read.repeated)

    def to_networkx(self) -> Any:
        """The structure as a networkx graph with the original node names."""
        return to_networkx(self.dataset.graph, names=self.nodes)

    @property
    def columns(self) -> list[str]:
        """Names of the nodes' attributes; a policy gives a role to each."""
        return [column.name for column in self.dataset.columns]

    def __len__(self) -> int:
        return self.dataset.n


def arrow_of(frame: Any) -> Any:
    """Convert a pandas data frame to a pyarrow table, without its index."""
    try:
        table = pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError):
        # Arrow's own error quotes the cell that it could not convert.
        table = None
    if table is None:
        raise InvalidDataset("type_mismatch", "a column mixes types, or has a type that cannot be written as text")
    return table


def read_in_memory(read: Callable[[], Read]) -> Read:
    """Call a reader and convert its faults to errors of the engine."""
    try:
        return read()
    except Fault as error:
        fault = error
    raise InvalidDataset(fault.rule, fault.detail, column=fault.column, row=fault.row)


def _collected(network: Any) -> RawGraph:
    """Nodes under their numbers, and every attribute as text."""
    collected = _collected_nodes(network)
    numbers = {node: str(number) for number, node in enumerate(network.nodes)}
    for source, target, attributes in network.edges(data=True):
        collected.add_edge(numbers[source], numbers[target])
        for name, value in attributes.items():
            collected.add_edge_value(str(name), text_of(value, str(name)))
    return graph_of(collected, GraphReading(LIMITS, with_edges=True))


def _collected_nodes(network: Any) -> Collected:
    collected = Collected(directed=network.is_directed())
    for number, (_, attributes) in enumerate(network.nodes(data=True)):
        place = collected.add_node(str(number))
        for name, value in attributes.items():
            collected.add_value(place, str(name), text_of(value, str(name)))
    return collected


def node_columns(network: Any) -> RawTable | None:
    """The attributes of the nodes alone."""
    return graph_of(_collected_nodes(network), GraphReading(LIMITS)).node_columns


def text_of(value: object, name: str) -> str:
    """Convert a value to a cell's text; collections are refused."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping | list | tuple | set | frozenset | bytes):
        raise Fault("nested", "an attribute holds several values", column=name)
    return str(value)
