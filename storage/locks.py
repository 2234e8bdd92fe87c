"""Locks by name, held until the transaction ends; a process that dies lets go of them."""

from sqlalchemy import ColumnElement, Connection, func, select


def lock_name(c: Connection, *words: str) -> None:
    """Wait for the lock of a name, such as ``lock_name(c, "audit", tenant_id)``."""
    c.execute(select(func.pg_advisory_xact_lock(_key(words))))


def try_lock_name(c: Connection, *words: str) -> bool:
    """Take the lock of a name if nobody else holds it."""
    return bool(c.execute(select(func.pg_try_advisory_xact_lock(_key(words)))).scalar_one())


def _key(words: tuple[str, ...]) -> ColumnElement[int]:
    # Two names on one 64-bit key would only wait for each other needlessly.
    return func.hashtextextended("/".join(words), 0)
