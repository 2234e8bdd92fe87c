"""Assess: risk before and after, attacks on the release, and its utility.

The policy chooses the measures; the default set has a bounded cost. Figures that the gate needs are always measured,
and with the default parameters: no parameter that a steward states for the report can lower what a gate reads.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from antifaz import catalogue
from antifaz.answers import NAMED_NODES, answers, rate_of
from antifaz.errors import Reason
from antifaz.extending.extensions import package_of
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Protected, Subject
from antifaz.part import Part
from antifaz.policy.model import Policy
from antifaz.watch import Watch, unwatched, within


@dataclass(frozen=True)
class Assessment:
    """Every figure of the report that is computed from data."""

    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)
    attacks: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    """To each question of an attacker, as `antifaz.answers` gives it."""
    utility: dict[str, Any] = field(default_factory=dict)
    plain_after: dict[str, Any] = field(default_factory=dict)
    plain_attacks: dict[str, Any] = field(default_factory=dict)
    """Risks and attacks that the policy measures with parameters of its own, measured with the default ones for the
    gate, by name."""


def assess(
    checked: Checked,
    protected: Protected,
    policy: Policy,
    rng: np.random.Generator,
    watch: Watch = unwatched,
    known: MutableMapping[str, Any] | None = None,
) -> Assessment:
    """Measure the release against the original.

    ``known`` caches the risks of the original, for callers that release one original in several ways. Missing entries
    are added.
    """
    measured = {} if known is None else known
    assessment, derived = Assessment(), list[dict[str, Any]]()
    subjects = kind_named(policy.kind).subjects(checked, protected)
    for position, subject in enumerate(subjects):
        share = within(watch, position / len(subjects), (position + 1) / len(subjects))
        own = policy if policy.kind == subject.kind else None
        derived += _assess_subject(assessment, subject, own, policy.guarantees, rng, share, measured)
    found = [*assessment.attacks, *assessment.plain_attacks.values(), *derived]
    assessment.answers.update(answers(found, policy.guarantees))
    return assessment


def _assess_subject(
    assessment: Assessment,
    subject: Subject,
    policy: Policy | None,
    guarantees: Sequence[Part],
    rng: np.random.Generator,
    watch: Watch,
    known: MutableMapping[str, Any],
) -> list[dict[str, Any]]:
    """Measure one table or graph, and return what its risks alone answer."""
    kind, original, released = subject.kind, subject.original, subject.released
    stated = policy.report.about_risk() if policy else {}
    risks = [part(**_fitting(part, stated)) for part in _parts("risk", kind)]
    needed = {name for rule in policy.gate.limits() for name in _NEEDED_BY_GATE.get(rule, ())} if policy else set()
    if getattr(original, "earlier", ()):
        needed.add("composition")
    utilities = _chosen("utility", kind, policy.report.named("utility") if policy else None, needed)
    named = policy.report.named("attacks") if policy else None
    attacks = _chosen("attacks", kind, named, needed)
    steps = max(1, len(risks) + len(utilities) + len(attacks) + 1)
    derived: list[dict[str, Any]] = []
    for done, risk in enumerate(risks):
        watch(done / steps)
        derived += _measure_risk(assessment, subject, risk, known)
    attacks += [] if any(each["question"] == "identity" for each in derived) else _asking_who(kind, attacks)
    for done, utility in enumerate(utilities, len(risks)):
        part = within(watch, done / steps, (done + 1) / steps)
        assessment.utility[utility.wire_name()] = utility.beside(guarantees).measure(original, released, rng, part)
    for done, attack in enumerate(attacks, len(risks) + len(utilities)):
        part = within(watch, done / steps, (done + 1) / steps)
        found = attack.beside(guarantees).attempt(original, released, rng, part)
        # An attack that a policy names is always listed, also if its attacker does not exist for this release.
        if found.get("applicable") is not False or attack.wire_name() in needed | set(named or ()):
            assessment.attacks.append(_asked(attack, guarantees) | found)
    # The defaults are the worst case of a risk (the release is the whole population) and the full sample of an attack.
    for risk in (type(risk)() for risk in risks if risk != type(risk)()):
        assessment.plain_after[risk.wire_name()] = risk.after(released)
    for attack in (type(each)() for each in attacks if each.wire_name() in needed and each != type(each)()):
        found = attack.beside(guarantees).attempt(original, released, rng, within(watch, 1.0, 1.0))
        assessment.plain_attacks[attack.wire_name()] = _asked(attack, guarantees) | found
    return derived


def _asked(attack: Any, guarantees: Sequence[Part]) -> dict[str, Any]:
    """The name of an attack, its question, the package that adds it, and what it supposes if its attacker does not
    exist for this release."""
    about = {"name": attack.wire_name(), "question": attack.asks()}
    package = package_of(type(attack))
    about |= {} if package is None else {"package": package}
    return about if attack.fits(guarantees) else about | {"supposes": NAMED_NODES}


def _measure_risk(
    assessment: Assessment, subject: Subject, risk: Any, known: MutableMapping[str, Any]
) -> list[dict[str, Any]]:
    """Add a risk before and after, and return the answer that follows from it, if there is one."""
    name, key = risk.wire_name(), f"{subject.kind} {risk.wire_name()} {risk.model_dump_json()}"
    if key not in known:
        known[key] = risk.before(subject.original)
    assessment.before[name] = known[key]
    assessment.after[name] = risk.after(subject.released)
    answer = risk.answer(subject.original, subject.released, assessment.after[name])
    return [] if answer is None else [{"name": name, "question": risk.question, **answer}]


def _asking_who(kind: str, chosen: Sequence[Any]) -> list[Any]:
    """Return the attacks that always run, except those already chosen: a policy cannot leave open who someone is."""
    names = {attack.wire_name() for attack in chosen}
    return [part() for part in _parts("attacks", kind) if part.always and part.wire_name() not in names]


def _parts(folder: str, kind: str) -> list[Any]:
    return list(catalogue.parts(folder, kind))


def _fitting(part: type[Part], stated: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in stated.items() if name in part.model_fields}


def _chosen(folder: str, kind: str, named: Mapping[str, Part | None] | None, needed: set[str]) -> list[Any]:
    """Return the parts that the policy names (all defaults if it names none), with its parameters, and the parts needed
    by the gate or by earlier releases."""
    stated = named or {}
    wanted = needed | set(stated)
    return [
        stated.get(part.wire_name()) or part()
        for part in _parts(folder, kind)
        if part.wire_name() in wanted or (named is None and getattr(part, "default", True))
    ]


_NEEDED_BY_GATE = {
    "max_linkage_rate": ("record_linkage",),
    "max_loss": ("ncp",),
    "max_edges_changed": ("edges_changed",),
    "max_reidentified": ("degree", "degree_trajectory"),
    "max_link_posterior": ("link_disclosure",),
    "max_plausibility_auc": ("fake_edge_plausibility",),
}
"""If a rule lists two parts, each kind of data has one of them."""


def refuse(policy: Policy, protected: Protected, assessment: Assessment) -> list[Reason]:
    """The gate's rules that the release breaks."""
    measured = gate_figures(protected, assessment)
    reasons = []
    for rule, limit in policy.gate.limits().items():
        figure = measured.get(rule)
        if figure is None:
            reasons.append(Reason(rule, limit, None, "the figure could not be measured"))
        elif figure < limit if rule.startswith("min_") else figure > limit:
            reasons.append(Reason(rule, limit, figure))
    return reasons


def gate_figures(protected: Protected, assessment: Assessment) -> dict[str, float | None]:
    """The figure of every rule, measured with default parameters; None if it was not measured."""
    account = protected.account
    after = assessment.after | assessment.plain_after
    attacks = [*assessment.attacks, *assessment.plain_attacks.values()]
    rows_in = account.get("rows_in") or 0
    return {
        "max_suppressed": account["rows_suppressed"] / rows_in if rows_in else None,
        "max_prosecutor_risk": after.get("prosecutor", {}).get("max"),
        "max_journalist_risk": after.get("journalist", {}).get("max"),
        "max_marketer_risk": after.get("marketer", {}).get("value"),
        "max_linkage_rate": rate_of(attacks, "record_linkage"),
        "max_homogeneous": after.get("homogeneity", {}).get("value"),
        "max_loss": assessment.utility.get("ncp", {}).get("value"),
        "max_edges_changed": _edges_changed(account, assessment),
        "max_reidentified": rate_of(attacks, "degree_trajectory", "degree"),
        "min_candidate_set": after.get("trajectory", after.get("degree", {})).get("k"),
        "max_link_posterior": rate_of(attacks, "link_disclosure", figure="highest"),
        "max_plausibility_auc": rate_of(attacks, "fake_edge_plausibility"),
    }


def _edges_changed(account: Mapping[str, Any], assessment: Assessment) -> float | None:
    """Return the share of changed edges: measured against the original where that is possible, else as the method
    counts; None, and not nothing, if it does not count."""
    measured = assessment.utility.get("edges_changed", {}).get("share")
    if measured is not None:
        return float(measured)
    counted = [account[name] for name in ("edges_added", "edges_removed") if name in account]
    return float(sum(counted) / max(account.get("edges_in") or 0, 1)) if counted else None
