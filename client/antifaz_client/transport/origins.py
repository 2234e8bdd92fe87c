"""Origins: a token is sent to the address that it was given for, and to no other."""

import os
from collections.abc import Generator
from typing import Any

import httpx

DEFAULT_URL = "http://127.0.0.1:8000"
_PORTS = {"http": 80, "https": 443}
_FIXED = {"auth", "base_url", "follow_redirects", "headers"}
"""Settings of httpx that could send a token elsewhere: no redirect is followed."""
Origin = tuple[str, str, int | None]


class BoundToken(httpx.Auth):
    """A token with the origin it was given for: requests to any other origin are sent without it."""

    def __init__(self, secret: str, origin: Origin) -> None:
        self._secret, self._origin = secret, origin

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the token if the request goes to its origin."""
        if origin_of(request.url) == self._origin:
            request.headers["Authorization"] = f"Bearer {self._secret}"
        yield request


def origin_of(url: httpx.URL | str) -> Origin:
    """Scheme, host and port of an address."""
    found = httpx.URL(url)
    return found.scheme, found.host, found.port or _PORTS.get(found.scheme)


def full_address(url: str | None) -> str:
    """The address with its scheme: the given one, ANTIFAZ_URL, or this machine."""
    given = (url or os.environ.get("ANTIFAZ_URL") or DEFAULT_URL).strip().rstrip("/")
    return given if "://" in given else f"http://{given}"


def http_settings(url: str | None, token: str | None, timeout: float, settings: dict[str, Any]) -> dict[str, Any]:
    """The httpx settings of both drivers."""
    if fixed := sorted(_FIXED & set(settings)):
        raise TypeError(f"the client decides where its token goes; it does not take {', '.join(fixed)}")
    address = full_address(url)
    origin, secret = origin_of(address), _token_for(url, token)
    # Uploads can wait a long time for their answer, and jobs are followed with requests that are held open.
    waits = httpx.Timeout(timeout, read=max(timeout, 120.0))
    return {
        "base_url": address,
        "headers": {"User-Agent": "antifaz-client/0.1.0"},
        "auth": BoundToken(secret, origin) if secret else None,
        "timeout": waits,
        # A proxy named in the environment only forwards what TLS encrypts, but reads what is sent over plain http.
        "trust_env": origin[0] == "https",
        **settings,
    }


def _token_for(url: str | None, token: str | None) -> str | None:
    """The given token, or the one in the environment, which belongs to the address in the environment if there is one.

    An empty token means none.
    """
    if token is not None:
        return token
    secret, home = os.environ.get("ANTIFAZ_TOKEN"), os.environ.get("ANTIFAZ_URL")
    if secret and home and url and origin_of(full_address(url)) != origin_of(full_address(home)):
        raise ValueError(
            "ANTIFAZ_TOKEN belongs to the address in ANTIFAZ_URL and is not sent to another one: "
            "give the token of this address, or an empty one"
        )
    return secret
