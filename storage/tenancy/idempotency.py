"""Idempotency: a repeated request with the same key and content gets the first response again.

The first request locks its key until its transaction ends, and stores its response in that same transaction: either
the resource and the response exist, or neither does. A process that dies releases the lock.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select

from storage.crypto.authenticity import each_key, mac_of, require_authentic
from storage.database.locks import try_lock_name
from storage.database.records import columns_of
from storage.orm import Idempotency

_LABEL = b"antifaz fingerprint 1"
_KIND = "answer"


@dataclass(frozen=True)
class Answer:
    """The response to the first request."""

    fingerprint: bytes
    status: int
    headers: dict[str, Any]
    body: dict[str, Any]


_COLUMNS = columns_of(Answer, Idempotency)


def lock(c: Connection, tenant_id: UUID, key: str) -> bool:
    """Lock the key until the transaction ends; False while another request with it is still running."""
    return try_lock_name(c, "idempotency", str(tenant_id), key)


def recall(c: Connection, keys: bytes, tenant_id: UUID, key: str) -> Answer | None:
    """The response stored for this key, if any; `Forged` if it was changed."""
    statement = select(*_COLUMNS, Idempotency.mac).where(Idempotency.tenant_id == tenant_id, Idempotency.key == key)
    row = c.execute(statement).one_or_none()
    if row is None:
        return None
    *values, mac = row
    require_authentic(keys, _KIND, [tenant_id, key, *values], mac)
    return Answer(*values)


def remember(
    c: Connection,
    keys: bytes,
    tenant_id: UUID,
    key: str,
    fingerprint: bytes,
    status: int,
    headers: dict[str, Any],
    body: dict[str, Any],
) -> None:
    """Store the response for a key, in the transaction that created the resource."""
    answer = vars(Answer(fingerprint, status, headers, body))
    mac = mac_of(keys, _KIND, [tenant_id, key, *answer.values()])
    c.execute(insert(Idempotency).values(tenant_id=tenant_id, key=key, **answer, mac=mac))


def forget_old(c: Connection, hours: float) -> int:
    """Delete responses older than this; return the count."""
    old = Idempotency.created_at < func.now() - timedelta(hours=hours)
    return c.execute(delete(Idempotency).where(old)).rowcount


class Fingerprint:
    """A keyed digest of a request's decoded parts, however they are split on arrival.

    It is an HMAC under the tenant's own key, so that it does not reveal whether an upload equals a known file. The
    lengths of each part's name and content are included, so that parts cannot run together.
    """

    def __init__(self, release_key: bytes, tenant_id: UUID) -> None:
        tenant_key = hmac.digest(each_key(release_key)[0], _LABEL + tenant_id.bytes, "sha256")
        self._whole = hmac.new(tenant_key, digestmod="sha256")
        self._name: str | None = None
        self._content = hashlib.sha256()
        self._size = 0

    def update(self, part_name: str, content: bytes) -> Self:
        """Add the next bytes of a part; another name ends the previous part."""
        if part_name != self._name:
            self._close(self._whole)
            self._name, self._content, self._size = part_name, hashlib.sha256(), 0
        self._content.update(content)
        self._size += len(content)
        return self

    def digest(self) -> bytes:
        """The digest of everything so far."""
        whole = self._whole.copy()
        self._close(whole)
        return whole.digest()

    def _close(self, whole: hmac.HMAC) -> None:
        if self._name is not None:
            name = self._name.encode()
            whole.update(len(name).to_bytes(8, "big") + name + self._size.to_bytes(8, "big") + self._content.digest())
