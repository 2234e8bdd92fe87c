import networkx as nx
import pytest

from formats.reading import read_graph

SMALL = """# made by hand
Creator "cnry [ of ] things"
graph [
  comment "a ] b"
  directed 1
  node [ id 1 label "Ana &amp; &#233;" age 30 graphics [ x 1.5 y 2 ] ]
  node [ id 2 label "Bob" city "Vic" ]
  node [ id 3 label "Eve" ]
  edge [ source 1 target 2 ]
  edge [ source 1 target 2 value 3 ]
  edge
  [
    source 2
    target 1
  ]
  edge [ target 3 source 3 ]
]
"""


def gml(text: str, limits, directed=None, strict=False):
    return read_graph([text.encode()], "gml", {}, directed, strict, limits)


def column(graph, name: str) -> list[str]:
    found = graph.node_columns.columns[graph.node_columns.names.index(name)]
    return list(found.values[found.codes])


def test_reads_nodes_edges_labels_and_attributes(limits):
    graph = gml(SMALL, limits)
    assert list(graph.ids) == ["Ana & é", "Bob", "Eve"]
    assert list(graph.aliases) == ["1", "2", "3"]
    assert (graph.directed, len(graph.sources), graph.self_loops, graph.repeated) == (True, 2, 1, 1)
    assert (column(graph, "age"), column(graph, "city")) == (["30", "", ""], ["", "Vic", ""])
    assert graph.edge_attributes == 1


def test_labels_that_do_not_tell_nodes_apart_are_an_attribute(limits):
    graph = gml(SMALL.replace("Eve", "Bob"), limits)
    assert list(graph.ids) == ["1", "2", "3"]
    assert column(graph, "label") == ["Ana & é", "Bob", "Bob"]


def test_reads_latin_letters_and_labels_without_quotes(limits):
    text = 'graph [ node [ id 0 label 5 ] node [ id 1 label "ñ" ] edge [ source 0 target 1 ] ]'
    graph = read_graph([text.encode("latin-1")], "gml", {}, None, False, limits)
    assert list(graph.ids) == ["5", "ñ"]


def test_reads_what_networkx_writes(limits):
    original = nx.les_miserables_graph()
    graph = gml("\n".join(nx.generate_gml(original)), limits)
    edges = {frozenset((graph.ids[u], graph.ids[v])) for u, v in zip(graph.sources, graph.targets, strict=True)}
    assert edges == {frozenset(edge) for edge in original.edges}
    assert set(graph.ids) == set(original)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "malformed_gml"),
        ("cnry", "malformed_gml"),
        ("graph [ node [ id 1 ]", "malformed_gml"),
        ("graph [ node [ id 1 ] ] ]", "malformed_gml"),
        ("graph [ node [ id ] ]", "malformed_gml"),
        ('graph [ "cnry" 1 ]', "malformed_gml"),
        ("graph [ ]", "no_records"),
        ("graph [ node [ label 1 ] ]", "empty_id"),
        ("graph [ node [ id 1 ] node [ id 1 ] ]", "duplicate_node"),
        ("graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "unknown_node"),
        ("graph [ node [ id 1 ] edge [ source 1 ] ]", "empty_id"),
        ("graph [ node [ id 1 cnry 1 cnry 2 ] ]", "repeated_key"),
        ("graph [ node [ id 1 node 2 ] ]", "reserved_column"),
        ("graph [ node [ id 1 ] ] graph [ ]", "nested_graph"),
        ("graph [ a " + "[ a " * 40 + "1" + "]" * 41, "gml_depth"),
    ],
)
def test_refuses_what_is_not_one_graph(text, rule, limits, refused):
    error = refused(gml, text, limits)
    assert error.rule == rule
    assert "cnry" not in str(error)
