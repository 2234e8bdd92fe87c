"""Damaged and hostile files: whatever the bytes, a reader reads or refuses; no other error escapes."""

import gzip
import io
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from formats.core.faults import Fault
from formats.reading import read_graph, read_table
from tests.formats.limits import limits_of
from tests.formats.workbooks import ods, ods_text, stored, xlsx_members

LIMITS = limits_of(max_bytes=1 << 20, max_rows=10_000)


def parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": ["x", None, "y"], "b": [1, 2, 3], "c": [1.5, None, 2.0]}), sink)
    return sink.getvalue()


TABLES = {
    "csv": b'a,b\n1,"x,\ny"\n2,\xc3\xb1\n',
    "tsv": b"a\tb\n1\tx\n",
    "jsonl": b'{"a": 1, "b": "x"}\n{"a": null, "b": true}\n',
    "parquet": parquet(),
    "xlsx": stored(xlsx_members([["a", "b"], ["><v>1</v>", "x"]])),
    "ods": ods([">" + ods_text("a") + ods_text("b"), ">" + ods_text("1") * 2]),
}
GRAPHS = {
    "edgelist": b'# c\nsource,target\na,b\n"c d",b\n',
    "graphml": b'<graphml><key id="k" for="node" attr.name="x"/><graph edgedefault="directed"><node id="a">'
    b'<data key="k">1</data></node><node id="b"/><edge source="a" target="b"/></graph></graphml>',
    "gexf": b'<gexf><graph><attributes class="node"><attribute id="0" title="t"/></attributes><nodes><node id="a">'
    b'<attvalues><attvalue for="0" value="1"/></attvalues></node><node id="b"/></nodes><edges>'
    b'<edge source="a" target="b"/></edges></graph></gexf>',
    "gml": b'graph [ directed 1 node [ id 1 label "x" v 2 ] node [ id 2 ] edge [ source 1 target 2 ] ]',
    "pajek": b'*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Arcs\n1 2 1\n*Edgeslist\n2 3 1\n',
    "node-link": b'{"directed": true, "nodes": [{"id": 1, "a": 2.5}, {"id": 2}], '
    b'"links": [{"source": 1, "target": 2}]}',
}
DAMAGE = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 6), st.binary(max_size=6)), min_size=1, max_size=4
)
PACKS = st.sampled_from([bytes, bytes, gzip.compress, zstandard.compress])


def damaged(content: bytes, damage: list[tuple[float, int, bytes]]) -> bytes:
    for place, length, new in damage:
        start = int(place * len(content))
        content = content[:start] + new + content[start + length :]
    return content


@given(st.sampled_from(sorted(TABLES)), DAMAGE, PACKS, st.sampled_from([None, "utf-8", "latin-1"]), st.integers(1, 50))
@effort(deadline=None, max_examples=5 * effort().max_examples)
def test_a_damaged_table_is_read_or_refused(format_, damage, pack, encoding, size):
    content = damaged(pack(damaged(TABLES[format_], damage)), damage[:1] if len(damage) > 2 else [])
    pieces = (content[start : start + size] for start in range(0, len(content), size))
    with suppress(Fault):
        table = read_table(pieces, format_, {"encoding": encoding}, LIMITS)
        assert all(len(column.codes) == table.n for column in table.columns)


@given(st.sampled_from(sorted(GRAPHS)), DAMAGE, PACKS, st.sampled_from([None, ",", " "]), st.integers(1, 50))
@effort(deadline=None, max_examples=5 * effort().max_examples)
def test_a_damaged_graph_is_read_or_refused(format_, damage, pack, delimiter, size):
    content = damaged(pack(damaged(GRAPHS[format_], damage)), damage[:1] if len(damage) > 2 else [])
    pieces = (content[start : start + size] for start in range(0, len(content), size))
    with suppress(Fault):
        graph = read_graph(pieces, format_, {"delimiter": delimiter}, None, False, LIMITS)
        assert graph.n == len(graph.ids)
        assert (graph.sources != graph.targets).all()


def test_the_undamaged_files_are_read():
    for format_, content in TABLES.items():
        assert read_table([content], format_, {}, LIMITS).n > 0
    for format_, content in GRAPHS.items():
        assert read_graph([content], format_, {}, None, False, LIMITS).n > 1
