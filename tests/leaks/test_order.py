"""L6 and L7: the order of rows and the names of nodes disclose nothing about those of the original."""

import csv
import io
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from antifaz.graphs.graph import Graph
from antifaz.kinds.graph import GraphDataset
from antifaz.kinds.kind import Dataset, Protected
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from formats.core.raw import RawColumn
from formats.writing import render_graph, render_nodes, render_table
from publication.generator import cryptographic_generator

ROWS = 10_000
SEVEN_SIGMA = 0.07
"""The rank correlation of 10,000 places with a random order has a deviation of 0.01: it exceeds this less than
once in 10^11 times. Rows in their old order have a correlation of 1, and if one row in seven stays in the old
order, it is 0.14 on average."""
MOST_NEIGHBORS = 18
"""In a random order about one pair of adjacent rows is adjacent again (a Poisson number): more than this less than once
in 10^16 times. If whole blocks of rows are moved, there are thousands."""
RARE = 300
"""Number of rows whose town is unique, so that a method must leave them out or hide them."""
WAIVER = [{"rule": "free_text", "reason": "a number for every row, to follow it by"}]


def assert_tells_nothing(positions: list[int]) -> None:
    """The original positions of released rows or nodes are in no order."""
    assert abs(spearmanr(np.arange(len(positions)), positions).statistic) < SEVEN_SIGMA
    assert np.count_nonzero(np.diff(positions) == 1) <= MOST_NEIGHBORS


def towns() -> list[str]:
    """Five large towns, and occasionally a village of one person; the first row is one of these."""
    return [f"village {n}" if n % (ROWS // RARE) == 0 else f"town {n % 5}" for n in range(ROWS)]


def encoded(name: str, cells: list[str]) -> RawColumn:
    values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
    return RawColumn(name, codes.astype(np.int32), values)


def released_rows(
    rng: np.random.Generator, cells: list[str], method: dict[str, Any], **settings: Any
) -> list[dict[str, str]]:
    """The rows of a csv with the number of each original row, and a quasi-identifier."""
    dataset = Dataset((encoded("index", [str(n) for n in range(ROWS)]), encoded("town", cells)), ROWS)
    policy = parse_policy(
        {
            "kind": "table",
            "attributes": {
                "index": {"role": "insensitive", "type": "integer"},
                "town": {"role": "quasi_identifier", **settings},
            },
            "guarantees": [{"model": "k_anonymity", "k": 2}],
            "method": method,
            "waivers": WAIVER,
        }
    )
    protected = protect(check(dataset, policy), policy, rng)
    assert protected.table is not None
    content = b"".join(render_table(protected.table.columns, "csv")).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    # The sealed map is in the order of the rows, even if some were left out.
    places = check(dataset, policy).rows[protected.table.records]
    assert [int(row["index"]) for row in rows] == places.tolist()
    return rows


def released_positions(rng: np.random.Generator) -> list[int]:
    """Original positions of the rows of a csv that needed no change at all."""
    rows = released_rows(rng, ["a", "b"] * (ROWS // 2), {"name": "mondrian"})
    assert {row["town"] for row in rows} == {"a", "b"}
    return [int(row["index"]) for row in rows]


def test_rows_that_are_released_as_they_are_come_in_another_order() -> None:
    positions = released_positions(np.random.default_rng(7))
    assert sorted(positions) == list(range(ROWS))
    assert_tells_nothing(positions)


LEFT_OUT = {
    "by the method": (towns(), {"name": "suppress"}, {}),
    "by a later step": (towns(), {"name": "pipeline", "steps": [{"name": "suppress"}] * 2}, {}),
    "by a search": (
        towns(),
        {"name": "datafly", "suppression": 0.1},
        {"hierarchy": {"kind": "mask"}},
    ),
    "for missing values": (
        ["" if town.startswith("village") else town for town in towns()],
        {"name": "mondrian"},
        {"missing": "suppress_row"},
    ),
    "for both reasons": (
        ["", *towns()[1:]],
        {"name": "suppress"},
        {"missing": "suppress_row"},
    ),
}


@pytest.mark.parametrize("why", LEFT_OUT)
def test_rows_that_are_left_after_others_were_left_out_come_in_another_order(why: str) -> None:
    cells, method, settings = LEFT_OUT[why]
    rows = released_rows(np.random.default_rng(17), cells, method, **settings)
    positions = [int(row["index"]) for row in rows]
    assert ROWS - 2 * RARE < len(set(positions)) == len(positions) < ROWS
    assert_tells_nothing(positions)


@pytest.mark.parametrize("mistake", ["in the old order", "blocks moved about", "only the first half"])
def test_rows_that_are_not_shuffled_would_be_noticed(mistake: str) -> None:
    rng = np.random.default_rng(3)
    order = np.arange(ROWS)
    if mistake == "blocks moved about":
        order = rng.permutation(order.reshape(-1, 10)).ravel()
    if mistake == "only the first half":
        order[: ROWS // 2] = rng.permutation(ROWS // 2)
    with pytest.raises(AssertionError):
        assert_tells_nothing(order.tolist())


def test_two_releases_of_the_same_rows_come_in_different_orders() -> None:
    assert released_positions(cryptographic_generator()) != released_positions(cryptographic_generator())


def released_path(rng: np.random.Generator, isolated: int = 5) -> Protected:
    """A path 0 - 1 - … and some nodes without edges, which is already 2-degree anonymous."""
    graph = Graph.from_pairs(ROWS + isolated, np.arange(ROWS - 1), np.arange(1, ROWS), directed=False)
    policy = parse_policy(
        {
            "kind": "graph",
            "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
            "method": {"name": "k_degree"},
        }
    )
    return protect(check(GraphDataset((), graph.n, graph=graph), policy), policy, rng)


def edges_of(protected: Protected) -> list[tuple[int, int]]:
    assert protected.graph is not None
    content = b"".join(render_graph(protected.graph.graph, "edgelist")).decode()
    return [(int(u), int(v)) for u, v in list(csv.reader(io.StringIO(content)))[1:]]


def walk(edges: list[tuple[int, int]]) -> list[int]:
    """The nodes of a path from one of its ends to the other."""
    neighbors: dict[int, list[int]] = {}
    for u, v in edges:
        neighbors.setdefault(u, []).append(v)
        neighbors.setdefault(v, []).append(u)
    here, before = min(node for node, others in neighbors.items() if len(others) == 1), -1
    path = [here]
    while following := [node for node in neighbors[here] if node != before]:
        before, here = here, following[0]
        path.append(here)
    return path


def test_the_names_of_a_paths_nodes_tell_nothing_of_their_places() -> None:
    protected = released_path(np.random.default_rng(11))
    names = walk(edges_of(protected))
    assert len(names) == ROWS
    assert_tells_nothing(names)


def test_edges_come_in_the_order_of_their_new_names() -> None:
    edges = edges_of(released_path(np.random.default_rng(12)))
    assert edges == sorted(edges)
    assert all(u < v for u, v in edges)


def test_every_node_is_listed_also_those_without_edges() -> None:
    protected = released_path(np.random.default_rng(13))
    assert protected.graph is not None
    content = b"".join(render_nodes(protected.graph.graph.n, (), "csv")).decode().split()
    assert content == ["node", *(str(n) for n in range(ROWS + 5))]
    # Nodes without edges are no longer at the end.
    alone = set(range(ROWS + 5)) - {node for edge in edges_of(protected) for node in edge}
    assert len(alone) == 5
    assert alone != set(range(ROWS, ROWS + 5))


def test_two_releases_of_the_same_path_have_different_names() -> None:
    first, second = (walk(edges_of(released_path(cryptographic_generator()))) for _ in range(2))
    assert first not in (second, second[::-1])
