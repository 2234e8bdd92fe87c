"""Batching: what many ask at the same time goes to the database as one statement.

Questions that come while others are being answered wait for one round trip and are then asked by one statement, the
same question once. No answer is kept: each is given after its question came. A connection that has died meanwhile is
replaced and the questions asked again, so whatever is asked must do no harm when it is asked twice.
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

from storage.raw_sql import DIALECT, Row
from storage.session import hung_up

_MOST_AT_ONCE = 500
_PATIENCE_SECONDS = 10.0
"""How long the answers to one round of questions may take."""

Question = TypeVar("Question", bound=tuple[Hashable, ...])
Answer = TypeVar("Answer")
Driver = psycopg.AsyncConnection[Row]


class Batched(Generic[Question, Answer]):
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


def asked_table(*columns: tuple[str, TypeEngine[Any]]) -> TableValuedAlias:
    """The questions as a table: their parts, and the place of each, counted from 1."""
    parts = [bindparam(f"asked_{place}", type_=ARRAY(kind)) for place, (_, kind) in enumerate(columns)]
    names = [column(name, kind) for name, kind in columns]
    table = func.unnest(*parts).table_valued(*names, with_ordinality="place")
    return table.render_derived()


def driver_sql(statement: "Select[*tuple[Any, ...]]") -> str:
    """A statement that binds only what is asked, as `Batched` sends it."""
    return str(statement.compile(dialect=DIALECT))
