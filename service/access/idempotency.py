"""Idempotency: create a resource only once per Idempotency-Key.

Key, fingerprint and response are written in the transaction that creates the resource. A second request with the same
key never waits: it gets the first response, or a problem if the first is still being stored or the content differs. A
secret in a response (the text of a token, the secret of a webhook) is shown once and stored nowhere: the repeated
response has null in its place. Someone who learns a key, or an administrator's token, a day later learns no
secret by it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from fastapi import Request
from sqlalchemy.ext.asyncio import AsyncConnection
from starlette.responses import JSONResponse, Response

from service.access.auth import caller
from service.http.problems import Problem, invalid
from service.runtime.state import Service, service_of
from storage.tenancy import idempotency

HEADER = "idempotency-key"
_LONGEST_KEY = 255
_SEALED = "sealed_secret"


@dataclass(frozen=True)
class Secret:
    """A text that a response shows once."""

    text: str = field(repr=False)
    path: tuple[str, ...]
    """Its place in the body, where the stored response has null."""


@dataclass(frozen=True)
class Created:
    """The response to a request that created a resource."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    secret: Secret | None = None

    def response(self) -> Response:
        """The response as it is sent."""
        body = self.body if self.secret is None else _with(self.body, self.secret.path, self.secret.text)
        return JSONResponse(body, self.status, self.headers)


Create = Callable[[AsyncConnection], Awaitable[Created]]


def key_of(request: Request) -> str | None:
    """The request's Idempotency-Key, if it has one."""
    key = request.headers.get(HEADER)
    if key is not None and not (0 < len(key) <= _LONGEST_KEY and key.isascii() and key.isprintable()):
        raise invalid("invalid-request", "/header/Idempotency-Key", "must be 1 to 255 printable ASCII characters")
    return key


async def create_once(
    request: Request, operation: str, parts: Callable[[], Mapping[str, bytes]], create: Create
) -> Response:
    """Create in one transaction, or return the response of the first request with the same key.

    `parts` is called only if there is a key.
    """
    service, key = service_of(request), key_of(request)
    async with service.writing() as connection:
        if key is None:
            created = await create(connection)
        else:
            mark = fingerprint(service, caller(request).tenant_id, operation, parts())
            earlier = await claim_key(service, connection, caller(request).tenant_id, key)
            # A refusal raises here, so nothing is remembered and the same key may be used for the corrected request.
            created = replay(earlier, mark) if earlier else await create(connection)
            if earlier is None:
                await remember(service, connection, caller(request).tenant_id, key, mark, created)
    # After the commit: before it, no other connection sees what was queued.
    service.announcer.wake()
    return created.response()


def fingerprint(service: Service, tenant_id: UUID, operation: str, parts: Mapping[str, bytes]) -> bytes:
    """A digest of the operation and the decoded parts, the same for two equal requests."""
    mark = idempotency.Fingerprint(service.release_key, tenant_id)
    mark.update("operation", operation.encode())
    for name, content in parts.items():
        mark.update(name, content)
    return mark.digest()


@dataclass(frozen=True)
class Earlier:
    """Fingerprint and response of the first request with a key."""

    fingerprint: bytes
    created: Created


async def claim_key(service: Service, connection: AsyncConnection, tenant_id: UUID, key: str) -> Earlier | None:
    """Lock the key for this transaction; returns the earlier response if there is one."""
    if not await connection.run_sync(idempotency.lock, tenant_id, key):
        raise Problem("still-in-progress", "Try again in a moment.", headers={"Retry-After": "1"})
    answer = await connection.run_sync(idempotency.recall, service.release_key, tenant_id, key)
    if answer is None:
        return None
    # A response that an earlier version of this software stored may have a sealed secret, which is not shown again.
    body = {name: value for name, value in answer.body.items() if name != _SEALED}
    return Earlier(answer.fingerprint, Created(answer.status, body, answer.headers))


def replay(earlier: Earlier, mark: bytes) -> Created:
    """The earlier response, if the content is the same."""
    if earlier.fingerprint != mark:
        raise Problem("key-reused", "This Idempotency-Key was already used with other content.")
    return earlier.created


async def remember(
    service: Service, connection: AsyncConnection, tenant_id: UUID, key: str, mark: bytes, created: Created
) -> None:
    """Store the response for later requests with the same key."""
    body = created.body if created.secret is None else _with(created.body, created.secret.path, None)
    answer = (mark, created.status, created.headers, body)
    await connection.run_sync(idempotency.remember, service.release_key, tenant_id, key, *answer)


def _with(body: dict[str, Any], path: tuple[str, ...], text: str | None) -> dict[str, Any]:
    first, *rest = path
    return body | {first: _with(body[first], tuple(rest), text) if rest else text}
