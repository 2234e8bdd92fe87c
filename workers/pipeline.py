"""The pipeline: load → check → protect → seal → verify the sealed bytes → measure → publish or refuse.

Each stage is entered with a beat. Nothing is visible to anyone before the last transaction, which is fenced: a
worker that lost its lease, or whose job was cancelled, cannot publish.
"""

import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

import verifier
from antifaz import assess, protect
from antifaz.errors import Infeasible, Reason
from antifaz.explain import explain
from antifaz.graphs.graph import ProtectedGraph
from antifaz.nearest import nearest_setting
from antifaz.policy import Policy, privacy_loss
from antifaz.tables.table import ProtectedTable, ReleasedColumn, Role, ValueType
from antifaz.watch import within
from storage import audit, blobs, jobs, ledger, releases, reports
from storage.errors import Shredded
from storage.failpoints import reach
from storage.intake import store_original
from storage.keyring import store_sealed
from verifier.joint import EarlierRelease, Version, joint_finding, joint_finding_of_versions
from workers import sources, versions
from workers.codecs import render_graph, render_nodes, render_table
from workers.codecs.dictionary import describe_columns
from workers.context import Context, cryptographic_generator
from workers.evidence import sealed_evidence
from workers.problems import refusal_of
from workers.report import (
    Cost,
    Outcome,
    achieved_k,
    build_report,
    highest_risk,
    promises_differential_privacy,
)
from workers.watch import JobWatch, LostLease

ACTOR = "worker"


class Overtaken(Exception):
    """Another release of the lineage came first: the job must be done again, with that one in view."""


@dataclass(frozen=True)
class Sealed:
    """One artifact in its final, encrypted form."""

    format: str
    part: str
    blob_id: UUID
    size: int
    sha256: str


def publish_dataset(ctx: Context, job: jobs.JobRecord, watch: JobWatch) -> None:
    """Carry one job from its dataset to a release or a refusal."""
    dataset_record = sources.dataset_of(ctx, job)
    policy, document, hierarchies = sources.read_policy(ctx, job)
    reach("decrypted")
    dataset, intake = sources.read_dataset(ctx, dataset_record, watch, getattr(policy, "edge_attributes", "drop"))
    populations = sources.read_populations(ctx, job, policy, watch)
    outcome = Outcome(job, dataset_record, policy, intake, dataset)

    rng = cryptographic_generator()
    try:
        watch.enter("check")
        checked = protect.check(dataset, policy, hierarchies, populations)
        outcome.cost = _charged(ctx, outcome)
        outcome.earlier = _composable_releases(ctx, outcome)
        checked = _beside_earlier(outcome, checked)
    except Infeasible as error:
        _refuse(ctx, watch, outcome, refusal_of(error))
        return
    reach("charged")
    watch.enter("protect")
    key = sources.key_of_pseudonyms(ctx, dataset_record, policy)
    try:
        protected = protect.protect(checked, policy, rng, watch, key)
    except Infeasible as error:
        nearest = _nearest(checked, outcome, error.reasons, rng, watch)
        _refuse(ctx, watch, outcome, refusal_of(error, nearest))
        return
    outcome.protected = protected
    reach("protected")

    watch.enter("seal")
    sealed = list(_seal(ctx, job.tenant_id, policy, protected))
    outcome.artifacts = [{"format": s.format, "part": s.part, "sha256": s.sha256, "bytes": s.size} for s in sealed]
    reach("sealed")

    watch.enter("verify")
    directed = protected.graph is not None and protected.graph.graph.directed
    artifacts = list(_read_back(ctx, job.tenant_id, sealed))
    outcome.verdict = verifier.verify(
        document, artifacts, sealed_evidence(checked, protected, outcome.cost), directed=directed
    )
    marks = versions.marks_of(dataset, policy, outcome.maps)
    sealed_map = _map_of(protected, checked, marks)
    outcome.joint = _verify_jointly(outcome, document, sealed_map, checked, marks)
    reach("verified")

    watch.enter("measure")
    if outcome.verdict.holds:
        outcome.assessment = assess.assess(checked, protected, policy, rng, watch)
        outcome.explanation = explain(checked, protected, policy)
    reasons = _reasons(outcome, policy)
    if reasons:
        _discard(ctx, sealed)
        gated = all(reason.rule in policy.gate.limits() for reason in reasons)
        nearest = _nearest(checked, outcome, reasons, rng, watch) if gated else {}
        _refuse(ctx, watch, outcome, refusal_of(Infeasible(reasons), nearest))
        return

    watch.enter("publish")
    _release(ctx, watch, outcome, sealed, sealed_map)


# --- sealing ---------------------------------------------------------------------------------------------------------


def _seal(ctx: Context, tenant_id: UUID, policy: Policy, protected: protect.Protected) -> Iterator[Sealed]:
    for form, part, content in _rendered(policy, protected):
        digest = hashlib.sha256()
        with ctx.main.begin() as connection:
            stored = blobs.write_release_blob(connection, ctx.release_key, tenant_id, _hashed(content, digest))
        yield Sealed(form, part, stored.id, stored.size, digest.hexdigest())


def _rendered(policy: Policy, protected: protect.Protected) -> Iterator[tuple[str, str, Iterable[bytes]]]:
    columns = protected.table.columns if protected.table else ()
    if protected.graph is None:
        for form in policy.formats:
            yield form, "table", render_table(columns, form)
        return
    graph = protected.graph.graph
    # What not every format can say of edges, the edge list says.
    always = ("edgelist",) if protected.edges else ()
    for form in dict.fromkeys((*policy.formats, *always)):
        yield form, "graph", render_graph(graph, form, columns, protected.edges)
    for form in ("csv", "parquet"):
        yield form, "nodes", render_nodes(graph.n, columns, form)
    for number, sample in enumerate(protected.graph.samples, start=1):
        yield from _rendered_sample(policy, sample, f"sample_{number}")


def _rendered_sample(policy: Policy, sample: ProtectedGraph, part: str) -> Iterator[tuple[str, str, Iterable[bytes]]]:
    """A graph drawn from a generalized one, and of which supernode each of its nodes is."""
    for form in policy.formats:
        yield form, part, render_graph(sample.graph, form)
    supernodes = np.unique(sample.origin, return_inverse=True)
    labels = np.array([str(number) for number in supernodes[0]], dtype=object)
    column = ReleasedColumn(
        "supernode", "supernode", Role.INSENSITIVE, ValueType.INTEGER, supernodes[1].astype(np.int32), labels
    )
    for form in ("csv", "parquet"):
        yield form, f"{part}_nodes", render_nodes(sample.graph.n, (column,), form)


def _hashed(content: Iterable[bytes], digest: Any) -> Iterator[bytes]:
    for piece in content:
        digest.update(piece)
        yield piece
        reach("sealing")


def _read_back(ctx: Context, tenant_id: UUID, sealed: Iterable[Sealed]) -> Iterator[verifier.Artifact]:
    """The artifacts as they will be served: decrypted from the store, compared with what was rendered."""
    for artifact in sealed:
        with ctx.main.connect() as connection:
            content = b"".join(blobs.read_release_chunks(connection, ctx.release_key, tenant_id, artifact.blob_id))
        if hashlib.sha256(content).hexdigest() != artifact.sha256:
            raise blobs.CorruptBlob("the stored artifact is not the one that was rendered")
        yield verifier.Artifact(artifact.format, artifact.part, content)


def _discard(ctx: Context, sealed: Iterable[Sealed]) -> None:
    with ctx.main.begin() as connection:
        blobs.delete_release_blobs(connection, [artifact.blob_id for artifact in sealed])


# --- repeated releases -----------------------------------------------------------------------------------------------


def _map_of(protected: protect.Protected, checked: protect.Checked, marks: versions.Marks | None) -> bytes:
    """The sealed map of a release: for every released record or node the original one, and its class; where people are
    told, whose it is."""
    if protected.graph is not None:
        of_nodes = protected.graph.origin if protected.graph.members is None else protected.graph.members
        return _packed({"origin" if protected.graph.members is None else "members": of_nodes})
    assert protected.table is not None
    records = checked.rows[protected.table.records]
    told = {} if marks is None else marks.of_records(records)
    return _packed({"records": records, "classes": _classes(protected.table), **told})


def _classes(table: ProtectedTable) -> NDArray[np.int64]:
    """Number of the class of every released record."""
    keys = np.zeros(len(table.records), dtype=np.int64)
    for column in table.columns:
        if column.role is Role.QUASI_IDENTIFIER:
            keys = np.unique(keys * np.int64(len(column.labels) + 1) + column.codes, return_inverse=True)[1]
    return keys.astype(np.int64)


def _packed(arrays: dict[str, NDArray[Any]]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _unpacked(content: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _charged(ctx: Context, outcome: Outcome) -> Cost | None:
    """What the job was charged when it was submitted, where it promises differential privacy and a budget is kept."""
    if not promises_differential_privacy(outcome):
        return None
    with ctx.main.connect() as connection:
        account = ledger.account_of(connection, outcome.dataset_record.lineage_id)
        charged = ledger.charge_of(connection, outcome.job.id)
    if account is None:
        return None
    needed = ledger.charged_for(privacy_loss(outcome.policy.public()))
    if charged is None or charged < needed:
        reason = Reason("budget", ledger.in_epsilon(needed), ledger.in_epsilon(charged or 0), "the job was not charged")
        raise Infeasible([reason])
    return Cost(charged, account.total)


def _composable_releases(ctx: Context, outcome: Outcome) -> tuple[releases.ReleaseRecord, ...]:
    """The lineage's earlier releases, to be checked with this one.

    Refused early is what no check can show to be safe: a second release of a graph, or one of another version of a
    table unless both tell by the same column whose each record is. Of releases that were all charged to one budget the
    ledger keeps the sum, and nothing else is needed.
    """
    dataset, policy = outcome.dataset_record, outcome.policy
    with ctx.main.connect() as connection:
        earlier = tuple(releases.earlier_releases(connection, dataset.lineage_id))
        charged = ledger.charged_among(connection, [release.job_id for release in earlier])
    added_up = policy.kind == "graph" and outcome.cost is not None and not policy.having(Role.QUASI_IDENTIFIER)
    counted = [r for r in earlier if added_up and r.job_id in charged and _is_all_noise(r)]
    outcome.maps = tuple(_map_of_earlier(ctx, release, outcome) for release in earlier)
    unalike = [
        r
        for r, known in zip(earlier, outcome.maps, strict=True)
        if r not in counted and not _can_be_joined(r, known, outcome)
    ]
    if unalike and not policy.waives("composition"):
        raise Infeasible([Reason("composition", 0, len(unalike), "earlier releases of this lineage cannot be joined")])
    if not policy.waives("composition"):
        _refuse_other_roles(earlier, policy)
    return earlier


def _is_all_noise(release: releases.ReleaseRecord) -> bool:
    """Whether nothing but differential privacy was promised of a release, and no classes of its nodes."""
    by_mechanism = all(guarantee["evidence"] == "mechanism" for guarantee in release.guarantees)
    return by_mechanism and all(column["role"] != Role.QUASI_IDENTIFIER for column in release.dictionary)


def _can_be_joined(release: releases.ReleaseRecord, known: Mapping[str, NDArray[Any]] | None, outcome: Outcome) -> bool:
    if release.kind != "table" or outcome.policy.kind != "table":
        return False
    if release.dataset_id == outcome.dataset_record.id:
        return True
    return known is not None and versions.speaks_of_people(known, release.dictionary, outcome.policy)


def _map_of_earlier(
    ctx: Context, release: releases.ReleaseRecord, outcome: Outcome
) -> Mapping[str, NDArray[Any]] | None:
    """The sealed map of an earlier release of a table; that of another version may have been shredded with it."""
    if release.map_blob_id is None or release.kind != "table" or outcome.policy.kind != "table":
        return None
    try:
        return _unpacked(sources.read_blob(ctx, outcome.job.tenant_id, release.map_blob_id))
    except Shredded:
        if release.dataset_id == outcome.dataset_record.id:
            raise
        return None


def _beside_earlier(outcome: Outcome, checked: protect.Checked) -> protect.Checked:
    """The records with their classes in earlier releases of the same dataset, for whoever holds several."""
    if checked.table is None or outcome.policy.kind != "table":
        return checked
    places = np.full(outcome.dataset.n, -1, dtype=np.int64)
    places[checked.rows] = np.arange(checked.table.n)
    earlier = []
    for known in _own_maps(outcome):
        classes = np.full(checked.table.n, -1, dtype=np.int64)
        home = places[known["records"]]
        classes[home[home >= 0]] = known["classes"][home >= 0]
        earlier.append(classes)
    return replace(checked, table=replace(checked.table, earlier=tuple(earlier)))


def _own_maps(outcome: Outcome) -> list[Mapping[str, NDArray[Any]]]:
    """The sealed maps of earlier releases of the same dataset, as far as they are still there."""
    return [
        known
        for release, known in zip(outcome.earlier, outcome.maps, strict=True)
        if known is not None and release.dataset_id == outcome.dataset_record.id
    ]


def _refuse_other_roles(earlier: Sequence[releases.ReleaseRecord], policy: Policy) -> None:
    """What attackers know by one release's account, no other may show as it is.

    Classes are those of a release's own quasi-identifiers: a column that is one here and a plain value there would
    cut them finer than any intersection of classes tells.
    """
    kinds = {name: _kind(attribute.role) for name, attribute in policy.attributes.items()}
    clashing = [release for release in earlier if _clashes(release, kinds)]
    if clashing:
        detail = "what one release generalizes or hides is published as it is by another"
        raise Infeasible([Reason("composition", 0, len(clashing), detail)])


def _kind(role: str) -> str:
    return "plain" if role in (Role.SENSITIVE, Role.INSENSITIVE) else role


def _clashes(release: releases.ReleaseRecord, kinds: dict[str, str]) -> bool:
    """Whether a column changes from one kind to another; what a policy keeps to itself clashes with nothing, and what
    an earlier release shows as a pseudonym none may show otherwise."""
    return any(
        kinds.get(column["source"], Role.IDENTIFIER) not in (Role.IDENTIFIER, _kind(column["role"]))
        for column in release.dictionary
    )


def _verify_jointly(
    outcome: Outcome,
    document: dict[str, Any],
    sealed_map: bytes,
    checked: protect.Checked,
    marks: versions.Marks | None,
) -> verifier.Finding | None:
    """Check the release together with all earlier ones of the same dataset, then with those of other versions."""
    if not outcome.earlier or outcome.policy.waives("composition") or checked.table is None:
        return None
    if None in outcome.maps:
        return joint_finding(document, [], None, {})
    dataset, policy = outcome.dataset, outcome.policy
    own = [EarlierRelease(m["records"], m["classes"]) for m in [*_own_maps(outcome), _unpacked(sealed_map)]]
    sensitive = {name: protect.typed(dataset, policy, name).codes for name in policy.having(Role.SENSITIVE)}
    finding = joint_finding(document, own, dataset.n, sensitive, protect.persons(dataset, policy))
    others = _other_versions(outcome)
    if not finding.holds or not others or marks is None:
        return finding
    newest = Version(own, marks.persons, marks.sensitive)
    return joint_finding_of_versions(document, [*map(versions.version_of, others), newest], marks.nobody)


def _other_versions(outcome: Outcome) -> list[list[Mapping[str, NDArray[Any]]]]:
    """The sealed maps of the lineage's other datasets, those of one dataset together."""
    found: dict[UUID, list[Mapping[str, NDArray[Any]]]] = {}
    for release, known in zip(outcome.earlier, outcome.maps, strict=True):
        if known is not None and release.dataset_id != outcome.dataset_record.id:
            found.setdefault(release.dataset_id, []).append(known)
    return list(found.values())


def _still_newest(connection: Connection, outcome: Outcome) -> None:
    """No other release of the lineage may slip in between the joint check and the publication."""
    releases.lock_lineage(connection, outcome.dataset_record.lineage_id)
    now = {release.id for release in releases.earlier_releases(connection, outcome.dataset_record.lineage_id)}
    if now != {release.id for release in outcome.earlier}:
        raise Overtaken("another release of this lineage was published meanwhile")


# --- the end ---------------------------------------------------------------------------------------------------------


def _reasons(outcome: Outcome, policy: Policy) -> list[Reason]:
    verdict, protected, assessment = outcome.verdict, outcome.protected, outcome.assessment
    reasons = _broken_promises(verdict) if verdict is not None else []
    if verdict is None or protected is None or (assessment is None and not reasons):
        raise RuntimeError("a release is judged only after it was verified and measured")
    if outcome.joint is not None and not outcome.joint.holds:
        required, achieved = outcome.joint.required.get("k"), outcome.joint.achieved.get("k")
        reasons.append(Reason("composition", required, achieved, outcome.joint.detail))
    return reasons + ([] if assessment is None else assess.refuse(policy, protected, assessment))


def _broken_promises(verdict: verifier.Verdict) -> list[Reason]:
    """What the bytes do not keep. Such a release is not measured: nothing that its method says of it need be so."""
    reasons = [Reason("release_form", detail=fault) for fault in verdict.faults]
    for finding in verdict.findings:
        if not finding.holds:
            reasons.append(
                Reason(f"guarantee:{finding.model}", detail=finding.detail or "does not hold in the release")
            )
    return reasons


def _nearest(
    checked: protect.Checked, outcome: Outcome, reasons: Sequence[Reason], rng: np.random.Generator, watch: JobWatch
) -> dict[str, float]:
    """What would have worked; not where every try on the original would have to be paid for."""
    if promises_differential_privacy(outcome):
        return {}
    return nearest_setting(checked, outcome.policy, reasons, rng, within(watch, 1.0, 1.0))


def _refuse(ctx: Context, watch: JobWatch, outcome: Outcome, refusal: dict[str, Any]) -> None:
    watch.finish_timing()
    report = build_report(outcome, watch, release_id=None, status="refused", refusal=refusal)
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, watch.job_id, watch.fence, "refused", refusal=refusal):
            raise LostLease("the job is another's")
        _save_report(connection, outcome, report, "refused", None)
        audit.append(
            connection, outcome.job.tenant_id, ACTOR, "job.refuse", str(watch.job_id),
            {"rules": [reason["rule"] for reason in refusal["reasons"]]},
        )  # fmt: skip


def _release(ctx: Context, watch: JobWatch, outcome: Outcome, sealed: list[Sealed], sealed_map: bytes) -> None:
    release_id = uuid4()
    watch.finish_timing()
    report = build_report(outcome, watch, release_id=release_id, status="released", refusal=None)
    with ctx.main.begin() as connection:
        if not jobs.finish(connection, watch.job_id, watch.fence, "released", release_id=release_id):
            raise LostLease("the job is another's, or was cancelled")
        _still_newest(connection, outcome)
        stored_map = store_original(connection, ctx.public_key, outcome.job.tenant_id, sealed_map)
        with ctx.keyring.begin() as keyring:
            store_sealed(keyring, stored_map.blob_id, stored_map.sealed)
        releases.publish(connection, _draft(outcome, release_id, sealed, stored_map.blob_id))
        reach("publishing")
        _save_report(connection, outcome, report, "released", release_id)
        audit.append(
            connection, outcome.job.tenant_id, ACTOR, "release.publish", str(release_id),
            {
                "job": str(watch.job_id),
                "artifacts": [{"format": s.format, "part": s.part, "sha256": s.sha256} for s in sealed],
                "waivers": [waiver.rule for waiver in outcome.policy.waivers],
            },
        )  # fmt: skip
    reach("published")


def _draft(outcome: Outcome, release_id: UUID, sealed: list[Sealed], map_blob_id: UUID) -> releases.ReleaseDraft:
    protected = outcome.protected
    assert protected is not None
    columns = protected.table.columns if protected.table else ()
    shape: dict[str, Any] = {"columns": [{"name": c.name, "type": c.type.value} for c in columns]}
    if protected.graph is not None:
        graph = protected.graph.graph
        shape |= {"nodes": graph.n, "edges": graph.m, "directed": graph.directed, "form": protected.graph.form}
    elif protected.table is not None:
        shape["rows"] = len(protected.table.records)
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
        dictionary=describe_columns([*columns, *protected.edges]),
        map_blob_id=map_blob_id,
        artifacts=[releases.ArtifactDraft(s.format, s.part, s.sha256, s.size, s.blob_id) for s in sealed],
    )


def _save_report(
    connection: Connection, outcome: Outcome, report: dict[str, Any], status: str, release_id: UUID | None
) -> None:
    reports.save_report(
        connection,
        reports.ReportDraft(
            job_id=outcome.job.id,
            tenant_id=outcome.job.tenant_id,
            dataset_id=outcome.dataset_record.id,
            release_id=release_id,
            status=status,
            method=outcome.policy.method.wire_name(),
            guarantees=[guarantee.wire_name() for guarantee in outcome.policy.guarantees],
            achieved_k=achieved_k(outcome),
            risk=highest_risk(outcome),
            private=promises_differential_privacy(outcome),
            content=report,
        ),
    )
