"""Targets: the parsers, the paths by which bytes reach them, and contents that they accept."""

import gzip
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset
from antifaz.kinds.records import column_types
from antifaz.policy.parse import parse_hierarchy, parse_policy
from antifaz.protection import check
from antifaz.tables.reading.attributes import cast_column
from antifaz.tables.reading.dialect import Dialect
from api_schemas.strict_json import BadJson, parse_json
from formats.core.faults import Fault
from formats.core.format import GraphReading, Sniffed
from formats.core.inflate import Inflater
from formats.core.limits import Limits
from formats.core.raw import RawColumn, RawTable
from formats.graphs.nodes import merge_nodes
from formats.reading import read_graph, read_snapshots, read_table
from formats.sniffing import sniff
from storage.database.paging import decode_cursor, decode_number
from storage.errors import BadCursor
from storage.settings import Settings
from tests.formats.workbooks import ods_members, ods_text, packed, stored, xlsx, xlsx_members

SMALL = Limits.of(Settings(max_bytes=1 << 20, max_rows=10_000, max_columns=200, max_cell_bytes=10_000))


class Unsound(AssertionError):
    """A parser accepted its input and returned an impossible result."""


@dataclass(frozen=True)
class Target:
    """A parser, its refusal errors, and contents that it accepts."""

    parse: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...]
    seeds: tuple[bytes, ...]
    documents: tuple[Any, ...] = ()
    """The seeds as JSON values, if contents are best made by changing members instead of bytes."""

    def fire(self, content: bytes) -> bool:
        """Whether the parser accepts; any other error than a refusal is raised."""
        try:
            self.parse(content)
        except self.refusals:
            return False
        return True


# --- the ways of bytes -----------------------------------------------------------------------------------------------


def _pieces(content: bytes) -> list[bytes]:
    """Cut at places that depend on the content, as a network would."""
    size = 1 + len(content) % 37
    return [content[start : start + size] for start in range(0, len(content), size)]


def _inflated(content: bytes) -> bytes:
    inflater = Inflater(SMALL)
    return b"".join([*map(inflater.feed, _pieces(content)), inflater.finish()])


def _sniffed(kind: str, format_: str | None, content: bytes) -> Sniffed | None:
    """The upload's result of sniffing a file, or None if it refuses: a worker may still meet such bytes further in."""
    metadata = {} if format_ is None else {"format": format_}
    try:
        return sniff(kind, metadata, None, _inflated(content), True, SMALL)
    except Fault:
        return None


def _table(format_: str, content: bytes) -> None:
    seen = _sniffed("table", format_, content)
    table = read_table(_pieces(content), format_, seen.details if seen else {}, SMALL)
    _profile(table)
    if seen and seen.columns is not None and seen.columns != table.names:
        raise Unsound("the upload and the worker see other columns")


def _member(format_: str, members: dict[str, str | bytes], name: str, content: bytes) -> None:
    """A workbook in which one member is fuzzed."""
    _table(format_, stored({**members, name: content}))


def _graph(format_: str, content: bytes) -> None:
    seen = _sniffed("graph", format_, content)
    graph = read_graph(_pieces(content), format_, seen.details if seen else {}, None, False, SMALL)
    if graph.n != len(graph.ids) or len(set(graph.ids)) != graph.n or (graph.sources == graph.targets).any():
        raise Unsound("ids that are not one for each node, or a loop")
    if graph.node_columns is not None:
        _profile(graph.node_columns)


def _temporal(content: bytes) -> None:
    """Times by day, and as numbers."""
    for window in ("day", "snapshot"):
        seen = sniff("temporal_graph", {"format": "edgelist", "window": window}, None, content, True, SMALL)
        found = read_snapshots(_pieces(content), "edgelist", seen.details, GraphReading(SMALL))
        if (np.diff(found.times) < 0).any() or (found.sources == found.targets).any() or found.n != len(found.ids):
            raise Unsound("snapshots out of order, a loop, or ids that are not one for each node")


def _nodes(content: bytes) -> None:
    """A node table with a graph, as in an upload."""
    seen = _sniffed("table", "csv", content)
    table = read_table(_pieces(content), "csv", seen.details if seen else {}, SMALL)
    graph = read_graph([_GML], "gml", {}, None, False, SMALL)
    joined = merge_nodes(graph, table)
    if joined.n != len(joined.ids) or len(set(joined.ids)) != joined.n:
        raise Unsound("ids that are not one for each node")


def _profile(table: RawTable) -> None:
    for column in table.columns:
        if len(column.codes) != table.n or (column.codes >= len(column.values)).any() or (column.codes < 0).any():
            raise Unsound("codes that are no places in the values")
        if len(set(column.values)) != len(column.values):
            raise Unsound("the same text twice among the distinct ones")
    for decimal in ".,":
        column_types(Dataset(tuple(table.columns), table.n, dialect=Dialect(decimal=decimal, latest_year=2026)))


def _detected(kind: str, content: bytes) -> None:
    """A file without any declarations."""
    sniff(kind, {}, None, content, True, SMALL)
    sniff(kind, {}, None, content, False, SMALL)


def _policy(content: bytes) -> None:
    policy = parse_policy(parse_json(content, SMALL.max_json_depth))
    if parse_policy(json.loads(json.dumps(policy.canonical()))) != policy:
        raise Unsound("the policy that is stored is not the one that was accepted")
    policy.public()
    policy.warnings()
    check(_PATIENTS if policy.kind == "table" else _FRIENDS, policy)


def _hierarchy(content: bytes) -> None:
    hierarchy = parse_hierarchy(parse_json(content, SMALL.max_json_depth))
    refused: InvalidDataset | None = None
    for column in _VALUES:
        typed = cast_column(column.name, column.values, column.codes, None)
        try:
            resolved = hierarchy.resolve(column.name, typed.values, typed.numbers)
        except InvalidDataset as error:
            refused = error
            continue
        if resolved.groups.shape[1] != len(typed.values) or len(set(resolved.groups[-1])) > 1:
            raise Unsound("levels that have not a place for every value and one root")
        for below, above in zip(resolved.groups, resolved.groups[1:], strict=False):
            if len(set(zip(below, above, strict=True))) != len(set(below)):
                raise Unsound("levels that do not nest")
    if refused is not None:
        raise refused


def _cursor(content: bytes) -> None:
    decode_cursor(content.decode("latin-1"))


def _number(content: bytes) -> None:
    decode_number(content.decode("latin-1"))


# --- seeds -----------------------------------------------------------------------------------------------------------


def _parquet_file(**options: Any) -> bytes:
    sink = io.BytesIO()
    columns = {
        "a": pa.array(["x", None, "y"]),
        "b": pa.array([1, 2, 3]),
        "c": pa.array([1.5, None, 2.0]),
        "d": pa.array([0, 1, None], pa.timestamp("us", "UTC")),
        "e": pa.array([True, False, None]),
        "f": pa.array(["p", "q", "p"]).dictionary_encode(),
        "g": pa.array([0, 1, 2], pa.date32()),
    }
    pq.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


def _encoded(name: str, texts: Sequence[str]) -> RawColumn:
    values, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values)


_PATIENTS = Dataset(
    (
        _encoded("age", ["31", "32", "33", "34", "35", ""]),
        _encoded("zip", ["08001", "08002", "08003", "08101", "08102", "08103"]),
        _encoded("disease", ["flu", "cold", "flu", "cold", "asthma", "asthma"]),
    ),
    6,
)
_VALUES = (
    *_PATIENTS.columns,
    _encoded("born", ["2001-02-03", "1999-12-31", "2001-02-04"]),
    _encoded("seen", ["2001-02-03T04:05:06", "2001-02-03T23:00:00"]),
    _encoded("place", ["41.5,2.1", "41.6,2.2"]),
    _encoded("huge", ["1e300", "-1e300", "0"]),
    _encoded("none", []),
)
_CSV = b'age,note\n1,"x,\ny"\n2,\xc3\xb1\n'
_TSV = b"a\tb\n1\tx\n2,5\t\n"
_JSONL = b'{"a": 1, "b": "x"}\n{"a": null, "b": true}\n{"a": -1.5e3, "b": "\\u00f1"}\n'
_XLSX_ROWS = [["age", "note"], ["><v>1.5</v>", "x"], ['s="1"><v>30814</v>', 't="b"><v>1</v>']]
_ODS_ROW = ods_text("age") + ods_text("note")
_ODS_BODY = (
    f'<table:table table:name="a"><table:table-row>{_ODS_ROW}</table:table-row>'
    '<table:table-row table:number-rows-repeated="3">'
    + ods_text("x", 'table:number-columns-repeated="2"')
    + "</table:table-row></table:table>"
)
_PEOPLE_WRITE = b"day;cost\n31/01/2020;1.234,5\n1/2/2020 10:30;-\nN/A;12\n01/02/85;1 000\n"
_EDGES = b'# a comment\nsource,target\na,b\n"c d",b\n'
_DICTIONARIES = b"1 2 {'weight': 3}\n2 3 {}\n"
_GRAPHML = (
    b'<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="k" '
    b'for="node" attr.name="x" attr.type="int"><default>0</default></key><key id="w" for="edge" attr.name="w"/>'
    b'<graph edgedefault="directed"><node id="a"><data key="k">1</data></node><node id="b"/>'
    b'<edge source="a" target="b" directed="true"><data key="w">2</data></edge></graph></graphml>'
)
_GEXF = (
    b'<gexf version="1.2"><graph defaultedgetype="undirected"><attributes class="node"><attribute id="0" title="t" '
    b'type="string"><default>z</default></attribute></attributes><nodes><node id="a" label="A"><attvalues><attvalue '
    b'for="0" value="1"/></attvalues></node><node id="b"/></nodes><edges><edge id="0" source="a" target="b" '
    b'type="undirected"/></edges></graph></gexf>'
)
_GML = (
    b'Creator "me"\ngraph [\n directed 0\n node [ id 1 label "x" v 2 ]\n node [ id 2 label "y &amp; z" ]\n'
    b" edge [ source 1 target 2 ]\n edge [ source 2 target 1 weight 1.5 ]\n]\n"
)
_PAJEK = b'*Vertices 3\n1 "a" 0.5 0.5\n2 "b"\n3 "c"\n*Arcs\n1 2 1\n*Edges\n2 3\n*Edgeslist\n1 2 3\n'
_NODE_LINK = (
    b'{"directed": false, "multigraph": false, "graph": {}, "nodes": [{"id": 1, "a": 2.5}, {"id": "2", "a": null}], '
    b'"links": [{"source": 1, "target": "2", "weight": true}]}'
)
_FRIENDS = GraphDataset(
    (_encoded("age", ["31", "32", "33", "34", "35", ""]),),
    6,
    graph=Graph.from_pairs(6, np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4])),
)
_POLICIES: tuple[Any, ...] = (
    {
        "kind": "table",
        "attributes": {
            "age": {"role": "quasi_identifier", "type": "integer", "recoding": "range", "missing": "own_value"},
            "zip": {"role": "quasi_identifier", "hierarchy": {"kind": "mask"}},
            "disease": {"role": "sensitive"},
        },
        "guarantees": [
            {"model": "k_anonymity", "k": 2},
            {"model": "l_diversity", "variant": "distinct", "l": 2, "attribute": "disease"},
        ],
        "method": {"name": "mondrian"},
        "gate": {"max_suppressed": 0.05, "max_prosecutor_risk": 0.5},
        "waivers": [{"rule": "free_text", "reason": "codes"}],
        "formats": ["csv", "parquet"],
        "report": {"utility": ["ncp"], "attacks": ["record_linkage"]},
    },
    {
        "kind": "graph",
        "attributes": {"age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_degree_anonymity", "k": 2}, {"model": "k_anonymity", "k": 2}],
        "method": {"name": "k_degree"},
        "node_method": {"name": "mondrian"},
        "edge_attributes": "drop",
        "formats": ["edgelist"],
    },
)
_HIERARCHIES: tuple[Any, ...] = (
    {"kind": "levels", "rows": [["flu", "airways", "*"], ["cold", "airways", "*"], ["asthma", "lungs", "*"]]},
    {"kind": "mask", "direction": "right", "character": "#", "steps": [1, 2]},
    {"kind": "intervals", "width": 5.0, "levels": 3},
    {"kind": "intervals", "bounds": [[0, 10, 20], [0, 20]]},
    {"kind": "date"},
    {"kind": "datetime", "units": ["hour", "day"]},
    {"kind": "geo_grid", "cell": 0.5, "factor": 2, "levels": 2},
    {"kind": "auto"},
)


def _seeds(documents: Sequence[Any]) -> tuple[bytes, ...]:
    return tuple(json.dumps(document).encode() for document in documents)


_READERS = (Fault,)
_ENGINE = (BadJson, InvalidPolicy, InvalidDataset, Infeasible)
TARGETS: dict[str, Target] = {
    "csv": Target(partial(_table, "csv"), _READERS, (_CSV, _CSV.replace(b",", b";"), gzip.compress(_CSV))),
    "tsv": Target(partial(_table, "tsv"), _READERS, (_TSV, zstandard.compress(_TSV))),
    "dialect": Target(partial(_table, "csv"), _READERS, (_PEOPLE_WRITE, _PEOPLE_WRITE.replace(b"/", b"."))),
    "xlsx": Target(partial(_table, "xlsx"), _READERS, (xlsx(_XLSX_ROWS), stored(xlsx_members(_XLSX_ROWS)))),
    "xlsx-sheet": Target(
        partial(_member, "xlsx", xlsx_members(_XLSX_ROWS), "xl/worksheets/sheet1.xml"),
        _READERS,
        (str(xlsx_members(_XLSX_ROWS)["xl/worksheets/sheet1.xml"]).encode(),),
    ),
    "ods": Target(partial(_table, "ods"), _READERS, (packed(ods_members(_ODS_BODY)), stored(ods_members(_ODS_BODY)))),
    "ods-content": Target(
        partial(_member, "ods", ods_members(_ODS_BODY), "content.xml"),
        _READERS,
        (str(ods_members(_ODS_BODY)["content.xml"]).encode(),),
    ),
    "jsonl": Target(partial(_table, "jsonl"), _READERS, (_JSONL,)),
    "parquet": Target(
        partial(_table, "parquet"),
        _READERS,
        tuple(_parquet_file(compression=name, version="2.6") for name in ("none", "snappy", "gzip", "zstd")),
    ),
    "edgelist": Target(partial(_graph, "edgelist"), _READERS, (_EDGES, _DICTIONARIES, b"1\t2\n2\t3\n")),
    "graphml": Target(partial(_graph, "graphml"), _READERS, (_GRAPHML,)),
    "gexf": Target(partial(_graph, "gexf"), _READERS, (_GEXF,)),
    "gml": Target(partial(_graph, "gml"), _READERS, (_GML,)),
    "pajek": Target(partial(_graph, "pajek"), _READERS, (_PAJEK,)),
    "node-link": Target(partial(_graph, "node-link"), _READERS, (_NODE_LINK,)),
    "nodes": Target(_nodes, _READERS, (b"id,age\nx,1\nw,2\n", b"id;age\n1;1\n2;\n")),
    "temporal": Target(_temporal, (Fault,), (b"source,target,time\na,b,1\nb,c,2\n",)),
    "sniff-table": Target(partial(_detected, "table"), (Fault,), (_CSV, _TSV, _JSONL, _parquet_file())),
    "sniff-graph": Target(partial(_detected, "graph"), (Fault,), (_EDGES, _GRAPHML, _GEXF, _GML, _PAJEK, _NODE_LINK)),
    "inflate": Target(_inflated, (Fault,), (_CSV, gzip.compress(_CSV), zstandard.compress(_CSV * 9))),
    "policy": Target(_policy, _ENGINE, _seeds(_POLICIES), _POLICIES),
    "hierarchy": Target(_hierarchy, _ENGINE, _seeds(_HIERARCHIES[1:2]), _HIERARCHIES),
    "cursor": Target(_cursor, (BadCursor,), (b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",)),
    "number": Target(_number, (BadCursor,), (b"AAAAAAAAAAE",)),
}
