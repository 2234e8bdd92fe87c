"""Readers of graphs: what they read, and the places of hidden data that they refuse."""

import io
import json
from collections.abc import Callable

import networkx as nx
import pytest

from verifier import Artifact
from verifier.readers.graphs import read_graph
from verifier.readers.networks import Network
from verifier.verdict.verdict import Unreadable

Draw = Callable[..., dict[str, Artifact]]
PATH = [(0, 1), (1, 2)]


def read(form: str, content: str | bytes, directed: bool = False) -> Network:
    return read_graph(Artifact(form, "graph", content.encode() if isinstance(content, str) else content), directed)


def edges(network: Network) -> list[tuple[int, int]]:
    return list(zip(network.sources.tolist(), network.targets.tolist(), strict=True))


def graphml(inside: str, keys: str = "", flow: str = "undirected") -> str:
    graph = f'<graph edgedefault="{flow}">{inside}</graph>'
    return f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}{graph}</graphml>'


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("form", ["edgelist", "graphml", "gml", "node-link"])
def test_every_format_shows_the_same_nodes_and_edges(draw: Draw, form: str, directed: bool) -> None:
    network = read_graph(draw(4, PATH, directed)[form], directed)
    assert edges(network) == PATH
    if form != "edgelist":
        assert network.nodes is not None
        assert network.nodes.tolist() == [0, 1, 2, 3]
    assert network.attributes is None


@pytest.mark.parametrize("form", ["graphml", "gml", "node-link"])
def test_files_of_a_common_writer_are_read(form: str) -> None:
    graph = nx.Graph(PATH)
    graph.add_node(3)
    nx.set_node_attributes(graph, {0: "é <&>", 1: "b", 2: "", 3: "b"}, "town")
    nx.set_node_attributes(graph, {node: node + 20 for node in graph}, "age")
    target = io.BytesIO()
    if form == "graphml":
        nx.write_graphml(graph, target)
    elif form == "gml":
        nx.write_gml(graph, target)
    else:
        target.write(json.dumps(nx.node_link_data(graph, edges="links")).encode())
    network = read(form, target.getvalue())
    assert sorted(edges(network)) == PATH
    assert network.attributes is not None
    assert set(network.attributes.names) == {"node", "town", "age"}
    town, age = network.attributes.column("town"), network.attributes.column("age")
    assert [town.texts[code] for code in town.codes] == ["é <&>", "b", "", "b"]
    assert [age.kinds[code] + age.texts[code] for code in age.codes] == ["i20", "i21", "i22", "i23"]


def test_an_attribute_that_a_node_lacks_is_missing_there() -> None:
    keys = '<key id="d0" for="node" attr.name="town" attr.type="string"/>'
    network = read("graphml", graphml('<node id="0"><data key="d0">x</data></node><node id="1"/>', keys))
    assert network.attributes is not None
    assert network.attributes.columns[1].kinds == "t-"


def test_an_attribute_that_is_declared_and_never_given_is_a_column() -> None:
    keys = '<key id="d0" for="node" attr.name="town" attr.type="string"/>'
    network = read("graphml", graphml('<node id="0"/>', keys))
    assert network.attributes is not None
    assert network.attributes.names == ("node", "town")


BOMB = '<!DOCTYPE g [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'
KEY = '<key id="d0" for="node" attr.name="town" attr.type="string"/>'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "<graphml>",
        "<graphml></graphml>",
        BOMB + graphml('<node id="0"/>'),
        '<!DOCTYPE graphml SYSTEM "other.dtd">' + graphml('<node id="0"/>'),
        graphml('<node id="0"/>').encode("utf-16"),
        graphml('<node id="0"/><!-- a comment -->'),
        graphml('<node id="0"/><?run this?>'),
        graphml('<node id="0"/>text'),
        graphml('<desc>text</desc><node id="0"/>'),
        graphml('<node id="0"><graph edgedefault="undirected"/></node>'),
        graphml('<node id="0" x="1"/>'),
        graphml("<node/>"),
        graphml('<node id="0"/><node id="1"/><edge source="0"/>'),
        graphml('<node id="0"/><node id="1"/><edge source="0" target="1" weight="2"/>'),
        graphml('<node id="0"/><node id="1"/><edge source="0" target="1"><data key="d0">x</data></edge>', KEY),
        graphml('<node id="0"><data key="d1">x</data></node>', KEY),
        graphml('<node id="0"><data key="d0">x</data><data key="d0">y</data></node>', KEY),
        graphml('<node id="0"/>', KEY + KEY),
        graphml('<node id="0"/>', KEY + KEY.replace("d0", "d1")),
        graphml('<node id="0"/>', KEY.replace('"node"', '"edge"')),
        graphml('<node id="0"/>', KEY.replace("/>", "><default>x</default></key>")),
        graphml('<node id="0"/>', flow="both"),
        graphml('<node id="0"/>', flow="directed"),
    ],
)
def test_graphml_with_anything_but_nodes_edges_and_node_attributes_is_refused(content: str | bytes) -> None:
    with pytest.raises(Unreadable):
        read("graphml", content)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "graph",
        "graph [",
        "graph [ ] ]",
        "graph [ ] graph [ ]",
        "graph 1",
        "graph [ node [ id 0 ] # comment\n ]",
        'Creator "x" graph [ node [ id 0 ] ]',
        'graph [ name "x" node [ id 0 ] ]',
        "graph [ node [ ] ]",
        "graph [ node 0 ]",
        "graph [ node [ id 0 id 1 ] ]",
        "graph [ node [ id 0 graphics [ x 1 ] ] ]",
        "graph [ node [ id 0 ] edge [ source 0 ] ]",
        "graph [ node [ id 0 ] edge [ source 0 target 0 weight 1 ] ]",
        "graph [ directed 1 node [ id 0 ] ]",
        "graph [ directed 0 directed 0 node [ id 0 ] ]",
        "graph [ node [ id [ ] ] ]",
        "graph [ node [ id 0 id ] ]",
        'graph [ node [ id "0 ] ]',
        b"graph [ \xff ]",
    ],
)
def test_gml_with_anything_but_nodes_edges_and_node_attributes_is_refused(content: str | bytes) -> None:
    with pytest.raises(Unreadable):
        read("gml", content)


def test_a_gml_label_that_is_not_the_id_is_an_attribute() -> None:
    assert read("gml", 'graph [ node [ id 0 label "0" ] ]').attributes is None
    network = read("gml", 'graph [ node [ id 0 label "0" ] node [ id 1 label "Ana" ] ]')
    assert network.attributes is not None
    assert network.attributes.names == ("node", "label")


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"nodes": [{"id": 0}]},
        {"edges": []},
        {"nodes": [{"id": 0}], "edges": [], "links": []},
        {"nodes": {"id": 0}, "edges": []},
        {"nodes": [0], "edges": []},
        {"nodes": [{"name": 0}], "edges": []},
        {"nodes": [{"id": 0, "x": [1]}], "edges": []},
        {"nodes": [{"id": [0]}], "edges": []},
        {"nodes": [{"id": 0}], "edges": [{"source": 0}]},
        {"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 0, "weight": 1}]},
        {"nodes": [{"id": 0}], "edges": [[0, 0]]},
        {"nodes": [{"id": 0}], "edges": [], "directed": True},
        {"nodes": [{"id": 0}], "edges": [], "directed": 0},
        {"nodes": [{"id": 0}], "edges": [], "multigraph": True},
        {"nodes": [{"id": 0}], "edges": [], "graph": {"name": "x"}},
        {"nodes": [{"id": 0}], "edges": [], "comment": "x"},
    ],
)
def test_node_link_with_anything_but_nodes_edges_and_node_attributes_is_refused(document: object) -> None:
    with pytest.raises(Unreadable):
        read("node-link", json.dumps(document))


def test_node_link_with_a_repeated_key_is_refused() -> None:
    with pytest.raises(Unreadable):
        read("node-link", '{"nodes": [{"id": 0, "id": 1}], "edges": []}')


@pytest.mark.parametrize("content", ["a,b\n0,1\n", "source,target,weight\n0,1,2\n", "0,1\n", "source,target\n0\n"])
def test_an_edge_list_has_exactly_the_columns_source_and_target(content: str) -> None:
    with pytest.raises(Unreadable):
        read("edgelist", content)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(Unreadable):
        read("gexf", "<gexf/>")


@pytest.mark.parametrize("form", ["graphml", "gml", "node-link"])
@pytest.mark.parametrize("unseen", ["\ufeff", "\x00", "\x08", "\x0b", "\x0c", "\x0e", "\x1f"])
def test_what_readers_do_not_show_is_refused(draw: Callable[..., dict[str, Artifact]], form: str, unseen: str) -> None:
    text = str(draw(2, [(0, 1)])[form].content, "utf-8")
    places = (0,) if unseen == "\ufeff" else (0, len(text) // 2, len(text))
    for place in places:
        content = (text[:place] + unseen + text[place:]).encode()
        with pytest.raises(Unreadable) as refused:
            read_graph(Artifact(form, "graph", content), False)
        assert str(refused.value) == "a byte order mark or a control character"
