"""XML: shared code of GraphML and GEXF; graphs are read element by element.

A document type declaration is refused before anything else is read, so that no entity is ever expanded. Descriptions,
positions and colors are ignored.
"""

from collections.abc import Iterable
from typing import Any
from xml.parsers import expat
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import create_parser

from formats.core import faults
from formats.core.faults import Fault
from formats.core.format import GraphReading, Look, Sniffed
from formats.core.inflate import plain_bytes
from formats.core.limits import Limits
from formats.core.names import checked_attributes
from formats.core.raw import RawGraph
from formats.core.text import refuse_wide
from formats.graphs.parts import Collected, graph_of

_DEEPEST = 64


def _doctype() -> Fault:
    return Fault("dtd", "the file has a document type declaration")


def _malformed() -> Fault:
    return Fault("malformed_xml", "the file is not well-formed XML")


def _wrong_root(root: str) -> Fault:
    return Fault("malformed_xml", f"the outermost element is not {root}")


def _too_deep() -> Fault:
    return Fault("xml_depth", f"elements are nested more than {_DEEPEST} deep")


# --- sniffing --------------------------------------------------------------------------------------------------------


class XmlLook:
    """Parses the beginning of an XML file: its root and its declared node attributes; refuses forbidden content."""

    root: str
    body: str
    """Element before which all node attributes are declared."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.body_reached = False
        self._depth = 0

    def refuse_doctype(self, *_: object) -> None:
        raise _doctype()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(":")[2]
        if self._depth == 0 and tag != self.root:
            raise _wrong_root(self.root)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _too_deep()
        if tag == self.body:
            self.body_reached = True
        else:
            self.declare(tag, attributes)

    def end(self, name: str) -> None:
        self._depth -= 1

    def declare(self, tag: str, attributes: dict[str, str]) -> None:
        """Record the name of a node attribute, if the element declares one."""
        raise NotImplementedError


def sniff_xml(look: Look, seen: XmlLook, format_: str) -> Sniffed:
    """Sniff the beginning of an XML file."""
    refuse_wide(look.head)
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = seen.refuse_doctype
    parser.EntityDeclHandler = seen.refuse_doctype
    parser.StartElementHandler = seen.start
    parser.EndElementHandler = seen.end
    try:
        parser.Parse(look.head, look.complete)
    except (expat.ExpatError, LookupError, ValueError):
        malformed = True
    else:
        malformed = False
    if malformed:
        raise _malformed()
    columns = checked_attributes(seen.names, look.limits) if seen.body_reached else None
    return Sniffed(format_, {}, columns)


# --- reading ---------------------------------------------------------------------------------------------------------


def read_xml(chunks: Iterable[bytes], following: "XmlReading", reading: GraphReading) -> RawGraph:
    """Read the one flat graph of an XML file."""
    parser = create_parser(forbid_dtd=True)
    parser.setContentHandler(following)
    for piece in plain_bytes(chunks, reading.limits):
        _feed(parser, piece)
    _feed(parser, None)
    if not following.graphs:
        raise Fault("malformed_xml", "the file has no graph")
    return graph_of(following.collected, reading)


def _feed(parser: Any, piece: bytes | None) -> None:
    """Feed one chunk, or the end; the parser's own messages are never passed on."""
    try:
        if piece is None:
            parser.close()
        else:
            parser.feed(piece)
        return
    except DefusedXmlException:
        fault = _doctype()
    except SAXException:
        fault = _malformed()
    except (UnicodeDecodeError, LookupError, ValueError):
        fault = Fault("encoding", "the file is not valid in the encoding that it declares")
    raise fault


class XmlReading(ContentHandler):
    """Collects a graph while the parser walks through the file."""

    root: str

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.collected = Collected()
        self.graphs = 0
        self.open_tags: list[str] = []
        self.node: int | None = None
        self._text: list[str] | None = None
        self._longest = limits.max_cell_bytes
        self._length = 0

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802 - the name by which SAX calls it
        tag = name.rpartition(":")[2]
        if not self.open_tags and tag != self.root:
            raise _wrong_root(self.root)
        if len(self.open_tags) >= _DEEPEST:
            raise _too_deep()
        self.open_tags.append(tag)
        if tag == "graph":
            self._begin_graph(attrs)
        else:
            self.begin(tag, attrs)

    def endElement(self, name: str) -> None:  # noqa: N802 - the name by which SAX calls it
        tag = self.open_tags.pop()
        self.end(tag)
        if tag == "node":
            self.node = None

    def characters(self, content: str) -> None:
        if self._text is not None:
            self._length += len(content)
            self.check_length(self._length)
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

    def check_length(self, length: int) -> None:
        if length > self._longest:
            raise faults.cell_too_long(self._longest)

    def _begin_graph(self, attrs: Any) -> None:
        self.graphs += 1
        if self.graphs > 1:
            raise faults.second_graph()
        self.collected.directed = self.direction(attrs)

    def direction(self, attrs: Any) -> bool:
        raise NotImplementedError

    def begin_node(self, attrs: Any) -> None:
        if self.node is not None:
            raise Fault("nested_graph", "a node is inside another node")
        self.node = self.collected.add_node(attrs.get("id") or "")

    def begin_edge(self, attrs: Any, stated: bool | None) -> None:
        if stated is not None and stated != self.collected.directed:
            raise Fault("mixed_edges", "some edges are directed and others are not")
        self.collected.add_edge(attrs.get("source"), attrs.get("target"))
