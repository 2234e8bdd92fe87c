"""Findings about single pairs of nodes over time: edge local differential privacy in every snapshot.

Each snapshot was drawn by its own mechanism, which is verified like that of a graph (`verifier.mechanisms.pairs`);
snapshots of the same density share a mechanism. The sealed map gives them under ``pairs``: a list ``mechanisms``, and
for every snapshot the position of its mechanism in that list, or null if the snapshot was released without edges
regardless of its content. The loss of a pair over time is the sum over all snapshots, and a ledger must have been
charged this sum.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verifier.mechanisms.charged import covers
from verifier.mechanisms.pairs import Mechanism, flaw_of_chances, flaw_of_figures, fraction_of, loss_of, mechanism_of
from verifier.readers.columns import waives
from verifier.readers.timelines import TemporalEvidence, Timeline
from verifier.verdict.exact import exact, rounded_up
from verifier.verdict.tails import is_possible
from verifier.verdict.verdict import Finding, Missing
from verifier.verdict.watch import look

_ASSUMES = "nothing: it holds for any attacker, for whether any one pair of nodes is joined in any one snapshot"
_ASSUMES_COUNTS = "the numbers of edges are public; else any attacker, for any one pair of nodes in any one snapshot"
_HALF = Fraction(1, 2)


def find_temporal_edge_local_dp(guarantee: Mapping[str, Any], evidence: TemporalEvidence) -> Finding:
    """The privacy loss of a pair in one snapshot and over all, from the chances with which pairs were reported."""
    required = {"epsilon": guarantee.get("epsilon")}
    bound = exact(required["epsilon"])
    sealed = (evidence.sealed_map or {}).get("pairs") or {}
    flaw = evidence.flaw or ("" if bound is not None and bound > 0 else "epsilon is not a number above 0")
    if not flaw and not sealed:
        flaw = Missing("there is no mechanism by which pairs were reported")
    achieved: dict[str, Any] = {}
    if not flaw and bound is not None:
        flaw, loss = _judged(guarantee, evidence, sealed, bound)
        if not flaw:
            achieved = _achieved(min(loss, float(bound)), evidence.timeline)
    counted = sealed.get("density_source") == "exact"
    assumes = _ASSUMES_COUNTS if counted else _ASSUMES
    return Finding("edge_local_dp", required, achieved, not flaw, "mechanism", assumes, flaw)


def _achieved(loss: float, timeline: Timeline) -> dict[str, Any]:
    """The loss in one snapshot, of a pair over all snapshots, and of a node with all its pairs."""
    pairs = max(timeline.n - 1, 0) * (2 if timeline.directed else 1)
    over_time = rounded_up(loss * timeline.length)
    return {
        "epsilon": loss,
        "snapshots": timeline.length,
        "epsilon_pair": over_time,
        "epsilon_node": rounded_up(loss * timeline.length * pairs),
    }


def _judged(
    guarantee: Mapping[str, Any], evidence: TemporalEvidence, sealed: Mapping[str, Any], bound: Fraction
) -> tuple[str, float]:
    """Why it does not hold, and the loss of the worst mechanism."""
    policy, timeline = evidence.policy, evidence.timeline
    stated = guarantee.get("density") or (policy.get("method") or {}).get("density") or {}
    listed, places = sealed.get("mechanisms"), sealed.get("mechanism_of_snapshot")
    if not isinstance(listed, list) or not isinstance(places, list) or len(places) != timeline.length:
        return "the mechanisms are not one for each snapshot", 0.0
    common = {name: sealed.get(name) for name in ("epsilon_structure", "epsilon_density", "density_source")}
    mechanisms = [mechanism_of({**each, **common}) if isinstance(each, Mapping) else None for each in listed]
    known = [mechanism for mechanism in mechanisms if mechanism is not None]
    if len(known) < len(listed) or not all(_is_place(place, len(known)) for place in places):
        return "a mechanism is incomplete", 0.0
    flaw = _flaw_of_source(common, stated, policy) or _flaw_of_totals(sealed, timeline, bound)
    for mechanism, each in zip(known, listed, strict=True):
        look()
        flaw = flaw or _flaw_of_mechanism(mechanism, policy) or flaw_of_chances(mechanism, bound)
        flaw = flaw or flaw_of_figures(mechanism, each, bound)
    flaw = flaw or _flaw_of_snapshots(known, places, stated, timeline)
    worst = max((rounded_up(loss_of(mechanism)) for mechanism in known), default=0.0) if not flaw else 0.0
    return flaw, worst


def _is_place(place: object, count: int) -> bool:
    if place is None:
        return True
    return isinstance(place, int) and not isinstance(place, bool) and 0 <= place < count


def _flaw_of_source(common: Mapping[str, Any], stated: Mapping[str, Any], policy: Mapping[str, Any]) -> str:
    """Densities must come from the source that the policy states, and their cost must match it."""
    source, cost = common["density_source"], fraction_of(common["epsilon_density"])
    if source not in ("declared", "noisy", "exact") or source not in stated or cost is None:
        return "the density does not come from where the policy says"
    if source == "exact" and not waives(policy, "exact_density"):
        return "the density was counted exactly without a waiver"
    return "" if (source == "noisy") == (cost > 0) else "the cost of the density does not match its source"


def _flaw_of_totals(sealed: Mapping[str, Any], timeline: Timeline, bound: Fraction) -> str:
    """The published losses of a pair and a node over time must be sums, and a ledger charged with that of a pair."""
    spent, pair, node = (fraction_of(sealed.get(name)) for name in ("epsilon", "epsilon_pair", "epsilon_node"))
    if spent is None or pair is None or node is None or sealed.get("snapshots") != timeline.length:
        return "what is lost over time is not stated"
    pairs = max(timeline.n - 1, 0) * (2 if timeline.directed else 1)
    if spent > bound or pair != spent * timeline.length or node != pair * pairs:
        return "what is lost over time is not the sum over the snapshots"
    if sealed.get("budget") is None:
        return ""
    enough = covers(sealed, pair, spent * spent / 2 * timeline.length)
    return "" if enough else "the budget was charged less than epsilon in every snapshot"


def _flaw_of_mechanism(mechanism: Mechanism, policy: Mapping[str, Any]) -> str:
    if not 0 < mechanism.density < 1:
        return "a density is not between 0 and 1"
    complement = (policy.get("method") or {}).get("dense") == "complement"
    return "" if mechanism.density <= _HALF or complement else "a density above one half that the policy does not allow"


def _flaw_of_snapshots(
    mechanisms: Sequence[Mechanism], places: Sequence[int | None], stated: Mapping[str, Any], timeline: Timeline
) -> str:
    """Every snapshot must have a number of edges that its chances can produce, and the declared density."""
    pairs = timeline.n * (timeline.n - 1) // (1 if timeline.directed else 2)
    lows = [min(float(each.keep), each.gain) for each in mechanisms]
    highs = [max(float(each.keep), each.gain) for each in mechanisms]
    edges = (timeline.starts[1:] - timeline.starts[:-1]).tolist()
    declared = _declared(stated.get("declared"), timeline.length)
    if declared is not None and len(declared) != timeline.length:
        return "the densities are not the declared ones"
    for t, place in enumerate(places):
        density = Fraction(0) if place is None else mechanisms[place].density
        if declared is not None and declared[t] != density:
            return "a density is not the declared one"
        if place is None and (edges[t] or "noisy" in stated):
            return "a snapshot without a mechanism has edges, or its density was noisy"
        if place is not None and not is_possible(edges[t], pairs, lows[place], highs[place], timeline.length):
            return "a snapshot has a number of edges that its mechanism cannot produce"
    return ""


def _declared(declared: object, length: int) -> list[Fraction | None] | None:
    if declared is None:
        return None
    listed = declared if isinstance(declared, list | tuple) else [declared] * length
    return [exact(each) for each in listed]
