"""Advice: a worker's proposal for a dataset, and the columns that it warns of.

Rows carry a code under the release key, as reports do, so that write access to the database is not enough to propose a
policy.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects.postgresql import insert

from storage.crypto.authenticity import mac_of, require_authentic
from storage.database.records import columns_of
from storage.orm import Advice

_KIND = "advice"


@dataclass(frozen=True)
class AdviceRecord:
    """The advice on one dataset."""

    dataset_id: UUID
    tenant_id: UUID
    content: dict[str, Any]
    findings: dict[str, Any]
    created_at: datetime
    mac: bytes


_COLUMNS = columns_of(AdviceRecord, Advice)


def save_advice(
    c: Connection, keys: bytes, tenant_id: UUID, dataset_id: UUID, content: dict[str, Any], findings: dict[str, Any]
) -> None:
    """Store the advice on a dataset, unless it already has one."""
    created_at = c.execute(select(func.now())).scalar_one()
    mac = mac_of(keys, _KIND, [dataset_id, tenant_id, content, findings, created_at])
    values = {"content": content, "findings": findings, "created_at": created_at, "mac": mac}
    statement = insert(Advice).values(dataset_id=dataset_id, tenant_id=tenant_id, **values)
    c.execute(statement.on_conflict_do_nothing(index_elements=[Advice.dataset_id]))


def get_advice(c: Connection, keys: bytes, tenant_id: UUID, dataset_id: UUID) -> AdviceRecord | None:
    """The advice on a dataset of the tenant; None if there is none yet."""
    statement = select(*_COLUMNS).where(Advice.dataset_id == dataset_id, Advice.tenant_id == tenant_id)
    row = c.execute(statement).one_or_none()
    if row is None:
        return None
    record = AdviceRecord(*row)
    bound = [record.dataset_id, record.tenant_id, record.content, record.findings, record.created_at]
    require_authentic(keys, _KIND, bound, record.mac)
    return record


def delete_advice(c: Connection, dataset_id: UUID) -> None:
    """Delete the advice on a deleted dataset."""
    c.execute(delete(Advice).where(Advice.dataset_id == dataset_id))
