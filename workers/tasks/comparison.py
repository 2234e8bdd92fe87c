"""Comparison: several policies tried on one dataset, one after the other, and their figures side by side.

The dataset and its populations are read and typed once, and earlier releases are looked up once. A policy is checked
against the dataset once for all its repeats, and the risks of the original are measured once for all policies that see
it in the same way; measures of an original graph are cached with it. Every run is protected, rendered in memory,
verified and measured like a release; only the figures are stored.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any

import numpy as np

import verifier
from antifaz import protection
from antifaz.answers import Answers, headline, is_number, mean_answers
from antifaz.errors import Infeasible, InvalidDataset
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds.kind import Checked, Dataset
from antifaz.policy.model import Policy
from antifaz.shared import Shared
from antifaz.watch import within
from publication.generator import cryptographic_generator
from publication.kinds import PUBLISHERS
from storage.audit import audit
from storage.datasets.datasets import DatasetRecord
from storage.failpoints import reach
from storage.jobs import comparisons, jobs
from workers.pipeline import lineage, pipeline
from workers.run import sources
from workers.run.context import Context
from workers.run.report import Outcome
from workers.run.watch import JobWatch, LostLease

_LOSSES = {"ncp": False, "edge_jaccard": True}
"""Measures that give the loss; True if the measure gives the share that was kept."""


@dataclass(frozen=True)
class Tried:
    """One run of one policy."""

    figures: dict[str, float] = field(default_factory=dict)
    answers: Answers = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    """The rules that refused it; empty if it could be released."""


@dataclass(frozen=True)
class Candidate:
    """One of the policies, ready to be run."""

    name: str
    policy: Policy
    document: dict[str, Any]
    hierarchies: Mapping[str, Hierarchy]


def compare(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Run every policy the requested number of times, and store the figures."""
    record = sources.dataset_of(ctx, job)
    candidates = [
        Candidate(name, *sources.resolve_policy(ctx, job, document))
        for name, document in sources.read_comparison(ctx, job).items()
    ]
    asked = job.policy or {}
    repeats = int(asked.get("repeats", 1))
    datasets = _read_once(ctx, record, watch, candidates)
    watch.enter("protect")
    tried: dict[str, list[Tried]] = {candidate.name: [] for candidate in candidates}
    total = len(candidates) * repeats
    shared = Shared()
    for place, candidate in enumerate(candidates):
        dataset, intake = datasets[_reading(candidate.policy)]
        start = Outcome(job, record, candidate.policy, intake, dataset)
        start.known = shared.once(("risks", _view(candidate)), dict)
        prepared = _prepare(ctx, start, candidate, watch, shared)
        for number in range(place * repeats, (place + 1) * repeats):
            part = _Part(watch, number / total, (number + 1) / total)
            # Each run fills in its own outcome; ``known``, about the original, is one object shared by all.
            run = prepared if isinstance(prepared, Tried) else _try(replace(start), prepared, candidate, part)
            tried[candidate.name].append(run)
    settings = asked.get("settings", {})
    rows = [_row(name, settings.get(name, {}), runs) for name, runs in tried.items()]
    _save(ctx, job, watch, mark_dominated(rows))


class _Part:
    """A share of the job's watch."""

    def __init__(self, watch: JobWatch, start: float, stop: float) -> None:
        self.job = watch
        self.within = within(watch, start, stop)


def _reading(policy: Policy) -> str:
    """Policies with the same key read a file in the same way."""
    return str(getattr(policy, "edge_attributes", ""))


def _read_once(
    ctx: Context, record: DatasetRecord, watch: JobWatch, candidates: Iterable[Candidate]
) -> dict[str, tuple[Dataset, dict[str, Any]]]:
    """The dataset, once for each way in which the policies read it."""
    by_reading = {_reading(candidate.policy): candidate.policy for candidate in candidates}
    return {name: sources.read_dataset(ctx, record, watch, policy) for name, policy in by_reading.items()}


def _view(candidate: Candidate) -> str:
    """Policies with the same key see the original in the same way: its risks do not depend on the rest."""
    stated = ("attributes", "privacy_unit", "edge_attributes", "report")
    return json.dumps({name: candidate.document.get(name) for name in stated}, sort_keys=True)


@dataclass(frozen=True)
class Prepared:
    """The common starting point of all runs of one policy."""

    checked: Checked
    key: bytes | None
    """The key of pseudonyms."""


def _prepare(ctx: Context, start: Outcome, candidate: Candidate, watch: JobWatch, shared: Shared) -> Prepared | Tried:
    """The dataset as one policy sees it, along with earlier releases; or why every run of it would be refused."""
    policy = candidate.policy
    try:
        populations = sources.read_populations(ctx, start.job, policy, watch, shared)
        checked = protection.check(start.dataset, policy, candidate.hierarchies, populations)
        PUBLISHERS[policy.kind].refuse_large(policy, checked)
        start.earlier = lineage.composable_releases(ctx, start, shared)
        checked = lineage.beside_earlier(start, checked)
    except Infeasible as error:
        return Tried(refused=tuple(reason.rule for reason in error.reasons))
    except InvalidDataset as error:
        return Tried(refused=(error.rule,))
    return Prepared(checked, sources.key_of_pseudonyms(ctx, start.dataset_record, policy))


def _try(outcome: Outcome, prepared: Prepared, candidate: Candidate, part: _Part) -> Tried:
    """One run, like a job in `workers.pipeline.pipeline`, but nothing is stored."""
    policy, rng, watch, checked = candidate.policy, cryptographic_generator(), part.job, prepared.checked
    part.within(0.0)
    try:
        outcome.protected = protection.protect(checked, policy, rng, within(part.within, 0.0, 0.6), prepared.key)
    except Infeasible as error:
        return Tried(refused=tuple(reason.rule for reason in error.reasons))
    except InvalidDataset as error:
        return Tried(refused=(error.rule,))
    reach("protected")
    artifacts = [
        verifier.Artifact(form, piece, b"".join(content))
        for form, piece, content in PUBLISHERS[policy.kind].render(policy, outcome.made)
    ]
    pipeline.verify_release(outcome, checked, candidate.document, artifacts, watch)
    reasons = pipeline.measure_release(outcome, checked, rng, within(part.within, 0.7, 1.0))
    if reasons:
        return Tried(refused=tuple(reason.rule for reason in reasons))
    assert outcome.assessment is not None
    return Tried(figures_of(outcome.assessment.after, outcome.assessment.utility), outcome.assessment.answers)


def figures_of(risks: Mapping[str, Any], utility: Mapping[str, Any]) -> dict[str, float]:
    """The single numbers of an assessment: one for each risk and each measure."""
    found: dict[str, float] = {}
    for name, measured in [*risks.items(), *utility.items()]:
        number = next((measured[key] for key in ("value", "loss", "max", "k") if _is_number(measured.get(key))), None)
        if number is not None:
            found[name] = float(number)
    return found


def _is_number(value: Any) -> bool:
    return is_number(value) and bool(np.isfinite(value))


def _row(name: str, settings: Mapping[str, Any], runs: Sequence[Tried]) -> dict[str, Any]:
    """The summary of the runs of one policy."""
    kept = [run for run in runs if not run.refused]
    names = dict.fromkeys(figure for run in kept for figure in run.figures)
    figures = {figure: _mean([run.figures[figure] for run in kept if figure in run.figures]) for figure in names}
    found = mean_answers([run.answers for run in kept])
    who = found["identity"]
    return {
        "name": name,
        "settings": dict(settings),
        "runs": len(runs),
        "refused": len(runs) - len(kept),
        "refusals": sorted({rule for run in runs for rule in run.refused}),
        "figures": figures,
        "answers": found,
        "strongest_attack": headline(found),
        "risk": None if who is None else who["rate"],
        "loss": _loss(figures),
        "dominated": False,
    }


def _mean(values: Sequence[float]) -> dict[str, Any]:
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return {"mean": fmean(values), "standard_error": error}


def _loss(figures: Mapping[str, Mapping[str, Any]]) -> float | None:
    for name, is_kept in _LOSSES.items():
        if name in figures:
            mean = float(figures[name]["mean"])
            return 1.0 - mean if is_kept else mean
    return None


def mark_dominated(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mark every row for which another row answers no question worse, has no more loss, and is better in one."""
    placed = [row for row in rows if row["loss"] is not None and any(row["answers"].values())]
    for row in placed:
        row["dominated"] = any(_dominates(other, row) for other in placed if other is not row)
    return rows


def _dominates(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a row is at least as good in everything that both have, and better in something."""
    pairs = [(one["loss"], other["loss"])]
    for question, answer in one["answers"].items():
        rates = [None if each is None else each["rate"] for each in (answer, other["answers"].get(question))]
        if is_number(rates[0]) and is_number(rates[1]):
            pairs.append((rates[0], rates[1]))
        elif rates[0] is not rates[1]:
            return False
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _save(ctx: Context, job: jobs.JobRecord, watch: JobWatch, rows: list[dict[str, Any]]) -> None:
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, job.id, watch.fence, "assessed"):
            raise LostLease("the job is another's, or was cancelled")
        comparisons.save_comparison(connection, ctx.release_key, job.tenant_id, job.id, rows)
        details = {"policies": len(rows)}
        audit.append(connection, job.tenant_id, pipeline.ACTOR, "comparison.assess", str(job.id), details)
