"""Readers of released graphs: edgelist, graphml, gml and node-link JSON.

They accept nodes, edges and node attributes, and nothing else: original data could hide in a comment or a description,
which no guarantee covers. Attributes of edges are read if the policy allows them in the release.
"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.parsers import expat

from verifier.readers.cells import FLOAT, INTEGER, TEXT, TRUTH, Cell
from verifier.readers.networks import Network, edge_list, network_of
from verifier.readers.tables import Pairs, read_table, same_number, scan_json
from verifier.verdict.verdict import Artifact, Unreadable
from verifier.verdict.watch import look

_UNSEEN = re.compile("\\A\ufeff|[\x00-\x08\x0b\x0c\x0e-\x1f]")


def read_graph(artifact: Artifact, directed: bool, with_columns: bool = False, repeated: bool = False) -> Network:
    """Read the network of an artifact, with attributes of edges if they are allowed; raises `Unreadable`.

    ``repeated`` means that pairs may be listed several times, as in a temporal graph.
    """
    if artifact.format == "edgelist":
        return edge_list(read_table(Artifact("csv", "graph", artifact.content)), with_columns)
    reader = _READERS.get(artifact.format)
    if reader is None:
        raise Unreadable("not a format of graphs")
    try:
        text = str(artifact.content, "utf-8")
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8") from None
    if _UNSEEN.search(text):
        raise Unreadable("a byte order mark or a control character")
    network = reader(text, directed, repeated)
    if network.edges is not None and not with_columns:
        raise Unreadable("an edge with something beside its end points")
    return network


def _check_direction(found: object, directed: bool) -> None:
    if found is not directed:
        raise Unreadable("directed where the release is not, or the other way round")


# graphml

_KINDS = {
    "int": INTEGER,
    "long": INTEGER,
    "float": FLOAT,
    "double": FLOAT,
    "boolean": TRUTH,
    "string": TEXT,
}
_PARENTS = {"graphml": "", "key": "graphml", "graph": "graphml", "node": "graph", "edge": "graph", "data": "node"}
_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_KEY = re.compile(r"[de](?:0|[1-9][0-9]{0,3})", re.ASCII)
_WHOLE = re.compile(r"-?[0-9]{1,400}", re.ASCII)
_NOT_SAID = -1
_BELOW_EDGES = ("data", "edge")
_FIXED = {
    "xmlns": _NAMESPACE,
    "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
    "xsi:schemaLocation": f"{_NAMESPACE} {_NAMESPACE}/1.0/graphml.xsd",
}
_ALLOWED = {
    "graphml": set(_FIXED),
    "key": {"id", "for", "attr.name", "attr.type"},
    "graph": {"edgedefault"},
    "node": {"id"},
    "edge": {"source", "target"},
    "data": {"key"},
}


_PIECE = 1 << 20
"""Number of bytes of a file between two calls of the watch."""


class _GraphmlReading:
    """Collects nodes and edges while the parser walks through the file."""

    def __init__(self) -> None:
        self.directed: bool | None = None
        self.keys: dict[str, tuple[str, str]] = {}
        self.nodes: list[tuple[Cell, dict[str, Cell]]] = []
        self.sources: list[Cell] = []
        self.targets: list[Cell] = []
        self.edges: list[dict[str, Cell]] = []
        self._edge_keys: dict[str, tuple[str, str]] = {}
        self._open: list[str] = [""]
        self._key: tuple[str, str] = ("", TEXT)
        self._text: list[str] = []

    def start(self, tag: str, settings: dict[str, str]) -> None:
        if _PARENTS.get(tag) != self._open[-1] and (tag, self._open[-1]) != _BELOW_EDGES:
            raise Unreadable("an element that is neither node, edge nor an attribute of one")
        if not settings.keys() <= _ALLOWED[tag] or (tag == "graphml" and not settings.items() <= _FIXED.items()):
            raise Unreadable("an element with settings that are not its own")
        self._open.append(tag)
        try:
            self._take(tag, settings)
        except KeyError:
            raise Unreadable("an element without what it needs") from None

    def _take(self, tag: str, settings: dict[str, str]) -> None:
        if tag == "edge":
            self.sources.append(settings["source"])
            self.targets.append(settings["target"])
            self.edges.append({})
        elif tag == "node":
            self.nodes.append((settings["id"], {}))
        elif tag == "data":
            declared = self._edge_keys if self._open[-2] == "edge" else self.keys
            self._key, self._text = declared[settings["key"]], []
        elif tag == "key":
            self._declare(settings)
        elif tag == "graph":
            self._begin(settings)

    def _declare(self, settings: dict[str, str]) -> None:
        if settings["for"] not in ("node", "edge") or settings["id"] in {**self.keys, **self._edge_keys}:
            raise Unreadable("an attribute of something else than nodes and edges, or declared twice")
        declared = self.keys if settings["for"] == "node" else self._edge_keys
        if not _KEY.fullmatch(settings["id"]):
            raise Unreadable("an attribute that is declared by something else than a number")
        name = settings["attr.name"]
        if any(name == other for other, _ in declared.values()):
            raise Unreadable("two attributes with one name")
        declared[settings["id"]] = name, _KINDS[settings["attr.type"]]

    def _begin(self, settings: dict[str, str]) -> None:
        if self.directed is not None:
            raise Unreadable("more than one graph")
        self.directed = {"directed": True, "undirected": False}[settings["edgedefault"]]

    def text(self, text: str) -> None:
        if self._open[-1] == "data":
            self._text.append(text)
        elif text.strip():
            raise Unreadable("text outside of attributes")

    def end(self, tag: str) -> None:
        self._open.pop()
        if tag == "data":
            (name, kind), values = self._key, self.edges[-1] if self._open[-1] == "edge" else self.nodes[-1][1]
            if name in values:
                raise Unreadable("an attribute given twice")
            values[name] = _graphml_cell(kind, "".join(self._text))

    def has_idle_keys(self) -> bool:
        """Whether an edge attribute is declared that no edge has."""
        return bool({name for name, _ in self._edge_keys.values()} - {name for edge in self.edges for name in edge})


def _graphml_cell(kind: str, text: str) -> Cell:
    if kind == TEXT:
        return text
    if kind == TRUTH:
        if text not in ("true", "false"):
            raise Unreadable("a truth value that is none")
        return kind, text
    if kind == INTEGER and not _WHOLE.fullmatch(text):
        raise Unreadable("a number that is none")
    return same_number(kind, text)


def _refuse_markup(*_: object) -> None:
    raise Unreadable("a document type, comment or processing instruction")


def _refuse_other_encoding(version: str, encoding: str | None, standalone: int) -> None:
    """The text was decoded as UTF-8; a reader that trusts another declaration would see other labels."""
    if encoding is not None and encoding.lower() != "utf-8":
        raise Unreadable("an encoding that is not UTF-8")
    if version != "1.0" or standalone != _NOT_SAID:
        raise Unreadable("a declaration that says more than the encoding")


def _read_graphml(text: str, directed: bool, _repeated: bool) -> Network:
    reading = _GraphmlReading()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.XmlDeclHandler = _refuse_other_encoding
    parser.StartDoctypeDeclHandler = _refuse_markup
    parser.EntityDeclHandler = _refuse_markup
    parser.CommentHandler = _refuse_markup
    parser.ProcessingInstructionHandler = _refuse_markup
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.text
    try:
        content = text.encode()
        for start in range(0, len(content), _PIECE):
            look()
            parser.Parse(content[start : start + _PIECE], False)
        parser.Parse(b"", True)
    except expat.ExpatError:
        raise Unreadable("not XML") from None
    if reading.directed is None:
        raise Unreadable("no graph")
    _check_direction(reading.directed, directed)
    if reading.has_idle_keys():
        raise Unreadable("an attribute of edges that no edge has")
    declared = [name for name, _ in reading.keys.values()]
    return network_of("graphml", reading.nodes, reading.sources, reading.targets, declared, reading.edges)


# gml

_TOKEN = re.compile(
    r"\s+|(?P<key>[A-Za-z][0-9A-Za-z_]*)|(?P<open>\[)|(?P<close>\])"
    r"|(?P<float>[+-]?(?:[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+))"
    r'|(?P<whole>[+-]?[0-9]+)|"(?P<text>[^"]*)"',
    re.ASCII,
)


_AMPERSAND = re.compile("&")
_NAMED = {"amp": "&", "quot": '"', "lt": "<", "gt": ">", "apos": "'"}
_REFERENCE = re.compile(r"&(?:(amp|quot|lt|gt|apos)|#([1-9][0-9]{0,6}));", re.ASCII)
_AMBIGUOUS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _gml_tokens(text: str) -> Iterator[tuple[str, str]]:
    end = 0
    for match in _TOKEN.finditer(text):
        if match.start() != end:
            raise Unreadable("not gml")
        if end // _PIECE < match.end() // _PIECE:
            look()
        end = match.end()
        if match.lastgroup is not None:
            yield match.lastgroup, match[match.lastgroup]
    if end != len(text):
        raise Unreadable("not gml")


def _gml_pairs(text: str) -> Pairs:
    """The whole file as nested pairs of keys and values."""
    stack, key = [Pairs()], ""
    for kind, token in _gml_tokens(text):
        if kind == "close" and not key and len(stack) > 1:
            stack.pop()
        elif kind == "key" and not key:
            key = token
        elif kind in ("open", "text", "whole", "float") and key:
            value = Pairs() if kind == "open" else _gml_cell(kind, token)
            stack[-1].append((key, value))
            key = ""
            if isinstance(value, Pairs):
                stack.append(value)
        else:
            raise Unreadable("not gml")
    if len(stack) > 1 or key:
        raise Unreadable("not gml")
    return stack[0]


def _gml_cell(kind: str, token: str) -> Cell:
    if kind == "text":
        return _gml_text(token)
    return same_number(INTEGER if kind == "whole" else FLOAT, token)


def _gml_text(token: str) -> str:
    """A text with character references; a reference that readers understand differently is refused."""
    if len(_AMPERSAND.findall(token)) != len(_REFERENCE.findall(token)):
        raise Unreadable("a reference to a character that readers may not know")
    return _REFERENCE.sub(lambda match: _NAMED.get(match[1]) or _character(int(match[2])), token)


def _character(number: int) -> str:
    if number > sys.maxunicode or 0xD800 <= number <= 0xDFFF or _AMBIGUOUS.search(chr(number)):
        raise Unreadable("a reference to a character that readers may not know")
    return chr(number)


def _read_gml(text: str, directed: bool, _repeated: bool) -> Network:
    top = _gml_pairs(text)
    if len(top) != 1 or top[0][0] != "graph" or not isinstance(top[0][1], Pairs):
        raise Unreadable("not one graph")
    members: dict[str, list[Any]] = {"directed": [], "node": [], "edge": []}
    for key, value in top[0][1]:
        if key not in members:
            raise Unreadable("something beside nodes and edges")
        members[key].append(value)
    if members["directed"] not in ([], [(INTEGER, "0")], [(INTEGER, "1")]):
        raise Unreadable("not one direction")
    _check_direction(members["directed"] == [(INTEGER, "1")], directed)
    nodes = [_node(value) for value in members["node"]]
    return _network("gml", _without_repeated_ids(nodes), members["edge"])


def _without_repeated_ids(nodes: list[tuple[Cell, dict[str, Cell]]]) -> list[tuple[Cell, dict[str, Cell]]]:
    """Nodes without labels that only repeat the id, as writers of gml add them: they are not attributes."""
    if any("label" not in values or values["label"] != _text_of(identity) for identity, values in nodes):
        return nodes
    return [(identity, {name: cell for name, cell in values.items() if name != "label"}) for identity, values in nodes]


def _text_of(cell: Cell) -> Cell:
    return cell[1] if isinstance(cell, tuple) else cell


# node-link


def _read_node_link(text: str, directed: bool, repeated: bool) -> Network:
    pairs = scan_json(text.strip(" \n"))
    if not isinstance(pairs, Pairs):
        raise Unreadable("not an object")
    members = dict(pairs)
    edges = members.pop("edges", None)
    links = members.pop("links", None)
    nodes = members.pop("nodes", None)
    _check_direction(members.pop("directed", directed), directed)
    if members.pop("multigraph", repeated) is not repeated or members.pop("graph", Pairs()) != Pairs() or members:
        raise Unreadable("something beside nodes and edges")
    listed = edges if links is None else links
    if (edges is None) == (links is None) or not (_is_list(nodes) and _is_list(listed)):
        raise Unreadable("not one list of nodes and one of edges")
    return _network("node-link", [_node(value) for value in nodes], listed)


def _is_list(value: object) -> bool:
    return isinstance(value, list) and not isinstance(value, Pairs)


def _members(value: object) -> dict[str, Cell]:
    """The plain members of a node or an edge."""
    if not isinstance(value, Pairs):
        raise Unreadable("a node or edge that is not an object")
    members = dict(value)
    if len(members) < len(value) or any(isinstance(cell, list) for cell in members.values()):
        raise Unreadable("a repeated or nested attribute")
    return members


def _node(value: object) -> tuple[Cell, dict[str, Cell]]:
    members = _members(value)
    if "id" not in members:
        raise Unreadable("a node without an id")
    return members.pop("id"), members


def _network(format_: str, nodes: list[tuple[Cell, dict[str, Cell]]], edges: list[Any]) -> Network:
    ends: list[Mapping[str, Cell]] = [_members(edge) for edge in edges]
    if not all(edge.keys() >= {"source", "target"} for edge in ends):
        raise Unreadable("an edge without its end points")
    more = [{name: cell for name, cell in edge.items() if name not in ("source", "target")} for edge in ends]
    sources, targets = [edge["source"] for edge in ends], [edge["target"] for edge in ends]
    return network_of(format_, nodes, sources, targets, edges=more)


_READERS: dict[str, Callable[[str, bool, bool], Network]] = {
    "graphml": _read_graphml,
    "gml": _read_gml,
    "node-link": _read_node_link,
}
