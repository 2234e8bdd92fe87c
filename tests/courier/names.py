"""Names that resolve as a test prescribes, instead of by the machine's resolver."""

import asyncio
import socket
from typing import Any

import pytest


class Names:
    """Names and their addresses at the moment; all others resolve as ever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.addresses: dict[str, str] = {}
        self.asked: list[str] = []
        former, names = asyncio.base_events.BaseEventLoop.getaddrinfo, self

        async def answer(self: Any, host: Any, port: Any, **more: Any) -> list[Any]:
            if host not in names.addresses:
                return list(await former(self, host, port, **more))
            names.asked.append(host)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (names.addresses[host], port))]

        monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "getaddrinfo", answer)
