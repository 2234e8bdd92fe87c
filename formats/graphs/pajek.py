"""Pajek: a count of vertices with optional labels, then arcs (directed) and edges (undirected).

Batagelj and Mrvar, "Pajek - Program for Large Network Analysis", Connections 21, 1998. Positions and shapes are
ignored; the third cell of an edge is its weight. A file with arcs is directed, and its edges then run both ways.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from formats.core import faults
from formats.core.faults import Fault
from formats.core.format import GraphFormat, GraphReading, Look, Sniffed
from formats.core.limits import Limits
from formats.core.raw import RawGraph, RawTable, encode_texts
from formats.core.text import BYTE_ORDER_MARK, first_text, utf8_bytes
from formats.graphs.edgelist import cut_pairs
from formats.graphs.nodes import renamed
from formats.graphs.parts import simple_graph

# --- sniffing --------------------------------------------------------------------------------------------------------

_BEGINNING = re.compile(rb"(?i)^\s*(?:%[^\n]*\n\s*)*\*(?:vertices|network)\b")


def _recognize(head: bytes) -> bool:
    return _BEGINNING.match(head.removeprefix(BYTE_ORDER_MARK)) is not None


def _sniff(look: Look) -> Sniffed:
    _, encoding = first_text(look)
    if not _recognize(look.head):
        raise _malformed("the file does not begin with its vertices")
    return Sniffed("pajek", {"encoding": encoding}, [])


# --- reading ---------------------------------------------------------------------------------------------------------

_SECTION = re.compile(rb"^[ \t]*\*[^\n]*\n?", re.MULTILINE)
_VERTEX = re.compile(rb'^[ \t]*([0-9]{1,12})[ \t]+(?:"([^"\n]*)"|([^\s"]+))', re.MULTILINE)
_PASSED_OVER = (b"*network", b"*partition", b"*vector")


@dataclass
class _Vertices:
    """A Pajek network: its vertices are 0…n-1."""

    n: int = 0
    labels: dict[int, str] = field(default_factory=dict)
    sources: list[NDArray[np.int64]] = field(default_factory=list)
    targets: list[NDArray[np.int64]] = field(default_factory=list)
    directed: bool = False
    weighted: bool = False
    weights: list[Any] = field(default_factory=list)
    """Third cell of every edge; empty if there is none."""


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], reading: GraphReading) -> RawGraph:
    """Read a Pajek network; labels that distinguish all vertices become their names."""
    content = b"".join(utf8_bytes(chunks, details.get("encoding"), reading.limits)).replace(b"\r\n", b"\n")
    network = _network(content, reading.limits)
    graph = _graph_of(network, reading)
    if len(set(network.labels.values())) < network.n:
        return graph
    return renamed(graph, [network.labels[number] for number in range(network.n)], reading.limits)


def _network(content: bytes, limits: Limits) -> _Vertices:
    sections = list(_sections(content))
    network = _Vertices(directed=any(name.startswith(b"*arcs") for name, _, _ in sections))
    for name, rest, body in sections:
        if name == b"*vertices":
            _take_vertices(network, rest, body, limits)
        elif name in (b"*arcs", b"*edges"):
            _take_pairs(network, body, both_ways=network.directed and name == b"*edges")
        elif name in (b"*arcslist", b"*edgeslist"):
            _take_lists(network, body, both_ways=network.directed and name == b"*edgeslist")
        elif name not in _PASSED_OVER:
            raise _malformed("the file has a section that networks do not have")
    if network.n == 0:
        raise faults.no_records("vertices")
    return network


def _graph_of(network: _Vertices, reading: GraphReading) -> RawGraph:
    numbers = np.arange(1, network.n + 1).astype(str).astype(object)
    none = np.empty(0, dtype=np.int64)
    return simple_graph(
        numbers,
        np.concatenate([none, *network.sources]),
        np.concatenate([none, *network.targets]),
        network.directed if reading.directed is None else reading.directed,
        reading.strict,
        edge_attributes=int(network.weighted),
        edges=_weights(network, reading.limits) if reading.with_edges and network.weighted else None,
    )


def _weights(network: _Vertices, limits: Limits) -> RawTable:
    column = encode_texts("weight", pa.concat_arrays(network.weights), limits)
    return RawTable(["weight"], [column], len(column.codes))


def _malformed(detail: str) -> Fault:
    return Fault("malformed_pajek", detail)


def _sections(content: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    heads = list(_SECTION.finditer(content))
    if not heads:
        raise _malformed("the file does not begin with its vertices")
    stops = [head.start() for head in heads[1:]] + [len(content)]
    for head, stop in zip(heads, stops, strict=True):
        words = head[0].split(None, 1)
        yield words[0].lower(), words[1] if len(words) > 1 else b"", content[head.end() : stop]


def _take_vertices(network: _Vertices, rest: bytes, body: bytes, limits: Limits) -> None:
    count = rest.split()[0] if rest.split() else b""
    if not count.isdigit() or len(count) > 12 or network.n:
        raise _malformed("the number of vertices is missing or given twice")
    network.n = int(count)
    if network.n > limits.max_rows:
        raise faults.too_many_rows(limits.max_rows, "vertices")
    for match in _VERTEX.finditer(body):
        number = int(match[1]) - 1
        if not 0 <= number < network.n or number in network.labels:
            raise _malformed("a vertex has a number that is out of range or used twice")
        label = match[2] if match[2] is not None else match[3]
        network.labels[number] = label.decode("utf-8", "replace")


def _take_pairs(network: _Vertices, body: bytes, both_ways: bool) -> None:
    lines = re.sub(rb'"[^"\n]*"', b"", body)
    if not lines.strip():
        return
    pairs = cut_pairs(lines, " ", columns=3)
    network.weighted |= bool((pairs.widths > 2).any())
    network.weights += [pairs.others[0]] * (2 if both_ways else 1)
    _add(network, _numbers(pairs.first), _numbers(pairs.second), both_ways)


def _take_lists(network: _Vertices, body: bytes, both_ways: bool) -> None:
    rows = [pa.array(line.split(), pa.binary()) for line in body.split(b"\n") if line.strip()]
    for row in rows:
        numbers = _numbers(row)
        network.weights += [pa.array([""] * (len(numbers) - 1), pa.string())] * (2 if both_ways else 1)
        _add(network, np.full(len(numbers) - 1, numbers[0]), numbers[1:], both_ways)


def _numbers(texts: pa.Array) -> NDArray[np.int64]:
    try:
        numbers: NDArray[np.int64] = texts.cast(pa.string()).cast(pa.int64()).to_numpy(zero_copy_only=False)
        return numbers - 1
    except pa.ArrowInvalid:
        fault = _malformed("an edge does not name its vertices by their numbers")
    raise fault


def _add(network: _Vertices, sources: NDArray[np.int64], targets: NDArray[np.int64], both_ways: bool) -> None:
    for ends in (sources, targets):
        outside = (ends < 0) | (ends >= network.n)
        if outside.any():
            raise faults.unknown_node(int(outside.argmax()) + 1)
    network.sources += [sources, targets] if both_ways else [sources]
    network.targets += [targets, sources] if both_ways else [targets]


PAJEK = GraphFormat(name="pajek", endings=("net", "paj"), recognize=_recognize, sniff=_sniff, read=_read)
