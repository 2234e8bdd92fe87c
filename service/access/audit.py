"""The audit trail as the service writes it: who did what to which resource."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.access.auth import actor
from service.http.parameters import identity_or_none
from storage.audit import audit
from storage.audit.audit import EventRecord
from storage.tenancy import tokens
from storage.tenancy.tokens import Principal

_PUBLIC = "public"
"""Actor of a public download from outside the tenant: another tenant's token is not named in its trail."""


async def note(
    connection: AsyncConnection, principal: Principal, action: str, subject: UUID, details: dict[str, Any] | None = None
) -> None:
    """Append an event to the tenant's chain, as the last statement of the transaction that it records."""
    await connection.run_sync(audit.append, principal.tenant_id, actor(principal), action, str(subject), details or {})


async def note_download(
    connection: AsyncConnection, principal: Principal | None, tenant_id: UUID, release_id: UUID, details: dict[str, Any]
) -> None:
    """Append a download to the chain of the release's tenant."""
    own = principal is not None and principal.tenant_id == tenant_id
    who = actor(principal) if principal is not None and own else _PUBLIC
    await connection.run_sync(audit.append, tenant_id, who, "release.download", str(release_id), details)


async def names_of_actors(
    connection: AsyncConnection, tenant_id: UUID, events: Sequence[EventRecord]
) -> list[str | None]:
    """The name of the token behind each event, if it is one of the tenant's own."""
    ids = [_token_of(event.actor) for event in events]
    known = await connection.run_sync(
        tokens.names_of, tenant_id, [token_id for token_id in ids if token_id is not None]
    )
    return [None if token_id is None else known.get(token_id) for token_id in ids]


def _token_of(name: str) -> UUID | None:
    kind, _, text = name.partition(":")
    return identity_or_none(text) if kind == "token" else None
