"""Answers to questions. Rows carry a code under the release key, as reports do."""

from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, select

from storage.crypto.authenticity import mac_of, require_authentic
from storage.orm import QueryAnswer

_KIND = "query answer"


def save_answer(c: Connection, keys: bytes, tenant_id: UUID, job_id: UUID, content: list[dict[str, Any]]) -> None:
    """Store an answer, in the transaction that ends its job."""
    mac = mac_of(keys, _KIND, [job_id, tenant_id, content])
    c.execute(insert(QueryAnswer).values(job_id=job_id, tenant_id=tenant_id, content=content, mac=mac))


def get_answer(c: Connection, keys: bytes, tenant_id: UUID, job_id: UUID) -> list[dict[str, Any]] | None:
    """The answer to a question of the tenant; None while there is none."""
    statement = select(QueryAnswer.content, QueryAnswer.mac)
    row = c.execute(statement.where(QueryAnswer.job_id == job_id, QueryAnswer.tenant_id == tenant_id)).one_or_none()
    if row is None:
        return None
    content: list[dict[str, Any]] = row.content
    require_authentic(keys, _KIND, [job_id, tenant_id, content], row.mac)
    return content
