"""Pipeline of graph methods: steps in order, and only the last step's promise."""

import networkx as nx
import numpy as np
import pytest
from pydantic import ValidationError

from antifaz import catalogue
from antifaz.errors import InvalidDataset, InvalidPolicy
from antifaz.graphs.graph import Graph, NodeAttribute
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.pipeline import GraphPipeline
from antifaz.kinds.graph import GraphDataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.watch import unwatched
from tests.antifaz.graphs.perturbing import degrees_kept, graph_of

PERTURB = {"name": "random_perturbation", "share": 0.2}
SWITCH = {"name": "random_switch", "share": 0.2}
K_DEGREE = {"name": "k_degree", "effort": "fast"}
K3 = {"model": "k_degree_anonymity", "k": 3}
NO_GUARANTEE = {"rule": "no_guarantee", "reason": "an example"}


@pytest.fixture(scope="module", autouse=True)
def every_method():
    return catalogue.parts("methods", "graph")


def policy(*steps: dict, **rest) -> dict:
    return {"kind": "graph", "method": {"name": "pipeline", "steps": list(steps)}, **rest}


def run(graph: Graph, *steps: dict, guarantees=(), seed: int = 0):
    method = GraphPipeline(steps=steps)
    return method.apply(graph, guarantees, np.random.default_rng(seed), unwatched)


def test_the_steps_run_in_order_and_the_account_speaks_of_the_original():
    graph = graph_of(nx.karate_club_graph())
    released = run(graph, PERTURB, K_DEGREE, guarantees=[KDegreeAnonymity(k=3)])
    assert KDegreeAnonymity(k=3).holds(released.graph)
    account = released.account
    assert account["steps"][0]["edges_removed"] == round(0.2 * graph.m)
    assert account["steps"][1]["strategy"] == "greedy"
    assert account["edges_removed"] == len(np.setdiff1d(graph.keys, released.graph.keys))
    assert account["edges_added"] == len(np.setdiff1d(released.graph.keys, graph.keys))


def test_switches_after_switches_still_keep_degrees():
    graph = graph_of(nx.karate_club_graph())
    released = run(graph, SWITCH, {"name": "spectral_switch", "tolerance": 0.5}, SWITCH)
    assert degrees_kept(graph, released)
    assert len(released.account["steps"]) == 3


def test_nodes_made_up_on_the_way_are_nobodys():
    graph = graph_of(nx.karate_club_graph())
    last = {"name": "k_degree", "strategy": "vertex_addition"}
    released = run(graph, PERTURB, last, guarantees=[KDegreeAnonymity(k=4)])
    added = released.account["nodes_added"]
    assert added > 0
    assert np.array_equal(released.origin, [*range(34), *[-1] * added])
    assert GraphPipeline(steps=(PERTURB, last)).makes_nodes()
    assert not GraphPipeline(steps=(PERTURB, SWITCH)).makes_nodes()


def test_a_promise_can_only_stand_last():
    with pytest.raises(ValidationError, match="must be last"):
        GraphPipeline(steps=(K_DEGREE, SWITCH))
    with pytest.raises(InvalidPolicy, match="must be last"):
        parse_policy(policy(K_DEGREE, K_DEGREE, guarantees=[K3]))


def test_only_what_the_last_step_gives_can_be_promised():
    assert parse_policy(policy(SWITCH, K_DEGREE, guarantees=[K3])).guarantees
    with pytest.raises(InvalidPolicy) as refusal:
        parse_policy(policy(SWITCH, PERTURB, guarantees=[K3]))
    assert refusal.value.pointer == "/guarantees/0"
    assert parse_policy(policy(SWITCH, PERTURB, waivers=[NO_GUARANTEE]))


def test_a_promise_of_a_mechanism_is_not_made():
    mechanisms = [g.wire_name() for g in catalogue.parts("guarantees", "graph") if g.kinds == ("graph",)]
    mechanisms = [n for n in mechanisms if catalogue.part("guarantees", "graph", n).evidence == "mechanism"]
    assert "edge_local_dp" in mechanisms
    assert not set(mechanisms) & set(GraphPipeline.gives)
    with pytest.raises(InvalidPolicy, match="use it without a pipeline"):
        parse_policy(policy(SWITCH, {"name": "edge_local_dp"}, waivers=[NO_GUARANTEE]))


def test_waivers_of_every_step_are_needed():
    with pytest.raises(InvalidPolicy, match="needs the waiver naive"):
        parse_policy(policy({"name": "naive"}, K_DEGREE, guarantees=[K3]))


@pytest.mark.parametrize(
    "steps",
    [
        [],
        ["k_degree"],
        [{"name": "mondrian"}],
        [{"name": "pipeline", "steps": [SWITCH]}],
        [{"name": "random_switch", "share": 2}],
        [SWITCH] * 21,
    ],
)
def test_what_is_no_list_of_graph_methods_is_refused(steps):
    with pytest.raises(InvalidPolicy):
        parse_policy(policy(*steps, waivers=[NO_GUARANTEE]))


def test_a_step_for_undirected_graphs_refuses_a_directed_one_at_the_check():
    parsed = parse_policy(policy(SWITCH, {"name": "spectral_switch"}, waivers=[NO_GUARANTEE]))
    graph = graph_of(nx.karate_club_graph(), directed=True)
    with pytest.raises(InvalidDataset) as refusal:
        check(GraphDataset((), graph.n, graph=graph), parsed)
    assert refusal.value.rule == "undirected_only"


def test_later_steps_see_the_attributes_of_the_nodes():
    graph = graph_of(nx.karate_club_graph())
    attribute = NodeAttribute("age", "insensitive", np.zeros(34, dtype=np.int64), 1)
    attributed = Graph(graph.n, graph.keys, False, (attribute,))
    assert run(attributed, SWITCH, SWITCH).graph.attributes == (attribute,)


def test_the_watch_rises_over_all_steps():
    seen: list[float] = []

    def watch(fraction: float) -> bool:
        seen.append(fraction)
        return False

    method = GraphPipeline(steps=(SWITCH, PERTURB, K_DEGREE))
    method.apply(graph_of(nx.karate_club_graph()), [KDegreeAnonymity(k=3)], np.random.default_rng(0), watch)
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert 0.9 < seen[-1] <= 1


def test_a_policy_comes_back_from_json_as_it_was():
    parsed = parse_policy(policy(SWITCH, K_DEGREE, guarantees=[K3]))
    assert parse_policy(parsed.model_dump(mode="json", exclude_unset=True)) == parsed


def test_a_released_pipeline_traces_its_nodes_to_the_original():
    parsed = parse_policy(policy(SWITCH, K_DEGREE, guarantees=[K3]))
    graph = graph_of(nx.karate_club_graph())
    released = protect(check(GraphDataset((), graph.n, graph=graph), parsed), parsed, np.random.default_rng(5)).graph
    assert released is not None
    back = released.graph.relabeled(released.origin)
    assert released.account["edges_removed"] == len(np.setdiff1d(graph.keys, back.keys))
