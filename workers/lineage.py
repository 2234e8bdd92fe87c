"""Repeated releases: what a release is checked against before it may join the earlier ones of its lineage.

Every release keeps a sealed map of where its records came from. Of a lineage's maps the verifier intersects the
classes; what no check can show to be safe is refused before anything is computed.
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
from antifaz.policy import Policy, price_of_policy
from antifaz.shared import Shared
from antifaz.tables.table import Role
from storage import audit, ledger, releases
from storage.errors import Forged, Shredded
from verifier.joint import joint_findings, lost_map
from verifier.versions import joint_findings_of_versions
from workers import sources, versions
from workers.context import Context
from workers.kinds import WORK
from workers.promises import (
    promise_of,
    promise_without_values,
    promised_attributes,
    unpack_promise,
)
from workers.report import Cost, Outcome, promises_differential_privacy
from workers.watch import LostLease


class Overtaken(Exception):
    """Another release of the lineage came first: the job must be done again, with that one in view."""


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A sealed map as it is stored: numbers and never code."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _unpacked(content: bytes) -> dict[str, NDArray[Any]]:
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def load_charge(ctx: Context, outcome: Outcome) -> Cost | None:
    """What the job was charged when it was submitted, where it promises differential privacy and a budget is kept."""
    if not promises_differential_privacy(outcome):
        return None
    with ctx.main.connect() as connection:
        account = ledger.account_of(connection, outcome.dataset_record.lineage_id)
        charged = ledger.charge_of(connection, outcome.job.id)
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
    """Note, before any noise is drawn, that it will be. Where no budget keeps the sum, the lineage has one draw.

    A draw counts whatever came of it: whoever could draw again after a refusal or a failure could wait for an outcome.
    """
    if not promises_differential_privacy(outcome):
        return
    with ctx.main.begin() as connection:
        alone = ledger.claim_draw(connection, outcome.job, fence, outcome.dataset_record.lineage_id)
        if alone is None:
            raise LostLease("the job is another's")
        if outcome.cost is None and ledger.account_of(connection, outcome.dataset_record.lineage_id) is not None:
            # Opened since the charge was looked for; whoever opens one charges what was drawn, and this was not yet.
            raise Infeasible([Reason("budget", detail="the job was not charged")])
        if not alone and outcome.cost is None and not outcome.policy.waives("composition"):
            detail = "noise was drawn for this lineage before, and no budget keeps the sum"
            raise Infeasible([Reason("composition", detail=detail)])


def composable_releases(
    ctx: Context, outcome: Outcome, shared: Shared | None = None
) -> tuple[releases.ReleaseRecord, ...]:
    """The lineage's earlier releases, to be checked with this one.

    Refused early is what no check can show to be safe: a second release of a graph, or one of another version of a
    table unless both tell by the same column whose each record is. A lineage with a differentially private release has
    no other kind: of releases that were all charged to one budget the ledger keeps the sum, and nothing else is needed.
    """
    policy, seen = outcome.policy, shared or Shared()
    earlier, charged = seen.once("earlier releases", partial(_look_up_earlier, ctx, outcome))
    private = promises_differential_privacy(outcome)
    counted = [r for r in earlier if outcome.cost is not None and r.job_id in charged and _adds_up(r, policy)]
    outside = [r for r in earlier if r not in counted and (private or _is_noisy(r))]
    if outside and not policy.waives("composition"):
        detail = "a lineage with differential privacy has no release that is not charged to one budget"
        remedy = "promise differential privacy and set a budget with the first upload of the lineage, or try a trial"
        raise _refused(detail, outside, remedy)
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
        remedy = "of a table, name the same privacy unit as they do; of a graph, only trials are possible now"
        raise _refused(detail, unalike, remedy)
    if not policy.waives("composition"):
        _refuse_other_roles(earlier, policy)
        _refuse_unmarked_values(earlier, outcome)
    return earlier


def _look_up_earlier(ctx: Context, outcome: Outcome) -> tuple[tuple[releases.ReleaseRecord, ...], Collection[UUID]]:
    """The lineage's earlier releases, and the jobs among theirs that were charged to its budget."""
    with ctx.main.connect() as connection:
        earlier = tuple(_all_releases(connection, ctx.release_key, outcome))
        return earlier, ledger.charged_among(connection, [release.job_id for release in earlier])


def _is_noisy(release: releases.ReleaseRecord) -> bool:
    """Whether differential privacy was promised of a release."""
    return any(guarantee["evidence"] == "mechanism" for guarantee in release.guarantees)


def _adds_up(release: releases.ReleaseRecord, policy: Policy) -> bool:
    """Whether what a release and one by this policy lose together is the sum of their epsilons: all of the release's
    promises are by mechanism, and the kind has no objection."""
    if not _is_noisy(release) or any(guarantee["evidence"] != "mechanism" for guarantee in release.guarantees):
        return False
    roles = {column["source"]: column["role"] for column in release.dictionary}
    here = {name: attribute.role for name, attribute in policy.attributes.items()}
    models = {g["model"] for g in release.guarantees}, {g.wire_name() for g in policy.guarantees}
    return WORK[policy.kind].adds_up(roles, here, models)


def _can_be_joined(release: releases.ReleaseRecord, known: Mapping[str, NDArray[Any]] | None, outcome: Outcome) -> bool:
    if release.kind != outcome.policy.kind or not outcome.policy.follows_records():
        return False
    if release.dataset_id == outcome.dataset_record.id:
        return known is None or "records" in known
    return known is not None and versions.speaks_of_people(known, outcome.policy)


def _map_of_earlier(
    ctx: Context, release: releases.ReleaseRecord, outcome: Outcome
) -> Mapping[str, NDArray[Any]] | None:
    """The sealed map of an earlier release of a table; that of another version may have been shredded with it."""
    if release.map_blob_id is None or release.kind != outcome.policy.kind or not WORK[release.kind].joins:
        return None
    try:
        known = _unpacked(sources.read_blob(ctx, outcome.job.tenant_id, release.map_blob_id))
    except Shredded:
        if release.dataset_id == outcome.dataset_record.id:
            raise
        return None
    return known if "promise" in known else None


def beside_earlier(outcome: Outcome, checked: Checked) -> Checked:
    """The dataset with what earlier releases of it show, for whoever holds several."""
    kind = kind_named(outcome.policy.kind)
    beside: Checked = kind.beside_earlier(checked, outcome.dataset.n, _own_maps(outcome))
    return beside


def _own_maps(outcome: Outcome) -> list[Mapping[str, NDArray[Any]]]:
    """The sealed maps of earlier releases of the same dataset, as far as they are still there."""
    return [
        known
        for release, known in zip(outcome.earlier, outcome.maps, strict=True)
        if known is not None and "records" in known and release.dataset_id == outcome.dataset_record.id
    ]


def _refuse_other_roles(earlier: Sequence[releases.ReleaseRecord], policy: Policy) -> None:
    """What attackers know by one release's account, no other may show as it is.

    Classes are those of a release's own quasi-identifiers: a column that is one here and a plain value there would
    cut them finer than any intersection of classes tells.
    """
    kinds = {
        name: _kind(attribute.role)
        for name, attribute in policy.attributes.items()
        if attribute.role is not Role.IDENTIFIER or attribute.pseudonym
    }
    clashing = [release for release in earlier if _clashes(release, kinds)]
    if clashing:
        names = sorted({name for release in clashing for name in _clashes(release, kinds)})
        detail = f"what one release generalizes or hides is published as it is by another: {', '.join(names)}"
        raise _refused(detail, clashing, "give these columns the roles that they have there, or the role identifier")


_MOST_NAMED = 3


def _refused(detail: str, earlier: Sequence[releases.ReleaseRecord], remedy: str) -> Infeasible:
    """No release beside these; which they are, and what is possible now."""
    return Infeasible([Reason("composition", 0, len(earlier), _with_remedy(detail, earlier, remedy))])


def _with_remedy(detail: str, earlier: Sequence[releases.ReleaseRecord], *remedies: str) -> str:
    """What is wrong, beside which releases, and what is possible now."""
    named = ", ".join(str(release.id) for release in earlier[:_MOST_NAMED])
    more = f" and {len(earlier) - _MOST_NAMED} more" if len(earlier) > _MOST_NAMED else ""
    possible = "; or ".join([*remedies, "waive composition with a reason"])
    return f"{detail}; release {named}{more}. Possible now: {possible}"


def _kind(role: str) -> str:
    return "plain" if role in (Role.SENSITIVE, Role.INSENSITIVE) else role


def _clashes(release: releases.ReleaseRecord, kinds: dict[str, str]) -> list[str]:
    """The columns that change from one kind to another, of which a pseudonym is one; what a policy keeps to itself
    clashes with nothing."""
    shown = {column["source"]: _kind(column["role"]) for column in release.dictionary}
    return [name for name, kind in shown.items() if kinds.get(name, kind) != kind]


def _refuse_unmarked_values(earlier: Sequence[releases.ReleaseRecord], outcome: Outcome) -> None:
    """Between versions, values that anybody promised something about are followed by marks: every release that shows
    them must have marks of them, for which those of a newer release of the same dataset will do."""
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
        detail = "another version shows a column that was promised something about, and kept no marks of it"
        raise _refused(detail, unmarked, "promise nothing about columns that the other version shows as they are")


def promised_in(outcome: Outcome) -> set[str]:
    """The attributes whose values any release of the lineage promises something about, the newest among them."""
    records = [unpack_promise(known["promise"]) for known in outcome.maps if known is not None]
    return set().union(*map(promised_attributes, [outcome.policy.public(), *records]))


def verify_jointly(outcome: Outcome, sealed_map: bytes, marks: versions.Marks | None) -> list[verifier.Finding]:
    """Check the release together with all earlier ones of the same dataset, then with those of other versions.

    Readers of this release need not know the columns of another, so a finding names none that this one does not show.
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
    added_up, joins = promises_differential_privacy(outcome), WORK[outcome.policy.kind].joins
    if not outcome.earlier or outcome.policy.waives("composition") or added_up or not joins:
        return []
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
    """Why a release may not join the earlier ones: what was promised, what would be left of it, and what helps."""
    figure = next((name for name in ("k", "l", "t", "alpha", "beta") if name in finding.required), "")
    columns = ", ".join(outcome.policy.having(Role.QUASI_IDENTIFIER))
    remedy = (
        f"release fewer of the columns that are cut otherwise here ({columns}), by the role identifier, or cut them as "
        "that release does"
    )
    # Where nothing can be shown, as the map of a release is gone, no other way to cut helps.
    detail = _with_remedy(finding.detail, outcome.earlier, *([remedy] if finding.achieved else []))
    return Reason("composition", finding.required.get(figure), finding.achieved.get(figure), detail)


def _other_versions(
    earlier: Sequence[releases.ReleaseRecord], outcome: Outcome
) -> list[list[Mapping[str, NDArray[Any]]]]:
    """The sealed maps of the lineage's other datasets, those of one dataset together."""
    found: dict[UUID, list[Mapping[str, NDArray[Any]]]] = {}
    for release, known in zip(earlier, outcome.maps, strict=True):
        if known is not None and release.dataset_id != outcome.dataset_record.id:
            found.setdefault(release.dataset_id, []).append(known)
    return list(found.values())


def _all_releases(connection: Connection, keys: bytes, outcome: Outcome) -> list[releases.ReleaseRecord]:
    """Every release of the lineage; `Forged` if the audit trail tells of one that is not there."""
    dataset = outcome.dataset_record
    found = releases.earlier_releases(connection, keys, dataset.lineage_id)
    noted = audit.subjects_of(connection, dataset.tenant_id, "release.publish", {"lineage": str(dataset.lineage_id)})
    if not noted <= {str(release.id) for release in found}:
        raise Forged("an earlier release of the lineage is missing")
    return found


def require_newest(connection: Connection, keys: bytes, outcome: Outcome) -> None:
    """No other release of the lineage may slip in between the joint check and the publication."""
    releases.lock_lineage(connection, outcome.dataset_record.lineage_id)
    now = {release.id for release in _all_releases(connection, keys, outcome)}
    if now != {release.id for release in outcome.earlier}:
        raise Overtaken("another release of this lineage was published meanwhile")
