"""Noise on edges that probably changes no edge of a node is refused by its probabilities, never by what was drawn."""

from decimal import Decimal
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz.errors import Infeasible
from antifaz.graphs.edits.pair_noise import pair_noise, unchanged_chance
from antifaz.kinds.kind import Dataset
from antifaz.kinds.temporal import TemporalDataset
from antifaz.policy.parse import parse_policy
from antifaz.policy.profiles import size_faults
from antifaz.protection import check, protect
from antifaz.temporal.snapshots import Snapshots
from antifaz.unchanged import refuse_unchanged
from tests.antifaz.test_unchanged import graph_of, waive

SIXTY = graph_of(nx.gnm_random_graph(60, 124, seed=4))
"""Sixty nodes at a density of 0.07."""
PUBLIC = [{"rule": "exact_density", "reason": "the number of edges is known"}]


def noisy(epsilon: float, density: dict[str, Any], kind: str = "graph", **more: Any) -> dict[str, Any]:
    guarantee = {"model": "edge_local_dp", "epsilon": epsilon, "density": density}
    return {"kind": kind, "guarantees": [guarantee], "method": {"name": "edge_local_dp"}, **more}


def over_time(*drawn: nx.Graph) -> Dataset:
    graphs = [graph_of(each, each.is_directed()).graph for each in drawn]
    return TemporalDataset((), len(drawn[0]), snapshots=Snapshots.from_graphs(graphs, ["a", "b"][: len(graphs)]))


def refused_early(dataset: Dataset, document: dict[str, Any]) -> bool:
    """Whether it is refused before anything is drawn."""
    try:
        check(dataset, parse_policy(document))
    except Infeasible as error:
        return [(reason.rule, reason.limit) for reason in error.reasons] == [("naive", 0.5)]
    return False


def refused_late(dataset: Dataset, document: dict[str, Any]) -> bool:
    """Whether it is refused by the density that was counted."""
    policy = parse_policy(document)
    checked = check(dataset, policy)
    reasons = refuse_unchanged(checked, protect(checked, policy, np.random.default_rng(3)), policy)
    return [reason.rule for reason in reasons] == ["naive"]


@pytest.mark.parametrize("density", [0.02, 0.3, 0.5, 0.9])
def test_the_chance_is_the_highest_of_all_nodes_that_can_be_alone(density: float) -> None:
    noise, pairs = pair_noise(Decimal("2.5"), Decimal(str(density))), 5

    def kept(joined: tuple[bool, ...]) -> float:
        return float(np.prod([noise.p11 if each else 1 - noise.p01 for each in joined]))

    chances = [kept(joined) for joined in product([False, True], repeat=pairs) if 0 < sum(joined) < pairs]
    assert unchanged_chance(noise.p01, noise.p11, pairs) == pytest.approx(max(chances))


@pytest.mark.parametrize("epsilon", [5, 10, 20])
def test_noise_that_leaves_most_nodes_as_they_are_is_refused_before_it_is_drawn(epsilon: float) -> None:
    document = noisy(epsilon, {"declared": 0.07})
    assert refused_early(SIXTY, document)
    assert not refused_early(SIXTY, document | waive("naive"))
    assert not refused_late(SIXTY, document | waive("naive"))


def test_the_limit_is_between_two_epsilons_of_the_same_graph() -> None:
    # E = e^ε, a = E - 1 + 1/d: the chance is E/a (1 - 1/a)^58, which is .493 and .519.
    assert not refused_early(SIXTY, noisy(4.48, {"declared": 0.07}))
    assert refused_early(SIXTY, noisy(4.57, {"declared": 0.07}))


def test_the_same_graphs_size_decides_and_nothing_else_of_it() -> None:
    for drawn in (nx.empty_graph(60), nx.star_graph(59), nx.complete_graph(60)):
        assert refused_early(graph_of(drawn), noisy(5, {"declared": 0.07}))
        assert not refused_early(graph_of(drawn), noisy(4.4, {"declared": 0.07}))
    larger = graph_of(nx.gnm_random_graph(600, 1240, seed=4))
    assert not refused_early(larger, noisy(5, {"declared": 0.07}))
    directed = graph_of(nx.gnm_random_graph(60, 124, seed=4, directed=True), directed=True)
    assert not refused_early(directed, noisy(5, {"declared": 0.07}))
    assert refused_early(directed, noisy(6, {"declared": 0.07}))


@pytest.mark.parametrize("density", [1e-6, 0.001, 0.05, 0.5, 0.97])
def test_a_small_epsilon_is_never_refused_for_a_density_far_from_the_graphs(density: float) -> None:
    document = noisy(0.1, {"declared": density})
    document["method"]["least_survival"] = 0
    assert not refused_early(SIXTY, document)


def test_a_density_declared_to_be_far_from_the_graphs_hides_no_copy() -> None:
    for density in (0.001, 0.2, 0.5, 0.8, 0.999):
        assert refused_early(SIXTY, noisy(9, {"declared": density}))


@pytest.mark.parametrize(("density", "waivers"), [({"noisy": {"share": 0.1}}, []), ({"exact": True}, PUBLIC)])
def test_with_a_counted_density_it_is_refused_after_the_draw(density: dict[str, Any], waivers: list[Any]) -> None:
    assert not refused_early(SIXTY, noisy(10, density, waivers=waivers))
    assert refused_late(SIXTY, noisy(10, density, waivers=waivers))
    assert not refused_late(SIXTY, noisy(10, density, waivers=[*waivers, *waive("naive")["waivers"]]))
    assert not refused_late(SIXTY, noisy(4, density, waivers=waivers))


@pytest.mark.parametrize("directed", [False, True])
def test_in_a_temporal_graph_the_snapshot_that_changes_least_decides(directed: bool) -> None:
    drawn = over_time(*(nx.gnm_random_graph(30, 60, seed=seed, directed=directed) for seed in (1, 2)))
    # In the sparser snapshot half the edges are removed, and in the denser one hardly any.
    fine = noisy(4.5, {"declared": [0.01, 0.01]}, "temporal_graph")
    assert not refused_early(drawn, fine)
    faint = noisy(6, {"declared": [0.001, 0.14]}, "temporal_graph")
    assert refused_early(drawn, faint)
    assert not refused_early(drawn, faint | waive("naive"))
    assert refused_late(drawn, noisy(9, {"exact": True}, "temporal_graph", waivers=PUBLIC))
    assert not refused_late(drawn, noisy(3, {"exact": True}, "temporal_graph", waivers=PUBLIC))


def test_it_is_known_of_a_profiled_dataset_before_anything_is_submitted() -> None:
    faint = parse_policy(noisy(10, {"declared": 0.07}))
    (pointer, detail), *others = size_faults(faint, 60, False)
    assert (pointer, others) == ("/guarantees/0/epsilon", [])
    assert "waive naive" in detail
    assert faint.forecast(60, False)["node_unchanged"] > 0.98
    assert size_faults(faint, None, None) == []
    assert size_faults(parse_policy(noisy(10, {"declared": 0.07}) | waive("naive")), 60, False) == []
    assert size_faults(parse_policy(noisy(4, {"declared": 0.07})), 60, False) == []
    table = {"kind": "table", "attributes": {"a": {"role": "quasi_identifier"}}, "method": {"name": "mondrian"}}
    assert size_faults(parse_policy(table | {"guarantees": [{"model": "k_anonymity", "k": 2}]}), None, None) == []
