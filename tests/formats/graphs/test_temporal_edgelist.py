"""Temporal edge lists: which column is what, snapshots, loops and repetitions."""

import gzip
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from formats.core.faults import Fault
from formats.core.format import GraphReading
from formats.core.limits import Limits
from formats.graphs.nodes import merge_nodes
from formats.reading import read_snapshots, read_table
from formats.sniffing import sniff

LIMITS = Limits(1 << 30, 100, 10**7, 1000, 10**5, 50)
DAY = 86_400
START = 1_000_000_000 - 1_000_000_000 % DAY


def sniffed(text, complete=True, **metadata):
    content = text.encode() if isinstance(text, str) else text
    return sniff("temporal_graph", {"window": "day"} | metadata, None, content, complete, LIMITS)


def read(text, directed=False, strict=False, with_edges=False, **metadata):
    content = text.encode()
    details = json.loads(json.dumps(sniffed(text, **metadata).details))
    return read_snapshots([content], "edgelist", details, GraphReading(LIMITS, directed, strict, with_edges))


def problem(text, **metadata):
    with pytest.raises(Fault) as caught:
        read(text, **metadata)
    assert "cnry" not in caught.value.detail
    return caught.value


def edges(graph):
    """Label of the snapshot and the two names of every edge."""
    names = zip(graph.ids[graph.sources], graph.ids[graph.targets], strict=True)
    return [(graph.labels[t], *pair) for t, pair in zip(graph.times, names, strict=True)]


def test_a_small_example_by_hand():
    """Two days: on the first a-b twice and a loop, on the second b-a and b-c; d only has a loop."""
    rows = [("a", "b", 0), ("b", "a", 3), ("d", "d", 5), ("b", "a", DAY), ("b", "c", DAY + 7)]
    text = "".join(f"{u} {v} {START + t}\n" for u, v, t in rows)
    graph = read(text)
    assert list(graph.ids) == ["a", "b", "d", "c"]
    assert edges(graph) == [
        ("2001-09-09T00:00:00Z", "a", "b"), ("2001-09-10T00:00:00Z", "a", "b"), ("2001-09-10T00:00:00Z", "b", "c"),
    ]  # fmt: skip
    assert (graph.self_loops, graph.repeated) == (1, 1)
    assert (list(graph.self_loops_by_snapshot), list(graph.repeated_by_snapshot)) == ([1, 0], [1, 0])
    assert len(read(text, directed=True).times) == 4


ROWS = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde"), st.integers(START, START + 5 * DAY)),
    min_size=1, max_size=30,
)  # fmt: skip


@given(ROWS, st.booleans(), st.sampled_from(["day", "snapshot", {"seconds": 7200}]), st.booleans(), st.booleans())
@effort(max_examples=120)
def test_snapshots_are_what_a_loop_over_the_rows_finds(rows, directed, window, keep, weighted):
    text = "".join(f"{u},{v},{'0,' if weighted else ''}{t}\n" for u, v, t in rows)
    graph = read(text, directed, window=window, empty_windows="keep" if keep and window == "day" else "drop")
    length = {"day": DAY, "snapshot": 1}.get(window) if isinstance(window, str) else window["seconds"]
    proper = Counter(
        (t // length, *((u, v) if directed else sorted((u, v)))) for u, v, t in rows if u != v
    )  # fmt: skip
    numbers = {t // length for _, _, t in rows}
    if keep and window == "day":
        numbers = set(range(min(numbers), max(numbers) + 1))
    order = sorted(numbers)
    assert len(graph.labels) == len(order)
    names = list(zip(graph.ids[graph.sources], graph.ids[graph.targets], strict=True))
    found = {(order[t], *(pair if directed else sorted(pair))) for t, pair in zip(graph.times, names, strict=True)}
    assert found == set(proper)
    assert len(graph.times) == len(found)
    assert graph.self_loops == sum(u == v for u, v, _ in rows)
    assert graph.repeated == sum(proper.values()) - len(proper) == graph.repeated_by_snapshot.sum()
    looped = Counter(t // length for u, v, t in rows if u == v)
    assert list(graph.self_loops_by_snapshot) == [looped[number] for number in order]
    assert (np.diff(graph.times) >= 0).all()


def test_a_header_says_which_column_is_what():
    text = f"time,weight,source,target\n{START},5,a,b\n{START + 1},7,b,c\n"
    assert [pair[1:] for pair in edges(read(text))] == [("a", "b"), ("b", "c")]
    assert sniffed(text).details["order"] == [2, 3, 1, 0]
    assert [pair[1:] for pair in edges(read(f"a,b,when\n1,2,{START}\n"))] == [("1", "2")]


@pytest.mark.parametrize(
    "moment", ["2001-02-03T04:05:06", "2001-02-03T04:05:06Z", "2001-02-03T23:30:00-01:00", "2001-02-03 04:05"]
)
@pytest.mark.parametrize("metadata", [{}, {"columns": ["source", "target", "time"]}])
def test_a_first_row_with_a_moment_is_an_edge_and_no_header(moment, metadata):
    text = f"a,b,{moment}\nb,c,2001-02-04T00:15:00Z\n"
    assert not sniffed(text, **metadata).details["header"]
    assert len(read(text, **metadata).times) == 2


@pytest.mark.parametrize("columns", [None, ["source", "target", "time"]])
@pytest.mark.parametrize(
    "text",
    [
        f"1 2 NaN\n2 3 {START}\n1 3 {START}\n",
        f"1,2,\n2,3,{START}\n",
        f"ann bob cnry\nbob cat {START}\n",
        f"ann bob 31/12/2016\ncat dan {START}\n",
        f"ann bob n/a\ncat dan {START}\n",
    ],
)
def test_a_first_edge_without_a_readable_time_is_refused_and_never_lost_as_a_header(text, columns):
    fault = problem(text, columns=columns)
    assert (fault.rule, fault.row) == ("time", 1)


def test_well_known_names_are_a_header_even_if_an_id_is_called_alike():
    text = f"u,v,t\na,u,{START}\nv,b,{START}\n"
    for columns in (None, ["source", "target", "time"]):
        assert [pair[1:] for pair in edges(read(text, columns=columns))] == [("a", "u"), ("v", "b")]


def test_the_metadata_say_which_column_is_what():
    text = f"7 a b {START}\n"
    graph = read(text, columns=["time", "source", "target", "weight"], window="snapshot", with_edges=True)
    assert edges(graph) == [("7", "a", "b")]
    assert (graph.edge_columns.names, list(graph.edge_columns.columns[0].values)) == (["weight"], [str(START)])


def test_weights_are_left_out_unless_they_are_wanted_and_the_first_of_a_repetition_counts():
    text = f"a b 3 {START}\nb a 4 {START}\nb c 0 {START}\n"
    assert read(text).edge_columns is None
    column = read(text, with_edges=True).edge_columns.columns[0]
    assert list(column.values[column.codes]) == ["3", "0"]


@pytest.mark.parametrize(
    ("text", "metadata"),
    [
        ("a b 3\n", {}),
        ("a b 0.5\n", {"window": "snapshot"}),
        (f"a b {START} 3\n", {}),
        (f"a b {START} 3\n", {"window": "snapshot"}),
        ("a b 3 4\n", {"window": "week"}),
        ("source,target,weight\na,b,3\n", {"window": "snapshot"}),
    ],
)
def test_a_column_that_may_be_a_weight_or_a_time_is_refused_with_how_to_say_it(text, metadata):
    fault = problem(text, **metadata)
    assert (fault.rule, fault.pointer) == ("unclear_columns", "/metadata/columns")
    assert '"columns": ["source", "target", "weight", "time"]' in fault.detail


@pytest.mark.parametrize(
    ("text", "metadata"),
    [
        ("a b 3\n", {"window": "snapshot"}),
        ("a b 0.5 3\n", {"window": "snapshot"}),
        ("a b 3\n", {"columns": ["source", "target", "time"]}),
        ("source target time\na b 3\n", {}),
        ("a\tb\t2001-02-03\n", {}),
        (f"a;b;{START}\n", {}),
        (f"# said\n\n% more\na,b,{START}\n", {}),
    ],
)
def test_what_is_clear_is_read(text, metadata):
    assert len(read(text, **metadata).times) == 1


@pytest.mark.parametrize(
    ("text", "metadata", "rule", "row"),
    [
        (f"a b {START}\nb c cnry\n", {}, "time", 2),
        (f"a b {START}\nb c\n", {}, "ragged_row", 2),
        ("a b\n", {}, "ragged_row", 1),
        (f"source,target,weight,time\na,b,{START}\n", {}, "ragged_row", 1),
        (f"source,target,time\na,b,{START}\nb,c,4,{START}\n", {}, "ragged_row", 2),
        (f"a,b,1,{START}\nb,c,{{2\n", {}, "ragged_row", 2),
        (f"a,,{START}\n", {}, "empty_id", 1),
        ("# nothing\n", {}, "no_records", None),
        ("a b 1\n", {"columns": ["source", "target"]}, "columns", None),
        ("a b 1\n", {"columns": ["source", "target", "moment"]}, "columns", None),
        ("a b 1\n", {"columns": ["source", "source", "time"]}, "columns", None),
        (f"a b 1 2 {START}\n", {"columns": ["source", "target", "weight", "weight", "time"]}, "columns", None),
        ("a b 2001-02-03\nb c 2001-02-30\n", {}, "time", 2),
        ("a b 2001-02-03\nb c 1000000000\n", {}, "time", 2),
        (f"a,b,{START}\n", {"window": None}, "no_window", None),
    ],
)
def test_refuses_what_is_no_temporal_edge_list(text, metadata, rule, row):
    fault = problem(text, **metadata)
    assert (fault.rule, fault.row) == (rule, row)


def test_more_pairs_over_time_than_numbers_can_tell_apart_are_refused(monkeypatch):
    monkeypatch.setattr("formats.graphs.temporal_edgelist.MOST_CELLS", 3 * 3 * 2)
    rows = f"a b {START}\nb c {START + DAY}\n"
    assert len(read(rows).times) == 2
    assert problem(rows + f"a d {START}\n").rule == "too_many_pairs"


def test_strict_refuses_loops_and_repetitions():
    assert problem_of_strict(f"a b {START}\nc c {START}\n") == ("self_loops", 2)
    assert problem_of_strict(f"a b {START}\nb a {START}\n") == ("repeated_edges", None)
    assert len(read(f"a b {START}\nb a {START + DAY}\n", strict=True).times) == 2


def problem_of_strict(text):
    with pytest.raises(Fault) as caught:
        read(text, strict=True)
    return caught.value.rule, caught.value.row


def test_a_time_that_is_wrong_only_later_is_found_by_the_reader():
    good = f"a b {START}\n"
    details = sniffed(good).details
    with pytest.raises(Fault) as caught:
        read_snapshots([(good * 3 + "b c never\n").encode()], "edgelist", details, GraphReading(LIMITS))
    assert (caught.value.rule, caught.value.row) == ("time", 4)


def test_a_list_of_nodes_adds_nodes_and_attributes_to_all_snapshots():
    table = read_table([b"node,age\nb,20\nz,30\n"], "csv", {"header": True}, LIMITS)
    graph = merge_nodes(read(f"a b {START}\n"), table)
    assert (graph.n, list(graph.ids), graph.labels) == (3, ["a", "b", "z"], ("2001-09-09T00:00:00Z",))
    assert graph.node_columns.names == ["age"]


def test_compressed_files_are_read():
    content = gzip.compress(f"a b {START}\n".encode())
    details = sniffed(f"a b {START}\n").details
    assert len(read_snapshots([content], "edgelist", details, GraphReading(LIMITS)).times) == 1


def test_a_million_rows_make_no_object_each():
    """Every distinct time is read once: a file of one time and many edges holds no list as long as the file."""
    text = "".join(f"{number} {number + 1} {START}\n" for number in range(20_000))
    graph = read(text)
    assert (graph.n, len(graph.times), len(graph.labels)) == (20_001, 20_000, 1)


@pytest.mark.parametrize("name", ["snapshot", "first", "last"])
def test_no_attribute_of_edges_is_called_like_a_time_of_a_release(name):
    fault = problem(f"source,target,{name},time\na,b,1,{START}\n", with_edges=True)
    assert (fault.rule, fault.column) == ("reserved_column", name)
