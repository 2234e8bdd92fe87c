import csv
import io
import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

import verifier
from antifaz.graphs.graph import Graph
from antifaz.tables.table import ReleasedColumn, Role
from antifaz.tables.texts.value_types import ValueType
from formats.core.limits import Limits
from formats.reading import read_graph
from formats.writing import render_graph, render_nodes
from tests.formats.limits import limits_of
from verifier.readers import graphs
from verifier.verdict.verdict import Unreadable

FORMATS = ["edgelist", "graphml", "gml", "node-link"]


def column(name: str, cells: list[str], type_: ValueType = ValueType.TEXT) -> ReleasedColumn:
    labels = [*sorted(set(cells)), "cnry_unused"]
    codes = np.array([labels.index(cell) for cell in cells], np.int32)
    return ReleasedColumn(name, name, Role.INSENSITIVE, type_, codes, np.array(labels, object))


def graph_of(n: int, pairs: list[tuple[int, int]], directed: bool = False) -> Graph:
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    return Graph.from_pairs(n, ends[:, 0], ends[:, 1], directed)


def rendered(graph: Graph, format_: str, attributes: list[ReleasedColumn] | None = None) -> bytes:
    return b"".join(render_graph(graph, format_, attributes))


def by_networkx(content: bytes, format_: str) -> nx.Graph:
    if format_ == "graphml":
        return nx.read_graphml(io.BytesIO(content), node_type=int)
    if format_ == "gml":
        return nx.read_gml(io.BytesIO(content), destringizer=None, label="id")
    return nx.node_link_graph(json.loads(content))


def test_an_edge_list_has_a_header_and_edges_in_order():
    graph = graph_of(4, [(3, 0), (1, 2)])
    assert rendered(graph, "edgelist") == b"source,target\n0,3\n1,2\n"
    assert rendered(graph_of(2, []), "edgelist") == b"source,target\n"


def test_gml_and_node_link_are_what_readers_expect():
    graph = graph_of(2, [(0, 1)], directed=True)
    assert rendered(graph, "gml", [column("age", ["5", "7"], ValueType.INTEGER)]).decode() == (
        'graph [\n  directed 1\n  node [ id 0 label "0" age 5 ]\n  node [ id 1 label "1" age 7 ]\n'
        "  edge [ source 0 target 1 ]\n]\n"
    )
    assert json.loads(rendered(graph, "node-link", [column("a b", ["x", ""])])) == {
        "directed": True,
        "multigraph": False,
        "graph": {},
        "nodes": [{"id": 0, "a b": "x"}, {"id": 1, "a b": None}],
        "edges": [{"source": 0, "target": 1}],
    }


@pytest.mark.parametrize("format_", ["graphml", "gml", "node-link"])
@pytest.mark.parametrize("directed", [False, True])
def test_networkx_reads_the_graph_and_its_attributes(format_, directed):
    graph = graph_of(4, [(0, 1), (1, 0), (2, 1)], directed)
    city = ["Vic & <co> \"x\" 'y'", "ñ\n\t\r é", "", "a]b[ #"]
    attributes = [
        column("city", city),
        column("age", ["30", "", "-5", "4000000000"], ValueType.INTEGER),
        column("mean", ["1.5", "2", "", "1e-07"], ValueType.DECIMAL),
    ]
    read = by_networkx(rendered(graph, format_, attributes), format_)
    assert read.is_directed() is directed
    assert sorted(read) == [0, 1, 2, 3]
    expected = {(0, 1), (1, 0), (2, 1)} if directed else {(0, 1), (1, 2)}
    assert {tuple(edge) if directed else tuple(sorted(edge)) for edge in read.edges} == expected
    assert [read.nodes[v].get("city") or "" for v in range(4)] == city
    assert [str(read.nodes[v].get("age") or "") for v in range(4)] == ["30", "", "-5", "4000000000"]
    assert [float(read.nodes[v].get("mean") or 0) for v in range(4)] == [1.5, 2.0, 0.0, 1e-07]


def test_labels_that_no_node_shows_are_in_no_file():
    graph, attributes = graph_of(2, [(0, 1)]), [column("city", ["a", "b"])]
    for format_ in FORMATS:
        assert b"cnry" not in rendered(graph, format_, attributes)


@pytest.mark.parametrize(
    ("format_", "attribute"),
    [
        ("graphml", column("a", ["bell \x07", "x"])),
        ("gml", column("a", ["x\x85", "y"])),
        ("gml", column("two words", ["x", "y"])),
        ("gml", column("label", ["x", "y"])),
        ("node-link", column("id", ["x", "y"])),
    ],
)
def test_a_format_that_cannot_hold_an_attribute_unchanged_has_the_structure_alone(format_, attribute):
    graph = graph_of(2, [(0, 1)])
    assert rendered(graph, format_, [attribute]) == rendered(graph, format_)
    assert rendered(graph, format_, [column("fine", ["x", "y"])]) != rendered(graph, format_)


GRAPHS = st.integers(1, 8).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20),
        st.booleans(),
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4),
            min_size=n,
            max_size=n,
        ),
        st.lists(st.sampled_from(["", "1", "-20", "3000000000"]), min_size=n, max_size=n),
    )
)


@given(GRAPHS)
@effort(deadline=None, max_examples=3 * effort().max_examples // 2)
def test_our_own_reader_gets_the_graph_back(drawn):
    n, pairs, directed, *_ = drawn
    graph = graph_of(n, pairs, directed)
    for format_ in FORMATS:
        if format_ == "edgelist" and not graph.m:
            continue
        details = {"delimiter": ",", "header": True}
        read = read_graph([rendered(graph, format_)], format_, details, directed, True, limits_of())
        names = read.ids.astype(int)
        ends = {(names[u], names[v]) for u, v in zip(read.sources, read.targets, strict=True)}
        expected = set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
        assert ends == expected or (not directed and {tuple(sorted(edge)) for edge in ends} == expected)
        assert format_ == "edgelist" or read.n == n


@given(GRAPHS)
@effort(deadline=None)
def test_the_verifier_finds_the_same_graph_and_attributes_in_every_format(drawn):
    n, pairs, directed, texts, numbers = drawn
    graph = graph_of(n, pairs, directed)
    attributes = [column("text", texts), column("number", numbers, ValueType.INTEGER)]
    policy = {"kind": "graph", "attributes": {c.name: {"role": "insensitive"} for c in attributes}, "guarantees": []}
    artifacts = [verifier.Artifact(format_, "graph", rendered(graph, format_, attributes)) for format_ in FORMATS]
    artifacts += [
        verifier.Artifact(format_, "nodes", b"".join(render_nodes(n, attributes, format_)))
        for format_ in ("csv", "parquet", "jsonl")
    ]
    assert verifier.verify(policy, artifacts, directed=directed).faults == ()


def test_many_edges_come_in_pieces():
    ring = graph_of(40_000, [(v, (v + 1) % 40_000) for v in range(40_000)])
    for format_ in FORMATS:
        assert len(list(render_graph(ring, format_))) > 2
    rows = list(csv.reader(io.StringIO(rendered(ring, "edgelist").decode())))
    assert len(rows) == 40_001


# Attributes of edges


PATH = graph_of(3, [(0, 1), (1, 2)])
SAID = [column("weight", ["0.5", "2"], ValueType.DECIMAL), column("kind", ["=kin", 'a "b", <c>'])]


@pytest.mark.parametrize("format_", FORMATS)
def test_what_is_said_of_edges_is_read_again_and_by_the_verifier(format_, limits: Limits):
    content = b"".join(render_graph(PATH, format_, None, SAID))
    details = {"delimiter": ",", "header": True} if format_ == "edgelist" else {}
    graph = read_graph([content], format_, details, None, False, limits, with_edges=True)
    assert graph.edge_columns is not None
    assert graph.edge_columns.names == ["weight", "kind"]
    weights, kinds = (list(c.values[c.codes]) for c in graph.edge_columns.columns)
    assert [float(weight) for weight in weights] == [0.5, 2.0]
    assert kinds == ["'=kin" if format_ == "edgelist" else "=kin", 'a "b", <c>']
    network = graphs.read_graph(verifier.Artifact(format_, "graph", content), False, with_columns=True)
    assert network.edge_cells["weight"].tolist() == [0.5, 2.0]
    with pytest.raises(Unreadable):
        graphs.read_graph(verifier.Artifact(format_, "graph", content), False)


def test_networkx_reads_what_is_said_of_edges():
    for format_ in FORMATS[1:]:
        graph = by_networkx(b"".join(render_graph(PATH, format_, None, SAID)), format_)
        assert [graph.edges[edge]["weight"] for edge in ((0, 1), (1, 2))] == [0.5, 2]


def test_names_that_a_format_cannot_hold_stay_in_the_edge_list():
    said = [column("label", ["x", "y"])]
    assert b"label" in b"".join(render_graph(PATH, "edgelist", None, said))
    assert b"edge [ source 0 target 1 ]" in b"".join(render_graph(PATH, "gml", None, said))
    assert b'"target": 1}' in b"".join(render_graph(PATH, "node-link", None, said))


def test_a_graph_without_edges_names_nothing_of_edges():
    empty = graph_of(2, [])
    assert b"weight" not in b"".join(render_graph(empty, "graphml", None, [column("weight", [])]))
