"""Networks: a released graph read from any format, and whether it is a simple graph over the nodes 0…n-1."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from verifier.readers.cells import FLOAT, INTEGER, TEXT, Cell, Cells, Coder, Column
from verifier.readers.columns import NODE
from verifier.verdict.verdict import Unreadable

_NODE_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)


@dataclass(frozen=True)
class Network:
    """The nodes and edges that one artifact lists."""

    format: str
    nodes: NDArray[np.int64] | None
    """The listed nodes, -1 if an id is not a plain number; None if the format cannot list nodes."""
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    attributes: Cells | None = None
    """Nodes and their attributes, if the format has any."""
    edges: Cells | None = None
    """Attributes of the edges, in their order, if the artifact has any."""

    @property
    def label(self) -> str:
        return f"{self.format} graph"

    @cached_property
    def edge_cells(self) -> dict[str, NDArray[np.float64]]:
        """The columns of the edges as numbers; NaN for a cell that is not a number."""
        if self.edges is None:
            return {}
        return {name: numbers_of(column) for name, column in zip(self.edges.names, self.edges.columns, strict=True)}


def network_of(
    format_: str,
    nodes: Sequence[tuple[Cell, Mapping[str, Cell]]],
    sources: Sequence[Cell],
    targets: Sequence[Cell],
    declared: Iterable[str] = (),
    edges: Sequence[Mapping[str, Cell]] | None = None,
) -> Network:
    """Build a network from what a reader found: nodes as (id, attributes), the end points of the edges, the declared
    attributes, and the attributes of edges if they have any."""
    listed = _coded([identity for identity, _ in nodes])
    names = list(dict.fromkeys([*declared, *(name for _, values in nodes for name in values)]))
    attributes = None
    if names:
        columns = (_coded([values.get(name) for _, values in nodes]) for name in names)
        attributes = Cells(format_, "graph", (NODE, *names), (listed, *columns), len(nodes))
    ends = node_numbers(_coded(sources)), node_numbers(_coded(targets))
    return Network(format_, node_numbers(listed), *ends, attributes, _edge_table(format_, edges or ()))


def _edge_table(format_: str, edges: Sequence[Mapping[str, Cell]]) -> Cells | None:
    names = tuple(dict.fromkeys(name for values in edges for name in values))
    if not names:
        return None
    columns = tuple(_coded([values.get(name) for values in edges]) for name in names)
    return Cells(format_, "graph", names, columns, len(edges))


def _coded(cells: Sequence[Cell]) -> Column:
    coder = Coder()
    coder.add(cells)
    return coder.column()


def node_numbers(column: Column) -> NDArray[np.int64]:
    """The node ids of a column as numbers; -1 for anything except the plain decimal text of a number."""
    numbers = [
        int(text) if kind in (TEXT, INTEGER) and _NODE_NUMBER.fullmatch(text) else -1
        for kind, text in zip(column.kinds, column.texts, strict=True)
    ]
    return np.array(numbers, np.int64)[column.codes] if numbers else np.empty(0, np.int64)


def numbers_of(column: Column) -> NDArray[np.float64]:
    """The cells of a column as numbers; NaN for a text that is not a number."""
    numbers = [_number(text) if kind in (TEXT, INTEGER, FLOAT) else np.nan for kind, text in _labels(column)]
    return np.array(numbers, np.float64)[column.codes] if numbers else np.empty(0, np.float64)


def _labels(column: Column) -> Iterable[tuple[str, str]]:
    return zip(column.kinds, column.texts, strict=True)


def _number(text: str) -> float:
    number = float(text) if _DECIMAL.fullmatch(text) else np.nan
    return number if np.isfinite(number) else np.nan


def edge_list(cells: Cells, with_columns: bool = False) -> Network:
    """The network of a csv file with the header ``source,target``, and more columns if edges may have attributes."""
    if cells.names[:2] != ("source", "target") or (len(cells.names) > 2 and not with_columns):
        raise Unreadable("the header is not source,target")
    if len(set(cells.names)) < len(cells.names):
        raise Unreadable("two columns with one name")
    sources, targets = (node_numbers(column) for column in cells.columns[:2])
    edges = Cells("csv", "graph", cells.names[2:], cells.columns[2:], cells.rows) if cells.names[2:] else None
    return Network("edgelist", None, sources, targets, None, edges)


def covers(nodes: NDArray[np.int64], n: int) -> bool:
    """Whether the ids are 0…n-1, each exactly once."""
    return len(nodes) == n and bool(np.array_equal(np.sort(nodes), np.arange(n)))


def edge_keys(network: Network, n: int, directed: bool) -> NDArray[np.int64]:
    """One number per edge, sorted; the orientation counts only if the graph is directed."""
    first, second = network.sources, network.targets
    if not directed:
        first, second = np.minimum(first, second), np.maximum(first, second)
    return np.sort(first * np.int64(n) + second)


def edge_faults(network: Network, n: int, directed: bool) -> list[str]:
    """Why the edges are not those of a simple graph over n nodes."""
    ends = np.concatenate([network.sources, network.targets])
    if ends.size and not (ends.min() >= 0 and ends.max() < n):
        return [f"{network.label}: an end point is not among the nodes"]
    faults = []
    if (network.sources == network.targets).any():
        faults.append(f"{network.label}: a self-loop")
    keys = edge_keys(network, n, directed)
    if (keys[1:] == keys[:-1]).any():
        faults.append(f"{network.label}: a repeated edge")
    return faults
