"""Data frames and networkx graphs become datasets as files do."""

import datetime
import io

import networkx as nx
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from antifaz import Graph, InvalidDataset, Table
from formats.reading import read_table
from publication.library.datasets import LIMITS


def cells(table: Table) -> dict[str, list[str]]:
    return {column.name: column.values[column.codes].tolist() for column in table.dataset.columns}


VALUES = {
    "text": st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4),
    "number": st.integers(-(2**40), 2**40),
    "decimal": st.floats(allow_nan=False, allow_infinity=False, width=32),
    "truth": st.booleans(),
    "day": st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1)),
}


@given(st.data(), st.integers(1, 12))
def test_a_table_in_memory_reads_as_its_parquet_file(data: st.DataObject, n: int):
    columns = {name: data.draw(st.lists(st.none() | values, min_size=n, max_size=n)) for name, values in VALUES.items()}
    table = pa.table(columns)
    file = io.BytesIO()
    pq.write_table(table, file)
    read = read_table([file.getvalue()], "parquet", {}, LIMITS)
    expected = {column.name: column.values[column.codes].tolist() for column in read.columns}
    assert cells(Table.from_arrow(table)) == expected


def test_a_frame_of_pandas_gives_its_columns_and_not_its_index():
    frame = pd.DataFrame(
        {"age": [31, 40, None], "town": pd.Categorical(["Vic", "Olot", "Vic"]), "ill": [True, False, True]},
        index=[7, 8, 9],
    )
    table = Table.from_pandas(frame)
    assert table.columns == ["age", "town", "ill"]
    assert len(table) == 3
    assert cells(table) == {
        "age": ["31", "40", ""],
        "town": ["Vic", "Olot", "Vic"],
        "ill": ["true", "false", "true"],
    }


def test_a_frame_of_polars_gives_the_same_as_one_of_pandas():
    columns = {"age": [31, 40], "town": ["Vic", "Olot"]}
    assert cells(Table.from_polars(polars.DataFrame(columns))) == cells(Table.from_pandas(pd.DataFrame(columns)))


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({"x": ["a", 5, b"secret"]}), pd.DataFrame({"x": [{"secret": 1}, {"secret": 2}]}), pd.DataFrame()],
    ids=["several types", "nested", "empty"],
)
def test_what_cannot_be_read_is_refused_and_not_repeated(frame: pd.DataFrame):
    with pytest.raises(InvalidDataset) as caught:
        Table.from_pandas(frame)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(InvalidDataset):
        Table.from_arrow(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]))


def test_a_network_keeps_its_structure_and_attributes():
    network = nx.DiGraph([("ana", "bo"), ("bo", "ana"), ("bo", ("a", 3))])
    network.nodes["ana"]["age"], network.nodes["bo"]["age"] = 31, float("nan")
    network.edges["ana", "bo"]["since"] = 1999
    graph = Graph.from_networkx(network)
    assert (len(graph), graph.columns, graph.dataset.graph.directed) == (3, ["age"], True)
    (age,) = graph.dataset.columns
    assert age.values[age.codes].tolist() == ["31", "", ""]
    (since,) = graph.dataset.edges
    assert since.values[since.codes].tolist() == ["1999", "", ""]
    assert nx.utils.graphs_equal(graph.to_networkx(), nx.DiGraph(network.edges))


@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9))), st.booleans())
def test_a_network_comes_back_as_it_was_but_for_loops(pairs: set[tuple[int, int]], directed: bool):
    network = nx.DiGraph() if directed else nx.Graph()
    network.add_nodes_from(range(10))
    network.add_edges_from(pairs)
    assume(not pairs or any(u != v for u, v in pairs))  # loops alone are refused
    graph = Graph.from_networkx(network)
    loops = list(nx.selfloop_edges(network))
    assert graph.self_loops == len(loops)
    network.remove_edges_from(loops)
    assert nx.utils.graphs_equal(graph.to_networkx(), network)


def test_parallel_edges_are_counted():
    graph = Graph.from_networkx(nx.MultiGraph([(0, 1), (0, 1), (1, 0)]))
    assert (graph.repeated, graph.dataset.graph.m) == (2, 1)


def test_an_attribute_that_holds_several_values_is_refused_and_not_repeated():
    network = nx.Graph([(0, 1)])
    network.nodes[0]["friends"] = ["secret"]
    with pytest.raises(InvalidDataset) as caught:
        Graph.from_networkx(network)
    assert caught.value.column == "friends"
    assert "secret" not in str(caught.value)


def test_a_network_without_nodes_is_refused():
    with pytest.raises(InvalidDataset):
        Graph.from_networkx(nx.Graph())


def test_numbers_of_numpy_are_written_as_numbers():
    network = nx.Graph([(0, 1)])
    nx.set_node_attributes(network, {0: np.int64(5), 1: np.float64(0.5)}, "x")
    (column,) = Graph.from_networkx(network).dataset.columns
    assert column.values[column.codes].tolist() == ["5", "0.5"]
