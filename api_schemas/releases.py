"""Releases: what was published, and in which formats."""

from typing import Any, Literal

from api_schemas.cards import About
from api_schemas.schema import Answer, Body, Page, Text


class Artifact(Answer):
    """One file of a release."""

    format: str
    part: str
    sha256: str
    bytes: int
    href: str
    """Where the file is."""


class Release(Answer):
    """A published release."""

    id: str
    job_id: str
    name: str
    kind: str
    columns: list[Any] | None = None
    """Tables: the columns of the release."""
    shape: dict[str, Any]
    """Rows and columns of a table, or nodes and edges of a graph, of the release itself."""
    artifacts: list[Artifact]
    guarantees: list[Any]
    dictionary: list[Any]
    """What each column's labels mean."""
    about: About
    """What its card says, and where it says nothing the tenant's."""
    audience: Literal["tenant", "public"]
    created_at: str
    withdrawn_at: str | None = None
    withdrawn_reason: str | None = None
    destroyed_at: str | None = None
    """When it was asked to destroy the bytes of a withdrawn release."""


class ReleasePage(Page):
    """Releases, newest first."""

    items: list[Release]


class Withdrawal(Body):
    """Why a release is withdrawn; the reason is public."""

    reason: Text


class Audience(Body):
    """Who may read a release: the tenant, or anyone without a token."""

    audience: Literal["tenant", "public"]
