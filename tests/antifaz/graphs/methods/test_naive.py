"""Naive: the structure stays, which is allowed only if the policy waives the rule by name."""

import networkx as nx
import numpy as np
import pytest

from antifaz.errors import InvalidPolicy
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.naive import Naive
from antifaz.kinds.graph import GraphDataset
from antifaz.policy.parse import parse_policy
from antifaz.protection import check, protect
from antifaz.watch import unwatched
from tests.antifaz.graphs.perturbing import DEGENERATE, graph_of, perturbed

BARE = {"kind": "graph", "method": {"name": "naive"}}
NO_GUARANTEE = {"rule": "no_guarantee", "reason": "an example"}
NAIVE = {"rule": "naive", "reason": "an example"}


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", DEGENERATE)
def test_no_edge_changes(name, directed):
    graph = graph_of(DEGENERATE[name], directed)
    released = perturbed(Naive(), graph)
    assert np.array_equal(released.graph.keys, graph.keys)
    assert released.account["edges_added"] == released.account["edges_removed"] == 0


@pytest.mark.parametrize("waivers", [[], [NO_GUARANTEE]])
def test_without_its_waiver_it_is_refused(waivers):
    with pytest.raises(InvalidPolicy, match="naive"):
        parse_policy({**BARE, "waivers": waivers, "gate": {"max_reidentified": 0.5}})


def test_it_gives_no_guarantee():
    with pytest.raises(InvalidPolicy):
        parse_policy({**BARE, "waivers": [NAIVE], "guarantees": [{"model": "k_degree_anonymity", "k": 2}]})
    with pytest.raises(InvalidPolicy):
        Naive().apply(graph_of(nx.path_graph(4)), [KDegreeAnonymity(k=2)], np.random.default_rng(0), unwatched)


def test_what_is_released_is_the_same_graph_under_new_numbers():
    policy = parse_policy({**BARE, "waivers": [NAIVE]})
    graph = graph_of(nx.karate_club_graph())
    released = protect(check(GraphDataset((), graph.n, graph=graph), policy), policy, np.random.default_rng(3)).graph
    assert released is not None
    assert not np.array_equal(released.graph.keys, graph.keys)
    assert np.array_equal(released.graph.relabeled(released.origin).keys, graph.keys)
    assert any("protect no one" in warning for warning in policy.warnings())
