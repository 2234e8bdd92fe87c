"""The pipeline: load → check → protect → seal → verify the sealed bytes → measure → publish or refuse.

Each stage begins with a heartbeat. Nothing is visible to anyone before the last transaction, which is fenced: a worker
that lost its lease, or whose job was cancelled, cannot publish.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

import verifier
from antifaz import protection
from antifaz.assessment import Assessment, assess, refuse
from antifaz.errors import Cancelled, Infeasible, Reason
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked, Protected
from antifaz.nearest import nearest_setting
from antifaz.policy.model import Policy
from antifaz.watch import Watch, within
from publication import versions
from publication.dictionary import describe_columns
from publication.generator import cryptographic_generator
from publication.kinds import PUBLISHERS
from publication.outcomes import refuse_outcome
from storage.audit import audit
from storage.blobs.blobs import Maker
from storage.blobs.intake import store_original
from storage.blobs.keyring import store_sealed
from storage.failpoints import reach
from storage.jobs import jobs
from storage.releases import releases, reports
from verifier.verdict.watch import watched_by
from workers.pipeline import followups, lineage, sealing
from workers.pipeline.sealing import Sealed
from workers.run import sources
from workers.run.context import Context
from workers.run.problems import refusal_of, without_figures
from workers.run.report import Outcome, achieved_k, build_report, headline_risk, promises_differential_privacy
from workers.run.sizes import require_room
from workers.run.watch import JobWatch, LostLease

ACTOR = "worker"
_NOT_OF_POPULATIONS = frozenset({"budget", "composition", "naive", "no_guarantee", "nothing_kept", "release_form"})
"""Reasons for a refusal that disclose nothing of the population that the release was checked against."""
_LOGGER = logging.getLogger(__name__)


def publish_dataset(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Run one job, from its dataset to a release or a refusal."""
    _carry(ctx, job, watch, _release)


def try_policy(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """The same without a release: the result of a policy is measured, then destroyed."""
    _carry(ctx, job, watch, _assess)


def _carry(ctx: Context, job: jobs.JobRecord, watch: JobWatch, conclude: "Conclusion") -> None:
    dataset_record = sources.dataset_of(ctx, job)
    policy, document, hierarchies = sources.read_policy(ctx, job)
    reach("decrypted")
    dataset, intake = sources.read_dataset(ctx, dataset_record, watch, policy)
    populations = sources.read_populations(ctx, job, policy, watch)
    outcome = Outcome(job, dataset_record, policy, intake, dataset)

    rng = cryptographic_generator()
    try:
        watch.enter("check")
        checked = protection.check(dataset, policy, hierarchies, populations)
        PUBLISHERS[policy.kind].refuse_large(policy, checked)
        outcome.cost = lineage.load_charge(ctx, outcome)
        outcome.earlier = lineage.composable_releases(ctx, outcome)
        checked = lineage.beside_earlier(outcome, checked)
        lineage.claim_draw(ctx, outcome, watch.fence)
    except Infeasible as error:
        _refuse(ctx, watch, outcome, refusal_of(error))
        return
    reach("charged")
    watch.enter("protect")
    key = sources.key_of_pseudonyms(ctx, dataset_record, policy)
    try:
        protected = protection.protect(checked, policy, rng, watch, key)
    except Infeasible as error:
        nearest = _nearest(checked, outcome, error.reasons, rng, watch)
        _refuse(ctx, watch, outcome, refusal_of(error, nearest))
        return
    outcome.protected = protected
    reach("protected")

    watch.enter("seal")
    sealed = list(sealing.seal(ctx, Maker(job.id, watch.fence), job.tenant_id, policy, protected))
    outcome.artifacts = [{"format": s.format, "part": s.part, "sha256": s.sha256, "bytes": s.size} for s in sealed]
    reach("sealed")

    watch.enter("verify")
    sealed_map = verify_release(outcome, checked, document, list(sealing.read_back(ctx, job.tenant_id, sealed)), watch)
    reach("verified")

    watch.enter("measure")
    reasons = measure_release(outcome, checked, rng, watch)
    if reasons:
        sealing.discard(ctx, sealed)
        gated = all(reason.rule in policy.gate.limits() for reason in reasons)
        nearest = _nearest(checked, outcome, reasons, rng, watch) if gated else {}
        _refuse(ctx, watch, outcome, refusal_of(Infeasible(reasons), nearest))
        return

    watch.enter("publish")
    conclude(ctx, watch, outcome, sealed, sealed_map)


def verify_release(
    outcome: Outcome, checked: Checked, document: dict[str, Any], artifacts: list[verifier.Artifact], watch: JobWatch
) -> bytes:
    """Verify the bytes alone and together with the lineage's earlier releases; return the map to be sealed."""
    policy, protected = outcome.policy, outcome.made
    evidence = PUBLISHERS[policy.kind].evidence(checked, protected, policy, outcome.cost)
    directed = bool(kind_named(policy.kind).shape(protected).get("directed"))
    outcome.verdict = verifier.verify(document, artifacts, evidence, directed, watch=watch.stay)
    marks = versions.marks_of(outcome.dataset, policy, outcome.maps, lineage.promised_in(outcome))
    sealed_map = lineage.packed(PUBLISHERS[policy.kind].sealed_map(document, policy, checked, protected, marks))
    with watched_by(watch.stay):
        outcome.joint = lineage.verify_jointly(outcome, sealed_map, marks)
    return sealed_map


def measure_release(outcome: Outcome, checked: Checked, rng: np.random.Generator, watch: Watch) -> list[Reason]:
    """Measure a release whose guarantees hold; return the reasons why it may not be published."""
    if outcome.verdict is None:
        raise RuntimeError("a release is measured only after it was verified")
    if _broken_promises(outcome.verdict):
        return _reasons(outcome, outcome.policy)
    _measure(outcome, checked, outcome.made, rng, watch)
    unfit = refuse_outcome(outcome.verdict, checked, outcome.made, outcome.policy)
    return _reasons(outcome, outcome.policy) + unfit


def _measure(outcome: Outcome, checked: Checked, protected: Protected, rng: np.random.Generator, watch: Watch) -> None:
    """Compare the release with the original. With a guarantee by mechanism, an error in a measure is logged and does
    not stop the job: whether there is a release must not depend on how it compares with the original."""
    try:
        outcome.assessment = assess(checked, protected, outcome.policy, rng, watch, outcome.known)
        outcome.explanation = kind_named(outcome.policy.kind).explain(checked, protected, outcome.policy)
    except (LostLease, Cancelled, DBAPIError):
        raise
    except Exception as error:
        if not promises_differential_privacy(outcome):
            raise
        _LOGGER.error("a measure failed", exc_info=error, extra={"fields": {"job": str(outcome.job.id)}})
        outcome.assessment, outcome.explanation, outcome.unmeasured = Assessment(), {}, True


# --- the end ---------------------------------------------------------------------------------------------------------


def _reasons(outcome: Outcome, policy: Policy) -> list[Reason]:
    verdict, protected, assessment = outcome.verdict, outcome.protected, outcome.assessment
    reasons = _broken_promises(verdict) if verdict is not None else []
    if verdict is None or protected is None or (assessment is None and not reasons):
        raise RuntimeError("a release is judged only after it was verified and measured")
    reasons += [lineage.broken_promise(finding, outcome) for finding in outcome.joint if not finding.holds]
    return reasons + ([] if assessment is None else refuse(policy, protected, assessment))


def _broken_promises(verdict: verifier.Verdict) -> list[Reason]:
    """The guarantees that the bytes break. Such a release is not measured: its method's account may be wrong."""
    reasons = [Reason("release_form", detail=fault) for fault in verdict.faults]
    for finding in verdict.findings:
        if not finding.holds:
            reasons.append(
                Reason(f"guarantee:{finding.model}", detail=finding.detail or "does not hold in the release")
            )
    return reasons


def _nearest(
    checked: Checked, outcome: Outcome, reasons: Sequence[Reason], rng: np.random.Generator, watch: JobWatch
) -> dict[str, float]:
    """Settings that would have worked; none if each try on the original would have to be charged, or would count
    people of a population."""
    if promises_differential_privacy(outcome) or outcome.policy.populations():
        return {}
    return nearest_setting(checked, outcome.policy, reasons, rng, within(watch, 1.0, 1.0))


def _refuse(ctx: Context, watch: JobWatch, outcome: Outcome, refusal: dict[str, Any]) -> None:
    if outcome.policy.populations():
        refusal = without_figures(refusal, {*outcome.policy.gate.limits(), *_NOT_OF_POPULATIONS})
    watch.finish_timing()
    report = build_report(outcome, watch, release_id=None, status="refused", refusal=refusal)
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, watch.job_id, watch.fence, "refused", refusal=refusal):
            raise LostLease("the job is another's")
        _save_report(connection, ctx.release_key, outcome, report, "refused", None)
        audit.append(
            connection, outcome.job.tenant_id, ACTOR, "job.refuse", str(watch.job_id),
            {"rules": [reason["rule"] for reason in refusal["reasons"]]},
        )  # fmt: skip


def _release(ctx: Context, watch: JobWatch, outcome: Outcome, sealed: list[Sealed], sealed_map: bytes) -> None:
    release_id = uuid4()
    watch.finish_timing()
    report = build_report(outcome, watch, release_id=release_id, status="released", refusal=None)
    reach("ending")
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, watch.job_id, watch.fence, "released", release_id=release_id):
            raise LostLease("the job is another's, or was cancelled")
        # Another release of the lineage may have been published while this one was checked against the earlier ones.
        lineage.require_newest(connection, ctx.release_key, outcome)
        stored_map = store_original(connection, ctx.public_key, outcome.job.tenant_id, sealed_map)
        # The key is committed first, in the other database: a key without data is harmless, data without a key are
        # lost.
        with ctx.keyring.begin() as keyring:
            store_sealed(keyring, stored_map.blob_id, stored_map.sealed)
        audience = followups.audience_of(connection, ctx.release_key, outcome.job)
        draft = replace(_draft(outcome, release_id, sealed, stored_map.blob_id), audience=audience)
        release = releases.publish(connection, ctx.release_key, draft)
        followups.follow(connection, ctx.release_key, outcome.job, release)
        reach("publishing")
        _save_report(connection, ctx.release_key, outcome, report, "released", release_id)
        audit.append(
            connection, outcome.job.tenant_id, ACTOR, "release.publish", str(release_id),
            {
                "job": str(watch.job_id),
                "lineage": str(outcome.dataset_record.lineage_id),
                "artifacts": [{"format": s.format, "part": s.part, "sha256": s.sha256} for s in sealed],
                "waivers": [waiver.rule for waiver in outcome.policy.waivers],
            },
        )  # fmt: skip
        followups.note(connection, ACTOR, outcome.job, release)
        # Last, under the lock of the tenant's trail that the entry above took: of two releases for the last bytes one
        # fails.
        require_room(connection, ctx.settings, outcome.job.tenant_id)
    reach("published")


def _assess(ctx: Context, watch: JobWatch, outcome: Outcome, sealed: list[Sealed], _sealed_map: bytes) -> None:
    """End a trial: rendered files are deleted first, so that none remain however the job ends."""
    sealing.discard(ctx, sealed)
    watch.finish_timing()
    report = build_report(outcome, watch, release_id=None, status="assessed", refusal=None)
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, watch.job_id, watch.fence, "assessed"):
            raise LostLease("the job is another's, or was cancelled")
        _save_report(connection, ctx.release_key, outcome, report, "assessed", None)
        audit.append(connection, outcome.job.tenant_id, ACTOR, "trial.assess", str(watch.job_id), {})


Conclusion = Callable[[Context, JobWatch, Outcome, list[Sealed], bytes], None]
"""The last step for a release that may be published."""


def _draft(outcome: Outcome, release_id: UUID, sealed: list[Sealed], map_blob_id: UUID) -> releases.ReleaseDraft:
    protected = outcome.protected
    assert protected is not None
    columns = [{"name": column.name, "type": column.type.value} for column in protected.columns]
    shape = {"columns": columns, **kind_named(outcome.policy.kind).shape(protected)}
    written = getattr(outcome.policy, "csv", None)
    if written is not None and written != type(written)():
        shape["csv"] = written.model_dump()
    return releases.ReleaseDraft(
        id=release_id,
        job_id=outcome.job.id,
        tenant_id=outcome.job.tenant_id,
        dataset_id=outcome.dataset_record.id,
        lineage_id=outcome.dataset_record.lineage_id,
        kind=outcome.policy.kind,
        name=outcome.dataset_record.name,
        shape=shape,
        guarantees=outcome.guarantees(),
        dictionary=describe_columns(PUBLISHERS[outcome.policy.kind].described(outcome.policy, protected)),
        map_blob_id=map_blob_id,
        artifacts=[releases.ArtifactDraft(s.format, s.part, s.sha256, s.size, s.blob_id) for s in sealed],
    )


def _save_report(
    connection: Connection, keys: bytes, outcome: Outcome, report: dict[str, Any], status: str, release_id: UUID | None
) -> None:
    reports.save_report(
        connection,
        keys,
        reports.ReportDraft(
            job_id=outcome.job.id,
            tenant_id=outcome.job.tenant_id,
            dataset_id=outcome.dataset_record.id,
            release_id=release_id,
            status=status,
            method=outcome.policy.method.wire_name(),
            guarantees=[guarantee.wire_name() for guarantee in outcome.policy.guarantees],
            achieved_k=achieved_k(outcome),
            risk=headline_risk(outcome),
            private=promises_differential_privacy(outcome),
            content=report,
        ),
    )
