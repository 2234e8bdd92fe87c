"""What all kinds of portals share: how they are called, and how failures are reported.

A portal's own text is never repeated: it may quote the request, including its key. A reason is the name of the call,
the status and, for a validation error, the names of fields.
"""

import hashlib
import json
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from courier.calls import PORTAL_BYTES, PORTAL_SECONDS, Caller, NoAnswer, Reply
from metadata.facts import Facts, File

_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}", re.ASCII)
_LEAST_BYTES_PER_SECOND = 64 << 10
"""Slowest accepted rate for copies."""

Json = dict[str, Any]
Pieces = Callable[[File], AsyncIterator[bytes]]


class PortalFault(Exception):
    """A portal did not fulfill a request; the text can be shown to the steward."""

    def __init__(self, reason: str, *, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again
        """Whether a later attempt may succeed."""


class CannotBeRemoved(PortalFault):
    """The portal keeps the release permanently."""


@dataclass(frozen=True)
class Answered:
    """A response of a portal."""

    status: int
    document: Any
    """The JSON of the response; None if it is not JSON."""

    @property
    def is_good(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300


@dataclass
class Shipment:
    """A release to publish on a portal, or to remove from it."""

    caller: Caller
    url: str
    key: str = field(repr=False)
    facts: Facts
    options: Mapping[str, Any]
    mode: str
    remote: Json
    """The portal's ids of the release, and the progress so far."""
    keep: Callable[[Json], Awaitable[None]]
    """Stores ``remote``, before the next call."""
    pieces: Pieces
    """The bytes of a file of the release."""

    @property
    def name(self) -> str:
        """One name for one release on every portal."""
        return f"antifaz-{self.facts.id}"

    async def remember(self, **known: Any) -> None:
        """Store ids and progress, so that the next attempt can continue from here if the courier dies."""
        self.remote |= known
        await self.keep(self.remote)

    async def ask(
        self,
        what: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Any = None,
    ) -> Answered:
        """Call the portal with a JSON body; `PortalFault` if it does not answer or cannot at the moment."""
        content = None if body is None else json.dumps(body).encode()
        typed = {"Content-Type": "application/json"} if content is not None else {}
        return await self._call(what, method, path, {**headers, **typed}, content, PORTAL_SECONDS)

    async def send_file(
        self, what: str, path: str, headers: Mapping[str, str], field_name: str, file: File, fields: Mapping[str, str]
    ) -> Answered:
        """Send a file in a form, piece by piece."""
        boundary = secrets.token_hex(16)
        head = _form_head(boundary, field_name, file, fields)
        tail = f"\r\n--{boundary}--\r\n".encode()

        async def form() -> AsyncIterator[bytes]:
            yield head
            async for piece in self.pieces(file):
                yield piece
            yield tail

        length = len(head) + file.size + len(tail)
        typed = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Content-Length": str(length)}
        seconds = PORTAL_SECONDS + file.size / _LEAST_BYTES_PER_SECOND
        return await self._call(what, "POST", path, {**headers, **typed}, form(), seconds)

    async def send_bytes(self, what: str, path: str, headers: Mapping[str, str], file: File) -> Answered:
        """Send a file as the request's body, piece by piece."""
        typed = {"Content-Type": "application/octet-stream", "Content-Length": str(file.size)}
        seconds = PORTAL_SECONDS + file.size / _LEAST_BYTES_PER_SECOND
        return await self._call(what, "PUT", path, {**headers, **typed}, self.pieces(file), seconds)

    async def _call(
        self, what: str, method: str, path: str, headers: Mapping[str, str], content: Any, seconds: float
    ) -> Answered:
        named = {"Accept": "application/json", **headers}
        try:
            reply = await self.caller.call(
                method, f"{self.url}{path}", headers=named, content=content, seconds=seconds, most=PORTAL_BYTES
            )
        except NoAnswer as silence:
            raise PortalFault(f"{what}: {silence}", again=True) from None
        if reply.status == 429 or reply.status >= 500:
            raise PortalFault(f"{what}: the portal answered {reply.status}", again=True)
        return Answered(reply.status, _document(reply))


class Portal(ABC):
    """One kind of portal."""

    @abstractmethod
    async def publish(self, shipment: Shipment) -> None:
        """Create or update a release on the portal; `PortalFault` if that fails."""

    @abstractmethod
    async def remove(self, shipment: Shipment) -> str | None:
        """Remove a release; return a note on what remains on the portal, if anything."""


def refused(what: str, answered: Answered, fields: Any = None) -> PortalFault:
    """The fault of a call that the portal refused, with the names of the fields that it rejected."""
    # If the key is refused, CKAN's error has a type and a message instead of fields; a validation error has both.
    wrong = fields if isinstance(fields, dict) and answered.status not in (401, 403) else {}
    names = sorted(name for name in wrong if _FIELD.fullmatch(name) and name != "__type")
    listed = f", about {', '.join(names[:10])}" if names else ""
    meant = {401: ": the key is not accepted", 403: ": the key does not allow this"}.get(answered.status, "")
    return PortalFault(f"{what}: the portal answered {answered.status}{meant}{listed}")


def digest_of(document: Json) -> str:
    """A digest that shows whether the portal already has the same content."""
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def member(document: Any, *path: str) -> Any:
    """A member of a JSON document; None if it is missing."""
    for step in path:
        document = document.get(step) if isinstance(document, dict) else None
    return document


def _document(reply: Reply) -> Any:
    try:
        return json.loads(reply.content) if reply.whole else None
    except ValueError:
        return None


def _form_head(boundary: str, field_name: str, file: File, fields: Mapping[str, str]) -> bytes:
    lines = []
    for name, value in fields.items():
        lines += [f"--{boundary}", f'Content-Disposition: form-data; name="{name}"', "", value]
    # File names consist of letters, digits and dashes (`metadata.facts.file_name`).
    place = f'Content-Disposition: form-data; name="{field_name}"; filename="{file.file_name}"'
    lines += [f"--{boundary}", place, f"Content-Type: {file.media_type}", "", ""]
    return "\r\n".join(lines).encode()
