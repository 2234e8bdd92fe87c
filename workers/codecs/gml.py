"""GML: graphs as nested lists of keys and values.

Himsolt, "GML: A portable Graph File Format", University of Passau, 1997. The reader is tolerant of what files in the
wild do: parallel edges, creators and comments before the graph, labels without quotes, texts in UTF-8 or Latin-1.
"""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from storage.settings import Settings
from workers.codecs.graph_parts import Collected
from workers.codecs.raw import invalid
from workers.codecs.stream import plain_bytes

_TOKEN = re.compile(
    r'(?P<edge>\bedge\s*\[\s*source\s+(?P<source>[^\s"\[\]]+)\s+target\s+(?P<target>[^\s"\[\]]+)\s*\])'
    r'|"(?P<text>[^"]*)"|(?P<open>\[)|(?P<close>\])|(?P<comment>^[ \t]*#[^\n]*)|(?P<word>[^\s"\[\]]+)|(?P<other>\S)',
    re.MULTILINE,
)
_DEEPEST = 32
_NAMED_BY = ("id", "label")


@dataclass
class _Block:
    """One list of keys and values; nested ones are kept only where they are nodes or edges."""

    name: str
    values: dict[str, str] = field(default_factory=dict)


def read_gml(chunks: Iterable[bytes], settings: Settings) -> tuple[Collected, dict[str, str]]:
    """Read a GML file: the graph by the nodes' ids, and for every id the label, where nodes have one."""
    reading = _Reading()
    for match in _TOKEN.finditer(_text(b"".join(plain_bytes(chunks, settings)))):
        reading.take(match.lastgroup or "", match)
    return reading.finish()


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


class _Reading:
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
        """An edge that has nothing but its end points: most are, so they are matched as a whole."""
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
            raise invalid("repeated_key", "a node or an edge has the same key twice")
        block.values[key] = value
        self._key = None

    def _open(self) -> None:
        if len(self._stack) >= _DEEPEST:
            raise invalid("gml_depth", f"lists are nested more than {_DEEPEST} deep")
        path = [block.name for block in self._stack]
        name = (self._key or "").lower()
        if name == "graph":
            self._graphs += 1
            if self._graphs > 1 or len(path) > 1:
                raise invalid("nested_graph", "the file has more than one graph")
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


def _malformed() -> Exception:
    return invalid("malformed_gml", "the file is not GML")
