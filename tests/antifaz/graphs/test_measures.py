"""Every risk, utility measure and attack on graphs: odd graphs, a watch that observes or stops, JSON."""

import json
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz import catalogue
from antifaz.assessment import assess
from antifaz.errors import Cancelled
from antifaz.graphs.graph import Graph, NodeAttribute, ProtectedGraph
from antifaz.kinds.graph import GraphDataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.watch import Watch, unwatched
from formats.core.raw import RawColumn
from tests.antifaz.graphs.networks import graph_of, perturbed, random_graph, renumbered, unchanged


def parts(folder: str) -> list[Any]:
    return [part for part in catalogue.parts(folder, "graph") if ".graphs." in part.__module__]


MEASURES = [*parts("utility"), *parts("attacks")]


def with_attributes(graph: Graph) -> Graph:
    codes = np.arange(graph.n) % 2
    attributes = tuple(NodeAttribute(role, role, codes, 2) for role in ("sensitive", "quasi_identifier"))
    return Graph(graph.n, graph.keys, graph.directed, attributes)


def grown(graph: Graph) -> ProtectedGraph:
    """A release that left the last node out and made two up."""
    kept = (graph.sources < graph.n - 1) & (graph.targets < graph.n - 1)
    sources = np.append(graph.sources[kept], [graph.n - 1, graph.n])
    targets = np.append(graph.targets[kept], [0, 1])
    release = Graph.from_pairs(graph.n + 1, sources, targets, graph.directed)
    return ProtectedGraph(release, np.append(np.arange(graph.n - 1), [-1, -1]))


def examples() -> dict[str, tuple[Graph, ProtectedGraph]]:
    plain = with_attributes(random_graph(50, 120))
    directed = with_attributes(random_graph(50, 160, directed=True))
    alone, empty, apart = (graph_of(nx.empty_graph(n)) for n in (1, 0, 12))
    return {
        "perturbed": (plain, perturbed(plain, 0.2)),
        "directed": (directed, perturbed(directed, 0.2)),
        "grown": (plain, grown(plain)),
        "grown and directed": (directed, grown(directed)),
        "without edges": (plain, ProtectedGraph(Graph(50, plain.keys[:0]), np.arange(50))),
        "without any edges": (with_attributes(apart), renumbered(apart)),
        "without people": (plain, ProtectedGraph(random_graph(50, 100, seed=9), np.full(50, -1))),
        "one node": (with_attributes(alone), unchanged(alone)),
        "one edge": (graph_of(nx.path_graph(2)), unchanged(graph_of(nx.path_graph(2)))),
        "nothing": (empty, unchanged(empty)),
        "complete": (graph_of(nx.complete_graph(15)), renumbered(graph_of(nx.complete_graph(15)))),
    }


def run(part: Any, graph: Graph, released: ProtectedGraph, watch=unwatched) -> dict:
    rng = np.random.default_rng(3)
    made = part(runs=2) if getattr(part, "protects_again", False) else part()
    released = replace(released, again=renumber)
    if hasattr(made, "measure"):
        return dict(made.measure(graph, released, rng, watch))
    return dict(made.attempt(graph, released, rng, watch))


def renumber(graph: Graph, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
    watch(0.5)
    return renumbered(graph)


def named(part: Any) -> str:
    return f"{part.__module__.split('.')[-2]}-{part.wire_name()}"


@pytest.mark.parametrize("example", examples())
@pytest.mark.parametrize("part", MEASURES, ids=named)
def test_every_figure_can_be_written_down_whatever_the_graph(part, example):
    graph, released = examples()[example]
    result = run(part, graph, released)
    # Neither NaN nor infinity is JSON.
    assert json.loads(json.dumps(result, allow_nan=False)) is not None
    if hasattr(part, "attempt"):
        assert 0.0 <= result["rate"] <= 1.0 + 1e-9
        assert 0.0 <= result["baseline"] <= 1.0
    else:
        assert "value" in result or {"original", "released", "loss"} <= set(result)


@pytest.mark.parametrize("example", examples())
@pytest.mark.parametrize("part", parts("risk"), ids=named)
def test_every_risk_can_be_written_down_whatever_the_graph(part, example):
    graph, released = examples()[example]
    told = {"before": part().before(graph), "after": part().after(released)}
    assert json.loads(json.dumps(told, allow_nan=False)) is not None


@pytest.mark.parametrize("part", MEASURES, ids=named)
def test_the_watch_rises_within_its_bounds(part):
    seen: list[float] = []

    def watch(fraction: float) -> bool:
        seen.append(fraction)
        return False

    run(part, *examples()["perturbed"], watch)
    assert seen
    assert seen == sorted(seen)
    assert seen[0] >= 0
    assert seen[-1] <= 1


@pytest.mark.parametrize("part", MEASURES, ids=named)
def test_raising_from_the_watch_gets_out(part):
    def watch(fraction: float) -> bool:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        run(part, *examples()["perturbed"], watch)


@pytest.mark.parametrize("part", MEASURES, ids=named)
def test_neither_graph_is_touched(part):
    graph, released = examples()["grown"]
    before = [array.copy() for array in (graph.keys, released.graph.keys, released.origin)]
    run(part, graph, released)
    for one, other in zip(before, (graph.keys, released.graph.keys, released.origin), strict=True):
        assert np.array_equal(one, other)


def test_a_policy_can_ask_for_all_of_them():
    graph = random_graph(40, 100)
    jobs = RawColumn("job", (np.arange(40) % 3).astype(np.int32), np.array(["baker", "clerk", "judge"], dtype=object))
    report = {folder: [part.wire_name() for part in parts(folder)] for folder in ("utility", "attacks")}
    report["utility"] = [{"name": "mcl", "inflation": 1.8} if name == "mcl" else name for name in report["utility"]]
    policy = parse_policy(
        {
            "kind": "graph",
            "attributes": {"job": {"role": "sensitive"}},
            "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
            "method": {"name": "k_degree", "effort": "fast"},
            "report": report,
        }
    )
    rng = np.random.default_rng(0)
    checked = check(GraphDataset((jobs,), 40, graph=graph), policy)
    found = assess(checked, protect(checked, policy, rng), policy, rng)
    assert set(found.utility) == {part.wire_name() for part in parts("utility")}
    assert [attack["name"] for attack in found.attacks] == [part.wire_name() for part in parts("attacks")]
    assert found.utility["mcl"]["inflation"] == 1.8
    assert found.utility["node_classification"]["labels"] == 3
    told = json.dumps([found.before, found.after, found.attacks, found.utility])
    assert not any(job in told for job in ("baker", "clerk", "judge"))
