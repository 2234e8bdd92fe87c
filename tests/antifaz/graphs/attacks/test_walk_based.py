"""Walk-based attack: planted chains are found in a renumbered network and hardly in a changed one."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz.assessment import assess
from antifaz.errors import InvalidPolicy
from antifaz.graphs.attacks.walk_based import WalkBased, _chain
from antifaz.graphs.graph import Graph
from antifaz.kinds.graph import GraphDataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from tests.antifaz.graphs.networks import graph_of, karate, random_graph


def attempt(graph: Graph, document: dict[str, Any], **parameters: int) -> dict[str, Any]:
    """The attack on a release of the graph by a policy, as a report has it."""
    policy = parse_policy({"kind": "graph", **document, "report": {"attacks": [{"name": "walk_based", **parameters}]}})
    checked = check(GraphDataset((), graph.n, graph=graph), policy)
    rng = np.random.default_rng(0)
    return next(
        a for a in assess(checked, protect(checked, policy, rng), policy, rng).attacks if a["name"] == "walk_based"
    )


NAIVE = {"method": {"name": "naive"}, "waivers": [{"rule": "naive", "reason": "a test"}]}


def test_nearly_all_targets_are_found_in_a_renumbered_network() -> None:
    found = attempt(random_graph(120, 600), NAIVE, runs=30)
    assert found["rate"] >= 0.9
    assert found["found"] >= 0.8
    assert found["mistaken"] == 0.0
    assert found["baseline"] == pytest.approx(1 / 120)
    assert found["accounts"] == 12


def test_seven_accounts_find_most_of_the_karate_club() -> None:
    # Chains of existing members found no more than a third of a renumbered network.
    assert attempt(karate(), NAIVE, size=7, runs=30)["rate"] >= 0.7


def test_accounts_form_a_chain_and_every_target_has_a_set_of_its_own() -> None:
    plan = _chain(WalkBased(size=9, targets=20), 15, np.random.default_rng(1))
    assert (plan.joined == plan.joined.T).all()
    assert not plan.joined.diagonal().any()
    assert plan.joined[np.arange(8), np.arange(1, 9)].all()
    assert len(plan.ties) == len(np.unique(plan.ties, axis=0)) == 15
    assert plan.ties.sum(axis=1).min() >= 1
    assert plan.ties.sum(axis=1).max() <= 3


def test_changed_edges_hide_the_accounts() -> None:
    document = {
        "method": {"name": "random_perturbation", "share": 0.3},
        "waivers": [{"rule": "no_guarantee", "reason": "a test"}],
    }
    assert attempt(random_graph(120, 600), document)["found"] <= 0.1


def test_a_copy_is_protected_by_the_guarantee_of_the_policy() -> None:
    document = {
        "guarantees": [{"model": "k_degree_anonymity", "k": 3}],
        "method": {"name": "k_degree", "effort": "fast"},
    }
    found = attempt(karate(), document, runs=2)
    assert found["runs"] == 2
    assert 0.0 <= found["rate"] <= 1.0


def test_a_mechanism_is_not_run_again_for_an_attack() -> None:
    document = {
        "guarantees": [{"model": "edge_local_dp", "epsilon": 1, "density": {"declared": 0.4}}],
        "method": {"name": "edge_local_dp"},
    }
    with pytest.raises(InvalidPolicy, match="guarantee by mechanism would charge") as caught:
        attempt(karate(), document)
    assert caught.value.pointer == "/report/attacks/0"


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_graph_of_hardly_anybody_can_be_attacked(n: int) -> None:
    assert 0.0 <= attempt(graph_of(nx.empty_graph(n)), NAIVE, runs=2)["rate"] <= 1.0
