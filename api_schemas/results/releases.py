"""Releases: published data and its formats."""

from typing import Any, Literal

from api_schemas.data.cards import About
from api_schemas.schema import Answer, Body, Page, Text


class Artifact(Answer):
    """One file of a release."""

    format: str
    part: str
    sha256: str
    bytes: int
    href: str
    """Address of the file."""


class Release(Answer):
    """A published release."""

    id: str
    job_id: str
    name: str
    kind: str
    columns: list[Any] | None = None
    """Tables: the columns of the release."""
    shape: dict[str, Any]
    """Numbers of rows and columns of the released table, or of nodes and edges of the released graph."""
    artifacts: list[Artifact]
    guarantees: list[Any]
    dictionary: list[Any]
    """Meaning of the labels of each column."""
    about: About
    """Its card, completed by the tenant's defaults."""
    audience: Literal["tenant", "public"]
    created_at: str
    withdrawn_at: str | None = None
    withdrawn_reason: str | None = None
    destroyed_at: str | None = None
    """When the destruction of the bytes of a withdrawn release was requested."""


class ReleasePage(Page):
    """Releases, newest first."""

    items: list[Release]


class Withdrawal(Body):
    """Why a release is withdrawn; the reason is public."""

    reason: Text


class Audience(Body):
    """Who may read a release: the tenant, or anyone without a token."""

    audience: Literal["tenant", "public"]
