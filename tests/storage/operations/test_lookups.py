"""Lookups: many queries in one round trip, each answered from the database's state after it was sent."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from pydantic import SecretStr
from sqlalchemy import text

from storage.datasets import datasets
from storage.jobs import jobs
from storage.jobs.jobs import JobRecord
from storage.operations.lookups import Lookups
from storage.settings import Settings
from storage.tenancy.tokens import create_token, revoke_token

KEY = secrets.token_bytes(32)
Ask = Callable[[Lookups], Awaitable[Any]]


@pytest.fixture
def ask(service_settings: Settings) -> Callable[[Ask], Any]:
    """Runs a coroutine with its own lookups."""

    def run(questions: Ask) -> Any:
        async def with_lookups() -> Any:
            lookups = Lookups(service_settings, KEY)
            try:
                return await questions(lookups)
            finally:
                await lookups.close()

        return asyncio.run(with_lookups())

    return run


def make_token(owner: Any, tenant_id: UUID, role: str = "steward") -> tuple[UUID, str]:
    with owner.main.begin() as c:
        record, words = create_token(c, KEY, tenant_id, "portal", role, None)
    return record.id, words


def test_a_token_and_its_tenants_job_are_found_together(owner: Any, ask: Any, tenant_id: UUID, job: JobRecord) -> None:
    token_id, words = make_token(owner, tenant_id)
    found = ask(lambda lookups: lookups.caller(words, job.id))
    assert (found.principal.token_id, found.principal.tenant_id, found.principal.role) == (
        token_id,
        tenant_id,
        "steward",
    )
    assert vars(found.job).items() <= vars(job).items()


def test_every_question_of_a_round_gets_its_own_answer(owner: Any, ask: Any, tenant_id: UUID, job: JobRecord) -> None:
    known = [make_token(owner, tenant_id) for _ in range(5)]

    async def all_at_once(lookups: Lookups) -> Any:
        texts = [words for _, words in known] + ["unknown", known[0][1]]
        asked = [lookups.caller(words, job.id if place % 2 else None) for place, words in enumerate(texts)]
        return await asyncio.gather(*asked, lookups.job(tenant_id, job.id), lookups.job(uuid4(), job.id))

    *callers, mine, foreign = ask(all_at_once)
    assert [found and found.principal.token_id for found in callers] == [
        *(token_id for token_id, _ in known),
        None,
        known[0][0],
    ]
    assert [found.job is not None for found in callers[:5]] == [False, True, False, True, False]
    assert mine.id == job.id
    assert foreign is None


def test_a_thousand_who_ask_the_same_ask_once(owner: Any, ask: Any, tenant_id: UUID, job: JobRecord) -> None:
    """All of them get one object: nothing else could have been read but once."""

    async def crowd(lookups: Lookups) -> Any:
        return await asyncio.gather(*(lookups.job(tenant_id, job.id) for _ in range(1000)))

    answers = ask(crowd)
    assert len({id(answer) for answer in answers}) == 1


def test_a_foreign_job_is_not_found(owner: Any, ask: Any, job: JobRecord) -> None:
    with owner.main.begin() as c:
        stranger = c.execute(
            text("INSERT INTO tenants (id, name) VALUES (gen_random_uuid(), gen_random_uuid()) RETURNING id")
        ).scalar_one()
    _, words = make_token(owner, stranger)
    found = ask(lambda lookups: lookups.caller(words, job.id))
    assert found.principal.tenant_id == stranger
    assert found.job is None


def test_a_revoked_or_expired_token_is_nobody_at_once(owner: Any, ask: Any, tenant_id: UUID) -> None:
    token_id, words = make_token(owner, tenant_id)
    expiring_id, expiring = make_token(owner, tenant_id)

    async def before_and_after(lookups: Lookups) -> Any:
        before = [await lookups.caller(words), await lookups.caller(expiring)]
        with owner.main.begin() as c:
            revoke_token(c, tenant_id, token_id)
            c.execute(text("UPDATE tokens SET expires_at = now() WHERE id = :id"), {"id": expiring_id})
        return before, [await lookups.caller(words), await lookups.caller(expiring)]

    before, after = ask(before_and_after)
    assert None not in before
    assert after == [None, None]


def test_a_change_is_seen_by_the_next_question(owner: Any, ask: Any, tenant_id: UUID, job: JobRecord) -> None:
    async def before_and_after(lookups: Lookups) -> Any:
        before = await lookups.job(tenant_id, job.id)
        with owner.main.begin() as c:
            jobs.request_cancel(c, tenant_id, job.id)
        return before, await lookups.job(tenant_id, job.id)

    before, after = ask(before_and_after)
    assert (before.status, after.status) == ("queued", "cancelled")


def test_a_connection_that_the_server_ended_is_replaced(
    owner: Any, ask: Any, databases: Any, tenant_id: UUID, job: JobRecord
) -> None:
    end_all = text(
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
        " WHERE application_name = 'antifaz-service' AND datname = current_database()"
    )

    async def over_a_restart(lookups: Lookups) -> Any:
        await lookups.job(tenant_id, job.id)
        with owner.main.begin() as c:
            ended = c.execute(end_all).scalar_one()
        return ended, await lookups.job(tenant_id, job.id)

    ended, found = ask(over_a_restart)
    assert ended >= 1
    assert found.id == job.id


def test_an_asker_who_goes_away_does_not_take_the_answer_along(ask: Any, tenant_id: UUID, job: JobRecord) -> None:
    async def one_leaves(lookups: Lookups) -> Any:
        leaving = asyncio.create_task(lookups.job(tenant_id, job.id))
        staying = asyncio.create_task(lookups.job(tenant_id, job.id))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert ask(one_leaves).id == job.id


def test_an_unreachable_database_is_every_askers_error() -> None:
    settings = Settings(database_url=SecretStr("postgresql+psycopg://nobody@127.0.0.1:1/nothing"))

    async def nobody_answers() -> list[Any]:
        lookups = Lookups(settings, KEY)
        asked = (lookups.caller("a"), lookups.caller("b"), lookups.job(uuid4(), uuid4()))
        return await asyncio.gather(*asked, return_exceptions=True)

    assert all(isinstance(answer, psycopg.OperationalError) for answer in asyncio.run(nobody_answers()))


def test_a_dataset_is_found_by_its_own_tenant_alone(owner: Any, ask: Any, tenant_id: UUID, dataset_id: UUID) -> None:
    async def both(lookups: Lookups) -> Any:
        return await asyncio.gather(lookups.dataset(tenant_id, dataset_id), lookups.dataset(uuid4(), dataset_id))

    with owner.main.connect() as connection:
        known = datasets.get_dataset(connection, tenant_id, dataset_id)
    assert known is not None
    assert ask(both) == [known, None]


def test_a_token_made_under_an_older_key_is_found_and_one_whose_row_was_changed_is_nobody(
    service_settings: Settings, owner: Any, tenant_id: UUID
) -> None:
    token_id, words = make_token(owner, tenant_id)

    async def look(keys: bytes) -> Any:
        lookups = Lookups(service_settings, keys)
        try:
            return await lookups.caller(words)
        finally:
            await lookups.close()

    newer = secrets.token_bytes(32)
    found = asyncio.run(look(newer + KEY))
    assert found.principal.token_id == token_id
    assert asyncio.run(look(newer)) is None
    with owner.main.begin() as c:
        c.execute(text("UPDATE tokens SET role = 'admin' WHERE id = :id"), {"id": token_id})
    assert asyncio.run(look(newer + KEY)) is None
