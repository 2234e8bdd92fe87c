"""The audit trail."""

from typing import Any

from api_schemas.schema import Answer, Page


class AuditEvent(Answer):
    """One link of the tenant's chain."""

    number: int
    at: str
    actor: str
    """A token by its id, ``public`` (anyone who downloads a public release), ``worker``, ``sweeper`` or ``system``."""
    actor_name: str | None = None
    """The token's name, if the token belongs to the tenant; not part of the digest."""
    action: str
    subject: str
    details: dict[str, Any]
    previous: str
    digest: str


class AuditPage(Page):
    """Events, newest first."""

    items: list[AuditEvent]


class SignedHead(Answer):
    """The head of a chain, signed with Ed25519 over the text
    ``antifaz audit head 1``, tenant, number and digest, each followed by a line feed."""

    tenant_id: str
    number: int
    digest: str
    public_key: str
    """32 bytes in hexadecimal."""
    signature: str
    """64 bytes in hexadecimal."""


class ForgedRow(Answer):
    """A stored row that does not match its authentication code."""

    table: str
    id: str


class ChainState(Answer):
    """Result of recomputing the chain and of checking the authentication codes of all rows of the tenant."""

    intact: bool
    """Whether the chain is complete and unchanged, and so are all rows that carry a code."""
    events: int
    broken_at: int | None = None
    """Number of the first event that does not match the chain."""
    head: str
    """Digest of the newest event, in hexadecimal."""
    anchored: int
    """Number of the last event whose signed digest is also in the second database."""
    contradicted: list[int] = []
    """Numbers of events that the stored rows contradict, such as a withdrawal of a release that is not withdrawn."""
    signed_head: SignedHead | None = None
    """The head, if the chain is intact. Keep it: with its number and digest, a later verification shows whether the
    chain still contains it."""
    forged: list[ForgedRow] = []
    """Rows that do not match their authentication codes; none of them is used."""
