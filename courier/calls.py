"""Calls: requests to addresses that somebody else chose.

The address is resolved once and judged (`storage.outbound`), and the connection goes to that very address, with the
name kept for TLS and in the header Host. There are no redirects, no proxies and no cookies, an end to the patience
and an end to what is read. What goes wrong is said in words of ours: nobody else's text is kept.
"""

import asyncio
import ssl
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass

import httpx

from storage.outbound import Allowed, BadAddress, resolve

WEBHOOK_SECONDS, WEBHOOK_BYTES = 10.0, 4_096
PORTAL_SECONDS, PORTAL_BYTES = 60.0, 4 << 20
_AGENT = "antifaz-courier/1"


class NoAnswer(Exception):
    """A call that came to nothing; the text says how, and names nobody."""


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    content: bytes
    """Of a long answer the beginning."""
    whole: bool


class Caller:
    """Calls others, one connection for each call."""

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
        """The answer, whatever its status; `NoAnswer` if there is none in this time."""
        try:
            async with asyncio.timeout(seconds):
                return await self._answer(method, url, headers, content, most)
        except BadAddress:
            raise NoAnswer("the address is not one that may be called") from None
        except (TimeoutError, httpx.TimeoutException):
            raise NoAnswer("no answer in time") from None
        except httpx.ConnectError as error:
            # Why TLS failed would be in words of the library, with names in it.
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
        target = await resolve(url, self._allowed)
        named = {"User-Agent": _AGENT, "Accept-Encoding": "identity", **headers, "Host": target.host_header}
        extensions = {"sni_hostname": target.host} if target.url.scheme == "https" else {}
        async with (
            httpx.AsyncClient(verify=self._trust, trust_env=False, follow_redirects=False, timeout=None) as client,
            client.stream(method, target.direct_url, headers=named, content=content, extensions=extensions) as answer,
        ):
            read = bytearray()
            async for piece in answer.aiter_raw():
                read += piece
                if len(read) > most:
                    return Reply(answer.status_code, bytes(read[:most]), whole=False)
            return Reply(answer.status_code, bytes(read), whole=True)


def _cause_of(error: BaseException) -> BaseException | None:
    """What an error of the library began with."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    return cause
