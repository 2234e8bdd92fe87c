"""Lookups: the queries of nearly every request, answered in batches.

Who is this token? What is the state of this job? Which dataset is this? Questions are sent in rounds, so a thousand
clients waiting for a job cost little more than one. Each answer is read after its question arrived, so a revoked token
is rejected from that moment on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, LargeBinary, Uuid, and_, column, select
from sqlalchemy.orm import InstrumentedAttribute

from storage.database.batching import Batched, asked_table, driver_sql
from storage.database.raw_sql import Row
from storage.database.session import main_arguments
from storage.datasets import datasets
from storage.datasets.datasets import DatasetRecord
from storage.jobs import jobs
from storage.jobs.jobs import JobState
from storage.orm import Dataset, Job, Token
from storage.settings import Settings
from storage.tenancy import identities, tokens
from storage.tenancy.identities import Identity
from storage.tenancy.tokens import Principal, principal_of


@dataclass(frozen=True)
class _Found:
    """The rows of a token and a job."""

    token: Row
    job: JobState | None


@dataclass(frozen=True)
class Caller:
    """The principal of a request, and the requested job if the tenant has it."""

    principal: Principal
    job: JobState | None


class Lookups:
    """Answers over its own connections, one for each kind of question, opened when needed."""

    def __init__(self, settings: Settings, token_keys: bytes) -> None:
        arguments = main_arguments(settings)
        self._token_keys = token_keys
        self._callers: Batched[tuple[bytes, UUID | None], _Found] = Batched(arguments, *_CALLERS)
        self._jobs: Batched[tuple[UUID, UUID], JobState] = Batched(arguments, *_JOBS)
        self._datasets: Batched[tuple[UUID, UUID], DatasetRecord] = Batched(arguments, *_DATASETS)

    async def caller(self, text: str, job_id: UUID | None = None) -> Caller | None:
        """The principal of a token's text, and the state of a job of its tenant."""
        return await self._first(tokens.digests_of(self._token_keys, text), job_id)

    async def identity(self, identity: Identity, job_id: UUID | None = None) -> Caller | None:
        """The same for an identity of an OpenID provider."""
        return await self._first(identities.digests_of(self._token_keys, identity), job_id)

    async def _first(self, digests: Sequence[bytes], job_id: UUID | None) -> Caller | None:
        for digest in digests:
            found = await self._callers.ask((digest, job_id))
            if found is not None:
                principal = principal_of(self._token_keys, found.token)
                return None if principal is None else Caller(principal, found.job)
        return None

    async def job(self, tenant_id: UUID, job_id: UUID) -> JobState | None:
        """The state of a job of the tenant."""
        return await self._jobs.ask((tenant_id, job_id))

    async def dataset(self, tenant_id: UUID, dataset_id: UUID) -> DatasetRecord | None:
        """A dataset of the tenant; deleted ones too, with that status."""
        return await self._datasets.ask((tenant_id, dataset_id))

    async def close(self) -> None:
        """Close all connections."""
        for questions in (self._callers, self._jobs, self._datasets):
            await questions.close()


def _callers() -> str:
    asked = asked_table(("digest", LargeBinary()), ("job_id", Uuid()))
    statement = (
        select(column("place", BigInteger), *tokens.CALLER, *jobs.STATE)
        .select_from(asked)
        .join(Token, and_(Token.digest == asked.c.digest, tokens.VALID))
        .outerjoin(Job, and_(Job.id == asked.c.job_id, Job.tenant_id == Token.tenant_id))
    )
    return driver_sql(statement)


def _of_tenant(kind: type[Job] | type[Dataset], columns: Sequence[InstrumentedAttribute[Any]]) -> str:
    asked = asked_table(("tenant_id", Uuid()), ("id", Uuid()))
    statement = (
        select(column("place", BigInteger), *columns)
        .select_from(asked)
        .join(kind, and_(kind.id == asked.c.id, kind.tenant_id == asked.c.tenant_id))
    )
    return driver_sql(statement)


_TOKEN = len(tokens.CALLER)


def _found(row: Row) -> _Found:
    job = row[_TOKEN:]
    return _Found(row[:_TOKEN], None if job[0] is None else JobState(*job))


_CALLERS = (_callers(), _found)
_JOBS = (_of_tenant(Job, jobs.STATE), lambda row: JobState(*row))
_DATASETS = (_of_tenant(Dataset, datasets.COLUMNS), lambda row: DatasetRecord(*row))
