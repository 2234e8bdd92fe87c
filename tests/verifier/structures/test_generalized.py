"""Supernode sizes in the verifier: valid releases, and each number that no graph could have."""

from typing import Any

import numpy as np
import pytest

from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.supernode_size import SupernodeSize
from antifaz.graphs.methods.supernodes import Supernodes
from antifaz.watch import unwatched
from verifier import Artifact, verify
from verifier.evidence.evidence import Evidence
from verifier.evidence.release_parts import read_tables
from verifier.readers.cells import Cells
from verifier.readers.graphs import read_graph
from verifier.readers.networks import Network
from verifier.structures.generalized import find_supernode_size
from verifier.verdict.verdict import Finding

NODES = "node,size,edges\n0,3,3\n1,4,0\n2,3,1\n"
EDGES = "source,target,edges\n0,1,12\n1,2,1\n"


def judged(nodes: str = NODES, edges: str = EDGES, k: Any = 3, directed: bool = False) -> Finding:
    policy = {
        "kind": "graph",
        "method": {"name": "supernodes"},
        "attributes": {},
        "guarantees": [{"model": "supernode_size", "k": k}],
    }
    artifacts = [Artifact("csv", "nodes", nodes.encode()), Artifact("edgelist", "graph", edges.encode())]
    return verify(policy, artifacts, directed=directed).findings[0]


def test_the_smallest_supernode_is_told():
    finding = judged()
    assert finding.holds
    assert finding.achieved == {"k": 3}
    assert finding.required == {"k": 3}
    assert finding.evidence == "bytes"
    assert finding.assumes


def test_a_supernode_of_one_less_than_k_is_refused():
    finding = judged(NODES.replace("2,3,1", "2,2,1"))
    assert not finding.holds
    assert finding.achieved == {"k": 2}
    assert finding.detail == "a supernode has fewer than k nodes"


@pytest.mark.parametrize(
    ("nodes", "edges"),
    [
        (NODES.replace("0,3,3", "0,3,4"), EDGES),
        (NODES, EDGES.replace("0,1,12", "0,1,13")),
    ],
    ids=["inside", "between"],
)
def test_more_edges_than_pairs_are_refused(nodes, edges):
    finding = judged(nodes, edges)
    assert not finding.holds
    assert finding.detail == "there are more edges than pairs of nodes"


def test_directed_supernodes_have_room_for_both_ways():
    both = EDGES + "1,0,12\n"
    assert judged(NODES.replace("0,3,3", "0,3,6"), both, directed=True).holds
    assert not judged(NODES.replace("0,3,3", "0,3,7"), both, directed=True).holds
    assert not judged(NODES, EDGES + "1,0,13\n", directed=True).holds


@pytest.mark.parametrize("wrong", ["2.5", "-1", "x", "", "nan", "1e400", "9007199254740993"])
def test_what_is_no_number_of_things_is_refused(wrong):
    assert not judged(NODES.replace("2,3,1", f"2,{wrong},1")).holds
    assert not judged(NODES.replace("2,3,1", f"2,3,{wrong}")).holds
    assert not judged(NODES, EDGES.replace("1,2,1", f"1,2,{wrong}")).holds


def test_a_pair_without_edges_and_a_supernode_without_nodes_are_refused():
    assert not judged(NODES, EDGES.replace("1,2,1", "1,2,0")).holds
    assert not judged(NODES.replace("2,3,1", "2,0,0")).holds


def test_missing_columns_are_refused():
    assert not judged("node,size\n0,3\n1,4\n2,3\n").holds
    assert not judged("node,edges\n0,3\n1,4\n2,3\n").holds
    assert not judged(NODES, "source,target\n0,1\n1,2\n").holds


@pytest.mark.parametrize("k", [1, True, "3", None, 2.0])
def test_a_k_that_is_none_is_refused(k):
    finding = judged(k=k)
    assert not finding.holds
    assert finding.detail == "k is not a whole number above 1"


def test_nothing_shown_satisfies_nothing():
    finding = find_supernode_size({"model": "supernode_size", "k": 2}, Evidence({}, graph_flaw=""))
    assert not finding.holds
    assert finding.achieved == {}


def test_rows_may_come_in_any_order():
    # With sizes 3, 4, 3 by row instead of by node, the 12 edges between 0 and 1 would be too many.
    shuffled = "node,size,edges\n1,4,0\n2,2,1\n0,3,3\n"
    assert judged(shuffled, EDGES, k=2).holds
    assert not judged("node,size,edges\n2,4,0\n1,2,1\n0,3,3\n", EDGES, k=2).holds


def test_what_the_method_returns_holds():
    rng = np.random.default_rng(8)
    graph = Graph.from_pairs(40, rng.integers(0, 40, 120), rng.integers(0, 40, 120))
    released = Supernodes(effort="fast").apply(graph, [SupernodeSize(k=4)], rng, unwatched)
    sizes, inside = (column.values.tolist() for column in released.node_columns)
    nodes = "node,size,edges\n" + "".join(f"{i},{s},{e}\n" for i, (s, e) in enumerate(zip(sizes, inside, strict=True)))
    pairs = zip(released.graph.sources, released.graph.targets, released.edge_columns[0].values, strict=True)
    edges = "source,target,edges\n" + "".join(f"{u},{v},{count}\n" for u, v, count in pairs)
    assert judged(nodes, edges, k=4).achieved == {"k": 4}
    assert not judged(nodes, edges, k=5).holds


WHOLE = "a size or a number of edges is not a whole number"
NOTHING = "a supernode has no nodes, or a pair of supernodes no edges"
LACKING = "supernodes lack their sizes or numbers of edges"


@pytest.mark.parametrize(
    ("nodes", "edges", "k", "smallest", "detail"),
    [
        (NODES, EDGES, 2, 3, ""),
        (NODES, EDGES, 1, None, "k is not a whole number above 1"),
        (NODES.replace("2,3,1", "2,3,2.5"), EDGES, 3, None, WHOLE),
        (NODES.replace("2,3,1", "2,-1,1"), EDGES, 3, None, WHOLE),
        (NODES, EDGES.replace("1,2,1", "1,2,x"), 3, None, WHOLE),
        (NODES.replace("2,3,1", "2,0,0"), EDGES, 3, None, NOTHING),
        (NODES, EDGES.replace("1,2,1", "1,2,0"), 3, None, NOTHING),
        (NODES.replace("1,4,0", "1,1,0"), EDGES.replace("0,1,12", "0,1,3"), 2, 1, "a supernode has fewer than k nodes"),
        ("node,size\n0,3\n1,4\n2,3\n", EDGES, 3, None, LACKING),
        # The largest number that its neighbors are distinguished from.
        (NODES.replace("1,4,0", "1,9007199254740991,0"), EDGES, 3, 3, ""),
        (NODES.replace("1,4,0", "1,9007199254740992,0"), EDGES, 3, None, WHOLE),
        (NODES.replace("1,4,0", "1,4,6"), EDGES, 3, 3, ""),
        (NODES.replace("1,4,0", "1,4,7"), EDGES, 3, None, "there are more edges than pairs of nodes"),
    ],
)
def test_the_whole_verdict_is_this(nodes: str, edges: str, k: int, smallest: int | None, detail: str) -> None:
    achieved = {} if smallest is None else {"k": smallest}
    assumes = "the attacker knows any structure around a node, and asks which node it is"
    found = judged(nodes, edges, k)
    assert found == Finding("supernode_size", {"k": k}, achieved, not detail, "bytes", assumes, detail)


def table_of(text: str) -> Cells:
    tables, faults = read_tables([Artifact("csv", "nodes", text.encode())])
    assert not faults
    return tables[0]


def test_every_table_is_judged_with_every_list_of_edges() -> None:
    good, small, faulty = (table_of(NODES.replace("2,3,1", row)) for row in ("2,3,1", "2,2,1", "2,0,0"))
    network = read_graph(Artifact("edgelist", "graph", EDGES.encode()), False, with_columns=True)
    other = read_graph(Artifact("edgelist", "graph", EDGES.replace("12", "13").encode()), False, with_columns=True)
    asked = {"model": "supernode_size", "k": 3}

    def seen(tables: list[Cells], networks: list[Network]) -> tuple[dict[str, int], str]:
        found = find_supernode_size(asked, Evidence({}, tables, "", networks, 3, ""))
        return found.achieved, found.detail

    assert seen([good, small], [network]) == ({"k": 2}, "a supernode has fewer than k nodes")
    assert seen([good, faulty], [network]) == ({"k": 3}, NOTHING)
    assert seen([good], [network, other]) == ({"k": 3}, "there are more edges than pairs of nodes")
    assert seen([], [network]) == ({}, "no sizes of supernodes")
    assert seen([table_of("node,size,edges\n")], [network]) == ({}, LACKING)
    unread = Evidence({}, [good], "", [network], 3, "it is broken")
    assert find_supernode_size(asked, unread).detail == "it is broken"
    assert find_supernode_size(asked, unread).achieved == {}
    assert find_supernode_size({"model": "supernode_size", "k": 1}, unread).detail == "it is broken"
    single = read_graph(Artifact("edgelist", "graph", b"source,target\n0,1\n"), False, with_columns=True)
    assert seen([good], [single]) == ({}, WHOLE)
