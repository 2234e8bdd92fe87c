"""L6 and L7: the order of rows and the names of nodes tell nothing of the original's."""

import csv
import io

import numpy as np
from scipy.stats import spearmanr

from antifaz.graphs.graph import Graph
from antifaz.policy import parse_policy
from antifaz.protect import Dataset, Encoded, Protected, check, protect
from workers.codecs import render_graph, render_nodes, render_table
from workers.context import cryptographic_generator

ROWS = 10_000
FOUR_SIGMA = 0.04


def released_positions(rng: np.random.Generator) -> list[int]:
    """Original positions of the rows of a csv that needed no change at all."""
    index = Encoded("index", np.arange(ROWS, dtype=np.int32), np.array([str(n) for n in range(ROWS)], dtype=object))
    sex = Encoded("sex", (np.arange(ROWS) % 2).astype(np.int32), np.array(["f", "m"], dtype=object))
    policy = parse_policy(
        {
            "kind": "table",
            "attributes": {"index": {"role": "insensitive", "type": "integer"}, "sex": {"role": "quasi_identifier"}},
            "guarantees": [{"model": "k_anonymity", "k": 2}],
            "method": {"name": "mondrian"},
        }
    )
    protected = protect(check(Dataset((index, sex), ROWS), policy), policy, rng)
    assert protected.table is not None
    content = b"".join(render_table(protected.table.columns, "csv")).decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert {row["sex"] for row in rows} == {"f", "m"}
    return [int(row["index"]) for row in rows]


def test_rows_that_are_released_as_they_are_come_in_another_order() -> None:
    positions = released_positions(np.random.default_rng(7))
    assert sorted(positions) == list(range(ROWS))
    assert abs(spearmanr(np.arange(ROWS), positions).statistic) < FOUR_SIGMA


def test_two_releases_of_the_same_rows_come_in_different_orders() -> None:
    assert released_positions(cryptographic_generator()) != released_positions(cryptographic_generator())


def released_path(rng: np.random.Generator, isolated: int = 5) -> Protected:
    """A path 0 - 1 - … and some nodes without edges, which are 2-degree anonymous as they are."""
    graph = Graph.from_pairs(ROWS + isolated, np.arange(ROWS - 1), np.arange(1, ROWS), directed=False)
    policy = parse_policy(
        {
            "kind": "graph",
            "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
            "method": {"name": "k_degree"},
        }
    )
    return protect(check(Dataset((), graph.n, graph), policy), policy, rng)


def edges_of(protected: Protected) -> list[tuple[int, int]]:
    assert protected.graph is not None
    content = b"".join(render_graph(protected.graph.graph, "edgelist")).decode()
    return [(int(u), int(v)) for u, v in list(csv.reader(io.StringIO(content)))[1:]]


def walk(edges: list[tuple[int, int]]) -> list[int]:
    """The nodes of a path from one of its ends to the other."""
    neighbours: dict[int, list[int]] = {}
    for u, v in edges:
        neighbours.setdefault(u, []).append(v)
        neighbours.setdefault(v, []).append(u)
    here, before = min(node for node, others in neighbours.items() if len(others) == 1), -1
    path = [here]
    while following := [node for node in neighbours[here] if node != before]:
        before, here = here, following[0]
        path.append(here)
    return path


def test_the_names_of_a_paths_nodes_tell_nothing_of_their_places() -> None:
    protected = released_path(np.random.default_rng(11))
    names = walk(edges_of(protected))
    assert len(names) == ROWS
    assert abs(spearmanr(np.arange(ROWS), names).statistic) < FOUR_SIGMA


def test_edges_come_in_the_order_of_their_new_names() -> None:
    edges = edges_of(released_path(np.random.default_rng(12)))
    assert edges == sorted(edges)
    assert all(u < v for u, v in edges)


def test_every_node_is_listed_also_those_without_edges() -> None:
    protected = released_path(np.random.default_rng(13))
    assert protected.graph is not None
    content = b"".join(render_nodes(protected.graph.graph.n, (), "csv")).decode().split()
    assert content == ["node", *(str(n) for n in range(ROWS + 5))]
    # Who had no edge is no longer to be found at the end.
    alone = set(range(ROWS + 5)) - {node for edge in edges_of(protected) for node in edge}
    assert len(alone) == 5
    assert alone != set(range(ROWS, ROWS + 5))


def test_two_releases_of_the_same_path_have_different_names() -> None:
    first, second = (walk(edges_of(released_path(cryptographic_generator()))) for _ in range(2))
    assert first not in (second, second[::-1])
