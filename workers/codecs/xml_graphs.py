"""GraphML and GEXF: graphs in XML, read element by element.

A document type declaration is refused before anything else is read, so that no entity is ever expanded. What only
describes or paints (descriptions, positions, colours) is passed over.
"""

from collections.abc import Iterable
from typing import Any
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import create_parser

from antifaz.errors import InvalidDataset
from storage.settings import Settings
from workers.codecs.graph_parts import Collected
from workers.codecs.raw import invalid
from workers.codecs.stream import plain_bytes

_DEEPEST = 64


def read_graphml(chunks: Iterable[bytes], settings: Settings) -> Collected:
    """Read a GraphML file: one flat graph of nodes and edges."""
    return _read(_Graphml(settings), chunks, settings)


def read_gexf(chunks: Iterable[bytes], settings: Settings) -> Collected:
    """Read a GEXF file; the labels by which it displays nodes are not attributes."""
    return _read(_Gexf(settings), chunks, settings)


def _read(reading: "_Reading", chunks: Iterable[bytes], settings: Settings) -> Collected:
    parser = create_parser(forbid_dtd=True)
    parser.setContentHandler(reading)
    for piece in plain_bytes(chunks, settings):
        _feed(parser, piece)
    _feed(parser, None)
    if not reading.graphs:
        raise invalid("malformed_xml", "the file has no graph")
    return reading.collected


def _feed(parser: Any, piece: bytes | None) -> None:
    """Feed one piece, or the end; nothing of the parser's own messages is passed on."""
    try:
        if piece is None:
            parser.close()
        else:
            parser.feed(piece)
        return
    except DefusedXmlException:
        fault = invalid("dtd", "the file has a document type declaration")
    except SAXException:
        fault = invalid("malformed_xml", "the file is not well-formed XML")
    except (UnicodeDecodeError, LookupError, ValueError):
        fault = invalid("encoding", "the file is not in the encoding that it declares")
    raise fault


class _Reading(ContentHandler):
    """Collects a graph while the parser walks through the file."""

    root: str

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.collected = Collected()
        self.graphs = 0
        self._open: list[str] = []
        self._node: int | None = None
        self._text: list[str] | None = None
        self._longest = settings.max_cell_bytes
        self._length = 0

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 - the name by which SAX calls it
        tag = name.rpartition(":")[2]
        if not self._open and tag != self.root:
            raise invalid("malformed_xml", f"the outermost element is not {self.root}")
        if len(self._open) >= _DEEPEST:
            raise invalid("xml_depth", f"elements are nested more than {_DEEPEST} deep")
        self._open.append(tag)
        if tag == "graph":
            self._begin_graph(attrs)
        else:
            self.begin(tag, attrs)

    def endElement(self, name: str) -> None:  # noqa: N802 - the name by which SAX calls it
        tag = self._open.pop()
        self.end(tag)
        if tag == "node":
            self._node = None

    def characters(self, content: str) -> None:
        if self._text is not None:
            self._length += len(content)
            if self._length > self._longest:
                raise self.too_long()
            self._text.append(content)

    def begin(self, tag: str, attrs: Any) -> None:
        raise NotImplementedError

    def end(self, tag: str) -> None:
        raise NotImplementedError

    def begin_text(self) -> None:
        self._text, self._length = [], 0

    def take_text(self) -> str:
        text, self._text = "".join(self._text or ()), None
        return text

    def too_long(self) -> InvalidDataset:
        return invalid("cell_too_long", f"a value is longer than {self._longest} bytes")

    def _begin_graph(self, attrs: Any) -> None:
        self.graphs += 1
        if self.graphs > 1:
            raise invalid("nested_graph", "the file has more than one graph")
        self.collected.directed = self.direction(attrs)

    def direction(self, attrs: Any) -> bool:
        raise NotImplementedError

    def begin_node(self, attrs: Any) -> None:
        if self._node is not None:
            raise invalid("nested_graph", "a node stands within a node")
        self._node = self.collected.add_node(attrs.get("id") or "")

    def begin_edge(self, attrs: Any, stated: bool | None) -> None:
        if stated is not None and stated != self.collected.directed:
            raise invalid("mixed_edges", "some edges are directed and others are not")
        self.collected.add_edge(attrs.get("source"), attrs.get("target"))


class _Graphml(_Reading):
    root = "graphml"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, str] = {}
        self._key: str | None = None
        self._given: set[str] = set()
        self._edge_keys: dict[str, str] = {}
        self._edge_defaults: dict[str, str] = {}
        self._edge_key: str | None = None

    def direction(self, attrs: Any) -> bool:
        return attrs.get("edgedefault") == "directed"

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
        elif tag == "data" and self._node is not None:
            self._key = attrs.get("key")
            self.begin_text()
        elif tag == "data" and "edge" in self._open:
            self._edge_key = attrs.get("key") or ""
            self.begin_text()
        elif tag == "default" and (self._key is not None or self._edge_key is not None):
            self.begin_text()
        elif tag in ("hyperedge", "port"):
            raise invalid("hyperedge", "the file has hyperedges or ports")

    def _declare(self, attrs: Any) -> None:
        self._key = self._edge_key = None
        if attrs.get("for", "all") in ("edge", "all") and attrs.get("id") is not None:
            self._edge_key = attrs["id"]
            self._edge_keys[attrs["id"]] = attrs.get("attr.name") or attrs["id"]
        if attrs.get("for", "all") in ("node", "all") and attrs.get("id") is not None:
            self._key = attrs["id"]
            name = attrs.get("attr.name") or attrs["id"]
            if name in self.collected.attributes:
                raise invalid("duplicate_column", "two attributes of nodes have the same name")
            self._keys[attrs["id"]] = name
            self.collected.attributes[name] = {}

    def end(self, tag: str) -> None:
        if tag == "data" and self._node is not None:
            name = self._keys.get(self._key or "")
            if name is None:
                raise invalid("unknown_key", "a node has an attribute that is not declared")
            self.collected.add_value(self._node, name, self.take_text())
            self._given.add(name)
        elif tag == "data" and "edge" in self._open:
            key = self._edge_key or ""
            self.collected.add_edge_value(self._edge_keys.get(key, key), self.take_text())
        elif tag == "default" and (self._key is not None or self._edge_key is not None):
            self._take_default(self.take_text())
        elif tag == "node" and self._node is not None:
            for name in self._defaults.keys() - self._given:
                self.collected.add_value(self._node, name, self._defaults[name])

    def _take_default(self, text: str) -> None:
        if self._key is not None:
            self._defaults[self._keys[self._key]] = text
        if self._edge_key is not None:
            self._edge_defaults[self._edge_keys[self._edge_key]] = text


class _Gexf(_Reading):
    root = "gexf"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._titles: dict[str, str] = {}
        self._defaults: dict[str, str] = {}
        self._of_nodes = False
        self._of_edges = False
        self._edge_titles: dict[str, str] = {}
        self._given: set[str] = set()
        self._title: str | None = None

    def direction(self, attrs: Any) -> bool:
        return attrs.get("defaultedgetype") == "directed"

    def begin(self, tag: str, attrs: Any) -> None:
        if tag == "node":
            self.begin_node(attrs)
            self._given = set()
        elif tag == "edge":
            self.begin_edge(attrs, {"directed": True, "undirected": False}.get(attrs.get("type")))
            if attrs.get("weight") is not None:
                self._say_of_edge("weight", attrs["weight"])
        elif tag == "attributes":
            self._of_nodes = attrs.get("class") == "node"
            self._of_edges = attrs.get("class") == "edge"
        elif tag == "attribute":
            self._declare(attrs)
        elif tag == "default" and self._title is not None:
            self.begin_text()
        elif tag == "attvalue" and self._node is not None:
            self._take(attrs)
        elif tag == "attvalue" and "edge" in self._open:
            key = attrs.get("for") or attrs.get("id") or ""
            self._say_of_edge(self._edge_titles.get(key, key), attrs.get("value") or "")

    def _say_of_edge(self, name: str, text: str) -> None:
        if len(text) > self._longest:
            raise self.too_long()
        self.collected.add_edge_value(name, text)

    def _declare(self, attrs: Any) -> None:
        self._title = None
        if self._of_nodes:
            title = attrs.get("title") or attrs.get("id") or ""
            if title in self.collected.attributes:
                raise invalid("duplicate_column", "two attributes of nodes have the same name")
            self._titles[attrs.get("id") or ""] = self._title = title
            self.collected.attributes[title] = {}
        elif self._of_edges:
            self._edge_titles[attrs.get("id") or ""] = attrs.get("title") or attrs.get("id") or ""

    def _take(self, attrs: Any) -> None:
        title = self._titles.get(attrs.get("for") or attrs.get("id") or "")
        if title is None or self._node is None:
            raise invalid("unknown_key", "a node has an attribute that is not declared")
        text = attrs.get("value") or ""
        if len(text) > self._longest:
            raise self.too_long()
        self.collected.add_value(self._node, title, text)
        self._given.add(title)

    def end(self, tag: str) -> None:
        if tag == "default" and self._title is not None:
            self._defaults[self._title] = self.take_text()
        elif tag == "attribute":
            self._title = None
        elif tag == "node" and self._node is not None:
            for title in self._defaults.keys() - self._given:
                self.collected.add_value(self._node, title, self._defaults[title])
