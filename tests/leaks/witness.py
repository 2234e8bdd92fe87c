"""Witnesses of the story: they record every answer and every command to Redis."""

import contextlib
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx
import redis

from stack.servers.broker import RedisServer
from stack.servers.ports import LOOPBACK
from tests.patience import RECOVERY, patience
from tests.system.conftest import Stack

RELEASE_BUNDLE = "get_release_bundle"
DOWNLOAD = "download"
"""Name for a download of a release's data that a test makes itself."""


@dataclass(frozen=True)
class Answer:
    """One answer of the API, byte for byte, and the request that caused it."""

    operation: str
    role: str
    case: str
    status: int
    content: bytes
    """Status line, headers and body."""
    headers: dict[str, str]
    body: bytes

    @property
    def name(self) -> str:
        return f"{self.operation} as {self.role} with {self.case}: {self.status}"


@dataclass
class Witness:
    """Records every answer that a client gets."""

    answers: list[Answer] = field(default_factory=list)
    context: tuple[str, str, str] = ("story", "", "")

    def hook(self, response: httpx.Response) -> None:
        """For a client: called with each response."""
        body = response.read()
        head = f"{response.http_version} {response.status_code} {response.reason_phrase}\n".encode()
        lines = b"".join(name + b": " + value + b"\n" for name, value in response.headers.raw)
        operation, role, case = self.context
        if operation == "story" and response.request.url.path.endswith("/data"):
            operation = DOWNLOAD
        self.answers.append(
            Answer(operation, role, case, response.status_code, head + lines + body, dict(response.headers), body)
        )

    @contextlib.contextmanager
    def noting(self, operation: str, role: str, case: str) -> Iterator[None]:
        """Label the answers within."""
        before, self.context = self.context, (operation, role, case)
        yield
        self.context = before


@dataclass
class WitnessedStack(Stack):
    """A stack whose clients record every answer."""

    witness: Witness = field(default_factory=Witness)
    foreign: dict[str, str] = field(default_factory=dict)

    def client(self, role: str | None = "steward") -> httpx.Client:
        """A client of the default tenant, or with ``foreign-`` of another one, or with no token."""
        token = self.foreign_token(role) if role and role.startswith("foreign-") else role and self.token(role)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        hooks = {"response": [self.witness.hook]}
        return httpx.Client(base_url=self.address, headers=headers, timeout=patience(), event_hooks=hooks)

    def foreign_token(self, role: str) -> str:
        """A token of a tenant that owns nothing."""
        if not self.foreign:
            with self.client("admin") as admin:
                answer = admin.post("/v1/tenants", json={"name": f"stranger {secrets.token_hex(8)}"})
                self.foreign["foreign-admin"] = answer.json()["token"]["token"]
        if role not in self.foreign:
            with self.client("foreign-admin") as admin:
                answer = admin.post("/v1/tokens", json={"name": role, "role": role.removeprefix("foreign-")})
                self.foreign[role] = answer.json()["token"]
        return self.foreign[role]


class Monitor:
    """Every command to a Redis server, as MONITOR shows it, byte for byte."""

    _END = b"end-of-monitor"

    def __init__(self, server: RedisServer) -> None:
        self._server = server
        self._heard = bytearray()

    @property
    def heard(self) -> bytes:
        """All commands so far."""
        return bytes(self._heard)

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Listen in a separate thread."""
        with socket.create_connection((LOOPBACK, self._server.port), timeout=patience()) as line:
            line.sendall(f"AUTH {self._server.password}\r\nMONITOR\r\n".encode())
            thread = threading.Thread(target=self._listen, args=[line], daemon=True)
            thread.start()
            yield
            with redis.Redis.from_url(self._server.url) as other:
                other.set(self._END, 1)
            thread.join(patience())

    def _listen(self, line: socket.socket) -> None:
        line.settimeout(patience(RECOVERY))
        while self._END not in self._heard[-4096:]:
            piece = line.recv(1 << 16)
            if not piece:
                return
            self._heard += piece
