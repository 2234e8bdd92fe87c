"""Calls: requests to addresses chosen by users.

The address is resolved once and checked (`storage.outbound.addresses`), and the connection goes to exactly that
address, with the name used for TLS and in the header Host. There are no redirects, proxies or cookies, and both the
time and the bytes read are limited. Errors are described in our own words: third-party text is never stored.
"""

import asyncio
import ssl
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass

import httpx

from storage.outbound.addresses import Allowed, BadAddress, resolve

WEBHOOK_SECONDS, WEBHOOK_BYTES = 10.0, 4_096
PORTAL_SECONDS, PORTAL_BYTES = 60.0, 4 << 20
_AGENT = "antifaz-courier/1"


class NoAnswer(Exception):
    """A failed call; the text describes the failure and names nobody."""


@dataclass(frozen=True)
class Reply:
    """The response to a call."""

    status: int
    content: bytes
    """The response's body; only the beginning of a long one."""
    whole: bool


class Caller:
    """Makes calls, with one connection for each."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._trust = ssl.create_default_context()

    async def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        content: bytes | AsyncIterable[bytes] | None = None,
        seconds: float = WEBHOOK_SECONDS,
        most: int = WEBHOOK_BYTES,
    ) -> Reply:
        """The response, whatever its status; `NoAnswer` if there is none in this time."""
        try:
            async with asyncio.timeout(seconds):
                return await self._answer(method, url, headers, content, most)
        except BadAddress:
            raise NoAnswer("calls to this address are not allowed") from None
        except (TimeoutError, httpx.TimeoutException):
            raise NoAnswer("no answer in time") from None
        except httpx.ConnectError as error:
            # The library's own message about TLS would contain names.
            secured = isinstance(_cause_of(error), ssl.SSLError)
            raise NoAnswer("the certificate was not accepted" if secured else "no connection") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError):
            raise NoAnswer("the connection broke") from None

    async def _answer(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | AsyncIterable[bytes] | None,
        most: int,
    ) -> Reply:
        # Resolved once, checked, and called by that address: a name that resolves differently a moment later changes
        # nothing.
        target = await resolve(url, self._allowed)
        named = {"User-Agent": _AGENT, "Accept-Encoding": "identity", **headers, "Host": target.host_header}
        extensions = {"sni_hostname": target.host} if target.url.scheme == "https" else {}
        async with (
            httpx.AsyncClient(verify=self._trust, trust_env=False, follow_redirects=False, timeout=None) as client,  # noqa: S113 - the whole call has a deadline
            client.stream(method, target.direct_url, headers=named, content=content, extensions=extensions) as answer,
        ):
            read = bytearray()
            async for piece in answer.aiter_raw():
                read += piece
                if len(read) > most:
                    return Reply(answer.status_code, bytes(read[:most]), whole=False)
            return Reply(answer.status_code, bytes(read), whole=True)


def _cause_of(error: BaseException) -> BaseException | None:
    """The TLS error behind an error of the library, if there is one."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause
