"""Tokens and tenants."""

from typing import Annotated, Literal

from pydantic import Field

from api_schemas.schema import Answer, Body, Name, Page

Role = Literal["steward", "consumer", "auditor", "analyst", "admin"]


class TokenRequest(Body):
    """A token to create."""

    name: Name
    role: Role
    expires_in_days: Annotated[int, Field(strict=True, ge=1, le=3650)] | None = None
    """Days until it expires; if left out, it does not expire."""


class Token(Answer):
    """A stored token: everything except its text."""

    id: str
    name: str
    role: Role
    created_at: str
    expires_at: str | None = None
    revoked_at: str | None = None


class NewToken(Token):
    """A new token with its text, which is shown only this once and not when the request is repeated."""

    token: str | None = None


class TokenPage(Page):
    """Tokens, newest first."""

    items: list[Token]


class CallerTenant(Answer):
    """The tenant of the caller."""

    id: str
    name: str


class Caller(Answer):
    """The identity that the token of a request belongs to."""

    token_id: str
    name: str
    role: Role
    tenant: CallerTenant
    expires_at: str | None = None


class TenantRequest(Body):
    """A tenant to create."""

    name: Name


class Tenant(Answer):
    """A tenant."""

    id: str
    name: str
    created_at: str


class NewTenant(Answer):
    """A new tenant with its first token, which has the role admin."""

    tenant: Tenant
    token: NewToken
