"""Raw SQL: statements compiled once and sent through the driver, for paths where SQLAlchemy's overhead matters."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.sql import Literal
from psycopg.types.json import Jsonb
from sqlalchemy import Dialect, Select, make_url
from sqlalchemy.ext.asyncio import AsyncConnection

Row = tuple[Any, ...]
DIALECT: Dialect = make_url("postgresql+psycopg://").get_dialect()()


def _with_constants(statement: str, constants: Mapping[str, Any]) -> str:
    """Inline the statement's constants, because each bound parameter takes time."""
    for name, value in constants.items():
        statement = statement.replace(f"%({name})s", Literal(value).as_string().replace("%", "%%"))
    return statement


class RawStatement:
    """A statement that is compiled once. JSON parameters and results are plain Python values."""

    def __init__(self, statement: "Select[*tuple[Any, ...]]") -> None:
        compiled = statement.compile(dialect=DIALECT)
        constants = {name: value for name, value in compiled.params.items() if value is not None}
        self._text = _with_constants(str(compiled), constants).encode()

    async def rows(self, connection: AsyncConnection, parameters: Mapping[str, Any]) -> list[Row]:
        """Execute it in the connection's transaction and return the rows."""
        pooled = await connection.get_raw_connection()
        driver = pooled.driver_connection
        assert isinstance(driver, psycopg.AsyncConnection)
        given = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in parameters.items()}
        cursor = await driver.execute(self._text, given)
        found: list[Row] = await cursor.fetchall()
        return found
