"""Submissions: the policy, the job, its wake-up message and its audit event, all or nothing."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from storage.audit import audit
from storage.blobs.intake import seal_original
from storage.crypto.heads import HeadSigner
from storage.database.session import async_main_engine
from storage.jobs.jobs import JobDraft, JobRecord, get_job
from storage.operations.submissions import submit
from storage.orm import AuditEvent, Blob, OriginalChunk, Outbox, Tally
from storage.settings import Settings
from storage.tenancy.quotas import Taken

SIGNER = HeadSigner([Ed25519PrivateKey.generate()])
ACTOR = "token:of the test"
POLICY = {"kind": "table", "waivers": [{"rule": "naïve", "reason": "größer als 1e30"}]}


@pytest.fixture
def in_transactions(service_settings: Settings) -> Callable[..., Any]:
    """Runs works of the service's login at the same time, each in its own transaction."""

    def run(*works: Callable[[AsyncConnection], Awaitable[Any]]) -> list[Any]:
        async def one(engine: Any, work: Callable[[AsyncConnection], Awaitable[Any]]) -> Any:
            async with engine.begin() as connection:
                return await work(connection)

        async def together() -> list[Any]:
            engine = async_main_engine(service_settings)
            try:
                return await asyncio.gather(*(one(engine, work) for work in works))
            finally:
                await engine.dispose()

        return asyncio.run(together())

    return run


def counts(owner: Any, job_id: UUID, blob_id: UUID | None, tenant_id: UUID) -> tuple[int, ...]:
    """Messages, blobs, chunks and events."""
    conditions = (
        Outbox.job_id == job_id,
        Blob.id == blob_id,
        OriginalChunk.blob_id == blob_id,
        AuditEvent.tenant_id == tenant_id,
    )
    with owner.main.connect() as connection:
        return tuple(connection.execute(select(func.count()).where(each)).scalar_one() for each in conditions)


@pytest.mark.parametrize("size", [10, (1 << 20) + 1])
def test_everything_is_written_together(
    owner: Any, in_transactions: Any, private_key: X25519PrivateKey, tenant_id: UUID, dataset_id: UUID, size: int
) -> None:
    sealed = seal_original(private_key.public_key(), tenant_id, secrets.token_bytes(size))
    draft = JobDraft(tenant_id, dataset_id, policy=POLICY, policy_blob_id=sealed.stored.blob_id, created_by=uuid4())
    [(job, taken)] = in_transactions(lambda connection: submit(connection, draft, sealed, ACTOR, POLICY))
    with owner.main.connect() as connection:
        assert job == get_job(connection, tenant_id, draft.id)
        # What the statement stores itself is counted, though it cannot see it.
        sums = select(func.sum(Tally.originals), func.sum(Tally.jobs)).where(Tally.tenant_id == tenant_id)
        totals = connection.execute(sums).one()
    assert taken == Taken(*totals) == Taken(taken.originals, 1)
    assert taken.originals >= size
    assert job.policy == POLICY
    assert counts(owner, draft.id, sealed.stored.blob_id, tenant_id) == (1, 1, sealed.stored.chunks, 1)


def test_a_policy_that_is_stored_already_is_not_stored_again(
    owner: Any, in_transactions: Any, tenant_id: UUID, dataset_id: UUID
) -> None:
    draft = JobDraft(tenant_id, dataset_id)
    [(job, _)] = in_transactions(lambda connection: submit(connection, draft, None, ACTOR, {}))
    assert (job.id, job.status, job.policy, job.policy_blob_id) == (draft.id, "queued", None, None)
    assert counts(owner, draft.id, None, tenant_id) == (1, 0, 0, 1)


def test_the_chain_holds_however_many_submit_at_once(
    owner: Any, in_transactions: Any, tenant_id: UUID, dataset_id: UUID
) -> None:
    drafts = [JobDraft(tenant_id, dataset_id) for _ in range(12)]

    def submitting(draft: JobDraft) -> Callable[[AsyncConnection], Awaitable[tuple[JobRecord, Taken]]]:
        return lambda connection: submit(connection, draft, None, ACTOR, POLICY | {"size": 1e30})

    answers = in_transactions(*map(submitting, drafts))
    # Each saw all who came before: of two who take the last place one knows it.
    assert sorted(taken.jobs for _, taken in answers) == list(range(1, 13))
    with owner.main.begin() as connection, owner.keyring.begin() as keys:
        audit.append(connection, tenant_id, ACTOR, "after", "all of them", {})
        chain = audit.verify(connection, keys, SIGNER, tenant_id)
        events = audit.list_events(connection, tenant_id, 100).items
    assert (chain.intact, chain.events) == (True, 13)
    assert {event.subject for event in events[1:]} == {str(draft.id) for draft in drafts}
    assert {(event.actor, event.action) for event in events[1:]} == {(ACTOR, "job.submit")}


def test_what_cannot_be_written_whole_is_not_written(
    owner: Any, in_transactions: Any, private_key: X25519PrivateKey, tenant_id: UUID
) -> None:
    sealed = seal_original(private_key.public_key(), tenant_id, b"policy")
    draft = JobDraft(tenant_id, uuid4(), policy_blob_id=sealed.stored.blob_id)
    with pytest.raises(psycopg.IntegrityError):
        in_transactions(lambda connection: submit(connection, draft, sealed, ACTOR, {}))
    assert counts(owner, draft.id, sealed.stored.blob_id, tenant_id) == (0, 0, 0, 0)
