"""Every refusal of a graph states what is wrong, without a value of the file."""

import json

import pytest

from tests.verifier.refusing import cells_of, graphml
from verifier import Artifact
from verifier.readers.cells import Cells
from verifier.readers.graphs import read_graph
from verifier.readers.networks import Network
from verifier.verdict.verdict import Unreadable


def refusal_of_graph(form: str, content: str | bytes, directed: bool = False) -> str:
    with pytest.raises(Unreadable) as refused:
        read_graph(Artifact(form, "graph", content.encode() if isinstance(content, str) else content), directed)
    return str(refused.value)


def graph_of(form: str, content: str, directed: bool = False) -> Network:
    return read_graph(Artifact(form, "graph", content.encode()), directed)


def attributes_of(network: Network) -> Cells:
    assert network.attributes is not None
    return network.attributes


# --- graphml ---------------------------------------------------------------------------------------------------------

KEY = '<key id="d0" for="node" attr.name="town" attr.type="string"/>'
ELSEWHERE = "an element that is neither node, edge nor an attribute of one"
SETTINGS = "an element with settings that are not its own"
LACKING = "an element without what it needs"
DECLARED = "an attribute of something else than nodes and edges, or declared twice"
MARKUP = "a document type, comment or processing instruction"
DIRECTION = "directed where the release is not, or the other way round"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "not XML"),
        ("<graphml>", "not XML"),
        (graphml() + "x", "not XML"),
        (graphml()[:-3], "not XML"),
        ("<graphml/>", "no graph"),
        ("<graph/>", ELSEWHERE),
        (graphml("<port/>"), ELSEWHERE),
        (graphml("", "<node/>"), ELSEWHERE),
        (graphml("", '<data key="d0"/>'), ELSEWHERE),
        (graphml('<data key="d0"/>', KEY), ELSEWHERE),
        (graphml('<edge source="0" target="0"><data key="d0"/></edge>', KEY), LACKING),
        (
            graphml('<edge source="0" target="0"><data key="d0"/></edge>', KEY.replace('"node"', '"edge"')),
            "an edge with something beside its end points",
        ),
        (graphml(KEY), ELSEWHERE),
        (graphml("<graphml/>"), ELSEWHERE),
        (graphml('<node id="0" label="Ana"/>'), SETTINGS),
        (graphml('<edge source="0" target="0" id="Ana"/>'), SETTINGS),
        (graphml('<node id="0"><data key="d0" label="Ana">x</data></node>', KEY), SETTINGS),
        (graphml("", KEY.replace("/>", ' label="Ana"/>')), SETTINGS),
        (graphml().replace("<graph ", '<graph label="Ana" '), SETTINGS),
        (graphml("<node/>"), LACKING),
        (graphml('<edge source="0"/>'), LACKING),
        (graphml('<edge target="0"/>'), LACKING),
        (graphml('<node id="0"><data>x</data></node>', KEY), LACKING),
        (graphml('<node id="0"><data key="d1">x</data></node>', KEY), LACKING),
        (graphml("", KEY.replace('attr.type="string"', 'attr.type="Ana"')), LACKING),
        (graphml("", KEY.replace(' attr.name="town"', "")), LACKING),
        (graphml(flow="Ana"), LACKING),
        (graphml("", KEY.replace('"node"', '"edge"')), "an attribute of edges that no edge has"),
        (graphml("", KEY + KEY.replace('"node"', '"edge"')), DECLARED),
        (graphml("", KEY.replace('"node"', '"all"')), DECLARED),
        (graphml("", KEY + KEY.replace("town", "city")), DECLARED),
        (graphml("", KEY + KEY.replace("d0", "d1")), "two attributes with one name"),
        (graphml("", '<graph edgedefault="undirected"/>'), "more than one graph"),
        (graphml("Ana"), "text outside of attributes"),
        (graphml('<node id="0">Ana</node>', KEY), "text outside of attributes"),
        (
            graphml('<node id="0"><data key="d0">x</data><data key="d0">x</data></node>', KEY),
            "an attribute given twice",
        ),
        ('<!DOCTYPE graphml SYSTEM "Ana">' + graphml(), MARKUP),
        ('<!DOCTYPE graphml [<!ENTITY a "Ana">]>' + graphml(), MARKUP),
        ('<?xml version="1.0" encoding="iso-8859-1"?>' + graphml(), "an encoding that is not UTF-8"),
        ('<?xml version="1.0" encoding="utf-16"?>' + graphml(), "an encoding that is not UTF-8"),
        (graphml("<!--Ana-->"), MARKUP),
        (graphml("<?Ana?>"), MARKUP),
        (graphml(flow="directed"), DIRECTION),
        (b"\xff", "not UTF-8"),
    ],
)
def test_graphml(content: str | bytes, why: str) -> None:
    assert refusal_of_graph("graphml", content) == why


def test_the_attributes_of_a_graphml_graph_may_have_every_type() -> None:
    types = {"int": "i", "long": "i", "float": "f", "double": "f", "boolean": "b", "string": "t"}
    cells = {name: "true" if name == "boolean" else "1" for name in types}
    keys = "".join(
        f'<key id="d{place}" for="node" attr.name="{name}" attr.type="{name}"/>' for place, name in enumerate(types)
    )
    values = "".join(f'<data key="d{place}">{cell}</data>' for place, cell in enumerate(cells.values()))
    attributes = attributes_of(graph_of("graphml", graphml(f'<node id="0">{values}</node>', keys)))
    assert attributes.names == ("node", *types)
    assert [cells_of(column) for column in attributes.columns[1:]] == [
        [(types[name], cell)] for name, cell in cells.items()
    ]


def test_a_graphml_file_may_say_that_it_is_utf_8() -> None:
    inside = '<node id="0"><data key="d0">é</data></node>'
    for declared in (
        '<?xml version="1.0"?>',
        '<?xml version="1.0" encoding="utf-8"?>',
        "<?xml version='1.0' encoding='UTF-8'?>",
    ):
        network = graph_of("graphml", declared + graphml(inside, KEY))
        assert cells_of(attributes_of(network).column("town")) == [("t", "é")]


def test_a_long_graphml_text_with_entities_is_read_whole() -> None:
    long = "é&" * 50_000
    text = graphml(f'<node id="0"><data key="d0">{long.replace("&", "&amp;")}</data></node>', KEY)
    assert cells_of(attributes_of(graph_of("graphml", text)).column("town")) == [("t", long)]


def test_what_one_node_says_of_itself_is_not_said_of_the_next() -> None:
    inside = '<node id="0"><data key="d0">x</data></node> <node id="1"><data key="d0">y</data></node>\n<node id="2"/>'
    attributes = attributes_of(graph_of("graphml", graphml(inside, KEY)))
    assert cells_of(attributes.column("town")) == [("t", "x"), ("t", "y"), ("-", "")]


# --- gml -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "not one graph"),
        ("graph 1", "not one graph"),
        ('graph "Ana"', "not one graph"),
        ("graph [ ] graph [ ]", "not one graph"),
        ("map [ node [ id 0 ] ]", "not one graph"),
        ('Creator "Ana" graph [ ]', "not one graph"),
        ("graph", "not gml"),
        ("graph [", "not gml"),
        ("graph [ ] ]", "not gml"),
        ("] graph [ ]", "not gml"),
        ("graph graph [ ]", "not gml"),
        ("graph [ directed ]", "not gml"),
        ("graph [ node [ id 0 town ] ] ]", "not gml"),
        ("graph [ node [ id 0 directed ] 0 ]", "not gml"),
        ('graph [ "directed" 0 ]', "not gml"),
        ("graph [ node [ id 0 town city ] ]", "not gml"),
        ("graph [ 1 ]", "not gml"),
        ("[ ]", "not gml"),
        ("graph [ ] @", "not gml"),
        ("graph @ [ ]", "not gml"),
        ("@ graph [ ]", "not gml"),
        ("graph\u00a0[ ]", "not gml"),
        ('graph [ node [ id "0 ] ]', "not gml"),
        ('graph [ comment "Ana" ]', "something beside nodes and edges"),
        ("graph [ directed 2 ]", "not one direction"),
        ("graph [ directed 0 directed 0 ]", "not one direction"),
        ('graph [ directed "0" ]', "not one direction"),
        ("graph [ directed 1 ]", DIRECTION),
        ("graph [ node 0 ]", "a node or edge that is not an object"),
        ("graph [ edge 0 ]", "a node or edge that is not an object"),
        ("graph [ node [ ] ]", "a node without an id"),
        ("graph [ node [ id 0 id 0 ] ]", "a repeated or nested attribute"),
        ("graph [ node [ id 0 at [ x 1 ] ] ]", "a repeated or nested attribute"),
        ("graph [ edge [ source 0 ] ]", "an edge without its end points"),
        ("graph [ edge [ source 0 target 1 value 1 ] ]", "an edge with something beside its end points"),
    ],
)
def test_gml(content: str, why: str) -> None:
    assert refusal_of_graph("gml", content) == why


def test_gml_values_of_every_kind() -> None:
    values = '[ id 0 a -7 b 1.5 c .5e-3 d 2E+1 e "x &lt; &quot;y&quot;" f +3 g 1. ]'
    attributes = attributes_of(graph_of("gml", f"graph\n[ directed 0 node {values} ]"))
    assert {name: cells_of(attributes.column(name))[0] for name in "abcdefg"} == {
        "a": ("i", "-7"),
        "b": ("f", "1.5"),
        "c": ("f", ".5e-3"),
        "d": ("f", "2E+1"),
        "e": ("t", 'x < "y"'),
        "f": ("i", "+3"),
        "g": ("f", "1."),
    }


def test_gml_ids_may_be_texts_and_direction_may_be_left_out() -> None:
    network = graph_of(
        "gml", 'graph [ node [ id "0" label "0" ] node [ id 1 label "1" ] edge [ source "0" target 1 ] ]'
    )
    assert network.attributes is None
    assert network.nodes is not None
    assert (network.nodes.tolist(), network.sources.tolist(), network.targets.tolist()) == ([0, 1], [0], [1])


def test_gml_labels_are_attributes_as_soon_as_one_node_lacks_its_own() -> None:
    assert attributes_of(graph_of("gml", 'graph [ node [ id 0 label "0" ] node [ id 1 ] ]')).names == ("node", "label")
    attributes = attributes_of(graph_of("gml", 'graph [ node [ id 0 label "0" town "x" ] ]'))
    assert attributes.names == ("node", "town")


# --- node-link -------------------------------------------------------------------------------------------------------

ONE_LIST = "not one list of nodes and one of edges"
BESIDE = "something beside nodes and edges"


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ([], "not an object"),
        ("Ana", "not an object"),
        ({"nodes": []}, ONE_LIST),
        ({"edges": []}, ONE_LIST),
        ({"nodes": [], "edges": [], "links": []}, ONE_LIST),
        ({"nodes": {"id": 0}, "edges": []}, ONE_LIST),
        ({"nodes": [], "edges": {}}, ONE_LIST),
        ({"nodes": [], "links": None}, ONE_LIST),
        ({"nodes": 1, "links": []}, ONE_LIST),
        ({"nodes": [], "edges": [], "directed": True}, DIRECTION),
        ({"nodes": [], "edges": [], "directed": None}, DIRECTION),
        ({"nodes": [], "edges": [], "multigraph": True}, BESIDE),
        ({"nodes": [], "edges": [], "multigraph": None}, BESIDE),
        ({"nodes": [], "edges": [], "graph": {"name": "Ana"}}, BESIDE),
        ({"nodes": [], "edges": [], "graph": 1}, BESIDE),
        ({"nodes": [], "edges": [], "comment": "Ana"}, BESIDE),
        ({"nodes": ["Ana"], "edges": []}, "a node or edge that is not an object"),
        ({"nodes": [], "edges": [[0, 1]]}, "a node or edge that is not an object"),
        ({"nodes": [{"id": 0, "x": [1]}], "edges": []}, "a repeated or nested attribute"),
        ({"nodes": [{"id": 0, "x": {"y": 1}}], "edges": []}, "a repeated or nested attribute"),
        ({"nodes": [{"name": "Ana"}], "edges": []}, "a node without an id"),
        ({"nodes": [], "edges": [{"source": 0}]}, "an edge without its end points"),
        (
            {"nodes": [], "edges": [{"source": 0, "target": 1, "weight": 1}]},
            "an edge with something beside its end points",
        ),
    ],
)
def test_node_link(document: object, why: str) -> None:
    assert refusal_of_graph("node-link", json.dumps(document)) == why


def test_node_link_needs_nothing_but_nodes_and_edges_under_either_name() -> None:
    for name in ("edges", "links"):
        document = {"nodes": [{"id": 0}, {"id": 1}], name: [{"source": 0, "target": 1}]}
        for directed in (False, True):
            network = graph_of("node-link", f"\n {json.dumps(document)} \n", directed)
            assert (network.sources.tolist(), network.targets.tolist()) == ([0], [1])
    assert refusal_of_graph("node-link", '{"nodes": [], "edges": []} x') == "not JSON"


def test_an_edge_list_with_another_header() -> None:
    assert refusal_of_graph("edgelist", "target,source\n0,1\n") == "the header is not source,target"


def test_a_format_that_is_not_one_of_graphs() -> None:
    assert refusal_of_graph("csv", "source,target\n0,1\n") == "not a format of graphs"
