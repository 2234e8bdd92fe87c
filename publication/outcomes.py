"""Outcomes: whether a release leaves too much of its original unchanged, or shows almost nothing of it.

The engine and the verifier count the records and nodes that are unchanged and alone with separate code; either may
refuse. What a guarantee by mechanism draws at random is not compared.
"""

from collections.abc import Mapping
from typing import Any

import verifier
from antifaz.assessment import Assessment, gate_figures
from antifaz.errors import Reason
from antifaz.kinds.kind import Checked, Protected
from antifaz.policy.contradictions import replacing_gates
from antifaz.policy.model import Policy, promises_mechanism
from antifaz.unchanged import refuse_emptied, refuse_unchanged

_RULES = {"records_unchanged_and_alone": "no_guarantee", "nodes_unchanged_and_alone": "naive"}
"""The waivers that accept a release in which too many records or nodes are unchanged and alone."""
_DECIDE = ("share", "insensitive")
"""The shares of a finding that decide; others are for auditors."""
_FROM_RELEASE = ("max_prosecutor_risk", "max_journalist_risk", "max_marketer_risk")
"""Gate rules whose figure follows from the released classes alone, so that anyone may see it."""


REASONS: dict[str, tuple[str, str, str]] = {
    "release_form": (
        "The release could not be verified",
        (
            "The verifier, which shares no code with the engine, could not read the rendered release as the policy "
            "describes it, or could not compare it with its original."
        ),
        "Nothing was released. Report it: this is an error of Antifaz, not of your data.",
    ),
}
"""Rules of a `Reason` that publishing adds to those of the engine: title, meaning, what to do."""


Warnings = list[dict[str, Any]]


def refuse_outcome(verdict: verifier.Verdict, checked: Checked, protected: Protected, policy: Policy) -> list[Reason]:
    """Return the reasons to refuse a release by its outcome, one for each rule."""
    reasons = [*_counted(verdict), *refuse_unchanged(checked, protected, policy)]
    if not verdict.outcome and not promises_mechanism(policy):
        reasons.append(Reason("release_form", detail="what is left of the original was not verified"))
    reasons += refuse_emptied(checked, protected, policy)
    return list({reason.rule: reason for reason in reversed(reasons)}.values())[::-1]


def _counted(verdict: verifier.Verdict) -> list[Reason]:
    """Why too much of the original is left, by the verifier's count."""
    return [
        Reason(_RULES[finding.model], finding.required["share"], _highest(finding), finding.detail)
        for finding in verdict.outcome
        if not finding.holds
    ]


def _highest(finding: verifier.Finding) -> float:
    return max(float(finding.achieved[name]) for name in _DECIDE if name in finding.achieved)


def shown_outcome(verdict: verifier.Verdict | None) -> dict[str, Any]:
    """The shares for the reports of stewards and auditors, by what was counted."""
    return {
        finding.model: {"limit": finding.required["share"], **finding.achieved, "evidence": finding.evidence}
        for finding in (verdict.outcome if verdict else ())
    }


def outcome_warnings(policy: Policy, protected: Protected | None, assessment: Assessment | None) -> Warnings:
    """What a reader of a release must know: that limits replaced a guarantee, and that a method changed less than it
    was asked to. Empty with a guarantee by mechanism."""
    if promises_mechanism(policy) or protected is None:
        return []
    return _of_gate(policy, protected, assessment) + [_of_shortfall(short) for short in _shortfalls(protected.account)]


def _of_gate(policy: Policy, protected: Protected, assessment: Assessment | None) -> Warnings:
    limits = replacing_gates(policy)
    if not limits:
        return []
    figures = {} if assessment is None else gate_figures(protected, assessment)
    measured = {rule: figures[rule] for rule in limits if rule in _FROM_RELEASE and figures.get(rule) is not None}
    detail = (
        "no guarantee was promised: limits on risks that were measured on this release replace it, and bound no other "
        "risk"
    )
    return [{"code": "NO_GUARANTEE", "limits": limits, "measured": measured, "detail": detail}]


def _shortfalls(account: Mapping[str, Any]) -> Warnings:
    """Where a method, or a step of it, changed less than it was asked to."""
    own = [account["short"]] if "short" in account else []
    inner = [*account.get("steps", ()), *([account["nodes"]] if isinstance(account.get("nodes"), dict) else [])]
    return own + [short for step in inner if isinstance(step, dict) for short in _shortfalls(step)]


def _of_shortfall(short: Mapping[str, Any]) -> dict[str, Any]:
    detail = f"the method was asked to change more {short['of']} than it could: {short['reached']} of {short['wanted']}"
    shown = {"wanted": short["wanted"], "reached": short["reached"]}
    return {"code": "TARGET_NOT_REACHED", **shown, "evidence": "bytes+sealed_map", "detail": detail}
