"""Graph parts: what the readers of graph formats collect, and how it becomes a simple graph.

Formats that list their nodes are read into a `Collected`: nodes, their attributes as texts, and edges between names.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from storage.settings import Settings
from workers.codecs.raw import RawColumn, RawGraph, RawTable, checked_names, edge_names, encode_texts, invalid

RESERVED = "node"
"""Name of the node column of a release: no attribute may have it."""


@dataclass
class Collected:
    """Nodes, attributes and edges in the order of a file."""

    positions: dict[str, int] = field(default_factory=dict)
    """Node by name."""
    attributes: dict[str, dict[int, str]] = field(default_factory=dict)
    """Attribute by name: the texts of the nodes that have it."""
    sources: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    edge_attributes: dict[str, dict[int, str]] = field(default_factory=dict)
    """Attribute of edges by name: the texts of the edges that have it, by their number."""
    directed: bool = False

    def add_node(self, name: str) -> int:
        if not name:
            raise invalid("empty_id", "a node has no id", row=len(self.positions) + 1)
        if name in self.positions:
            raise invalid("duplicate_node", "two nodes have the same id", row=len(self.positions) + 1)
        self.positions[name] = len(self.positions)
        return len(self.positions) - 1

    def add_value(self, node: int, attribute: str, text: str) -> None:
        self.attributes.setdefault(attribute, {})[node] = text

    def add_edge(self, source: str | None, target: str | None) -> None:
        if source is None or target is None:
            raise invalid("empty_id", "an edge lacks an end point", row=len(self.sources) + 1)
        self.sources.append(source)
        self.targets.append(target)

    def add_edge_value(self, attribute: str, text: str) -> None:
        """Say something of the edge that was added last."""
        self.edge_attributes.setdefault(attribute, {})[len(self.sources) - 1] = text


def graph_of(
    collected: Collected, directed: bool | None, strict: bool, settings: Settings, with_edges: bool = False
) -> RawGraph:
    """The graph that a reader collected."""
    n = len(collected.positions)
    if n == 0:
        raise invalid("no_records", "the file has no nodes")
    if max(n, len(collected.sources)) > settings.max_rows:
        raise invalid("too_many_rows", f"there are more than {settings.max_rows} nodes or edges")
    ids = encode_texts(None, list(collected.positions), settings)
    if len(ids.values) < n:
        raise invalid("duplicate_node", "two nodes have the same id")
    sources = _numbers(collected.sources, collected.positions)
    targets = _numbers(collected.targets, collected.positions)
    columns = _columns(collected, n, settings)
    followed = collected.directed if directed is None else directed
    edges = _edge_columns(collected, settings) if with_edges else None
    return simple_graph(
        ids.values[ids.codes], sources, targets, followed, strict, columns, len(collected.edge_attributes), edges
    )


def _edge_columns(collected: Collected, settings: Settings) -> RawTable | None:
    if not collected.edge_attributes:
        return None
    names = edge_names(list(collected.edge_attributes), settings)
    rows = len(collected.sources)
    columns = [
        _column(name, texts, rows, settings)
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
    """Take out and count loops and repetitions, or refuse them where the upload is strict; of repeated edges the first
    says what is known of them."""
    n = len(ids)
    loops = sources == targets
    keys = _keys(sources, targets, n, directed)[~loops]
    distinct, first = np.unique(keys, return_index=True) if edges is not None else (np.unique(keys), None)
    self_loops, repeated = int(loops.sum()), len(keys) - len(distinct)
    if strict and self_loops:
        raise invalid("self_loops", f"there are {self_loops} self-loops", row=int(loops.argmax()) + 1)
    if strict and repeated:
        raise invalid("repeated_edges", f"there are {repeated} repeated edges")
    return RawGraph(
        n,
        distinct // np.int64(n),
        distinct % np.int64(n),
        ids,
        columns,
        self_loops,
        repeated,
        directed,
        edge_attributes=edge_attributes,
        edge_columns=None if edges is None else _chosen(edges, np.flatnonzero(~loops)[first]),
    )


def _chosen(table: RawTable, rows: NDArray[np.int64]) -> RawTable:
    return RawTable(table.names, [RawColumn(c.codes[rows], c.values) for c in table.columns], len(rows))


def _keys(sources: NDArray[np.int64], targets: NDArray[np.int64], n: int, directed: bool) -> NDArray[np.int64]:
    if directed:
        return sources * np.int64(n) + targets
    return np.minimum(sources, targets) * np.int64(n) + np.maximum(sources, targets)


def _numbers(names: list[str], positions: dict[str, int]) -> NDArray[np.int64]:
    numbers = np.fromiter((positions.get(name, -1) for name in names), np.int64, len(names))
    if (numbers < 0).any():
        row = int((numbers < 0).argmax()) + 1
        raise invalid("unknown_node", "an edge names a node that the file does not list", row=row)
    return numbers


def _columns(collected: Collected, n: int, settings: Settings) -> RawTable | None:
    if not collected.attributes:
        return None
    names = attribute_names(list(collected.attributes), settings)
    columns = [
        _column(name, texts, n, settings) for name, texts in zip(names, collected.attributes.values(), strict=True)
    ]
    return RawTable(names, columns, n)


def attribute_names(names: list[str], settings: Settings) -> list[str]:
    """Names of node attributes, in normal form; the name of the release's own node column is refused."""
    names = checked_names(names, settings)
    if RESERVED in names:
        raise invalid("reserved_column", "no attribute may have the name of the node column", column=RESERVED)
    return names


def _column(name: str, texts: dict[int, str], n: int, settings: Settings) -> RawColumn:
    cells = np.full(n, "", dtype=object)
    cells[np.fromiter(texts.keys(), np.int64, len(texts))] = list(texts.values())
    return encode_texts(name, cells, settings)
