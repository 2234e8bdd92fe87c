"""Graph parts: the nodes and edges that readers collect, and their conversion to a simple graph.

Formats that list their nodes are read into a `Collected`: nodes, their attributes as texts, and edges between names.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from formats.core import faults
from formats.core.faults import Fault
from formats.core.format import GraphReading
from formats.core.limits import Limits
from formats.core.names import edge_names, node_names
from formats.core.raw import RawColumn, RawGraph, RawTable, encode_texts


@dataclass
class Collected:
    """Nodes, attributes and edges in the order of a file."""

    positions: dict[str, int] = field(default_factory=dict)
    """Nodes by name."""
    attributes: dict[str, dict[int, str]] = field(default_factory=dict)
    """Attributes by name: the texts of the nodes that have the attribute."""
    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    edge_attributes: dict[str, dict[int, str]] = field(default_factory=dict)
    """Edge attributes by name: the texts of the edges that have the attribute, by edge number."""
    directed: bool = False

    def add_node(self, name: str) -> int:
        if not name:
            raise faults.no_id(len(self.positions) + 1)
        if name in self.positions:
            raise faults.duplicate_node(len(self.positions) + 1)
        self.positions[name] = len(self.positions)
        return len(self.positions) - 1

    def add_value(self, node: int, attribute: str, text: str) -> None:
        self.attributes.setdefault(attribute, {})[node] = text

    def add_edge(self, source: str | None, target: str | None) -> None:
        if source is None or target is None:
            raise faults.no_end(len(self.sources) + 1)
        self.sources.append(source)
        self.targets.append(target)

    def add_edge_value(self, attribute: str, text: str) -> None:
        """Set an attribute of the last edge."""
        self.edge_attributes.setdefault(attribute, {})[len(self.sources) - 1] = text


def graph_of(collected: Collected, reading: GraphReading) -> RawGraph:
    """Build the graph that a reader collected."""
    n, limits = len(collected.positions), reading.limits
    if n == 0:
        raise faults.no_records("nodes")
    if max(n, len(collected.sources)) > limits.max_rows:
        raise faults.too_many_rows(limits.max_rows, "nodes or edges")
    ids = encode_texts(None, list(collected.positions), limits)
    if len(ids.values) < n:
        raise faults.duplicate_node()
    sources = _numbers(collected.sources, collected.positions)
    targets = _numbers(collected.targets, collected.positions)
    columns = _columns(collected, n, limits)
    directed = collected.directed if reading.directed is None else reading.directed
    edges = _edge_columns(collected, limits) if reading.with_edges else None
    return simple_graph(
        ids.values[ids.codes],
        sources,
        targets,
        directed,
        reading.strict,
        columns,
        len(collected.edge_attributes),
        edges,
    )


def _edge_columns(collected: Collected, limits: Limits) -> RawTable | None:
    if not collected.edge_attributes:
        return None
    names = edge_names(list(collected.edge_attributes), limits)
    rows = len(collected.sources)
    columns = [
        _column(name, texts, rows, limits)
        for name, texts in zip(names, collected.edge_attributes.values(), strict=True)
    ]
    return RawTable(names, columns, rows)


def simple_graph(
    ids: NDArray[np.object_],
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    directed: bool,
    strict: bool,
    columns: RawTable | None = None,
    edge_attributes: int = 0,
    edges: RawTable | None = None,
) -> RawGraph:
    """Remove and count self-loops and repeated edges, or refuse them if the upload is strict. The first of several
    repeated edges keeps its attributes."""
    n = len(ids)
    loops = sources == targets
    keys = _keys(sources, targets, n, directed)[~loops]
    kept, first = (distinct(keys), None) if edges is None else distinct_first(keys)
    self_loops, repeated = int(loops.sum()), len(keys) - len(kept)
    if strict:
        refuse_loops_and_repeats(loops, repeated)
    if self_loops and not len(kept):
        raise faults.only_self_loops(self_loops)
    return RawGraph(
        n,
        kept // np.int64(n),
        kept % np.int64(n),
        ids,
        columns,
        self_loops,
        repeated,
        directed,
        edge_attributes=edge_attributes,
        edge_columns=None if edges is None else chosen_rows(edges, np.flatnonzero(~loops)[first]),
    )


def refuse_loops_and_repeats(loops: NDArray[np.bool_], repeated: int) -> None:
    """Refuse self-loops and repeated edges, for strict uploads."""
    if loops.any():
        raise Fault("self_loops", f"the number of self-loops is {int(loops.sum())}", row=int(loops.argmax()) + 1)
    if repeated:
        raise Fault("repeated_edges", f"the number of repeated edges is {repeated}")


def distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct numbers in ascending order. Sorting is ten times faster than numpy's `unique`, which hashes."""
    ordered = np.sort(numbers)
    return ordered[_changes(ordered)]


def distinct_first(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct numbers in ascending order, and the position where each first occurs."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    new = _changes(ordered)
    return ordered[new], order[new]


def _changes(ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    return new


def chosen_rows(table: RawTable, rows: NDArray[np.int64]) -> RawTable:
    """The given rows of a table, in the given order."""
    return RawTable(table.names, [replace(column, codes=column.codes[rows]) for column in table.columns], len(rows))


def _keys(sources: NDArray[np.int64], targets: NDArray[np.int64], n: int, directed: bool) -> NDArray[np.int64]:
    if directed:
        return sources * np.int64(n) + targets
    return np.minimum(sources, targets) * np.int64(n) + np.maximum(sources, targets)


def _numbers(names: list[str], positions: dict[str, int]) -> NDArray[np.int64]:
    numbers = np.fromiter((positions.get(name, -1) for name in names), np.int64, len(names))
    if (numbers < 0).any():
        raise faults.unknown_node(int((numbers < 0).argmax()) + 1)
    return numbers


def _columns(collected: Collected, n: int, limits: Limits) -> RawTable | None:
    if not collected.attributes:
        return None
    names = node_names(list(collected.attributes), limits)
    columns = [
        _column(name, texts, n, limits) for name, texts in zip(names, collected.attributes.values(), strict=True)
    ]
    return RawTable(names, columns, n)


def _column(name: str, texts: dict[int, str], n: int, limits: Limits) -> RawColumn:
    cells = np.full(n, "", dtype=object)
    cells[np.fromiter(texts.keys(), np.int64, len(texts))] = list(texts.values())
    return encode_texts(name, cells, limits)
