import pytest

from formats.core.raw import RawGraph, RawTable
from formats.graphs.nodes import merge_nodes
from formats.reading import read_graph, read_table


def edges(text: str, limits) -> RawGraph:
    return read_graph([text.encode()], "edgelist", {"delimiter": ","}, None, False, limits)


def table(text: str, limits) -> RawTable:
    return read_table([text.encode()], "csv", {}, limits)


def by_id(graph: RawGraph, name: str) -> dict[str, str]:
    column = graph.node_columns.columns[graph.node_columns.names.index(name)]
    return dict(zip(graph.ids, column.values[column.codes], strict=True))


def test_a_node_table_adds_attributes_and_isolated_nodes(limits):
    graph = merge_nodes(edges("a,b\nb,c\n", limits), table("id,age\nz,1\nb,2\na,2\n", limits))
    assert graph.n == 4
    assert by_id(graph, "age") == {"a": "2", "b": "2", "c": "", "z": "1"}
    assert {(graph.ids[u], graph.ids[v]) for u, v in zip(graph.sources, graph.targets, strict=True)} == {
        ("a", "b"),
        ("b", "c"),
    }


def test_a_missing_cell_of_the_table_stays_missing(limits):
    graph = merge_nodes(edges("a,b\n", limits), table("id,age\na,\nc,5\n", limits))
    assert by_id(graph, "age") == {"a": "", "b": "", "c": "5"}


def test_ids_of_the_table_are_compared_without_the_spaces_around_them(limits):
    assert merge_nodes(edges("a,b\n", limits), table("id,x\n a ,1\nb,2\n", limits)).n == 2


def test_a_table_of_ids_alone_lists_nodes(limits):
    graph = merge_nodes(edges("a,b\n", limits), table("id\na\nb\nc\n", limits))
    assert (graph.n, graph.node_columns) == (3, None)


@pytest.mark.parametrize(
    ("text", "rule", "row"),
    [
        ("id,x\na,1\nb,1\na,2\n", "duplicate_node", 3),
        ("id,x\na,1\n,2\n", "empty_id", 2),
        ("id,node\na,1\n", "reserved_column", None),
    ],
)
def test_refuses_a_table_that_does_not_list_nodes(text, rule, row, limits, refused):
    error = refused(merge_nodes, edges("a,b\n", limits), table(text, limits))
    assert (error.rule, error.row) == (rule, row)


def test_a_table_may_name_nodes_by_label_or_by_number(limits):
    text = 'graph [ node [ id 0 label "Ana" ] node [ id 1 label "Bob" ] edge [ source 0 target 1 ] ]'
    graph = read_graph([text.encode()], "gml", {}, None, False, limits)
    assert by_id(merge_nodes(graph, table("id,x\nBob,1\nAna,2\n", limits)), "x") == {"Ana": "2", "Bob": "1"}
    assert by_id(merge_nodes(graph, table("id,x\n1,1\n0,2\n", limits)), "x") == {"0": "2", "1": "1"}


def test_attributes_of_the_file_and_of_the_table_stand_side_by_side(limits, refused):
    text = "graph [ node [ id 0 age 5 ] node [ id 1 ] ]"
    graph = read_graph([text.encode()], "gml", {}, None, False, limits)
    both = merge_nodes(graph, table("id,x\n1,1\n2,2\n", limits))
    assert both.node_columns.names == ["age", "x"]
    assert by_id(both, "age") == {"0": "5", "1": "", "2": ""}
    assert refused(merge_nodes, graph, table("id,age\n1,1\n", limits)).rule == "duplicate_column"


def test_refuses_a_format_that_is_not_one_of_graphs(limits, refused):
    assert refused(read_graph, [b"x"], "csv", {}, None, False, limits).rule == "unknown_format"
