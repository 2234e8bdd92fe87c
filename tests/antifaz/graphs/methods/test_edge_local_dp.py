"""Edge-local noise: refusals before any pair is read, the account, and the result."""

import math
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest

from antifaz.errors import Cancelled, Infeasible, InvalidPolicy
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.edge_local_dp import Density, EdgeLocalDp, Share
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.edge_local_dp import EdgeLocalNoise
from antifaz.policy.parse import parse_policy, privacy_loss
from antifaz.watch import unwatched


def karate() -> Graph:
    pairs = np.array(nx.karate_club_graph().edges)
    return Graph.from_pairs(34, pairs[:, 0], pairs[:, 1])


def run(density: Density, epsilon: float = 4.0, graph: Graph | None = None, seed: int = 1, **more: Any) -> Any:
    guarantee = EdgeLocalDp(epsilon=epsilon, density=density)
    return EdgeLocalNoise(**more).apply(graph or karate(), [guarantee], np.random.default_rng(seed), unwatched)


def policy(
    epsilon: float = 4.0, density: Any = None, method: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    guarantee: dict[str, Any] = {"model": "edge_local_dp", "epsilon": epsilon}
    if density is not None:
        guarantee["density"] = density
    return {"kind": "graph", "guarantees": [guarantee], "method": {"name": "edge_local_dp", **(method or {})}, **more}


def faults(document: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(document)
    return dict(caught.value.faults)


def test_the_account_tells_the_mechanism_and_where_its_density_comes_from() -> None:
    protected = run(Density(declared=0.14), epsilon=3.0)
    told = protected.account["public"]["edge_local_dp"]
    assert (told["unit"], told["epsilon"], told["epsilon_density"]) == ("a pair of nodes", "3.0", "0")
    assert (told["density"], told["density_source"]) == ("0.14", "declared")
    odds = math.exp(3)
    assert told["p01"] == pytest.approx(1 / (odds - 1 + 1 / 0.14))
    assert told["p11"] == pytest.approx(odds / (odds - 1 + 1 / 0.14))
    assert Fraction(told["keep"]) <= Fraction(told["p11"]) + Fraction(1, 2**50)
    assert -math.expm1(-float(Fraction(told["rate"]))) == pytest.approx(told["p01"])
    assert "the number of nodes" in told["public"]
    assert told["not_protected"].startswith("nodes")
    changed = protected.account["edges_added"], protected.account["edges_removed"]
    assert protected.graph.m == 78 + changed[0] - changed[1]
    assert protected.origin.tolist() == list(range(34))


def test_a_density_above_one_half_protects_the_complement() -> None:
    full = Graph.from_pairs(40, *np.triu_indices(40, 1))
    protected = run(Density(declared=0.97), epsilon=3.0, graph=full)
    told = protected.account["public"]["edge_local_dp"]
    odds = math.exp(3)
    assert told["p10"] == pytest.approx(1 / (odds - 1 + 1 / 0.03))
    assert protected.graph.m > 0.9 * full.m


def test_a_noisy_density_takes_its_part_of_epsilon() -> None:
    told = run(Density(noisy=Share(share=0.1)), epsilon=5.0).account["public"]["edge_local_dp"]
    assert (told["epsilon_density"], told["epsilon_structure"], told["epsilon"]) == ("0.50", "4.50", "5.0")
    assert 0 < told["density_loss"] <= 0.5
    assert told["library"].startswith("opendp ")
    assert 1 / 561 <= float(told["density"]) <= 0.5
    told = run(Density(noisy=2.0), epsilon=5.0).account["public"]["edge_local_dp"]
    assert (Fraction(told["epsilon_density"]), Fraction(told["epsilon_structure"])) == (2, 3)
    assert abs(float(told["density"]) * 561 - 78) < 30


@pytest.mark.parametrize("m", [0, 561])
def test_a_noisy_density_stays_between_one_pair_and_one_half(m: int) -> None:
    graph = Graph.from_pairs(34, *(ends[:m] for ends in np.triu_indices(34, 1)))
    for _ in range(5):
        protected = run(Density(noisy=20.0), epsilon=40.0, graph=graph, least_survival=0)
        assert 1 / 562 <= float(protected.account["public"]["edge_local_dp"]["density"]) <= 0.5


def test_an_exact_density_is_that_of_the_graph() -> None:
    told = run(Density(exact=True)).account["public"]["edge_local_dp"]
    assert float(told["density"]) == pytest.approx(78 / 561)
    empty = run(Density(exact=True), 12.0, Graph(34, np.empty(0, np.int64)))
    assert float(empty.account["public"]["edge_local_dp"]["density"]) == pytest.approx(1 / 561)


def test_the_density_of_a_released_graph_is_about_that_of_the_original() -> None:
    sizes = [run(Density(declared=0.139), 3.0, seed=seed).graph.m for seed in range(40)]
    assert abs(np.mean(sizes) - 78) < 5 * math.sqrt(78 / 40)


def test_the_same_words_of_chance_give_the_same_graph_and_others_another() -> None:
    first, again, other = (run(Density(declared=0.14), seed=seed).graph.keys.tolist() for seed in (3, 3, 4))
    assert first == again != other


def test_a_policy_with_it_is_accepted_with_the_density_here_or_there() -> None:
    for document in (policy(density={"declared": 0.1}), policy(method={"density": {"declared": 0.1}})):
        parsed = parse_policy(document)
        assert parse_policy(parsed.canonical()) == parsed
        assert privacy_loss(parsed.public()) == 4
        assert any("not nodes" in warning for warning in parsed.warnings())


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        (policy(), "/guarantees/0/density"),
        (policy(density={"declared": 0.1}, method={"density": {"declared": 0.1}}), "/method/density"),
        (policy(density={"declared": 0}), "/guarantees/0/density/declared"),
        (policy(density={"declared": 1}), "/guarantees/0/density/declared"),
        (policy(density={"noisy": 4.0}), "/guarantees/0/density/noisy"),
        (policy(density={"noisy": -1.0}), "/guarantees/0/density/noisy"),
        (policy(density={"noisy": 0}), "/guarantees/0/density/noisy"),
        (policy(density={"exact": True}), "/guarantees/0"),
        (policy(method={"density": {"exact": True}}), "/method"),
        (policy(1.0, {"declared": 0.001}), "/guarantees/0/epsilon"),
        (policy(1.0, {"declared": 0.999}), "/guarantees/0/epsilon"),
        (policy(density={"declared": 0.1}, edge_attributes="keep"), "/edge_attributes"),
    ],
)
def test_a_policy_that_cannot_work_is_refused_and_told_where(document: dict[str, Any], pointer: str) -> None:
    assert pointer in faults(document)


def test_a_waiver_admits_an_exact_density() -> None:
    waiver = [{"rule": "exact_density", "reason": "the number of edges is published elsewhere"}]
    parse_policy(policy(density={"exact": True}, waivers=waiver))


def test_a_hopeless_setting_says_what_would_do_and_can_be_asked_for_by_name() -> None:
    detail = faults(policy(1.0, {"declared": 0.001}))["/guarantees/0/epsilon"]
    assert "0.27%" in detail
    assert f"{math.log(0.05 * 999 / 0.95):.2f}" in detail
    parse_policy(policy(1.0, {"declared": 0.001}, {"least_survival": 0.002}))


def test_a_noisy_density_that_leaves_too_little_is_an_answer_with_what_would_do() -> None:
    lonely = Graph.from_pairs(3_000, np.array([0]), np.array([1]))
    with pytest.raises(Infeasible) as caught:
        run(Density(noisy=1.0), epsilon=2.0, graph=lonely)
    [reason] = caught.value.reasons
    assert (reason.rule, reason.limit) == ("least_survival", 0.05)
    assert reason.measured is not None
    assert reason.measured < 0.05
    assert caught.value.nearest is not None
    assert caught.value.nearest["epsilon"] > 2


def test_a_release_that_would_be_far_too_large_is_refused_before_anything_is_drawn() -> None:
    many = Graph(1_000_000, np.empty(0, dtype=np.int64))
    with pytest.raises(Infeasible) as caught:
        run(Density(declared=0.01), epsilon=9.0, graph=many)
    assert caught.value.reasons[0].rule == "most_edges"
    with pytest.raises(Infeasible):
        run(Density(declared=0.14), most_edges=70)


def test_it_takes_its_epsilon_from_one_guarantee_of_its_own() -> None:
    guarantee = EdgeLocalDp(epsilon=4, density=Density(declared=0.1))
    for guarantees in ([], [guarantee, guarantee], [guarantee, KDegreeAnonymity(k=2)]):
        with pytest.raises(InvalidPolicy):
            EdgeLocalNoise().apply(karate(), guarantees, np.random.default_rng(1), unwatched)


def test_it_can_be_stopped() -> None:
    def watch(fraction: float) -> bool:
        if fraction > 0.5:
            raise Cancelled("enough")
        return False

    with pytest.raises(Cancelled):
        EdgeLocalNoise().apply(
            karate(), [EdgeLocalDp(epsilon=4, density=Density(declared=0.1))], np.random.default_rng(1), watch
        )


def test_the_forecast_says_what_is_to_be_expected_from_what_is_public() -> None:
    parsed = parse_policy(policy(6.0, {"declared": 0.01}))
    forecast = parsed.forecast(1_000, directed=False)
    assert forecast["survival"] == forecast["p11"] == pytest.approx(0.803, abs=0.001)
    assert forecast["expected_edges"] == pytest.approx(0.01 * 499_500)
    assert forecast["expected_jaccard"] == pytest.approx(forecast["p11"] / (2 - forecast["p11"]))
    assert forecast["epsilon_for_half"] == pytest.approx(math.log(99))
    assert parsed.forecast(1_000, directed=True)["expected_edges"] == pytest.approx(0.01 * 999_000)
    assert parsed.forecast()["expected_edges"] is None
    noisy = parse_policy(policy(6.0, {"noisy": {"share": 0.1}})).forecast(1_000, directed=False)
    assert (noisy["density"], noisy["density_source"], noisy["epsilon_density"]) == (None, "noisy", 0.6)
    waived = [{"rule": "no_guarantee", "reason": "x"}]
    document = {"kind": "graph", "method": {"name": "k_degree"}, "waivers": waived}
    assert parse_policy(document).forecast(10, directed=False) == {}
