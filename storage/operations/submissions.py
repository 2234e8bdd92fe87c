"""Submissions: write a submitted job and read its tenant's usage, with two statements.

The first locks the tenant's audit chain. The second stores the policy that came with the job, the job, its message and
its audit event, notifies, and reads the tenant's usage: all or nothing, and within the caller's transaction.
"""

from typing import Any

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.audit import audit
from storage.blobs.intake import SealedOriginal, storing
from storage.database.locks import LOCK, joined
from storage.database.raw_sql import RawStatement
from storage.jobs import jobs
from storage.jobs.jobs import JobDraft, JobRecord
from storage.tenancy.quotas import Taken, taking


async def submit(
    connection: AsyncConnection,
    draft: JobDraft,
    policy: SealedOriginal | None,
    actor: str,
    details: dict[str, Any],
    action: str = "job.submit",
) -> tuple[JobRecord, Taken]:
    """Queue a job, store its policy unless it is already stored, and record who submitted it.

    Return the tenant's usage including them, counted under the lock: of two submissions for the last place one sees it.
    """
    await _LOCK.rows(connection, {"name": joined(audit.chain_name(draft.tenant_id))})
    event = audit.event_parameters(draft.tenant_id, actor, action, str(draft.id), details)
    statement, original = (_PLAIN, {}) if policy is None else (_WITH_POLICY, policy.parameters())
    [[*job, _, originals, unfinished]] = await statement.rows(connection, vars(draft) | event | original)
    own = 0 if policy is None else policy.stored.size
    return JobRecord(*job), Taken(originals + own, unfinished + 1)


def _submit_statement() -> "Select[*tuple[Any, ...]]":
    return jobs.submission().add_columns(*taking()).add_cte(audit.appending().cte("event"))


def _submit_with_policy() -> "Select[*tuple[Any, ...]]":
    blob, chunks = storing()
    return _submit_statement().add_cte(blob, chunks.cte("chunks"))


_LOCK = RawStatement(LOCK)
_PLAIN = RawStatement(_submit_statement())
_WITH_POLICY = RawStatement(_submit_with_policy())
