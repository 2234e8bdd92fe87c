"""Pajek: a count of vertices with optional labels, then arcs (directed) and edges (undirected).

Batagelj and Mrvar, "Pajek - Program for Large Network Analysis", Connections 21, 1998. Positions, shapes and weights
are passed over; a file with arcs is directed, and each of its edges then runs both ways.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from storage.settings import Settings
from workers.codecs.edges import cut_pairs
from workers.codecs.raw import invalid
from workers.codecs.stream import utf8_bytes

_SECTION = re.compile(rb"^[ \t]*\*[^\n]*\n?", re.MULTILINE)
_VERTEX = re.compile(rb'^[ \t]*([0-9]{1,12})[ \t]+(?:"([^"\n]*)"|([^\s"]+))', re.MULTILINE)
_PASSED_OVER = (b"*network", b"*partition", b"*vector")


@dataclass
class Vertices:
    """A Pajek network: its vertices are 0…n-1."""

    n: int = 0
    labels: dict[int, str] = field(default_factory=dict)
    sources: list[NDArray[np.int64]] = field(default_factory=list)
    targets: list[NDArray[np.int64]] = field(default_factory=list)
    directed: bool = False
    weighted: bool = False
    weights: list[Any] = field(default_factory=list)
    """The third cell of every edge, empty where there is none."""


def read_pajek(chunks: Iterable[bytes], encoding: str | None, settings: Settings) -> Vertices:
    """Read a Pajek network."""
    content = b"".join(utf8_bytes(chunks, encoding, settings)).replace(b"\r\n", b"\n")
    sections = list(_sections(content))
    network = Vertices(directed=any(name.startswith(b"*arcs") for name, _, _ in sections))
    for name, rest, body in sections:
        if name == b"*vertices":
            _take_vertices(network, rest, body, settings)
        elif name in (b"*arcs", b"*edges"):
            _take_pairs(network, body, both_ways=network.directed and name == b"*edges")
        elif name in (b"*arcslist", b"*edgeslist"):
            _take_lists(network, body, both_ways=network.directed and name == b"*edgeslist")
        elif name not in _PASSED_OVER:
            raise invalid("malformed_pajek", "the file has a section that networks do not have")
    if network.n == 0:
        raise invalid("no_records", "the file has no vertices")
    return network


def _sections(content: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    heads = list(_SECTION.finditer(content))
    if not heads:
        raise invalid("malformed_pajek", "the file has no sections")
    stops = [head.start() for head in heads[1:]] + [len(content)]
    for head, stop in zip(heads, stops, strict=True):
        words = head[0].split(None, 1)
        yield words[0].lower(), words[1] if len(words) > 1 else b"", content[head.end() : stop]


def _take_vertices(network: Vertices, rest: bytes, body: bytes, settings: Settings) -> None:
    count = rest.split()[0] if rest.split() else b""
    if not count.isdigit() or len(count) > 12 or network.n:
        raise invalid("malformed_pajek", "the number of vertices is not given, or twice")
    network.n = int(count)
    if network.n > settings.max_rows:
        raise invalid("too_many_rows", f"there are more than {settings.max_rows} vertices")
    for match in _VERTEX.finditer(body):
        number = int(match[1]) - 1
        if not 0 <= number < network.n or number in network.labels:
            raise invalid("malformed_pajek", "a vertex has a number that is out of range or used twice")
        label = match[2] if match[2] is not None else match[3]
        network.labels[number] = label.decode("utf-8", "replace")


def _take_pairs(network: Vertices, body: bytes, both_ways: bool) -> None:
    lines = re.sub(rb'"[^"\n]*"', b"", body)
    if not lines.strip():
        return
    pairs = cut_pairs(lines, " ", columns=3)
    network.weighted |= bool((pairs.widths > 2).any())
    network.weights += [pairs.others[0]] * (2 if both_ways else 1)
    _add(network, _numbers(pairs.first), _numbers(pairs.second), both_ways)


def _take_lists(network: Vertices, body: bytes, both_ways: bool) -> None:
    rows = [pa.array(line.split(), pa.binary()) for line in body.split(b"\n") if line.strip()]
    for row in rows:
        numbers = _numbers(row)
        network.weights += [pa.array([""] * (len(numbers) - 1), pa.string())] * (2 if both_ways else 1)
        _add(network, np.full(len(numbers) - 1, numbers[0]), numbers[1:], both_ways)


def _numbers(texts: pa.Array) -> NDArray[np.int64]:
    try:
        return texts.cast(pa.string()).cast(pa.int64()).to_numpy(zero_copy_only=False) - 1
    except pa.ArrowInvalid:
        fault = invalid("malformed_pajek", "an edge names a vertex by something else than its number")
    raise fault


def _add(network: Vertices, sources: NDArray[np.int64], targets: NDArray[np.int64], both_ways: bool) -> None:
    for ends in (sources, targets):
        outside = (ends < 0) | (ends >= network.n)
        if outside.any():
            raise invalid("unknown_node", "an edge names a vertex that does not exist", row=int(outside.argmax()) + 1)
    network.sources += [sources, targets] if both_ways else [sources]
    network.targets += [targets, sources] if both_ways else [targets]
