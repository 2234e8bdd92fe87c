"""The history of a lineage: its releases and answers, for every rule about their composition."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from storage.accounts import ledger
from storage.audit import audit
from storage.errors import Forged
from storage.releases import releases
from storage.releases.releases import ReleaseRecord


def all_releases(c: Connection, keys: bytes, tenant_id: UUID, lineage_id: UUID) -> list[ReleaseRecord]:
    """Every release of a lineage, withdrawn ones too; `Forged` if the audit trail records one that is missing."""
    found = releases.earlier_releases(c, keys, lineage_id)
    noted = audit.subjects_of(c, tenant_id, "release.publish", {"lineage": str(lineage_id)})
    if not noted <= {str(release.id) for release in found}:
        raise Forged("an earlier release of the lineage is missing")
    return found


def is_by_mechanism(guarantees: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all that a release promises is differential privacy."""
    return bool(guarantees) and all(guarantee["evidence"] == "mechanism" for guarantee in guarantees)


def protects_records(models: Collection[str]) -> bool:
    """Whether whole records are protected by all that is promised, as by answers. Other mechanisms protect single
    values and publish the rest of a record unchanged."""
    return set(models) == {"differential_privacy"}


def outside_the_account(c: Connection, keys: bytes, found: Sequence[ReleaseRecord]) -> list[ReleaseRecord]:
    """Those releases whose loss cannot be added to that of answers: they promise something else than differential
    privacy of records, or were not charged."""
    charged = ledger.charged_among(c, keys, [release.job_id for release in found]) if found else set()
    return [r for r in found if r.job_id not in charged or not protects_records([g["model"] for g in r.guarantees])]


def spent_by_others(c: Connection, keys: bytes, lineage_id: UUID, job_id: UUID) -> bool:
    """Whether anything but this job was charged to the lineage's account: an answer, or a release with differential
    privacy, however its job ended."""
    account = _account_of(c, keys, lineage_id)
    if account is None or not account.charged:
        return False
    return account.spent > (ledger.charge_of(c, keys, job_id) or 0)


def has_answers(c: Connection, keys: bytes, lineage_id: UUID) -> bool:
    """Whether a question was charged to the lineage's account: whatever its publishing jobs were not charged."""
    account = _account_of(c, keys, lineage_id)
    if account is None or not account.charged:
        return False
    published = {job.id for job in ledger.charged_jobs(c, lineage_id)}
    units = sum(charge.units for charge in ledger.charges_of(c, keys, lineage_id) if charge.job_id in published)
    return account.spent > units


def _account_of(c: Connection, keys: bytes, lineage_id: UUID) -> ledger.Account | None:
    """The account of a lineage; `Forged` if its charges say that it is not the newest, or was removed."""
    account, charges = ledger.account_of(c, keys, lineage_id), ledger.charges_of(c, keys, lineage_id)
    if charges and (account is None or account.spent < max(charge.spent for charge in charges)):
        raise Forged("an account has spent less than its charges")
    return account
