"""GML: graphs as nested lists of keys and values.

Himsolt, "GML: A portable Graph File Format", University of Passau, 1997. The reader tolerates what real files contain:
parallel edges, creators and comments before the graph, labels without quotes, texts in UTF-8 or Latin-1.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from formats.core import faults
from formats.core.cells import Cells, glue, node_cells, rewritten
from formats.core.faults import Fault
from formats.core.format import GraphFormat, GraphReading, Look, Network, Sniffed
from formats.core.inflate import plain_bytes
from formats.core.raw import RawGraph
from formats.core.text import beginning, refuse_binary
from formats.graphs.nodes import renamed
from formats.graphs.parts import Collected, graph_of
from formats.graphs.rows import TAKEN_BY_EDGES, edge_rows, fits_markup, node_rows, wrapped

# --- sniffing --------------------------------------------------------------------------------------------------------

_BEGINNING = re.compile(rb"(?is)^\s*(?:(?:creator|version|comment)\b|#|graph\s*\[)")


def _recognize(head: bytes) -> bool:
    return _BEGINNING.match(beginning(head)) is not None and re.search(rb"\bgraph\s*\[", head) is not None


def _sniff(look: Look) -> Sniffed:
    refuse_binary(look.head)
    if not re.search(rb"(?i)\bgraph\s*\[", look.head):
        raise _malformed()
    if look.complete and not re.search(rb"(?i)\bnode\s*\[", look.head):
        raise faults.no_records("nodes")
    return Sniffed("gml")


# --- reading ---------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r'(?P<edge>\bedge\s*\[\s*source\s+(?P<source>[^\s"\[\]]+)\s+target\s+(?P<target>[^\s"\[\]]+)\s*\])'
    r'|"(?P<text>[^"]*)"|(?P<open>\[)|(?P<close>\])|(?P<comment>^[ \t]*#[^\n]*)|(?P<word>[^\s"\[\]]+)|(?P<other>\S)',
    re.MULTILINE,
)
_DEEPEST = 32
_NAMED_BY = ("id", "label")


@dataclass
class _Block:
    """One list of keys and values; nested ones are kept only if they are nodes or edges."""

    name: str
    values: dict[str, str] = field(default_factory=dict)


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], reading: GraphReading) -> RawGraph:
    """Read a GML file. Labels that distinguish all nodes become their names; otherwise they are an attribute."""
    collected, labels = _collect(b"".join(plain_bytes(chunks, reading.limits)))
    if len(set(labels.values())) < len(collected.positions):
        for name, label in labels.items():
            collected.add_value(collected.positions[name], "label", label)
        return graph_of(collected, reading)
    return renamed(graph_of(collected, reading), list(labels.values()), reading.limits)


def _collect(content: bytes) -> tuple[Collected, dict[str, str]]:
    """The graph with the nodes' ids, and the label of every id, if nodes have labels."""
    following = _Following()
    for match in _TOKEN.finditer(_text(content)):
        following.take(match.lastgroup or "", match)
    return following.finish()


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


class _Following:
    """Follows the tokens of a file and collects nodes and edges."""

    def __init__(self) -> None:
        self.collected = Collected()
        self.labels: dict[str, str] = {}
        self._stack = [_Block("")]
        self._key: str | None = None
        self._graphs = 0

    def take(self, kind: str, match: re.Match[str]) -> None:
        if kind == "comment":
            return
        if kind == "edge":
            self._take_plain_edge(match)
            return
        if kind == "close":
            self._close()
        elif self._key is None:
            self._name(kind, match)
        elif kind == "open":
            self._open()
        elif kind in ("text", "word"):
            self._set(html.unescape(match[kind]) if kind == "text" else match[kind])
        else:
            raise _malformed()

    def _take_plain_edge(self, match: re.Match[str]) -> None:
        """Take an edge that has only its end points. Most edges are like this, so they are matched as a whole."""
        if self._key is not None:
            raise _malformed()
        if [block.name for block in self._stack] == ["", "graph"]:
            self.collected.add_edge(match["source"], match["target"])

    def finish(self) -> tuple[Collected, dict[str, str]]:
        if len(self._stack) > 1 or self._key is not None or self._graphs != 1:
            raise _malformed()
        return self.collected, self.labels

    def _name(self, kind: str, match: re.Match[str]) -> None:
        if kind != "word":
            raise _malformed()
        self._key = match["word"]

    def _set(self, value: str) -> None:
        block, key = self._stack[-1], self._key or ""
        if block.name in ("node", "edge") and key in block.values:
            raise Fault("repeated_key", "a node or an edge has the same key twice")
        block.values[key] = value
        self._key = None

    def _open(self) -> None:
        if len(self._stack) >= _DEEPEST:
            raise Fault("gml_depth", f"lists are nested more than {_DEEPEST} deep")
        path = [block.name for block in self._stack]
        name = (self._key or "").lower()
        if name == "graph":
            self._graphs += 1
            if self._graphs > 1 or len(path) > 1:
                raise faults.second_graph()
        inner = name in ("node", "edge") and path == ["", "graph"]
        self._stack.append(_Block(name if inner or name == "graph" else ""))
        self._key = None

    def _close(self) -> None:
        if len(self._stack) < 2 or self._key is not None:
            raise _malformed()
        block = self._stack.pop()
        if block.name == "node":
            self._take_node(block.values)
        elif block.name == "edge":
            self.collected.add_edge(block.values.get("source"), block.values.get("target"))
            for key, value in block.values.items():
                if key not in ("source", "target", "id", "label"):
                    self.collected.add_edge_value(key, value)
        elif block.name == "graph":
            self.collected.directed = block.values.get("directed") == "1"

    def _take_node(self, values: dict[str, str]) -> None:
        name = values.get("id", "")
        node = self.collected.add_node(name)
        if "label" in values:
            self.labels[name] = values["label"]
        for key, value in values.items():
            if key not in _NAMED_BY:
                self.collected.add_value(node, key, value)


def _malformed() -> Fault:
    return Fault("malformed_gml", "the file is not GML")


# --- writing ---------------------------------------------------------------------------------------------------------

_GML_KEY = re.compile(r"[A-Za-z][0-9A-Za-z_]*", re.ASCII)
_GML_NUMBER = r"^-?[0-9]+(?:\.[0-9]+)?$"
_GML_TAKEN = ("id", "label")
_LARGEST_GML_INTEGER = 2**31 - 1


def _write(graph: Network, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    columns = [_gml_cells(cells) for cells in attributes] if _fits_gml(attributes, _GML_TAKEN) else []
    said = [_gml_cells(cells) for cells in edges] if _fits_gml(edges, TAKEN_BY_EDGES) else []
    yield f"graph [\n  directed {int(graph.directed)}\n".encode()
    label = wrapped(node_cells("", graph.n), ' label "', '"')
    yield from node_rows(graph, "  node [ id ", [label, *columns], " ]\n")
    yield from edge_rows(graph, "  edge [ source ", " target ", said, " ]\n")
    yield b"]\n"


def _fits_gml(columns: Sequence[Cells], taken: Sequence[str]) -> bool:
    keys = [cells.name for cells in columns]
    return all(_GML_KEY.fullmatch(key) and key not in taken for key in keys) and fits_markup(columns)


def _gml_cells(cells: Cells) -> Cells:
    """Labels with their key: numbers in the range that every reader supports, or quoted ASCII."""
    texts = rewritten(cells.labels, '[^ -~]|[&"]', _gml_text)
    written = glue(f' {cells.name} "', texts, '"')
    if cells.number is not None:
        plain = _gml_numbers(cells)
        written = pc.if_else(plain, glue(f" {cells.name} ", cells.labels), written)
        written = pc.if_else(pc.equal(cells.labels, ""), cells.labels, written)
    return cells.with_labels(written)


def _gml_numbers(cells: Cells) -> Any:
    plain = pc.match_substring_regex(cells.labels, _GML_NUMBER)
    given = pc.if_else(plain, cells.labels, pa.scalar("0", pa.large_string())).cast(pa.float64())
    return pc.and_(plain, pc.less_equal(pc.abs(given), float(_LARGEST_GML_INTEGER)))


def _gml_text(text: str) -> str:
    return re.sub('[^ -~]|[&"]', lambda match: f"&#{ord(match[0])};", text)


GML = GraphFormat(
    name="gml",
    endings=("gml",),
    recognize=_recognize,
    media_type="text/plain; charset=utf-8",
    suffix="gml",
    sniff=_sniff,
    read=_read,
    write=_write,
)
