import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from formats.graphs.edgelist import cut_pairs, read_edges
from formats.reading import read_graph
from tests.formats.limits import limits_of


def edges_of(graph) -> set[tuple[str, str]]:
    return {(str(graph.ids[u]), str(graph.ids[v])) for u, v in zip(graph.sources, graph.targets, strict=True)}


@pytest.mark.parametrize(
    ("content", "details"),
    [
        (b"a,b\nb,c\n", {"delimiter": ","}),
        (b"source,target\na,b\nb,c\n", {"delimiter": ",", "header": True}),
        (b'"source","target"\n"a","b"\n"b","c"\n', {"delimiter": ",", "header": True}),
        (b"a\tb\r\nb\tc\r\n", {"delimiter": "\t"}),
        (b"a , b\n b, c", {"delimiter": ","}),
        (b"# comment, with comma\n%\na b\n\n  # another\nb   c\n", {"delimiter": " "}),
        (b" a \t b\nb c  \n", {"delimiter": " "}),
        (b'"a" "b"\n"b"  c\n', {"delimiter": " "}),
        (b"a b 5 2009\nb c 6 2010\n", {"delimiter": " "}),
        (b"a b {}\nb c {'weight': 3, 'x': 4}\n", {"delimiter": " "}),
        (b"a;b\nb;c\n", {}),
        (b"a b\rb c\r", {}),
        (b"\xef\xbb\xbfa b\nb c", {}),
    ],
)
def test_reads_every_dialect_of_the_same_path(content, details, limits):
    graph = read_graph([content], "edgelist", details, None, False, limits)
    assert (graph.n, graph.directed) == (3, False)
    assert edges_of(graph) == {("a", "b"), ("b", "c")}


def test_ids_are_texts_and_may_hold_spaces_and_accents(limits):
    content = "007,Ana Gómez\n7,Ana Gómez\n".encode()
    for size in (1, 4, 100):
        pieces = (content[i : i + size] for i in range(0, len(content), size))
        graph = read_graph(pieces, "edgelist", {"delimiter": ","}, None, False, limits)
        assert set(graph.ids) == {"007", "7", "Ana Gómez"}


def test_counts_loops_repetitions_and_dropped_attributes(limits):
    content = b"a b 1\nb a 1\na a 1\na b 2\n"
    undirected = read_graph([content], "edgelist", {}, None, False, limits)
    assert (len(undirected.sources), undirected.self_loops, undirected.repeated) == (1, 1, 2)
    directed = read_graph([content], "edgelist", {}, True, False, limits)
    assert (len(directed.sources), directed.self_loops, directed.repeated) == (2, 1, 1)
    assert directed.edge_attributes == 1


def test_a_graph_of_self_loops_alone_is_refused(limits, refused):
    alone = refused(read_graph, [b"a a\nb b\n"], "edgelist", {}, None, False, limits)
    assert alone.rule == "only_self_loops"
    assert alone.detail == "no edge is left: all 2 edges are self-loops, which are dropped"
    assert len(read_graph([b"a a\na b\n"], "edgelist", {}, None, False, limits).sources) == 1


def test_a_strict_upload_has_neither_loops_nor_repetitions(limits, refused):
    loops = refused(read_graph, [b"a b\nc c\n"], "edgelist", {}, None, True, limits)
    assert (loops.rule, loops.row) == ("self_loops", 2)
    assert refused(read_graph, [b"a b\nb a\n"], "edgelist", {}, None, True, limits).rule == "repeated_edges"
    assert read_graph([b"a b\nb a\n"], "edgelist", {}, True, True, limits).n == 2


@pytest.mark.parametrize(
    ("line", "delimiter", "rule"),
    [
        (b"cnry", ",", "ragged_row"),
        (b"cnry", " ", "ragged_row"),
        (b"cnry,2,3", ",", "ragged_row"),
        (b'"cnry"', ",", "ragged_row"),
        (b"cnry,", ",", "empty_id"),
        (b'"cnry",""', ",", "empty_id"),
        (b"cnry\x00,b", ",", "nul_bytes"),
        (b'1,"cnry', ",", "quoting"),
        (b'1,"cnry\n2,3', ",", "quoting"),
        (b'1 "cnry\n2" 3', " ", "quoting"),
    ],
)
def test_names_the_row_that_is_wrong_and_not_what_it_holds(line, delimiter, rule, limits, refused):
    good = b"# a comment\n" + b"1" + delimiter.encode() + b"2\n"
    error = refused(read_graph, [good * 3 + line + b"\n"], "edgelist", {"delimiter": delimiter}, None, False, limits)
    assert error.rule == rule
    assert "cnry" not in str(error)
    if rule != "nul_bytes":
        assert error.row == 4


@pytest.mark.parametrize(
    ("content", "rule"), [(b"", "no_records"), (b"# only\n", "no_records"), (b"a \xff\n", "encoding")]
)
def test_refuses_files_without_edges_or_in_another_encoding(content, rule, limits, refused):
    details = {"delimiter": " ", "encoding": "utf-8"}
    assert refused(read_graph, [content], "edgelist", details, None, False, limits).rule == rule


def test_names_the_row_that_is_not_utf8(limits, refused):
    details = {"delimiter": ",", "encoding": "utf-8"}
    error = refused(read_graph, [b"# c\na,b\nc,d\ne,\xff\n"], "edgelist", details, None, False, limits)
    assert (error.rule, error.row) == ("encoding", 3)


def test_keeps_the_limit_on_edges(refused):
    assert refused(read_edges, [b"a b\nb c\n"], " ", False, None, limits_of(max_rows=1)).rule == "too_many_rows"


def test_reads_large_files_in_pieces(limits):
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 5000, (200_000, 2))
    content = "\n".join(f"n{u}\tn{v}" for u, v in ends.tolist()).encode()
    pieces = (content[i : i + 65_537] for i in range(0, len(content), 65_537))
    read = read_edges(pieces, "\t", False, "utf-8", limits)
    names = [f"n{u}" for u in ends[:, 0]], [f"n{v}" for v in ends[:, 1]]
    assert list(read.ids[read.sources]) == names[0]
    assert list(read.ids[read.targets]) == names[1]


NAMES = st.text("ab ñ\t'x", min_size=1, max_size=4).map(str.strip).filter(bool)


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=10))
@effort(deadline=None, max_examples=3 * effort().max_examples // 2)
def test_cuts_at_commas_as_splitting_each_line_does(pairs):
    content = "".join(f" {a} ,{b}\r\n" for a, b in pairs).encode()
    cut = cut_pairs(content, ",")
    assert list(zip(cut.first.to_pylist(), cut.second.to_pylist(), strict=True)) == pairs


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=29))
@effort(deadline=None)
def test_agrees_with_networkx_on_simple_graphs(drawn):
    # Self-loops alone are refused.
    pairs = [*drawn, (3, 7)]
    content = "\n".join(f"{u} {v}" for u, v in pairs).encode()
    ours = read_graph([content], "edgelist", {"delimiter": " "}, None, False, limits_of())
    theirs = nx.Graph(nx.parse_edgelist(content.decode().split("\n")))
    theirs.remove_edges_from(list(nx.selfloop_edges(theirs)))
    assert set(map(frozenset, edges_of(ours))) == set(map(frozenset, theirs.edges))
    assert ours.n == theirs.number_of_nodes()


@pytest.mark.parametrize(
    ("content", "details", "names"),
    [
        (b"a b 5\nb c 6\nb a 7\nc c 8\n", {}, ["weight"]),
        (b"a,b,5\nb,c,6\nb,a,7\nc,c,8\n", {"delimiter": ","}, ["weight"]),
        (b"source,target,since\na,b,5\nb,c,6\nb,a,7\nc,c,8\n", {"delimiter": ",", "header": True}, ["since"]),
        (b'source,target,since\n"a","b","5"\nb,c,6\nb,a,7\nc,c,8\n', {"delimiter": ",", "header": True}, ["since"]),
        (b"a b 5 x\nb c 6 y\nb a 7 z\nc c 8 x\n", {}, ["attribute_1", "attribute_2"]),
    ],
)
def test_attributes_of_edges_are_read_when_asked_for_and_the_first_of_a_repeated_edge_counts(
    content, details, names, limits
):
    graph = read_graph([content], "edgelist", details, None, False, limits, with_edges=True)
    assert graph.edge_columns is not None
    assert graph.edge_columns.names == names
    column = graph.edge_columns.columns[0]
    assert list(column.values[column.codes]) == ["5", "6"]
    assert read_graph([content], "edgelist", details, None, False, limits).edge_columns is None


def test_dictionaries_within_lines_are_no_attributes(limits):
    content = b"a b {}\nb c {'weight': 3}\n"
    assert read_graph([content], "edgelist", {}, None, False, limits, with_edges=True).edge_columns is None


def test_an_attribute_of_edges_with_the_name_of_an_end_is_refused(limits, refused):
    content = b"from,to,source\na,b,5\n"
    details = {"delimiter": ",", "header": True}
    assert refused(read_graph, [content], "edgelist", details, None, False, limits, True).rule == "reserved_column"
