"""Comparisons: the results of trying several policies on one dataset.

Rows carry a code under the release key, as reports do.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, insert, select

from storage.crypto.authenticity import mac_of, require_authentic
from storage.database.records import columns_of
from storage.orm import Comparison

_KIND = "comparison"


@dataclass(frozen=True)
class ComparisonRecord:
    """The rows of a finished comparison; its id is that of its job."""

    job_id: UUID
    tenant_id: UUID
    rows: list[dict[str, Any]]
    created_at: datetime
    mac: bytes


_COLUMNS = columns_of(ComparisonRecord, Comparison)


def save_comparison(c: Connection, keys: bytes, tenant_id: UUID, job_id: UUID, rows: list[dict[str, Any]]) -> None:
    """Store the result, in the transaction that ends the job."""
    created_at = c.execute(select(func.now())).scalar_one()
    mac = mac_of(keys, _KIND, [job_id, tenant_id, rows, created_at])
    c.execute(insert(Comparison).values(job_id=job_id, tenant_id=tenant_id, rows=rows, created_at=created_at, mac=mac))


def get_comparison(c: Connection, keys: bytes, tenant_id: UUID, job_id: UUID) -> ComparisonRecord | None:
    """The result of a comparison of the tenant; None while it is running, or if there is none."""
    statement = select(*_COLUMNS).where(Comparison.job_id == job_id, Comparison.tenant_id == tenant_id)
    row = c.execute(statement).one_or_none()
    if row is None:
        return None
    record = ComparisonRecord(*row)
    require_authentic(keys, _KIND, [record.job_id, record.tenant_id, record.rows, record.created_at], record.mac)
    return record
