import networkx as nx
import pytest

from formats.reading import read_graph

SMALL = (
    '% made by hand\n*Vertices 4\n1 "Ana Gómez" 0.1 0.2 box\n2 Bob\n3 "Eve"\n4 "Zoe"\n'
    "*Edges\n1 2 1\n2 3 5\n2 1 1\n3 3 1\n"
)


def pajek(text: str, limits, directed=None, strict=False):
    return read_graph([text.encode()], "pajek", {}, directed, strict, limits)


def named(graph) -> set[tuple[str, str]]:
    return {(str(graph.ids[u]), str(graph.ids[v])) for u, v in zip(graph.sources, graph.targets, strict=True)}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_reads_labels_as_ids_and_edges_between_numbers(end, limits):
    graph = pajek(SMALL.replace("\n", end), limits)
    assert list(graph.ids) == ["Ana Gómez", "Bob", "Eve", "Zoe"]
    assert named(graph) == {("Ana Gómez", "Bob"), ("Bob", "Eve")}
    assert (graph.directed, graph.self_loops, graph.repeated, graph.edge_attributes) == (False, 1, 1, 1)
    assert graph.node_columns is None


def test_a_file_with_arcs_is_directed_and_its_edges_run_both_ways(limits):
    graph = pajek("*Vertices 3\n*Arcs\n1 2\n*Edges\n2 3\n", limits)
    assert graph.directed
    assert named(graph) == {("1", "2"), ("2", "3"), ("3", "2")}


def test_reads_lists_of_neighbors(limits):
    assert named(pajek("*vertices 3\n*arcslist\n1 2 3\n2 3\n", limits)) == {("1", "2"), ("1", "3"), ("2", "3")}


def test_reads_what_networkx_writes(limits):
    original = nx.les_miserables_graph()
    graph = pajek("\n".join(nx.generate_pajek(original)), limits)
    assert {frozenset(edge) for edge in named(graph)} == {frozenset(edge) for edge in original.edges}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "malformed_pajek"),
        ("1 2\n", "malformed_pajek"),
        ("*Vertices cnry\n", "malformed_pajek"),
        ("*Vertices 2\n*Vertices 2\n", "malformed_pajek"),
        ("*Vertices 2\n3 cnry\n", "malformed_pajek"),
        ("*Vertices 2\n*Matrix\n0 1\n1 0\n", "malformed_pajek"),
        ("*Vertices 2\n*Edges\n1 cnry\n", "malformed_pajek"),
        ("*Vertices 2\n*Edges\n1\n", "ragged_row"),
        ("*Vertices 2\n*Edges\n1 3\n", "unknown_node"),
        ("*Vertices 0\n", "no_records"),
        ("*Vertices 999999999\n", "too_many_rows"),
    ],
)
def test_refuses_what_is_not_a_network(text, rule, limits, refused):
    error = refused(pajek, text, limits)
    assert error.rule == rule
    assert "cnry" not in str(error)
