"""The provider: its configuration and keys, fetched rarely and only from its own origin, and cached for outages.

A token signed by an unknown key makes us fetch the keys again, so that rotation needs no restart; but at most once in
some seconds, so that forged tokens cannot make us flood the provider with requests.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, OKPKey, RSAKey, import_key

from service.runtime.identity_errors import InvalidToken, ProviderDown
from service.runtime.logs import log
from storage.settings import Settings

Key = RSAKey | ECKey | OKPKey
_PUBLIC_KINDS = ("RSA", "EC", "OKP")
_LEAST_RSA_BITS = 2048
_MOST_KEYS = 100
_LARGEST_ANSWER = 1 << 18
_PATIENCE_SECONDS = 5.0
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


class UnsafeProvider(ValueError):
    """The settings name a provider that cannot be used safely."""


@dataclass(frozen=True)
class Endpoints:
    """Endpoints of the provider."""

    authorization: str
    token: str
    keys: str


class Provider:
    """The only provider of this service."""

    def __init__(self, settings: Settings, issuer: str, clock: Callable[[], float] = time.monotonic) -> None:
        if not settings.oidc_audience or settings.oidc_audience == settings.oidc_client_id:
            raise UnsafeProvider("ANTIFAZ_OIDC_AUDIENCE must be set, and differ from ANTIFAZ_OIDC_CLIENT_ID")
        if urlsplit(issuer).scheme != "https" and urlsplit(issuer).hostname not in _THIS_MACHINE:
            raise UnsafeProvider("ANTIFAZ_OIDC_ISSUER must be an https address")
        self.settings = settings
        self.issuer = issuer
        self._clock = clock
        self._turn = asyncio.Lock()
        self._endpoints: Endpoints | None = None
        self._keys: Mapping[str, Key] = {}
        self._fetched_at = self._tried_at = -float("inf")
        self._failed = False

    async def key(self, kid: str) -> Key:
        """The public key of this name; raises `InvalidToken` if the provider has none, `ProviderDown` if unknown."""
        if kid not in self._keys or self._age() > self.settings.oidc_keys_seconds:
            await self._refresh()
        found = self._keys.get(kid) if self._age() <= self.settings.oidc_outage_seconds else None
        if found is not None:
            return found
        if self._failed:
            raise ProviderDown
        raise InvalidToken("It is signed with a key that its issuer does not publish.")

    async def endpoints(self) -> Endpoints:
        """The addresses for signing in and for exchanging codes."""
        if self._endpoints is None:
            await self._refresh()
        if self._endpoints is None:
            raise ProviderDown
        return self._endpoints

    async def exchange(self, form: Mapping[str, str]) -> Mapping[str, Any]:
        """Exchange a code for tokens; raises `InvalidToken` if the provider refuses the code."""
        endpoints, secret = await self.endpoints(), self.settings.oidc_client_secret
        client_id = str(self.settings.oidc_client_id)
        basic = None if secret is None else httpx.BasicAuth(client_id, secret.get_secret_value())
        try:
            status, document = await _ask("POST", endpoints.token, dict(form) | {"client_id": client_id}, basic)
        except (httpx.HTTPError, TimeoutError, ValueError) as cause:
            raise ProviderDown from cause
        if status >= 500:
            raise ProviderDown
        if status != 200:
            raise InvalidToken("The provider refused the code.")
        return document

    def _age(self) -> float:
        return self._clock() - self._fetched_at

    async def _refresh(self) -> None:
        async with self._turn:
            # A request that waited for the lock uses what the one before it fetched.
            if self._clock() - self._tried_at < self.settings.oidc_refetch_seconds:
                return
            # Set before the attempt: invented key names must not make us call the provider once for each request.
            self._tried_at = self._clock()
            try:
                self._endpoints = _endpoints(self.issuer, await self._get(_configuration_of(self.issuer)))
                self._keys = _keys(await self._get(self._endpoints.keys))
            except (httpx.HTTPError, TimeoutError, ValueError, JoseError) as cause:
                self._failed = True
                log("the OpenID provider does not answer as it should", cause=type(cause).__name__)
            else:
                self._fetched_at, self._failed = self._clock(), False

    async def _get(self, address: str) -> Mapping[str, Any]:
        status, document = await _ask("GET", address)
        if status != 200:
            raise ValueError(f"status {status}")
        return document


def _configuration_of(issuer: str) -> str:
    return f"{issuer.rstrip('/')}/.well-known/openid-configuration"


async def _ask(
    method: str, address: str, form: Mapping[str, str] | None = None, basic: httpx.BasicAuth | None = None
) -> tuple[int, Mapping[str, Any]]:
    """A JSON object of limited size. No redirects and no proxy: the response is the issuer's own."""
    async with (
        httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=_PATIENCE_SECONDS) as client,
        asyncio.timeout(_PATIENCE_SECONDS),
        client.stream(
            method, address, data=form, auth=basic or httpx.USE_CLIENT_DEFAULT, headers={"Accept": "application/json"}
        ) as answer,
    ):
        content = bytearray()
        async for piece in answer.aiter_bytes():
            content += piece
            if len(content) > _LARGEST_ANSWER:
                raise ValueError("too large")
    document = json.loads(content) if content else {}
    if not isinstance(document, dict):
        raise ValueError("not an object")
    return answer.status_code, document


def _endpoints(issuer: str, configuration: Mapping[str, Any]) -> Endpoints:
    # A document that names another issuer would let that one's tokens count as this one's.
    if configuration.get("issuer") != issuer:
        raise ValueError("another issuer")
    named = [configuration.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    for address in named:
        if not isinstance(address, str) or _origin(address) != _origin(issuer):
            raise ValueError("an endpoint on another origin")
    return Endpoints(*map(str, named))


def _origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def _keys(document: Mapping[str, Any]) -> dict[str, Key]:
    """Public signature keys by name. Shared secrets are left out: anyone who has one could sign."""
    listed = document.get("keys")
    if not isinstance(listed, list) or len(listed) > _MOST_KEYS:
        raise ValueError("not a set of keys")
    found: dict[str, Key] = {}
    for each in listed:
        if isinstance(each, dict) and each.get("kty") in _PUBLIC_KINDS and each.get("use", "sig") == "sig":
            key = import_key(each)
            is_weak = isinstance(key, RSAKey) and key.public_key.key_size < _LEAST_RSA_BITS
            if key.kid and not is_weak and isinstance(key, RSAKey | ECKey | OKPKey):
                found[key.kid] = key
    return found
