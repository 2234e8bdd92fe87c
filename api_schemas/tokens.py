"""Tokens and tenants."""

from typing import Annotated, Literal

from pydantic import Field

from api_schemas.schema import Answer, Body, Name, Page

Role = Literal["steward", "consumer", "auditor", "analyst", "admin"]


class TokenRequest(Body):
    """A token to make."""

    name: Name
    role: Role
    expires_in_days: Annotated[int, Field(strict=True, ge=1, le=3650)] | None = None
    """Left out: it does not expire."""


class Token(Answer):
    """What is kept of a token: everything but its text."""

    id: str
    name: str
    role: Role
    created_at: str
    expires_at: str | None = None
    revoked_at: str | None = None


class NewToken(Token):
    """A token that was just made, with its text: this once only."""

    token: str


class TokenPage(Page):
    """Tokens, newest first."""

    items: list[Token]


class CallerTenant(Answer):
    """The tenant of the caller."""

    id: str
    name: str


class Caller(Answer):
    """Whom the token of a request stands for."""

    token_id: str
    name: str
    role: Role
    tenant: CallerTenant
    expires_at: str | None = None


class TenantRequest(Body):
    """A tenant to make."""

    name: Name


class Tenant(Answer):
    """A tenant."""

    id: str
    name: str
    created_at: str


class NewTenant(Answer):
    """A tenant that was just made, with its first token, an admin's."""

    tenant: Tenant
    token: NewToken
