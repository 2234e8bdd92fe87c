"""The audit trail."""

from typing import Any

from api_schemas.schema import Answer, Page


class AuditEvent(Answer):
    """One link of the tenant's chain."""

    number: int
    at: str
    actor: str
    action: str
    subject: str
    details: dict[str, Any]
    previous: str
    digest: str


class AuditPage(Page):
    """Events, newest first."""

    items: list[AuditEvent]


class ChainState(Answer):
    """What the re-computation of the chain found."""

    intact: bool
    events: int
    broken_at: int | None = None
    """Number of the first event that does not fit."""
    head: str
    """Digest of the newest event, in hexadecimal."""
    anchored: int
    """Number of heads in the second database that the chain was compared with."""
