"""Tokens: who may call, in which tenant and role.

A token's text is shown once; only its SHA-256 is kept, which is enough for 256 random bits.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import Connection, and_, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from storage.orm import Tenant, Token
from storage.paging import Page, fetch_page
from storage.records import columns_of
from storage.tenants import DEFAULT_TENANT

ROLES = ("steward", "consumer", "auditor", "admin")
_PREFIX = "afz_"


@dataclass(frozen=True)
class Principal:
    """Whoever a request acts for."""

    token_id: UUID
    tenant_id: UUID
    role: str
    name: str


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


PRINCIPAL = (Token.id, Token.tenant_id, Token.role, Token.name)
"""Columns that fill a `Principal`."""
VALID = and_(Token.revoked_at.is_(None), or_(Token.expires_at.is_(None), Token.expires_at > func.now()))
"""Not revoked, and not expired by the database's clock."""


def authenticate(c: Connection, text: str) -> Principal | None:
    """The principal of a token that is known, not revoked and not expired by the database's clock."""
    row = c.execute(select(*PRINCIPAL).where(Token.digest == digest_of(text), VALID)).one_or_none()
    return None if row is None else Principal(*row)


def create_token(
    c: Connection, tenant_id: UUID, name: str, role: str, expires_in_days: int | None
) -> tuple[TokenRecord, str]:
    """Make a token; the text that comes with it is not kept."""
    text = _PREFIX + secrets.token_urlsafe(32)
    expires_at = None if expires_in_days is None else func.now() + timedelta(days=expires_in_days)
    statement = insert(Token).values(
        id=uuid4(), tenant_id=tenant_id, name=name, role=_known(role), digest=digest_of(text), expires_at=expires_at
    )
    return TokenRecord(*c.execute(statement.returning(*_COLUMNS)).one()), text


def install_token(c: Connection, tenant_id: UUID, name: str, role: str, text: str) -> TokenRecord:
    """Make a token of a given text, or find it: one that was revoked stays so."""
    digest = digest_of(text)
    values = {"id": uuid4(), "tenant_id": tenant_id, "name": name, "role": _known(role), "digest": digest}
    c.execute(insert(Token).values(**values).on_conflict_do_nothing())
    return TokenRecord(*c.execute(select(*_COLUMNS).where(Token.digest == digest)).one())


def bootstrap(c: Connection, text: str) -> None:
    """Make the default tenant and its first admin's token, where they are absent. Processes may race to do it."""
    c.execute(insert(Tenant).values(id=uuid4(), name=DEFAULT_TENANT).on_conflict_do_nothing())
    tenant_id = c.execute(select(Tenant.id).where(Tenant.name == DEFAULT_TENANT)).scalar_one()
    install_token(c, tenant_id, "bootstrap", "admin", text)


def list_tokens(c: Connection, tenant_id: UUID, limit: int, cursor: str | None = None) -> Page[TokenRecord]:
    """The tenant's tokens, revoked ones too."""
    statement = select(*_COLUMNS).where(Token.tenant_id == tenant_id)
    keys = (Token.created_at, Token.id)
    return fetch_page(
        c, statement, keys, limit, cursor, lambda row: TokenRecord(*row), lambda item: (item.created_at, item.id)
    )


def revoke_token(c: Connection, tenant_id: UUID, token_id: UUID) -> bool:
    """Revoke a token at once; False if the tenant has none of that id. Revoking twice changes nothing."""
    statement = update(Token).where(Token.id == token_id, Token.tenant_id == tenant_id)
    revoked_at = func.coalesce(Token.revoked_at, func.now())
    return c.execute(statement.values(revoked_at=revoked_at)).rowcount == 1


def digest_of(text: str) -> bytes:
    """What is kept of a token's text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _known(role: str) -> str:
    if role not in ROLES:
        raise ValueError(f"a role is one of {', '.join(ROLES)}")
    return role
