"""Locks by name, held until the transaction ends; a process that dies releases them."""

from sqlalchemy import Connection, Text, bindparam, func, select


def lock_name(c: Connection, *words: str) -> None:
    """Wait for the lock of a name, such as ``lock_name(c, "audit", tenant_id)``."""
    c.execute(LOCK, {"name": joined(words)})


def try_lock_name(c: Connection, *words: str) -> bool:
    """Take the lock of a name if nobody else holds it."""
    return bool(c.execute(_TRY_LOCK, {"name": joined(words)}).scalar_one())


def joined(words: tuple[str, ...]) -> str:
    """A name made of words, the parameter of `LOCK`."""
    return "/".join(words)


# Two names with the same 64-bit key would only wait for each other unnecessarily.
_KEY = func.hashtextextended(bindparam("name", type_=Text), 0)
LOCK = select(func.pg_advisory_xact_lock(_KEY))
_TRY_LOCK = select(func.pg_try_advisory_xact_lock(_KEY))
