"""GEXF: graphs in XML. The display labels of nodes are not attributes."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from formats.core import faults
from formats.core.format import GraphFormat, GraphReading, Look, Sniffed
from formats.core.limits import Limits
from formats.core.raw import RawGraph
from formats.core.text import beginning
from formats.graphs.xml import XmlLook, XmlReading, read_xml, sniff_xml

# --- sniffing --------------------------------------------------------------------------------------------------------


def recognize_gexf(head: bytes) -> bool:
    """Whether a file is XML with the root element of GEXF."""
    return beginning(head).startswith(b"<") and re.search(rb"<(?:\w+:)?gexf\b", head) is not None


class _Look(XmlLook):
    root = "gexf"
    body = "nodes"

    def __init__(self) -> None:
        super().__init__()
        self._of_nodes = False

    def declare(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "attributes":
            self._of_nodes = attributes.get("class") == "node"
        elif tag == "attribute" and self._of_nodes:
            self.names.append(attributes.get("title") or attributes.get("id") or "")


def _sniff(look: Look) -> Sniffed:
    return sniff_xml(look, _Look(), "gexf")


# --- reading ---------------------------------------------------------------------------------------------------------


def _read(chunks: Iterable[bytes], details: Mapping[str, Any], reading: GraphReading) -> RawGraph:
    return read_xml(chunks, _Gexf(reading.limits), reading)


class _Gexf(XmlReading):
    root = "gexf"

    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self._titles: dict[str, str] = {}
        self._defaults: dict[str, str] = {}
        self._of_nodes = False
        self._of_edges = False
        self._edge_titles: dict[str, str] = {}
        self._given: set[str] = set()
        self._title: str | None = None

    def direction(self, attrs: Any) -> bool:
        return bool(attrs.get("defaultedgetype") == "directed")

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
        elif tag == "attvalue" and self.node is not None:
            self._take(attrs)
        elif tag == "attvalue" and "edge" in self.open_tags:
            key = attrs.get("for") or attrs.get("id") or ""
            self._say_of_edge(self._edge_titles.get(key, key), attrs.get("value") or "")

    def _say_of_edge(self, name: str, text: str) -> None:
        self.check_length(len(text))
        self.collected.add_edge_value(name, text)

    def _declare(self, attrs: Any) -> None:
        self._title = None
        if self._of_nodes:
            title = attrs.get("title") or attrs.get("id") or ""
            if title in self.collected.attributes:
                raise faults.duplicate_attribute()
            self._titles[attrs.get("id") or ""] = self._title = title
            self.collected.attributes[title] = {}
        elif self._of_edges:
            self._edge_titles[attrs.get("id") or ""] = attrs.get("title") or attrs.get("id") or ""

    def _take(self, attrs: Any) -> None:
        title = self._titles.get(attrs.get("for") or attrs.get("id") or "")
        if title is None or self.node is None:
            raise faults.undeclared_attribute()
        text = attrs.get("value") or ""
        self.check_length(len(text))
        self.collected.add_value(self.node, title, text)
        self._given.add(title)

    def end(self, tag: str) -> None:
        if tag == "default" and self._title is not None:
            self._defaults[self._title] = self.take_text()
        elif tag == "attribute":
            self._title = None
        elif tag == "node" and self.node is not None:
            for title in self._defaults.keys() - self._given:
                self.collected.add_value(self.node, title, self._defaults[title])


GEXF = GraphFormat(name="gexf", endings=("gexf",), recognize=recognize_gexf, sniff=_sniff, read=_read)
