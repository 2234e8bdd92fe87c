"""L8: a released file is written from scratch, without any metadata of the uploaded file."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antifaz.graphs.graph import Graph
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset, Protected
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from formats.core.limits import Limits
from formats.core.raw import RawColumn, RawTable
from formats.reading import read_graph, read_table
from formats.writing import render_graph, render_nodes, render_table
from publication.generator import cryptographic_generator
from storage.settings import Settings
from tests.leaks.canary import Flock, Scanner

LIMITS = Limits.of(Settings())
ROWS = 12


def encoded(table: RawTable) -> tuple[RawColumn, ...]:
    return tuple(table.columns)


def parquet_with_remains(flock: Flock) -> bytes:
    """A file whose owner filtered out a rare value, but which still contains it in four places."""
    cities = pa.array([flock(), *["Vic", "Olot"] * (ROWS // 2)]).dictionary_encode()
    table = pa.table({"city": cities, "age": pa.array(range(ROWS + 1))}).slice(1)
    field = table.schema.field("age").with_metadata({b"comment": flock().encode()})
    schema = pa.schema([table.schema.field("city"), field], metadata={b"pandas": flock().encode()})
    sink = io.BytesIO()
    pq.write_table(table.cast(schema), sink)
    return sink.getvalue()


def released_table(content: bytes) -> Protected:
    raw = read_table([content], "parquet", {}, LIMITS)
    policy = parse_policy(
        {
            "kind": "table",
            "attributes": {"city": {"role": "quasi_identifier"}, "age": {"role": "insensitive"}},
            "guarantees": [{"model": "k_anonymity", "k": 2}],
            "method": {"name": "mondrian"},
        }
    )
    return protect(check(Dataset(encoded(raw), raw.n), policy), policy, cryptographic_generator())


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_value_that_was_filtered_out_before_the_upload_does_not_come_back(form: str) -> None:
    flock = Flock()
    content = parquet_with_remains(flock)
    assert Scanner(flock.mark).find(content)
    protected = released_table(content)
    assert protected.table is not None
    written = b"".join(render_table(protected.table.columns, form))
    assert b"Vic" in written or form == "parquet"
    assert Scanner(flock.mark).find(written) == []


def test_parquet_has_no_statistics_no_foreign_metadata_and_our_name_alone() -> None:
    protected = released_table(parquet_with_remains(Flock()))
    assert protected.table is not None
    file = pq.ParquetFile(io.BytesIO(b"".join(render_table(protected.table.columns, "parquet"))))
    assert file.metadata.metadata is None
    assert file.metadata.created_by.strip() == "antifaz version 1"
    for group in range(file.metadata.num_row_groups):
        for column in range(file.metadata.num_columns):
            assert file.metadata.row_group(group).column(column).statistics is None
    assert all(field.metadata is None or set(field.metadata) == {b"PARQUET:field_id"} for field in file.schema_arrow)


def graphml(flock: Flock) -> bytes:
    nodes = "".join(
        f'<node id="{flock()}x{n}"><desc>{flock()}</desc><!--{flock()}--><data key="d0">blue</data></node>'
        for n in range(8)
    )
    ids = [part.split('"')[0] for part in nodes.split('<node id="')[1:]]
    edges = "".join(
        f'<edge id="{flock()}" source="{u}" target="{v}"><data key="d1">{flock()}</data></edge>'
        for u, v in zip(ids, ids[1:] + ids[:1], strict=True)
    )
    return (
        f'<?xml version="1.0"?><!--{flock()}--><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'<desc>{flock()}</desc><key id="d0" for="node" attr.name="color" attr.type="string"/>'
        f'<key id="d1" for="edge" attr.name="{flock()}" attr.type="string"><default>{flock()}</default></key>'
        f'<key id="d2" for="graph" attr.name="{flock()}" attr.type="string"/>'
        f'<graph id="{flock()}" edgedefault="undirected"><desc>{flock()}</desc><data key="d2">{flock()}</data>'
        f"{nodes}{edges}</graph></graphml>"
    ).encode()


def gexf(flock: Flock) -> bytes:
    nodes = "".join(
        f'<node id="{flock.mark}{n}" label="{flock()}"><viz:position x="{n}.5" y="1.25" z="0"/>'
        f'<viz:color r="1" g="2" b="3"/></node>'
        for n in range(8)
    )
    edges = "".join(
        f'<edge id="{n}" source="{flock.mark}{n}" target="{flock.mark}{(n + 1) % 8}" label="{flock()}" weight="7"/>'
        for n in range(8)
    )
    return (
        '<?xml version="1.0"?><gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz"'
        f' version="1.2"><meta><creator>{flock()}</creator><description>{flock()}</description></meta>'
        f'<graph defaultedgetype="undirected"><nodes>{nodes}</nodes><edges>{edges}</edges></graph></gexf>'
    ).encode()


GRAPHS: dict[str, Any] = {"graphml": graphml, "gexf": gexf}


@pytest.mark.parametrize("source", GRAPHS)
def test_descriptions_comments_ids_labels_and_positions_of_a_graph_file_do_not_come_out(source: str) -> None:
    flock = Flock()
    content = GRAPHS[source](flock)
    raw = read_graph([content], source, {}, None, False, LIMITS)
    columns = encoded(raw.node_columns) if raw.node_columns is not None else ()
    released = [column.name for column in columns if column.name == "color"]
    policy = parse_policy(
        {
            "kind": "graph",
            "attributes": {
                column.name: {"role": "insensitive" if column.name == "color" else "identifier"} for column in columns
            },
            "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
            "method": {"name": "k_degree"},
        }
    )
    graph = Graph.from_pairs(raw.n, raw.sources, raw.targets, raw.directed)
    dataset = GraphDataset(columns, raw.n, graph=graph)
    protected = protect(check(dataset, policy), policy, cryptographic_generator())
    assert protected.graph is not None
    attributes = protected.columns
    assert [column.name for column in attributes] == released
    files = [b"".join(render_graph(protected.graph.graph, form, attributes)) for form in FORMS]
    files += [b"".join(render_nodes(raw.n, attributes, form)) for form in ("csv", "parquet")]
    assert [Scanner(flock.mark).find(file) for file in files] == [[]] * len(files)
    for trace in (b"desc", b"viz", b"position", b"weight", b"1.25", b"creator"):
        assert not any(trace in file for file in files)


FORMS = ("edgelist", "graphml", "gml", "node-link")
