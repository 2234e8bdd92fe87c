"""Batching: concurrent questions go to the database as one statement.

Questions that arrive while others are being answered wait for that round trip, then go out together in one statement;
equal questions are sent once. Answers are never cached: each is read after its question arrived. A connection that has
died meanwhile is replaced and the questions are sent again, so a statement must be safe to run twice.
"""

import asyncio
from collections.abc import Callable, Hashable
from contextlib import suppress
from itertools import islice
from typing import Any, Generic, TypeVar

import psycopg
from sqlalchemy import Select, bindparam, column, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.selectable import TableValuedAlias
from sqlalchemy.types import TypeEngine

from storage.database.raw_sql import DIALECT, Row
from storage.database.session import hung_up

_MOST_AT_ONCE = 500
_PATIENCE_SECONDS = 10.0
"""Longest time to wait for the answers to one round of questions."""

Question = TypeVar("Question", bound=tuple[Hashable, ...])
Answer = TypeVar("Answer")
Driver = psycopg.AsyncConnection[Row]


class Batched(Generic[Question, Answer]):
    """Questions of one kind, sent in rounds: one statement at a time, for all that arrived meanwhile."""

    def __init__(self, arguments: dict[str, Any], statement: str, build: Callable[[Row], Answer]) -> None:
        self._arguments = arguments
        self._statement = statement.encode()
        self._build = build
        self._waiting: dict[Question, asyncio.Future[Answer | None]] = {}
        self._work: asyncio.Task[None] | None = None
        self._connection: Driver | None = None

    async def ask(self, question: Question) -> Answer | None:
        """The answer to a question, read from the database after the question arrived."""
        answer = self._waiting.get(question)
        if answer is None:
            answer = self._waiting[question] = asyncio.get_running_loop().create_future()
        if self._work is None:
            self._work = asyncio.create_task(self._answer_all())
        # Other callers may wait for the same answer: one that is cancelled must not cancel it for them.
        return await asyncio.shield(answer)

    async def close(self) -> None:
        """Stop; questions that are still waiting stay unanswered."""
        if self._work is not None:
            self._work.cancel()
            with suppress(asyncio.CancelledError):
                await self._work
        await self._disconnect()

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
        except Exception as error:  # noqa: BLE001 - the callers handle it
            for future in asked.values():
                future.set_exception(error)
                # Retrieved, so that asyncio does not warn if the caller is gone.
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
        await self._disconnect()
        connecting = psycopg.AsyncConnection.connect(**self._arguments, autocommit=True, prepare_threshold=0)
        self._connection = await connecting
        return await self._rows_over(self._connection, parameters)

    async def _rows_over(self, connection: Driver, parameters: dict[str, Any]) -> list[Row]:
        try:
            return await (await connection.execute(self._statement, parameters)).fetchall()
        except BaseException:
            # The state of the connection is unknown.
            await self._disconnect()
            raise

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


def asked_table(*columns: tuple[str, TypeEngine[Any]]) -> TableValuedAlias:
    """The questions as a table: their fields, and the place of each, counted from 1."""
    parts = [bindparam(f"asked_{place}", type_=ARRAY(kind)) for place, (_, kind) in enumerate(columns)]
    names = [column(name, kind) for name, kind in columns]
    table = func.unnest(*parts).table_valued(*names, with_ordinality="place")
    return table.render_derived()


def driver_sql(statement: "Select[*tuple[Any, ...]]") -> str:
    """A statement whose only parameters are the questions, as `Batched` sends it."""
    return str(statement.compile(dialect=DIALECT))
