"""Networks: ids, edges and what makes a graph simple."""

from typing import Any

import numpy as np
import pytest

from verifier.readers.cells import Cells, Coder, Column
from verifier.readers.networks import (
    Network,
    covers,
    edge_faults,
    edge_keys,
    edge_list,
    network_of,
    node_numbers,
    numbers_of,
)
from verifier.verdict.verdict import Unreadable


def network(*edges: tuple[int, int]) -> Network:
    sources, targets = np.array(edges, np.int64).reshape(-1, 2).T
    return Network("edgelist", None, sources, targets)


def test_an_id_is_the_plain_decimal_text_of_a_number() -> None:
    coder = Coder()
    coder.add(["0", "12", "012", " 1", "+1", "-1", "1.0", "", "٣", "9" * 30, ("i", "7"), ("f", "7.0"), None, True])
    assert node_numbers(coder.column()).tolist() == [0, 12, -1, -1, -1, -1, -1, -1, -1, -1, 7, -1, -1, -1]


@pytest.mark.parametrize(
    ("ids", "expected"), [([2, 0, 1], True), ([0, 1], False), ([0, 1, 1], False), ([1, 2, 3], False)]
)
def test_nodes_are_0_to_n_minus_1_each_once(ids: list[int], expected: bool) -> None:
    assert covers(np.array(ids), 3) is expected


def test_the_orientation_counts_only_in_a_directed_graph() -> None:
    assert np.array_equal(edge_keys(network((2, 0), (0, 1)), 3, False), edge_keys(network((1, 0), (0, 2)), 3, False))
    assert not np.array_equal(edge_keys(network((2, 0)), 3, True), edge_keys(network((0, 2)), 3, True))


def test_faults_of_edges() -> None:
    assert edge_faults(network((0, 1), (1, 2)), 3, False) == []
    assert edge_faults(network(), 3, False) == []
    assert edge_faults(network((0, 1), (1, 0)), 3, True) == []
    assert edge_faults(network((0, 1), (1, 0)), 3, False) == ["edgelist graph: a repeated edge"]
    assert edge_faults(network((0, 1), (0, 1)), 3, True) == ["edgelist graph: a repeated edge"]
    assert edge_faults(network((1, 1)), 3, True) == ["edgelist graph: a self-loop"]
    assert edge_faults(network((0, 3)), 3, False) == ["edgelist graph: an end point is not among the nodes"]
    assert edge_faults(network((-1, 0)), 3, False) == ["edgelist graph: an end point is not among the nodes"]


def column_of(*cells: Any) -> Column:
    coder = Coder()
    coder.add(cells)
    return coder.column()


def test_a_number_is_a_decimal_that_is_finite() -> None:
    texts = ["1", "-2.5", "+3e2", "1e-3", ".5", "5.", "1e999", "nan", "inf", "0x1", " 1", "", None, True]
    texts += [("i", "7"), ("f", "7.5"), "9" * 300, "9" * 301, "1." + "0" * 300, "1." + "0" * 301, "1e1000"]
    none = float("nan")
    wanted = [1, -2.5, 300, 0.001, none, none, none, none, none, none, none, none, none, none]
    wanted += [7, 7.5, float("9" * 300), none, 1, none, none]
    assert np.array_equal(numbers_of(column_of(*texts)), wanted, equal_nan=True)
    assert numbers_of(column_of()).tolist() == []
    assert node_numbers(column_of()).tolist() == []
    assert node_numbers(column_of("9" * 18, "9" * 19, ("f", "7"))).tolist() == [10**18 - 1, -1, -1]


def test_nodes_are_listed_once_and_not_less_or_more() -> None:
    assert covers(np.array([], np.int64), 0)
    assert not covers(np.array([0, 1, 2, 3]), 3)
    assert not covers(np.array([0, 0, 1]), 3)


def cells_of(*names: str, rows: int = 2) -> Cells:
    columns = (column_of("0", "1"), column_of("1", "2"), column_of("x", "y"), column_of("3", "4"))
    return Cells("csv", "graph", names, columns[: len(names)], rows)


def test_an_edge_list_begins_with_its_ends() -> None:
    plain = edge_list(cells_of("source", "target"))
    assert (plain.format, plain.nodes, plain.attributes, plain.edges) == ("edgelist", None, None, None)
    assert (plain.sources.tolist(), plain.targets.tolist(), plain.edge_cells) == ([0, 1], [1, 2], {})
    assert plain.label == "edgelist graph"
    more = edge_list(cells_of("source", "target", "kind", "weight"), with_columns=True)
    assert more.edges is not None
    assert (more.edges.format, more.edges.part, more.edges.names, more.edges.rows) == (
        "csv",
        "graph",
        ("kind", "weight"),
        2,
    )
    assert np.isnan(more.edge_cells["kind"]).all()
    assert more.edge_cells["weight"].tolist() == [3, 4]
    header = "the header is not source,target"
    with pytest.raises(Unreadable, match=header):
        edge_list(cells_of("source", "target", "kind"))
    for names, with_columns, fault in (
        (("source",), True, header),
        (("target", "source"), True, header),
        (("source", "target", "kind"), False, header),
        (("source", "target", "kind", "kind"), True, "two columns with one name"),
        (("source", "target", "source"), True, "two columns with one name"),
    ):
        with pytest.raises(Unreadable) as refused:
            edge_list(cells_of(*names), with_columns)
        assert str(refused.value) == fault


def test_what_a_reader_found_becomes_a_network() -> None:
    nodes = [("0", {"town": "a"}), ("1", {"age": "3"})]
    found = network_of("gml", nodes, ["0"], ["1"], ["height"], [{"weight": "5"}])
    assert found.nodes is not None
    assert found.attributes is not None
    assert found.edges is not None
    assert (found.format, found.nodes.tolist()) == ("gml", [0, 1])
    assert (found.sources.tolist(), found.targets.tolist()) == ([0], [1])
    table = found.attributes
    assert (table.format, table.part, table.names, table.rows) == ("gml", "graph", ("node", "height", "town", "age"), 2)
    assert [[column.texts[code] for code in column.codes] for column in table.columns[2:]] == [["a", ""], ["", "3"]]
    assert (found.edges.format, found.edges.part, found.edges.names, found.edges.rows) == (
        "gml",
        "graph",
        ("weight",),
        1,
    )
    bare = network_of("gml", [("0", {})], [], [])
    assert (bare.attributes, bare.edges, bare.edge_cells) == (None, None, {})
    assert network_of("gml", [("0", {})], [], [], (), [{}, {}]).edges is None


def test_ends_at_the_border_are_nodes_and_beyond_it_none() -> None:
    assert edge_faults(network((0, 2)), 3, False) == []
    assert edge_faults(network((2, 0)), 3, True) == []
    assert edge_faults(network((3, 0)), 3, True) == ["edgelist graph: an end point is not among the nodes"]
    both = ["edgelist graph: a self-loop", "edgelist graph: a repeated edge"]
    assert edge_faults(network((1, 1), (1, 1)), 3, False) == both
    assert edge_keys(network((2, 0), (1, 2)), 3, False).tolist() == [2, 5]
    assert edge_keys(network((2, 0), (1, 2)), 3, True).tolist() == [5, 6]
