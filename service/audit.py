"""The audit trail, as the service writes it: who did what to which thing."""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from service.auth import actor
from storage import audit
from storage.tokens import Principal


async def note(
    connection: AsyncConnection, principal: Principal, action: str, subject: UUID, details: dict[str, Any] | None = None
) -> None:
    """Append an event to the tenant's chain, in the transaction of what it tells of, as its last statement."""
    await connection.run_sync(audit.append, principal.tenant_id, actor(principal), action, str(subject), details or {})
