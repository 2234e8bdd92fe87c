"""GraphML: graphs in XML whose attributes are declared as keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

import pyarrow.compute as pc

from formats.core import faults
from formats.core.cells import Cells, glue, rewritten
from formats.core.faults import Fault
from formats.core.format import GraphFormat, GraphReading, Look, Network, Sniffed
from formats.core.limits import Limits
from formats.core.raw import RawGraph
from formats.core.text import beginning
from formats.graphs.gexf import recognize_gexf
from formats.graphs.rows import edge_rows, fits_markup, node_rows, wrapped
from formats.graphs.xml import XmlLook, XmlReading, read_xml, sniff_xml

# --- sniffing --------------------------------------------------------------------------------------------------------


def _recognize(head: bytes) -> bool:
    return beginning(head).startswith(b"<") and not recognize_gexf(head)


class _Look(XmlLook):
    root = "graphml"
    body = "graph"

    def declare(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "key" and attributes.get("for", "all") in ("node", "all"):
            self.names.append(attributes.get("attr.name") or attributes.get("id") or "")


def _sniff(look: Look) -> Sniffed:
    return sniff_xml(look, _Look(), "graphml")


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], reading: GraphReading) -> RawGraph:
    return read_xml(chunks, _Graphml(reading.limits), reading)


class _Graphml(XmlReading):
    root = "graphml"

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, str] = {}
        self._key: str | None = None
        self._given: set[str] = set()
        self._edge_keys: dict[str, str] = {}
        self._edge_defaults: dict[str, str] = {}
        self._edge_key: str | None = None

    def direction(self, attrs: Any) -> bool:
        return bool(attrs.get("edgedefault") == "directed")

    def begin(self, tag: str, attrs: Any) -> None:
        if tag == "node":
            self.begin_node(attrs)
            self._given = set()
        elif tag == "edge":
            self.begin_edge(attrs, {"true": True, "false": False}.get(attrs.get("directed")))
            for name, text in self._edge_defaults.items():
                self.collected.add_edge_value(name, text)
        elif tag == "key":
            self._declare(attrs)
        elif tag == "data" and self.node is not None:
            self._key = attrs.get("key")
            self.begin_text()
        elif tag == "data" and "edge" in self.open_tags:
            self._edge_key = attrs.get("key") or ""
            self.begin_text()
        elif tag == "default" and (self._key is not None or self._edge_key is not None):
            self.begin_text()
        elif tag in ("hyperedge", "port"):
            raise Fault("hyperedge", "the file has hyperedges or ports")

    def _declare(self, attrs: Any) -> None:
        self._key = self._edge_key = None
        if attrs.get("for", "all") in ("edge", "all") and attrs.get("id") is not None:
            self._edge_key = attrs["id"]
            self._edge_keys[attrs["id"]] = attrs.get("attr.name") or attrs["id"]
        if attrs.get("for", "all") in ("node", "all") and attrs.get("id") is not None:
            self._key = attrs["id"]
            name = attrs.get("attr.name") or attrs["id"]
            if name in self.collected.attributes:
                raise faults.duplicate_attribute()
            self._keys[attrs["id"]] = name
            self.collected.attributes[name] = {}

    def end(self, tag: str) -> None:
        if tag == "data" and self.node is not None:
            name = self._keys.get(self._key or "")
            if name is None:
                raise faults.undeclared_attribute()
            self.collected.add_value(self.node, name, self.take_text())
            self._given.add(name)
        elif tag == "data" and "edge" in self.open_tags:
            key = self._edge_key or ""
            self.collected.add_edge_value(self._edge_keys.get(key, key), self.take_text())
        elif tag == "default" and (self._key is not None or self._edge_key is not None):
            self._take_default(self.take_text())
        elif tag == "node" and self.node is not None:
            for name in self._defaults.keys() - self._given:
                self.collected.add_value(self.node, name, self._defaults[name])

    def _take_default(self, text: str) -> None:
        if self._key is not None:
            self._defaults[self._keys[self._key]] = text
        if self._edge_key is not None:
            self._edge_defaults[self._edge_keys[self._edge_key]] = text


# --- writing ---------------------------------------------------------------------------------------------------------

_KEY_TYPES = {"integer": "long", "decimal": "double", None: "string"}


def write_graphml(graph: Network, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    """Render the graph; attributes that markup cannot represent unchanged are left out."""
    columns = attributes if fits_markup(attributes) else ()
    of_edges = edges if fits_markup(edges) else ()
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for prefix, kind, described in (("d", "node", columns), ("e", "edge", of_edges)):
        for position, cells in enumerate(described):
            name, type_ = _rewrite_markup(cells.name), _KEY_TYPES[cells.number]
            yield f'<key id="{prefix}{position}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>\n'.encode()
    yield f'<graph edgedefault="{"directed" if graph.directed else "undirected"}">\n'.encode()
    written = [_after_id(_graphml_cells(cells, f"d{position}"), position) for position, cells in enumerate(columns)]
    yield from node_rows(graph, '<node id="', written, "</node>\n" if written else '"/>\n')
    said = [_graphml_cells(cells, f"e{position}") for position, cells in enumerate(of_edges)]
    yield from edge_rows(graph, '<edge source="', '" target="', said, "</edge>\n" if said else '"/>\n', '">')
    yield b"</graph>\n</graphml>\n"


def _after_id(cells: Cells, position: int) -> Cells:
    return wrapped(cells, '">', "") if position == 0 else cells


def _graphml_cells(cells: Cells, key: str) -> Cells:
    """Labels within their element; a missing number has no element, a missing text an empty one."""
    texts = rewritten(cells.labels, "[&<>\"'\\r]", _rewrite_markup)
    written = glue(f'<data key="{key}">', texts, "</data>")
    if cells.number is not None:
        written = pc.if_else(pc.equal(cells.labels, ""), cells.labels, written)
    return cells.with_labels(written)


def _rewrite_markup(text: str) -> str:
    """Escape a text for XML; character references keep line ends unchanged."""
    return escape(text).replace("\r", "&#13;").replace("\n", "&#10;").replace("\t", "&#9;")


GRAPHML = GraphFormat(
    name="graphml",
    endings=("graphml",),
    recognize=_recognize,
    media_type="application/graphml+xml",
    suffix="graphml",
    sniff=_sniff,
    read=_read,
    write=write_graphml,
)
