"""Lookups: the questions that nearly every request asks, answered together.

Who is this token? How does this job stand? Which dataset is this? Questions that come while others are being answered
wait for one round trip and are then asked by one statement, the same question once; so a thousand who wait for a job
cost little more than one. No answer is kept: each is read after its question came, so a revoked token is nobody from
that moment on. A connection that has died meanwhile is replaced and the questions asked again, which does no harm, for
they only read.
"""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, Generic, TypeVar
from uuid import UUID

import psycopg
from sqlalchemy import BigInteger, Dialect, LargeBinary, Select, Uuid, and_, bindparam, column, func, make_url, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import InstrumentedAttribute
from sqlalchemy.sql.selectable import TableValuedAlias
from sqlalchemy.types import TypeEngine

from storage import datasets, jobs, tokens
from storage.datasets import DatasetRecord
from storage.jobs import JobState
from storage.orm import Dataset, Job, Token
from storage.session import driver_arguments, hung_up
from storage.settings import Settings
from storage.tokens import Principal

_MOST_AT_ONCE = 500
_PATIENCE_SECONDS = 10.0
"""How long the answers to one round of questions may take."""

Question = TypeVar("Question", bound=tuple[Hashable, ...])
Answer = TypeVar("Answer")
Row = tuple[Any, ...]
Driver = psycopg.AsyncConnection[Row]
_DIALECT: Dialect = make_url("postgresql+psycopg://").get_dialect()()


@dataclass(frozen=True)
class Caller:
    """Who asks, and the job asked about if the tenant has it."""

    principal: Principal
    job: JobState | None


class Lookups:
    """Answers over connections of its own, one for each kind of question, opened when they are needed."""

    def __init__(self, settings: Settings) -> None:
        arguments = driver_arguments(settings)
        self._callers: _Round[tuple[bytes, UUID | None], Caller] = _Round(arguments, *_CALLERS)
        self._jobs: _Round[tuple[UUID, UUID], JobState] = _Round(arguments, *_JOBS)
        self._datasets: _Round[tuple[UUID, UUID], DatasetRecord] = _Round(arguments, *_DATASETS)

    async def caller(self, text: str, job_id: UUID | None = None) -> Caller | None:
        """Whom a token's text stands for, and how a job of that tenant stands."""
        return await self._callers.ask((tokens.digest_of(text), job_id))

    async def job(self, tenant_id: UUID, job_id: UUID) -> JobState | None:
        """How a job of the tenant stands."""
        return await self._jobs.ask((tenant_id, job_id))

    async def dataset(self, tenant_id: UUID, dataset_id: UUID) -> DatasetRecord | None:
        """A dataset of the tenant; deleted ones too, with that status."""
        return await self._datasets.ask((tenant_id, dataset_id))

    async def close(self) -> None:
        """Stop answering."""
        for questions in (self._callers, self._jobs, self._datasets):
            await questions.close()


class _Round(Generic[Question, Answer]):
    """Questions of one kind, asked in rounds: one statement at a time, for all who came meanwhile."""

    def __init__(self, arguments: dict[str, Any], statement: str, build: Callable[[Row], Answer]) -> None:
        self._arguments = arguments
        self._statement = statement.encode()
        self._build = build
        self._waiting: dict[Question, asyncio.Future[Answer | None]] = {}
        self._work: asyncio.Task[None] | None = None
        self._connection: Driver | None = None

    async def ask(self, question: Question) -> Answer | None:
        """The answer to a question, as the database knows it after it was asked."""
        answer = self._waiting.get(question)
        if answer is None:
            answer = self._waiting[question] = asyncio.get_running_loop().create_future()
        if self._work is None:
            self._work = asyncio.create_task(self._answer_all())
        # Others may wait for the same answer: whoever goes away must not take it along.
        return await asyncio.shield(answer)

    async def close(self) -> None:
        """Leave what is not yet answered unanswered."""
        if self._work is not None:
            self._work.cancel()
            with suppress(asyncio.CancelledError):
                await self._work
        await self._hang_up()

    async def _answer_all(self) -> None:
        try:
            while self._waiting:
                asked = {key: self._waiting.pop(key) for key in list(islice(self._waiting, _MOST_AT_ONCE))}
                await self._answer(asked)
        finally:
            self._work = None

    async def _answer(self, asked: "dict[Question, asyncio.Future[Answer | None]]") -> None:
        questions = list(asked)
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                rows = await self._rows(questions)
        except Exception as error:  # noqa: BLE001 - it is the askers' to handle
            for future in asked.values():
                future.set_exception(error)
                # Taken note of, should whoever asked have gone away.
                future.exception()
            return
        except asyncio.CancelledError:
            for future in asked.values():
                future.cancel()
            raise
        answers = {row[0] - 1: row[1:] for row in rows}
        for place, question in enumerate(questions):
            row = answers.get(place)
            asked[question].set_result(None if row is None else self._build(row))

    async def _rows(self, questions: list[Question]) -> list[Row]:
        parameters = {f"asked_{place}": list(values) for place, values in enumerate(zip(*questions, strict=True))}
        if self._connection is not None and not hung_up(self._connection):
            with suppress(psycopg.OperationalError):
                return await self._rows_over(self._connection, parameters)
        await self._hang_up()
        connecting = psycopg.AsyncConnection.connect(**self._arguments, autocommit=True, prepare_threshold=0)
        self._connection = await connecting
        return await self._rows_over(self._connection, parameters)

    async def _rows_over(self, connection: Driver, parameters: dict[str, Any]) -> list[Row]:
        try:
            return await (await connection.execute(self._statement, parameters)).fetchall()
        except BaseException:
            # Nobody knows what the connection would say next.
            await self._hang_up()
            raise

    async def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


def _asked(*columns: tuple[str, TypeEngine[Any]]) -> TableValuedAlias:
    """The questions as a table: their parts, and the place of each, counted from 1."""
    parts = [bindparam(f"asked_{place}", type_=ARRAY(kind)) for place, (_, kind) in enumerate(columns)]
    names = [column(name, kind) for name, kind in columns]
    table = func.unnest(*parts).table_valued(*names, with_ordinality="place")
    return table.render_derived()


def _in_the_drivers_words(statement: "Select[*tuple[Any, ...]]") -> str:
    return str(statement.compile(dialect=_DIALECT))


def _callers() -> str:
    asked = _asked(("digest", LargeBinary()), ("job_id", Uuid()))
    statement = (
        select(column("place", BigInteger), *tokens.PRINCIPAL, *jobs.STATE)
        .select_from(asked)
        .join(Token, and_(Token.digest == asked.c.digest, tokens.VALID))
        .outerjoin(Job, and_(Job.id == asked.c.job_id, Job.tenant_id == Token.tenant_id))
    )
    return _in_the_drivers_words(statement)


def _of_tenant(kind: type[Job] | type[Dataset], columns: Sequence[InstrumentedAttribute[Any]]) -> str:
    asked = _asked(("tenant_id", Uuid()), ("id", Uuid()))
    statement = (
        select(column("place", BigInteger), *columns)
        .select_from(asked)
        .join(kind, and_(kind.id == asked.c.id, kind.tenant_id == asked.c.tenant_id))
    )
    return _in_the_drivers_words(statement)


_FIELDS = len(fields(Principal))


def _caller(row: Row) -> Caller:
    job = row[_FIELDS:]
    return Caller(Principal(*row[:_FIELDS]), None if job[0] is None else JobState(*job))


_CALLERS = (_callers(), _caller)
_JOBS = (_of_tenant(Job, jobs.STATE), lambda row: JobState(*row))
_DATASETS = (_of_tenant(Dataset, datasets.COLUMNS), lambda row: DatasetRecord(*row))
