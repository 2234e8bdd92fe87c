"""Tokens: who may call, in which tenant and role.

A browser session (`storage/tenancy/sessions.py`) is a token with a parent: it acts as its parent, and ends with it.

A token's text is shown once. Only a digest is stored, under a key that no database holds, so that nobody can insert a
token into one. A second code binds the token's principal and expiry; a changed row authenticates nobody. Revocation is
a column: an attacker who can write to the database can undo it, but the audit trail still records it.
"""

import logging
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Connection, and_, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from storage.crypto import authenticity
from storage.crypto.authenticity import is_authentic, mac_of
from storage.database.locks import lock_name
from storage.database.paging import Page, fetch_page
from storage.database.records import columns_of
from storage.orm import Tenant, Token
from storage.tenancy.tenants import DEFAULT_TENANT

_LOGGER = logging.getLogger(__name__)

ROLES = ("steward", "consumer", "auditor", "analyst", "admin")
_PREFIX = "afz_"
_ROW, _TEXT = "token", "token text"


@dataclass(frozen=True)
class Principal:
    """The token, tenant and role that a request acts for."""

    token_id: UUID
    tenant_id: UUID
    role: str
    name: str
    session_id: UUID | None = None
    """The session, if the request came from a browser."""


@dataclass(frozen=True)
class TokenRecord:
    """One token, without its text."""

    id: UUID
    tenant_id: UUID
    name: str
    role: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


_COLUMNS = columns_of(TokenRecord, Token)


CALLER = (Token.id, Token.tenant_id, Token.role, Token.name, Token.expires_at, Token.digest, Token.parent_id, Token.mac)
"""Columns that identify the principal of a token, with the code that shows they are unchanged."""
_Parent = aliased(Token)


def _usable(token: Any) -> ColumnElement[bool]:
    return and_(token.revoked_at.is_(None), or_(token.expires_at.is_(None), token.expires_at > func.now()))


VALID = and_(
    _usable(Token),
    or_(Token.parent_id.is_(None), exists().where(_Parent.id == Token.parent_id, _usable(_Parent)).correlate(Token)),
)
"""Neither the token nor its parent is revoked or, by the database's clock, expired."""


def authenticate(c: Connection, keys: bytes, text: str) -> Principal | None:
    """The principal of a token that is known, not revoked and not expired by the database's clock."""
    rows = c.execute(select(*CALLER).where(Token.digest.in_(digests_of(keys, text)), VALID)).all()
    return next((principal_of(keys, tuple(row)) for row in rows), None)


def principal_of(keys: bytes, row: tuple[Any, ...]) -> Principal | None:
    """The principal in the columns of `CALLER`; None if they were not written under the key."""
    *bound, mac = row
    if _is_authentic(keys, _bound(bound), mac):
        token_id, tenant_id, role, name, *_, parent_id = bound
        # A session acts as its parent, so that an uploader is the same principal in every session.
        if parent_id is not None:
            return Principal(parent_id, tenant_id, role, name, token_id)
        return Principal(token_id, tenant_id, role, name)
    _LOGGER.error("the row of a token was changed", extra={"fields": {"token": str(row[0])}})
    return None


def _bound(values: Sequence[Any]) -> tuple[Any, ...]:
    """The values that the code of a row covers: the parent too, if there is one."""
    return tuple(values if values[-1] is not None else values[:-1])


@lru_cache(maxsize=10_000)
def _is_authentic(keys: bytes, bound: tuple[Any, ...], mac: bytes) -> bool:
    """Cached, because every request calls it and the result depends on the arguments only."""
    return is_authentic(keys, _ROW, bound, mac)


def create_token(
    c: Connection, keys: bytes, tenant_id: UUID, name: str, role: str, expires_in_days: int | None
) -> tuple[TokenRecord, str]:
    """Create a token; the returned text is not stored."""
    text = _PREFIX + secrets.token_urlsafe(32)
    life = None if expires_in_days is None else timedelta(days=expires_in_days)
    return insert_token(c, keys, tenant_id, name, role, text, life), text


def insert_token(
    c: Connection,
    keys: bytes,
    tenant_id: UUID,
    name: str,
    role: str,
    text: str,
    life: timedelta | None,
    parent_id: UUID | None = None,
) -> TokenRecord:
    """Store a token with a given text."""
    return insert_digest(c, keys, tenant_id, name, role, digests_of(keys, text)[0], life, parent_id)


def insert_digest(
    c: Connection,
    keys: bytes,
    tenant_id: UUID,
    name: str,
    role: str,
    digest: bytes,
    life: timedelta | None = None,
    parent_id: UUID | None = None,
) -> TokenRecord:
    """Store a token that is found by a digest."""
    now = c.execute(select(func.now())).scalar_one()
    expires_at = None if life is None else now + life
    bound = (uuid4(), tenant_id, _known(role), name, expires_at, digest, parent_id)
    values = dict(zip((column.key for column in CALLER), (*bound, mac_of(keys, _ROW, _bound(bound))), strict=True))
    statement = insert(Token).values(**values, created_at=now)
    return TokenRecord(*c.execute(statement.returning(*_COLUMNS)).one())


def install_token(c: Connection, keys: bytes, tenant_id: UUID, name: str, role: str, text: str) -> TokenRecord:
    """Create a token with a given text, or find it under any of the keys; a revoked one stays revoked."""
    lock_name(c, "token", digests_of(keys, text)[0].hex())
    known = select(*_COLUMNS).where(Token.digest.in_(digests_of(keys, text))).order_by(Token.created_at)
    row = c.execute(known).first()
    return insert_token(c, keys, tenant_id, name, role, text, None) if row is None else TokenRecord(*row)


def bootstrap(c: Connection, keys: bytes, text: str) -> None:
    """Create the default tenant and its first admin's token if they are absent. Processes may run it concurrently."""
    c.execute(insert(Tenant).values(id=uuid4(), name=DEFAULT_TENANT).on_conflict_do_nothing())
    tenant_id = c.execute(select(Tenant.id).where(Tenant.name == DEFAULT_TENANT)).scalar_one()
    install_token(c, keys, tenant_id, "bootstrap", "admin", text)


def list_tokens(c: Connection, tenant_id: UUID, limit: int, cursor: str | None = None) -> Page[TokenRecord]:
    """The tenant's tokens, revoked ones too, without sessions."""
    statement = select(*_COLUMNS).where(Token.tenant_id == tenant_id, Token.parent_id.is_(None))
    keys = (Token.created_at, Token.id)
    return fetch_page(
        c, statement, keys, limit, cursor, lambda row: TokenRecord(*row), lambda item: (item.created_at, item.id)
    )


def get_token(c: Connection, tenant_id: UUID, token_id: UUID) -> TokenRecord | None:
    """A token of the tenant."""
    row = c.execute(select(*_COLUMNS).where(Token.id == token_id, Token.tenant_id == tenant_id)).one_or_none()
    return None if row is None else TokenRecord(*row)


def names_of(c: Connection, tenant_id: UUID, token_ids: Iterable[UUID]) -> dict[UUID, str]:
    """The names of these tokens; tokens of other tenants are left out."""
    statement = select(Token.id, Token.name).where(Token.tenant_id == tenant_id, Token.id.in_(set(token_ids)))
    return {row.id: row.name for row in c.execute(statement)}


def revoke_token(c: Connection, tenant_id: UUID, token_id: UUID) -> bool:
    """Revoke a token immediately; False if the tenant has none with that id. Revoking twice changes nothing."""
    statement = update(Token).where(Token.id == token_id, Token.tenant_id == tenant_id)
    revoked_at = func.coalesce(Token.revoked_at, func.now())
    return c.execute(statement.values(revoked_at=revoked_at)).rowcount == 1


def digests_of(keys: bytes, text: str) -> list[bytes]:
    """The digests of a token's text that may be stored, one for each key, newest first."""
    return authenticity.digests_of(keys, _TEXT, text.encode("utf-8", "surrogatepass"))


def _known(role: str) -> str:
    if role not in ROLES:
        raise ValueError(f"a role is one of {', '.join(ROLES)}")
    return role
