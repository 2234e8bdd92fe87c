"""Edge local differential privacy in the verifier: probabilities as fractions, and every way to tamper with them."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

from verifier import Artifact, Finding, verify
from verifier.mechanisms.pairs import exponential

N = 60
PAIRS = N * (N - 1) // 2
ASSUMES = "nothing: it holds for any attacker, for whether any one pair of nodes is joined"
ASSUMES_COUNT = "the number of edges is public; else any attacker, for whether any one pair of nodes is joined"
RATE, KEEP = 2**56, 2**64


def chances(epsilon: float, density: float) -> tuple[float, float]:
    q = math.exp(epsilon) - 1 + 1 / density
    return 1 / q, math.exp(epsilon) / q


def mechanism(epsilon: float = 2.0, density: str = "0.2", **changes: Any) -> dict[str, Any]:
    """An honest mechanism of these parameters, a little on the safe side."""
    with localcontext() as context:
        context.prec = 60
        odds, share = Decimal(str(epsilon)).exp(), Decimal(density)
        q = odds - 1 + 1 / min(share, 1 - share)
        p01, p11 = (1 / q, odds / q) if share <= Decimal("0.5") else (1 - odds / q, 1 - 1 / q)
        rate, keep = int(-(1 - p01).ln() * RATE) + 1, int(p11 * KEEP) - 1
    stated = {
        "rate": f"{rate}/{RATE}",
        "keep": f"{keep}/{KEEP}",
        "density": density,
        "density_source": "declared",
        "epsilon_structure": str(epsilon),
        "epsilon_density": "0",
        "charged": None,
        "budget": None,
    }
    return stated | changes


def release(edges: int) -> list[Artifact]:
    pairs = [(u, v) for u in range(N) for v in range(u + 1, N)][:edges]
    lines = "source,target\n" + "".join(f"{u},{v}\n" for u, v in pairs)
    nodes = "node\n" + "".join(f"{node}\n" for node in range(N))
    return [Artifact("edgelist", "graph", lines.encode()), Artifact("csv", "nodes", nodes.encode())]


def judge(
    sealed: dict[str, Any] | None,
    epsilon: Any = 2.0,
    density: Any = None,
    edges: int | None = None,
    waivers: Any = (),
    method: Any = None,
) -> Finding:
    guarantee: dict[str, Any] = {"model": "edge_local_dp", "epsilon": epsilon}
    if method is None:
        guarantee["density"] = {"declared": 0.2} if density is None else density
    policy = {
        "kind": "graph",
        "guarantees": [guarantee],
        "method": method or {"name": "edge_local_dp"},
        "waivers": list(waivers),
    }
    shown = round(float(Fraction((sealed or {}).get("density", "0"))) * PAIRS) if edges is None else edges
    verdict = verify(policy, release(shown), None if sealed is None else {"pairs": sealed})
    assert verdict.faults == ()
    return verdict.findings[0]


def test_an_honest_mechanism_holds_by_its_mechanism() -> None:
    finding = judge(mechanism())
    assert finding == Finding("edge_local_dp", {"epsilon": 2.0}, {"epsilon": 2.0}, True, "mechanism", ASSUMES, "")
    weaker = judge(mechanism(1.5), epsilon=2)
    assert weaker.holds
    assert weaker.achieved == {"epsilon": 1.5}


@pytest.mark.parametrize("density", ["0.5", "0.8"])
def test_dense_graphs_hold_where_the_roles_are_exchanged(density: str) -> None:
    assert judge(mechanism(density=density), density={"declared": float(density)}).holds


def test_the_density_may_stand_with_the_method() -> None:
    assert judge(mechanism(), method={"name": "edge_local_dp", "density": {"declared": 0.2}}).holds


def fraction(chance: float) -> str:
    return f"{int(chance * KEEP)}/{KEEP}"


def rate(chance: float) -> str:
    return f"{int(-math.log1p(-chance) * RATE)}/{RATE}"


P01, P11 = chances(2.0, 0.2)
UNCHECKED = chances(1.0, 0.75)
TAMPERED: dict[str, tuple[dict[str, Any], str]] = {
    "an epsilon that was raised": (mechanism(2.1), "the parts of epsilon are more than epsilon"),
    "chances of a larger epsilon": (mechanism(2.001, epsilon_structure="2.0"), "the mechanism loses more than epsilon"),
    "exchanged chances": (
        mechanism(rate=rate(1 - P11), keep=fraction(1 - P01)),
        "the mechanism does not keep the density",
    ),
    "only additions": (mechanism(keep=f"{KEEP - 1}/{KEEP}"), "the mechanism loses more than epsilon"),
    "an edge that stays for certain": (mechanism(keep=f"{KEEP}/{KEEP}"), "a chance is not between 0 and 1"),
    "no additions": (mechanism(rate=f"0/{RATE}"), "a chance is not between 0 and 1"),
    "fewer additions by a quarter": (mechanism(rate=rate(P01 * 0.75)), "the mechanism loses more than epsilon"),
    "more additions by a quarter": (mechanism(rate=rate(P01 * 1.25)), "the mechanism does not keep the density"),
    "another density than the declared one": (mechanism() | {"density": "0.3"}, "the density is not the declared one"),
    "a density that is none": (mechanism() | {"density": "1.2"}, "the density is not between 0 and 1"),
    "a density from elsewhere": (
        mechanism(density_source="noisy"),
        "the density does not come from where the policy says",
    ),
    "a part of epsilon for nothing": (
        mechanism(1.5, epsilon_density="0.5"),
        "the cost of the density does not match its source",
    ),
    "more parts than epsilon": (
        mechanism(epsilon_density="0.1"),
        "the cost of the density does not match its source",
    ),
    "no mechanism for nothing": (mechanism(epsilon_structure="0"), "the parts of epsilon are more than epsilon"),
    "a budget that was not charged": (mechanism(budget=3_000_000), "the budget was charged less than epsilon"),
    "a budget that was charged too little": (
        mechanism(budget=3_000_000, charged=1_999_999),
        "the budget was charged less than epsilon",
    ),
    "a charge that is none": (mechanism(budget=3_000_000, charged=True), "the budget was charged less than epsilon"),
    "a density of nothing": (mechanism() | {"density": "0"}, "the density is not between 0 and 1"),
    "a density of all": (mechanism() | {"density": "1"}, "the density is not between 0 and 1"),
    "an edge that never stays": (mechanism(keep="0"), "a chance is not between 0 and 1"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_mechanism_that_was_tampered_with_does_not_hold(name: str) -> None:
    sealed, reason = TAMPERED[name]
    finding = judge(sealed, edges=354)
    expected = Finding("edge_local_dp", {"epsilon": 2.0}, {}, False, "mechanism", ASSUMES, reason)
    assert finding == expected


def test_the_formula_without_exchanged_roles_does_not_hold() -> None:
    p01, p11 = UNCHECKED
    sealed = mechanism(1.0, "0.75", rate=rate(p01), keep=fraction(p11))
    finding = judge(sealed, epsilon=1.0, density={"declared": 0.75})
    assert "loses more than epsilon" in finding.detail


@pytest.mark.parametrize("name", ["rate", "keep", "density", "epsilon_structure", "epsilon_density"])
@pytest.mark.parametrize("value", [None, 0.5, "", "half", "1/0", "-1/2", "1e9999", "nan", True])
def test_what_is_not_a_fraction_is_no_mechanism(name: str, value: Any) -> None:
    assert "no mechanism" in judge(mechanism() | {name: value}, edges=354).detail


def test_without_a_mechanism_nothing_holds() -> None:
    for sealed in (None, {}):
        assert judge(sealed).detail == "there is no mechanism by which pairs were reported"


@pytest.mark.parametrize("epsilon", [0, -1, None, "2", True])
def test_an_epsilon_that_is_none_does_not_hold(epsilon: Any) -> None:
    assert judge(mechanism(), epsilon=epsilon).detail == "epsilon is not a number above 0"


def test_a_charge_of_epsilon_rounded_up_is_enough() -> None:
    assert judge(mechanism(budget=3_000_000, charged=2_000_000)).holds


def test_a_yes_is_no_charge_of_one() -> None:
    tiny = mechanism(0.000001, budget=1, charged=1)
    assert judge(tiny, epsilon=0.000001).holds
    assert judge(tiny | {"charged": True}, epsilon=0.000001).detail == "the budget was charged less than epsilon"


def test_a_policy_without_waivers_waives_nothing() -> None:
    guarantee = {"model": "edge_local_dp", "epsilon": 2.0, "density": {"exact": True}}
    policy = {"kind": "graph", "guarantees": [guarantee]}
    found = verify(policy, release(354), {"pairs": mechanism(density_source="exact")}).findings[0]
    assert found.detail == "the density was counted exactly without a waiver"


def test_a_noisy_density_is_paid_for_and_an_exact_one_waived() -> None:
    noisy = mechanism(1.5, density_source="noisy", epsilon_density="0.5")
    assert judge(noisy, density={"noisy": 0.5}).holds
    assert "more than epsilon" in judge(noisy | {"epsilon_density": "0.6"}, density={"noisy": 0.5}).detail
    assert "does not match" in judge(noisy | {"epsilon_density": "0"}, density={"noisy": 0.5}).detail
    counted = mechanism(density_source="exact")
    waiver = {"rule": "exact_density", "reason": "public"}
    found = judge(counted, density={"exact": True}, waivers=[waiver])
    assert found.holds
    assert found.assumes == ASSUMES_COUNT
    assert judge(counted, density={"exact": True}).detail == "the density was counted exactly without a waiver"
    assert "without a waiver" in judge(counted, density={"exact": True}, waivers=[{"rule": "naive"}]).detail


def limits(epsilon: float, density: float, pairs: int = PAIRS) -> tuple[float, float]:
    """The fewest and the most edges that are believed, whatever the graph was."""
    chance, doubt = chances(epsilon, density), 64 * math.log(2)
    allowed = [doubt / 3 + math.sqrt((doubt / 3) ** 2 + 2 * doubt * pairs * p * (1 - p)) for p in chance]
    return pairs * chance[0] - allowed[0], pairs * chance[1] + allowed[1]


@pytest.mark.parametrize(("epsilon", "density"), [(0.1, "0.5"), (0.5, "0.4"), (2.0, "0.2"), (1.0, "0.5")])
def test_a_number_of_edges_that_the_mechanism_makes_of_no_graph_does_not_hold(epsilon: float, density: str) -> None:
    sealed = mechanism(epsilon, density)
    fewest, most = limits(epsilon, float(density))
    shown = [(math.floor(most), True), (math.floor(most) + 1, False), (max(0, math.ceil(fewest)), True)]
    shown += [(math.ceil(fewest) - 1, False)] if fewest > 0 else []
    for edges, holds in shown:
        found = judge(sealed, epsilon=epsilon, density={"declared": float(density)}, edges=edges)
        assert found.holds is holds
        reason = "the release has a number of edges that the mechanism cannot produce"
        assert found.detail == ("" if holds else reason)


def test_nothing_of_the_original_is_asked_for() -> None:
    """The same release and chances are judged alike whatever else is said of the graph before the noise."""
    alone = judge(mechanism(0.5, "0.4"), epsilon=0.5, density={"declared": 0.4})
    assert alone.holds
    for edges in (0, PAIRS, None, True):
        told = mechanism(0.5, "0.4", edges=edges)
        assert judge(told, epsilon=0.5, density={"declared": 0.4}) == alone


def test_pairs_of_a_directed_graph_are_ordered() -> None:
    """Twice as many pairs make twice as many edges; as many as all unordered ones have would be far too many there."""
    guarantee = {"model": "edge_local_dp", "epsilon": 0.5, "density": {"declared": 0.5}}
    policy = {"kind": "graph", "guarantees": [guarantee]}
    edges = math.floor(limits(0.5, 0.5, 2 * PAIRS)[1])
    for count, holds in ((edges, True), (edges + 1, False)):
        ordered = [(u, v) for u in range(N) for v in range(N) if u != v][:count]
        lines = "source,target\n" + "".join(f"{u},{v}\n" for u, v in ordered)
        artifacts = [Artifact("edgelist", "graph", lines.encode()), release(0)[1]]
        found = verify(policy, artifacts, {"pairs": mechanism(0.5, "0.5")}, directed=True).findings[0]
        assert found.holds is holds


def test_a_release_that_cannot_be_read_does_not_hold() -> None:
    policy = {"kind": "graph", "guarantees": [{"model": "edge_local_dp", "epsilon": 2.0, "density": {"declared": 0.2}}]}
    for sealed in ({"pairs": mechanism()}, {}):
        finding = verify(policy, [], sealed).findings[0]
        assert (finding.holds, finding.detail) == (False, "there is no graph")


def test_a_policy_without_a_density_does_not_hold() -> None:
    for method in ({"method": {"name": "edge_local_dp"}}, {"method": None}, {}):
        policy = {"kind": "graph", "guarantees": [{"model": "edge_local_dp", "epsilon": 2.0}], **method}
        found = verify(policy, release(354), {"pairs": mechanism()}).findings[0]
        assert found.detail == "the density does not come from where the policy says"


def telling(come: str, stay: str, structure: str, **changes: Any) -> dict[str, Any]:
    """A mechanism of these two chances, for the density that they keep."""
    p01, p11 = Fraction(come), Fraction(stay)
    with localcontext() as context:
        context.prec = 50
        rate = -(1 - Decimal(p01.numerator) / Decimal(p01.denominator)).ln()
    density = p01 / (p01 + 1 - p11)
    stated = mechanism() | {
        "rate": str(rate),
        "keep": str(p11),
        "density": str(density),
        "density_source": "noisy",
        "epsilon_structure": structure,
        "epsilon_density": "0.25",
        "edges": round(density * PAIRS),
    }
    return stated | changes


@pytest.mark.parametrize(("come", "stay"), [("0.2", "0.7"), ("0.3", "0.8"), ("0.7", "0.2"), ("0.8", "0.3")])
def test_each_of_the_four_ratios_counts(come: str, stay: str) -> None:
    """In each of them another ratio is the largest, 3.5, whose logarithm is 1.2527629…"""
    enough = judge(telling(come, stay, "1.252763"), epsilon=2.0, density={"noisy": 0.25})
    assert enough.holds, enough.detail
    assert enough.achieved == {"epsilon": 1.502763}
    barely = judge(telling(come, stay, "1.252762"), epsilon=2.0, density={"noisy": 0.25})
    assert barely.detail == "the mechanism loses more than epsilon"


def test_what_is_achieved_is_never_more_than_what_was_asked_for() -> None:
    found = judge(telling("0.2", "0.7", "1.252763"), epsilon=1.502763, density={"noisy": 0.25})
    assert found.achieved == {"epsilon": 1.502763}
    more = judge(telling("0.2", "0.7", "1.252763"), epsilon=1.502762, density={"noisy": 0.25})
    assert more.detail == "the parts of epsilon are more than epsilon"


@pytest.mark.parametrize(("units", "holds"), [("9/10", True), ("-9/10", True), ("11/10", False), ("-11/10", False)])
def test_the_density_is_kept_but_for_what_rounding_does(units: str, holds: bool) -> None:
    away = Fraction(units) / 2**54 / (Fraction(1, 5) + 1 - Fraction(7, 10))
    sealed = telling("0.2", "0.7", "1.3", density=str(Fraction(2, 5) + away))
    found = judge(sealed, density={"noisy": 0.25})
    assert found.holds is holds
    assert found.detail == ("" if holds else "the mechanism does not keep the density")


@pytest.mark.parametrize("edges", [0, PAIRS])
def test_an_empty_and_a_complete_graph_are_graphs(edges: int) -> None:
    sealed = mechanism(edges=edges)
    expected = edges * P11 + (PAIRS - edges) * P01
    assert judge(sealed, edges=round(expected)).holds


@pytest.mark.parametrize(
    "power", ["0", "1/3", "1", "2", "2.5", "7.7", "50", "1/72057594037927936", "0.69314718055994531"]
)
def test_bounds_of_the_exponential_enclose_it_closely(power: str) -> None:
    low, high = exponential(Fraction(power))
    with localcontext() as context:
        context.prec = 200
        exponent = Fraction(power)
        true = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        assert Decimal(low.numerator) / Decimal(low.denominator) <= true
        assert Decimal(high.numerator) / Decimal(high.denominator) > true
    assert (high - low) / low < Fraction(1, 10**70)
