"""Edge local differential privacy before the verifier: chances in fractions, and every way to tamper with them."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

from verifier import Artifact, Finding, verify
from verifier.pairs import exponential

N = 60
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
    edges = round(float(density) * N * (N - 1) / 2)
    stated = {
        "rate": f"{rate}/{RATE}",
        "keep": f"{keep}/{KEEP}",
        "density": density,
        "density_source": "declared",
        "epsilon_structure": str(epsilon),
        "epsilon_density": "0",
        "edges": edges,
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
    shown = (sealed or {}).get("edges", 0) if edges is None else edges
    verdict = verify(policy, release(shown), None if sealed is None else {"pairs": sealed})
    assert verdict.faults == ()
    return verdict.findings[0]


def test_an_honest_mechanism_holds_by_its_mechanism() -> None:
    finding = judge(mechanism())
    assert finding.holds, finding.detail
    assert (finding.evidence, finding.required, finding.achieved) == ("mechanism", {"epsilon": 2.0}, {"epsilon": 2.0})
    assert "any one pair" in finding.assumes
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
    "chances of a larger epsilon": (mechanism(2.001, epsilon_structure="2.0"), "loses more than epsilon"),
    "exchanged chances": (mechanism(rate=rate(1 - P11), keep=fraction(1 - P01)), "does not keep the density"),
    "only additions": (mechanism(keep=f"{KEEP - 1}/{KEEP}"), "loses more than epsilon"),
    "an edge that stays for certain": (mechanism(keep=f"{KEEP}/{KEEP}"), "not between 0 and 1"),
    "no additions": (mechanism(rate=f"0/{RATE}"), "not between 0 and 1"),
    "fewer additions by a quarter": (mechanism(rate=rate(P01 * 0.75)), "loses more than epsilon"),
    "more additions by a quarter": (mechanism(rate=rate(P01 * 1.25)), "does not keep the density"),
    "another density than the declared one": (mechanism() | {"density": "0.3"}, "not the declared one"),
    "a density that is none": (mechanism() | {"density": "1.2"}, "not between 0 and 1"),
    "a density from elsewhere": (mechanism(density_source="noisy"), "from where the policy says"),
    "a part of epsilon for nothing": (mechanism(1.5, epsilon_density="0.5"), "does not fit its source"),
    "more parts than epsilon": (mechanism(epsilon_density="0.1"), "does not fit its source"),
    "no mechanism for nothing": (mechanism(epsilon_structure="0"), "more than epsilon"),
    "a budget that was not charged": (mechanism(budget=3_000_000), "charged less"),
    "a budget that was charged too little": (mechanism(budget=3_000_000, charged=1_999_999), "charged less"),
    "a charge that is none": (mechanism(budget=3_000_000, charged=True), "charged less"),
    "edges that nobody counted": (mechanism(edges=None), "is not known"),
    "more edges than pairs": (mechanism(edges=N * N), "is not known"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_mechanism_that_was_tampered_with_does_not_hold(name: str) -> None:
    sealed, reason = TAMPERED[name]
    finding = judge(sealed, edges=354)
    assert not finding.holds
    assert reason in finding.detail
    assert finding.achieved == {}


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
    assert "no mechanism" in judge(None).detail
    assert "no mechanism" in judge({}).detail


@pytest.mark.parametrize("epsilon", [0, -1, None, "2", True])
def test_an_epsilon_that_is_none_does_not_hold(epsilon: Any) -> None:
    assert "epsilon is not a number" in judge(mechanism(), epsilon=epsilon).detail


def test_a_charge_of_epsilon_rounded_up_is_enough() -> None:
    assert judge(mechanism(budget=3_000_000, charged=2_000_000)).holds


def test_a_noisy_density_is_paid_for_and_an_exact_one_waived() -> None:
    noisy = mechanism(1.5, density_source="noisy", epsilon_density="0.5")
    assert judge(noisy, density={"noisy": 0.5}).holds
    assert "more than epsilon" in judge(noisy | {"epsilon_density": "0.6"}, density={"noisy": 0.5}).detail
    assert "does not fit" in judge(noisy | {"epsilon_density": "0"}, density={"noisy": 0.5}).detail
    counted = mechanism(density_source="exact")
    waiver = {"rule": "exact_density", "reason": "public"}
    found = judge(counted, density={"exact": True}, waivers=[waiver])
    assert found.holds
    assert "the number of edges is public" in found.assumes
    assert "without a waiver" in judge(counted, density={"exact": True}).detail
    assert "without a waiver" in judge(counted, density={"exact": True}, waivers=[{"rule": "naive"}]).detail


def test_a_release_with_far_too_many_or_too_few_edges_does_not_hold() -> None:
    sealed, doubt = mechanism(), 64 * math.log(2)
    variance = 354 * P11 * (1 - P11) + (1770 - 354) * P01 * (1 - P01)
    allowed = doubt / 3 + math.sqrt((doubt / 3) ** 2 + 2 * doubt * variance)
    for apart, holds in (
        (0, True),
        (allowed - 2, True),
        (2 - allowed, True),
        (allowed + 2, False),
        (-allowed - 2, False),
    ):
        assert judge(sealed, edges=round(354 + apart)).holds is holds


def test_a_release_that_cannot_be_read_does_not_hold() -> None:
    policy = {"kind": "graph", "guarantees": [{"model": "edge_local_dp", "epsilon": 2.0, "density": {"declared": 0.2}}]}
    verdict = verify(policy, [], {"pairs": mechanism()})
    assert not verdict.findings[0].holds
    assert verdict.findings[0].detail


@pytest.mark.parametrize("power", ["0", "1/3", "1", "2", "7.7", "50", "1/72057594037927936", "0.69314718055994530942"])
def test_bounds_of_the_exponential_enclose_it_closely(power: str) -> None:
    low, high = exponential(Fraction(power))
    with localcontext() as context:
        context.prec = 100
        exponent = Fraction(power)
        true = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        assert Decimal(low.numerator) / Decimal(low.denominator) <= true * (1 + Decimal("1e-90"))
        assert Decimal(high.numerator) / Decimal(high.denominator) >= true * (1 - Decimal("1e-90"))
    assert low <= high
    assert (high - low) / low < Fraction(1, 10**70)
