"""Repeated releases: the checks of a release against the earlier ones of its lineage.

Every release has a sealed map of the origin of its records. The verifier intersects the classes of a lineage's maps.
Combinations that no check can show to be safe are refused before anything is computed.
"""

import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

import verifier
from antifaz.errors import Infeasible, Reason
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked
from antifaz.policy.model import Policy
from antifaz.policy.prices import price_of_policy
from antifaz.shared import Shared
from antifaz.tables.table import Role
from publication import versions
from publication.costs import Cost
from publication.kinds import PUBLISHERS
from publication.promises import promise_of, promise_without_values, promised_attributes, unpack_promise
from storage.accounts import ledger
from storage.audit import history
from storage.errors import Shredded
from storage.releases import releases
from verifier.joint.joint import joint_findings, lost_map
from verifier.joint.versions import joint_findings_of_versions
from workers.pipeline.composition import refuse_other_ways, refused, with_remedy
from workers.run import sources
from workers.run.context import Context
from workers.run.report import Outcome, promises_differential_privacy
from workers.run.watch import LostLease


class Overtaken(Exception):
    """Another release of the lineage was published first: the job must run again and be checked against it too."""


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A sealed map in its stored form: numbers, never code."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _unpacked(content: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def load_charge(ctx: Context, outcome: Outcome) -> Cost | None:
    """The job's charge when it was submitted, if it has a differential-privacy guarantee and its lineage a budget."""
    if not promises_differential_privacy(outcome):
        return None
    with ctx.main.connect() as connection:
        account = ledger.account_of(connection, ctx.release_key, outcome.dataset_record.lineage_id)
        charged = ledger.charge_of(connection, ctx.release_key, outcome.job.id)
    if account is None:
        return None
    snapshots = outcome.dataset.counts().get("snapshots")
    loss, _ = price_of_policy(outcome.policy.public(), account.measure, snapshots)
    needed = ledger.charged_for(loss, account.measure)
    if charged is None or charged < needed:
        limit, measured = (ledger.in_loss(units, account.measure) for units in (needed, charged or 0))
        raise Infeasible([Reason("budget", limit, measured, "the job was not charged")])
    return Cost(charged, account.total, account.measure)


def claim_draw(ctx: Context, outcome: Outcome, fence: int) -> None:
    """Record, before any noise is drawn, that it will be. Without a budget, a lineage has only one draw.

    A draw counts whatever its result: if a client could draw again after a refusal or a failure, it could repeat the
    job until the outcome suits it.
    """
    if not promises_differential_privacy(outcome):
        return
    lineage_id = outcome.dataset_record.lineage_id
    with ctx.main.begin() as connection:
        alone = ledger.claim_draw(connection, outcome.job, fence, lineage_id)
        if alone is None:
            raise LostLease("the job is another's")
        if (
            outcome.cost is None
            and ledger.account_of(connection, ctx.release_key, outcome.dataset_record.lineage_id) is not None
        ):
            # The account was opened after the charge was looked up; opening charges earlier draws, but not this one.
            raise Infeasible([Reason("budget", detail="the job was not charged")])
        if not alone and outcome.cost is None and not outcome.policy.waives("composition"):
            detail = "noise was already drawn for this lineage, and it has no budget"
            raise Infeasible([Reason("composition", detail=detail)])


def composable_releases(
    ctx: Context, outcome: Outcome, shared: Shared | None = None
) -> tuple[releases.ReleaseRecord, ...]:
    """The lineage's earlier releases, to be checked together with this one.

    Releases that no check can show to be safe are refused early: a second release of a graph, or one of another version
    of a table unless both identify the person of each record by the same column. A lineage with a differentially
    private release has no other kind of release: if all are charged to one budget, the ledger's sum is enough.
    """
    policy, seen = outcome.policy, shared or Shared()
    earlier, charged, beside = seen.once("earlier releases", partial(_look_up_earlier, ctx, outcome))
    private = promises_differential_privacy(outcome)
    _refuse_beside_answers(beside)
    counted = [r for r in earlier if outcome.cost is not None and r.job_id in charged and _adds_up(r, policy)]
    outside = [r for r in earlier if r not in counted and (private or _is_noisy(r))]
    if outside and not policy.waives("composition"):
        detail = "all releases of a lineage with differential privacy must be charged to one budget"
        remedy = "require differential privacy and set a budget with the first upload of the lineage"
        raise refused(detail, outside, remedy)
    outcome.maps = tuple(
        seen.once(("map", release.id), partial(_map_of_earlier, ctx, release, outcome)) for release in earlier
    )
    unalike = [
        r
        for r, known in zip(earlier, outcome.maps, strict=True)
        if r not in counted and not _can_be_joined(r, known, outcome)
    ]
    if unalike and not policy.waives("composition"):
        detail = "earlier releases of this lineage cannot be joined"
        remedy = "for a table, name the same privacy unit as they do"
        raise refused(detail, unalike, remedy)
    if not policy.waives("composition"):
        refuse_other_ways(earlier, counted, policy, outcome.dataset)
        _refuse_unmarked_values(earlier, outcome)
    return earlier


def _look_up_earlier(
    ctx: Context, outcome: Outcome
) -> tuple[tuple[releases.ReleaseRecord, ...], Collection[UUID], bool]:
    """The lineage's earlier releases, those of their jobs that were charged to its budget, and whether anything was
    charged to it that this release may not join."""
    with ctx.main.connect() as connection:
        earlier = tuple(_all_releases(connection, ctx.release_key, outcome))
        charged = ledger.charged_among(connection, ctx.release_key, [release.job_id for release in earlier])
        return earlier, charged, _is_beside_answers(connection, ctx.release_key, outcome)


def _is_beside_answers(connection: Connection, keys: bytes, outcome: Outcome) -> bool:
    """Whether the account has charges whose loss cannot be added to that of this release. Differential privacy of
    records joins everything that was charged, another mechanism no answers, and any other promise nothing."""
    policy, lineage_id = outcome.policy, outcome.dataset_record.lineage_id
    if policy.waives("composition") or history.protects_records([g.wire_name() for g in policy.guarantees]):
        return False
    if policy.guarantees and all(guarantee.evidence == "mechanism" for guarantee in policy.guarantees):
        return history.has_answers(connection, keys, lineage_id)
    return history.spent_by_others(connection, keys, lineage_id, outcome.job.id)


def _refuse_beside_answers(beside: bool) -> None:
    """Refuse a release that shows records in a lineage with answers: together with them it tells more than either
    promises."""
    if beside:
        detail = "questions about this lineage, or releases with differential privacy, were charged to its account"
        raise refused(detail, (), "require differential privacy of records alone (`differential_privacy`)")


def _is_noisy(release: releases.ReleaseRecord) -> bool:
    """Whether a release has a differential-privacy guarantee."""
    return any(guarantee["evidence"] == "mechanism" for guarantee in release.guarantees)


def _adds_up(release: releases.ReleaseRecord, policy: Policy) -> bool:
    """Whether the joint loss of a release and one by this policy is the sum of their epsilons: all guarantees of the
    release are by mechanism, and the kind has no objection."""
    if not history.is_by_mechanism(release.guarantees):
        return False
    roles = {column["source"]: column["role"] for column in release.dictionary}
    here = {name: attribute.role for name, attribute in policy.attributes.items()}
    models = {g["model"] for g in release.guarantees}, {g.wire_name() for g in policy.guarantees}
    return PUBLISHERS[policy.kind].adds_up(roles, here, models)


def _can_be_joined(release: releases.ReleaseRecord, known: Mapping[str, NDArray[Any]] | None, outcome: Outcome) -> bool:
    if release.kind != outcome.policy.kind or not outcome.policy.follows_records():
        return False
    if release.dataset_id == outcome.dataset_record.id:
        return known is None or "records" in known
    return known is not None and versions.speaks_of_people(known, outcome.policy)


def _map_of_earlier(
    ctx: Context, release: releases.ReleaseRecord, outcome: Outcome
) -> Mapping[str, NDArray[Any]] | None:
    """The sealed map of an earlier release of a table; None if it was shredded with another version."""
    if release.map_blob_id is None or release.kind != outcome.policy.kind or not PUBLISHERS[release.kind].joins:
        return None
    try:
        known = _unpacked(sources.read_blob(ctx, outcome.job.tenant_id, release.map_blob_id))
    except Shredded:
        if release.dataset_id == outcome.dataset_record.id:
            raise
        return None
    return known if "promise" in known else None


def beside_earlier(outcome: Outcome, checked: Checked) -> Checked:
    """The dataset with the earlier releases of it, for attackers who hold several."""
    kind = kind_named(outcome.policy.kind)
    beside: Checked = kind.beside_earlier(checked, outcome.dataset.n, _own_maps(outcome))
    return beside


def _own_maps(outcome: Outcome) -> list[Mapping[str, NDArray[Any]]]:
    """The sealed maps of earlier releases of the same dataset, as far as they still exist."""
    return [
        known
        for release, known in zip(outcome.earlier, outcome.maps, strict=True)
        if known is not None and "records" in known and release.dataset_id == outcome.dataset_record.id
    ]


def _refuse_unmarked_values(earlier: Sequence[releases.ReleaseRecord], outcome: Outcome) -> None:
    """Across versions, marks follow the values that any guarantee is about: every release that shows them must have
    marks of them, and marks of a newer release of the same dataset are enough."""
    if not _other_versions(earlier, outcome):
        return
    promised = promised_in(outcome)
    marked = versions.marked(outcome.policy, promised)
    unmarked = []
    for release, known in zip(earlier, outcome.maps, strict=True):
        shown = promised & {str(column["source"]) for column in release.dictionary}
        same = release.dataset_id == outcome.dataset_record.id
        if known is not None and not versions.marks_all(known, shown, marked if same else []):
            unmarked.append(release)
    if unmarked:
        detail = "another version shows a column that a guarantee is about, but has no marks of it"
        raise refused(detail, unmarked, "require no guarantee about columns that the other version shows unchanged")


def promised_in(outcome: Outcome) -> set[str]:
    """The attributes whose values any guarantee in the lineage is about, this release included."""
    records = [unpack_promise(known["promise"]) for known in outcome.maps if known is not None]
    return set().union(*map(promised_attributes, [outcome.policy.public(), *records]))


def verify_jointly(outcome: Outcome, sealed_map: bytes, marks: versions.Marks | None) -> list[verifier.Finding]:
    """Check the release jointly with all earlier ones of the same dataset, then with those of other versions.

    Readers of this release may not know the columns of another, so a finding names only columns that this one shows.
    """
    policy = outcome.policy
    shown = {*policy.having(Role.SENSITIVE), *policy.having(Role.INSENSITIVE)}
    return [_naming(finding, shown) for finding in _joint_findings(outcome, sealed_map, marks)]


def _naming(finding: verifier.Finding, shown: set[str]) -> verifier.Finding:
    if finding.required.get("attribute") in {None, *shown}:
        return finding
    required, achieved = (
        {name: value for name, value in figures.items() if name != "attribute"}
        for figures in (finding.required, finding.achieved)
    )
    return replace(finding, required=required, achieved=achieved)


def _joint_findings(outcome: Outcome, sealed_map: bytes, marks: versions.Marks | None) -> list[verifier.Finding]:
    added_up, joins = promises_differential_privacy(outcome), PUBLISHERS[outcome.policy.kind].joins
    if not outcome.earlier or outcome.policy.waives("composition") or added_up or not joins:
        return []
    # Read from its packed form: what is checked is exactly what is sealed.
    newest = _unpacked(sealed_map)
    own = [*_own_maps(outcome), newest]
    promises = [promise_of(unpack_promise(known["promise"]), outcome.dataset) for known in own]
    if None in outcome.maps:
        return lost_map(promises)
    shown = [versions.earlier_release(known) for known in own]
    found = joint_findings(promises, shown, outcome.dataset.n)
    others = _other_versions(outcome.earlier, outcome)
    if not all(finding.holds for finding in found) or not others or marks is None:
        return found
    everything = [unpack_promise(known["promise"]) for maps in others for known in maps]
    older = [promise_without_values(record) for record in everything]
    tables = [*map(versions.version_of, others), versions.newest_version(own, marks)]
    return joint_findings_of_versions([*older, *promises], tables, marks.nobody)


def broken_promise(finding: verifier.Finding, outcome: Outcome) -> Reason:
    """Why a release may not join the earlier ones: the required and the remaining figure, and what helps."""
    figure = next((name for name in ("k", "l", "t", "alpha", "beta") if name in finding.required), "")
    columns = ", ".join(outcome.policy.having(Role.QUASI_IDENTIFIER))
    remedy = (
        f"release fewer of the quasi-identifiers that are cut differently here ({columns}), or cut them as that "
        "release does"
    )
    # If nothing can be shown because the map of a release is gone, cutting differently does not help.
    detail = with_remedy(finding.detail, outcome.earlier, *([remedy] if finding.achieved else []))
    return Reason("composition", finding.required.get(figure), finding.achieved.get(figure), detail)


def _other_versions(
    earlier: Sequence[releases.ReleaseRecord], outcome: Outcome
) -> list[list[Mapping[str, NDArray[Any]]]]:
    """The sealed maps of the lineage's other datasets, grouped by dataset."""
    found: dict[UUID, list[Mapping[str, NDArray[Any]]]] = {}
    for release, known in zip(earlier, outcome.maps, strict=True):
        if known is not None and release.dataset_id != outcome.dataset_record.id:
            found.setdefault(release.dataset_id, []).append(known)
    return list(found.values())


def _all_releases(connection: Connection, keys: bytes, outcome: Outcome) -> list[releases.ReleaseRecord]:
    dataset = outcome.dataset_record
    return history.all_releases(connection, keys, dataset.tenant_id, dataset.lineage_id)


def require_newest(connection: Connection, keys: bytes, outcome: Outcome) -> None:
    """Raise `Overtaken` if another release of the lineage was published since the joint check, or its first question
    was charged; no question is charged until the transaction ends."""
    releases.lock_lineage(connection, outcome.dataset_record.lineage_id)
    now = {release.id for release in _all_releases(connection, keys, outcome)}
    if now != {release.id for release in outcome.earlier}:
        raise Overtaken("another release of this lineage was published meanwhile")
    if _is_beside_answers(connection, keys, outcome):
        raise Overtaken("a question about this lineage was charged meanwhile")
