"""The verifier on graphs: worked examples, all formats, and attributes of nodes."""

import json
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifier.checking import FORMATS, Write, k_anonymity
from verifier import Artifact, Verdict, verify

Draw = Callable[..., dict[str, Artifact]]
# graphs

EXAMPLE = [(0, 1), (0, 3), (1, 2), (1, 4), (2, 4), (2, 5), (3, 5)]
GRAPH_FORMATS = ("edgelist", "graphml", "gml", "node-link")


def graph_policy(k: int = 2, attributes: dict[str, Any] | None = None, *more: dict[str, Any]) -> dict[str, Any]:
    guarantees = [{"model": "k_degree_anonymity", "k": k}, *more]
    return {"kind": "graph", "attributes": attributes or {}, "guarantees": guarantees}


@pytest.mark.parametrize("form", GRAPH_FORMATS)
def test_the_degree_example_is_2_anonymous_and_its_edit_is_not(draw: Draw, form: str) -> None:
    drawn = draw(6, EXAMPLE)
    verdict = verify(graph_policy(), [drawn[form], drawn["nodes"]])
    assert verdict.holds
    assert verdict.findings[0].achieved == {"k": 2}
    assert verdict.describe == {"nodes": 6, "edges": 7, "smallest": 2, "degrees": {"2": 4, "3": 2}}
    edited = draw(6, [edge for edge in EXAMPLE if edge != (0, 1)] + [(0, 2)])
    broken = verify(graph_policy(), [edited[form], edited["nodes"]])
    assert broken.findings[0].achieved == {"k": 1}
    assert not broken.holds
    assert broken.faults == ()


def test_adding_an_edge_to_the_degree_example_gives_groups_of_four_and_two(draw: Draw) -> None:
    verdict = verify(graph_policy(), list(draw(6, [*EXAMPLE, (3, 4)]).values()))
    assert verdict.describe["degrees"] == {"2": 2, "3": 4}
    assert verdict.holds


@st.composite
def graphs(draw_value: st.DrawFn) -> tuple[int, list[tuple[int, int]], bool]:
    n, directed = draw_value(st.integers(1, 12)), draw_value(st.booleans())
    pairs = list(combinations(range(n), 2))
    pairs += [(v, u) for u, v in pairs] if directed else []
    edges = draw_value(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return n, [edge if directed or draw_value(st.booleans()) else edge[::-1] for edge in edges], directed


@settings(deadline=None, max_examples=3 * settings().max_examples // 2)
@given(graphs(), st.integers(2, 4))
def test_agrees_with_the_enumeration_of_degrees(draw: Draw, graph: tuple[int, list[Any], bool], k: int) -> None:
    n, edges, directed = graph
    if directed:
        degrees: list[Any] = [(sum(v == x for _, v in edges), sum(u == x for u, _ in edges)) for x in range(n)]
    else:
        degrees = [sum(x in edge for edge in edges) for x in range(n)]
    smallest = min(degrees.count(degree) for degree in degrees)
    drawn = draw(n, edges, directed)
    for artifacts in (list(drawn.values()), [drawn["gml"]], [drawn["edgelist"], drawn["nodes"]]):
        verdict = verify(graph_policy(k), artifacts, directed=directed)
        assert verdict.faults == ()
        assert verdict.findings[0].achieved == {"k": smallest}
        assert verdict.holds is (smallest >= k)


@settings(deadline=None, max_examples=60)
@given(graphs(), st.sampled_from(GRAPH_FORMATS), st.data())
def test_one_changed_edge_in_one_format_is_found(
    draw: Draw, graph: tuple[int, list[Any], bool], form: str, data: st.DataObject
) -> None:
    n, edges, directed = graph
    if n < 2:
        return
    u, v = data.draw(st.sampled_from(list(combinations(range(n), 2))))
    present = (u, v) in edges or (not directed and (v, u) in edges)
    changed = [edge for edge in edges if edge not in ((u, v), (v, u))] + ([] if present else [(u, v)])
    drawn = draw(n, edges, directed)
    artifacts = [artifact for name, artifact in drawn.items() if name != form]
    assert verify(graph_policy(), [*artifacts, draw(n, changed, directed)[form]], directed=directed).faults


@pytest.mark.parametrize("form", GRAPH_FORMATS)
@pytest.mark.parametrize(
    ("edge", "fault"),
    [
        ((2, 2), "{} graph: a self-loop"),
        ((1, 0), "{} graph: a repeated edge"),
        ((0, 6), "{} graph: an end point is not among the nodes"),
        ((-1, 0), "{} graph: an end point is not among the nodes"),
    ],
)
def test_what_is_not_a_simple_graph_is_a_fault(draw: Draw, form: str, edge: tuple[int, int], fault: str) -> None:
    drawn = draw(6, [*EXAMPLE, edge])
    verdict = verify(graph_policy(), [drawn[form], drawn["nodes"]])
    assert fault.format(form) in verdict.faults
    assert not verdict.findings[0].holds


def test_both_orientations_are_two_arcs_of_a_directed_graph(draw: Draw) -> None:
    drawn = draw(2, [(0, 1), (1, 0)], True)
    assert verify(graph_policy(), list(drawn.values()), directed=True).holds


def test_an_edge_list_alone_cannot_show_the_isolated_nodes(draw: Draw) -> None:
    verdict = verify(graph_policy(), [draw(6, EXAMPLE)["edgelist"]])
    assert "no node list" in verdict.faults
    assert not verdict.holds


@pytest.mark.parametrize(
    "ids", [[0, 1, 2, 3, 4, 6], [0, 1, 2, 3, 4, 4], [0, 1, 2, 3, 4], ["0", "1", "2", "3", "4", "05"]]
)
def test_nodes_must_be_0_to_n_minus_1_each_once(draw: Draw, write: Write, ids: list[Any]) -> None:
    nodes = write("csv", ["node"], [[node] for node in ids], part="nodes")
    drawn = draw(6, EXAMPLE)
    assert verify(graph_policy(), [drawn["graphml"], nodes]).faults
    assert not verify(graph_policy(), [drawn["edgelist"], nodes]).holds


def test_formats_must_list_the_same_number_of_nodes(draw: Draw) -> None:
    verdict = verify(graph_policy(), [draw(6, EXAMPLE)["graphml"], draw(7, EXAMPLE)["nodes"]])
    assert "the artifacts list different numbers of nodes" in verdict.faults


def test_node_attributes_are_held_to_the_guarantees_of_tables(draw: Draw, write: Write) -> None:
    attributes = {"age": {"role": "quasi_identifier"}, "name": {"role": "identifier"}}
    policy = graph_policy(2, attributes, k_anonymity(3))
    drawn = draw(6, EXAMPLE)
    ages = ["young", "young", "young", "old", "old", "old"]

    def judge(names: Sequence[str], rows: Sequence[Sequence[Any]], form: str = "csv") -> Verdict:
        return verify(policy, [drawn["edgelist"], drawn["graphml"], write(form, names, rows, part="nodes")])

    for form in FORMATS:
        verdict = judge(("node", "age"), list(enumerate(ages)), form)
        assert verdict.holds
        assert verdict.describe["node_classes"]["smallest"] == 3
    assert judge(("node", "age"), list(enumerate(["old", *ages[1:]]))).findings[1].achieved == {"k": 2}
    assert judge(("node", "age", "name"), [(*row, "x") for row in enumerate(ages)]).faults
    assert judge(("age", "node"), [row[::-1] for row in enumerate(ages)]).faults
    missing = verify(policy, [drawn["graphml"]])
    assert "no node table" in missing.faults
    assert not missing.findings[1].holds


def test_attributes_inside_a_graph_format_are_judged_like_the_node_table(draw: Draw, write: Write) -> None:
    policy = graph_policy(2, {"age": {"role": "quasi_identifier"}}, k_anonymity(3))
    drawn = draw(6, EXAMPLE)
    ages = ["young", "young", "young", "old", "old", "old"]
    nodes = write("csv", ("node", "age"), list(enumerate(ages)), part="nodes")

    def linked(values: Sequence[str], key: str = "age") -> Artifact:
        document = json.loads(bytes(drawn["node-link"].content))
        document["nodes"] = [{"id": node, key: value} for node, value in enumerate(values)]
        return Artifact("node-link", "graph", json.dumps(document).encode())

    assert verify(policy, [drawn["edgelist"], linked(ages), nodes]).holds
    disagreeing = verify(policy, [drawn["edgelist"], linked(ages[::-1]), nodes])
    assert "the artifacts of one part show different rows" in disagreeing.faults
    assert verify(policy, [drawn["edgelist"], linked(["old", *ages[1:]]), nodes]).findings[1].achieved == {"k": 2}
    assert verify(policy, [drawn["edgelist"], linked(ages, "name"), nodes]).faults
