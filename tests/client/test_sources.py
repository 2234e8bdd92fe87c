"""Objects of programs as uploads, and the returned results."""

import json

import networkx
import pandas
import polars
import pyarrow
import pytest
from antifaz_client import conversions
from antifaz_client.sources import source_of

from formats.core.limits import Limits
from formats.sniffing import sniff
from storage.settings import Settings


def sniffed(source):
    head = b"".join(source.content.pieces())
    metadata = {"name": "n", "kind": source.kind, **source.metadata}
    return sniff(source.kind, metadata, f"upload{source.content.suffix}", head, True, Limits.of(Settings()))


@pytest.mark.parametrize(
    "table",
    [
        pandas.DataFrame({"age": [1, 2], "zip": ["08001", None]}),
        polars.DataFrame({"age": [1, 2], "zip": ["08001", None]}),
        polars.LazyFrame({"age": [1, 2], "zip": ["08001", None]}),
        pyarrow.table({"age": [1, 2], "zip": ["08001", None]}),
    ],
    ids=["pandas", "polars", "lazy", "arrow"],
)
def test_tables_become_a_file_that_the_service_reads(table):
    source = source_of(table)
    assert source.kind == "table"
    assert sniffed(source).columns == ["age", "zip"]


def test_a_graph_keeps_isolated_nodes_directions_and_attributes():
    graph = networkx.DiGraph()
    graph.add_node("alone", age=3, weight=float("nan"))
    graph.add_edge("a", "b", since=2)
    source = source_of(graph)
    assert source.metadata["directed"] is True
    written = json.loads(b"".join(source.content.pieces()))
    assert {node["id"] for node in written["nodes"]} == {"alone", "a", "b"}
    assert written["nodes"][0] == {"id": "alone", "age": 3, "weight": None}
    assert set(sniffed(source).columns) == {"age", "weight"}


def test_only_the_ending_of_a_files_name_is_sent(tmp_path):
    (tmp_path / "patients of dr who.csv.gz").write_bytes(b"x")
    source = source_of(tmp_path / "patients of dr who.csv.gz")
    assert source.content.suffix == ".csv.gz"
    assert source.name == "patients of dr who"


def test_what_is_no_data_is_refused_by_its_kind():
    with pytest.raises(TypeError, match="cannot upload a dict"):
        source_of({})
    with pytest.raises(FileNotFoundError, match="file not found"):
        source_of("nowhere.csv")


def test_a_cell_that_reads_na_stays_a_value():
    frame = conversions.to_pandas("csv", b"country,age\nNA,1\n,2\n")
    assert frame["country"].tolist()[0] == "NA"
    assert frame["country"].isna().tolist() == [False, True]


def test_graphs_come_back_with_numbers_texts_and_snapshots():
    graph = conversions.to_networkx(b"node,zip,age\n0,08001,3\n1,*,4\n2,x,5\n", b"source,target\n0,1\n", directed=False)
    assert graph.nodes[0] == {"zip": "08001", "age": 3}
    assert set(graph) == {0, 1, 2}
    temporal = conversions.to_networkx(None, b"source,target,snapshot\n0,1,0\n0,1,1\n", directed=True)
    assert temporal.is_directed()
    assert temporal.number_of_edges(0, 1) == 2
