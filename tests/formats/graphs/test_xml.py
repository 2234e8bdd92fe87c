import io

import networkx as nx
import pytest

from formats.core.limits import Limits
from formats.reading import read_graph

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
KEYS = (
    '<key id="d0" for="node" attr.name="age" attr.type="int"/>'
    '<key id="d1" for="node" attr.name="city" attr.type="string"><default>cnry</default></key>'
    '<key id="d2" for="edge" attr.name="weight" attr.type="double"/>'
)
BODY = (
    '<graph edgedefault="directed"><desc>a description</desc><!-- a comment -->'
    '<node id="a"><data key="d0">30</data><data key="d1">Gómez &amp; co</data></node><node id="b"/><node id="c"/>'
    '<edge source="a" target="b"><data key="d2">1.5</data></edge><edge source="b" target="a"/>'
    '<edge source="c" target="c"/>'
    "</graph></graphml>"
)
BILLION = '<!DOCTYPE x [<!ENTITY a "cnry"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
GEXF = """<?xml version="1.0"?><gexf xmlns="http://gexf.net/1.3" version="1.3"><graph defaultedgetype="undirected">
<attributes class="node"><attribute id="0" title="city" type="string"><default>Vic</default></attribute></attributes>
<attributes class="edge"><attribute id="0" title="w" type="float"/></attributes>
<nodes><node id="1" label="Ana"><attvalues><attvalue for="0" value="Reus"/></attvalues></node>
<node id="2" label="Bob"/></nodes>
<edges><edge id="0" source="1" target="2"><attvalues><attvalue for="0" value="2"/></attvalues></edge></edges>
</graph></gexf>"""


def graphml(text: str, limits: Limits, directed: bool | None = None, strict: bool = False):
    return read_graph([text.encode()], "graphml", {}, directed, strict, limits)


def column(graph, name: str) -> list[str]:
    found = graph.node_columns.columns[graph.node_columns.names.index(name)]
    return list(found.values[found.codes])


def test_reads_nodes_edges_attributes_and_defaults(limits):
    graph = graphml(HEAD + KEYS + BODY, limits)
    assert list(graph.ids) == ["a", "b", "c"]
    assert (graph.directed, len(graph.sources), graph.self_loops, graph.edge_attributes) == (True, 2, 1, 1)
    assert column(graph, "age") == ["30", "", ""]
    assert column(graph, "city") == ["Gómez & co", "cnry", "cnry"]


def test_the_upload_may_overrule_the_direction_of_the_file(limits):
    graph = graphml(HEAD + KEYS + BODY, limits, directed=False)
    assert (graph.directed, len(graph.sources), graph.repeated) == (False, 1, 1)


def test_reads_what_networkx_writes_in_any_pieces(limits):
    original = nx.les_miserables_graph()
    nx.set_node_attributes(original, {v: len(v) for v in original}, "size")
    for write, format_ in ((nx.write_graphml_xml, "graphml"), (nx.write_gexf, "gexf")):
        sink = io.BytesIO()
        write(original, sink)
        content = sink.getvalue()
        pieces = (content[i : i + 777] for i in range(0, len(content), 777))
        graph = read_graph(pieces, format_, {}, None, True, limits)
        assert (graph.n, len(graph.sources)) == (77, 254)
        assert column(graph, "size") == [str(len(name)) for name in graph.ids]


def test_reads_gexf_with_its_attributes_and_without_its_labels(limits):
    graph = read_graph([GEXF.encode()], "gexf", {}, None, False, limits)
    assert graph.node_columns.names == ["city"]
    assert column(graph, "city") == ["Reus", "Vic"]
    assert (list(graph.ids), len(graph.sources), graph.directed, graph.edge_attributes) == (["1", "2"], 1, False, 1)


@pytest.mark.parametrize(
    "doctype", [BILLION, '<!DOCTYPE x SYSTEM "file:///secret">', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///x">]>']
)
def test_refuses_every_document_type(doctype, limits, refused):
    text = HEAD.replace("<graphml", doctype + "<graphml") + BODY
    error = refused(graphml, text, limits)
    assert error.rule == "dtd"
    assert "cnry" not in str(error)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (HEAD + KEYS + BODY[:-20], "malformed_xml"),
        (HEAD + "<cnry></graphml>", "malformed_xml"),
        ("<html><graph/></html>", "malformed_xml"),
        (HEAD + "</graphml>", "malformed_xml"),
        (HEAD + '<graph edgedefault="directed"></graph></graphml>', "no_records"),
        (HEAD + "<graph>" + "<a>" * 100 + "</a>" * 100 + "</graph></graphml>", "xml_depth"),
        (HEAD + '<graph><node id="cnry"/><node id="cnry"/></graph></graphml>', "duplicate_node"),
        (HEAD + '<graph><node id="a"/><edge source="a" target="cnry"/></graph></graphml>', "unknown_node"),
        (HEAD + '<graph><node id="a"/><edge source="a"/></graph></graphml>', "empty_id"),
        (HEAD + '<graph><node id="a"><data key="cnry">1</data></node></graph></graphml>', "unknown_key"),
        (HEAD + '<graph><node id="a"><graph><node id="b"/></graph></node></graph></graphml>', "nested_graph"),
        (HEAD + '<graph><node id="a"/><hyperedge/></graph></graphml>', "hyperedge"),
        (HEAD + '<graph><node id="a"/><edge source="a" target="a" directed="true"/></graph></graphml>', "mixed_edges"),
        (HEAD + KEYS.replace("city", "age") + BODY, "duplicate_column"),
        (HEAD + KEYS.replace("city", "node") + BODY, "reserved_column"),
        (HEAD + KEYS + BODY.replace("30", "x" * 100_001), "cell_too_long"),
        ('<?xml version="1.0" encoding="cnry"?><graphml/>', "encoding"),
    ],
)
def test_refuses_what_is_not_one_flat_graph(text, rule, limits, refused):
    error = refused(graphml, text, limits)
    assert error.rule == rule
    assert "cnry" not in str(error)


def test_a_strict_upload_has_no_loops(limits, refused):
    assert refused(graphml, HEAD + KEYS + BODY, limits, None, True).rule == "self_loops"
