"""Claims: the content of a provider's token, trusted only after every check.

Cheap checks come first: for a token with another audience, another issuer or outside its time, the key is not even
looked up. Algorithms that a shared secret, or no key at all, could satisfy are not accepted.
"""

import hmac
import json
from collections.abc import Mapping
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwt import JWTClaimsRegistry

from service.runtime.identity_errors import InvalidToken, NoPlaceHere
from service.runtime.identity_provider import Provider
from storage.settings import Settings
from storage.tenancy.identities import Identity

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA")
LONGEST = 8_192
_MARKS_OF_ID_TOKENS = ("nonce", "at_hash", "c_hash", "s_hash")
_LONGEST_SUBJECT = 200
_CHECKED = ("iss", "aud", "sub", "exp", "iat", "nbf")

Claims = Mapping[str, Any]


def looks_signed(text: str) -> bool:
    """Whether a bearer's text is a JWT and not one of our own tokens."""
    return text.startswith("eyJ") and text.count(".") == 2


async def read_access_token(provider: Provider, text: str) -> Claims:
    """The claims of an access token for this service; raises `InvalidToken` or `ProviderDown`."""
    header, claims = _parse_unverified(text)
    kind = str(header.get("typ", "")).lower().removeprefix("application/")
    if kind not in {each.lower() for each in provider.settings.oidc_token_types}:
        raise InvalidToken("Its type is not that of an access token.")
    # An ID token states to a client who signed in. It does not authorize calls to a service.
    if any(mark in claims for mark in _MARKS_OF_ID_TOKENS) or str(claims.get("typ", "")).lower() == "id":
        raise InvalidToken("It is an ID token.")
    return await _verify(provider, text, header, claims, str(provider.settings.oidc_audience))


async def read_id_token(provider: Provider, text: str, nonce: str) -> Claims:
    """The claims of the ID token of a sign-in; raises `InvalidToken` or `ProviderDown`."""
    header, claims = _parse_unverified(text)
    if str(header.get("typ", "JWT")).lower() != "jwt":
        raise InvalidToken("It is not an ID token.")
    client_id = str(provider.settings.oidc_client_id)
    if claims.get("azp", client_id) != client_id:
        raise InvalidToken("It was made for another client.")
    if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
        raise InvalidToken("It belongs to another sign-in.")
    return await _verify(provider, text, header, claims, client_id)


def _parse_unverified(text: str) -> tuple[Mapping[str, Any], Claims]:
    try:
        # The signature is checked later: the cheap checks on these claims come first.
        signed = jws.extract_compact(text.encode())
        header, claims = signed.headers(), json.loads(signed.payload)
    except (JoseError, ValueError, RecursionError):
        raise InvalidToken("It is not a JWT.") from None
    if not isinstance(claims, dict):
        raise InvalidToken("It is not a JWT.")
    if header.get("alg") not in ALGORITHMS:
        raise InvalidToken("Its algorithm is not accepted.")
    return header, claims


async def _verify(provider: Provider, text: str, header: Mapping[str, Any], claims: Claims, audience: str) -> Claims:
    _check(provider, claims, audience)
    key = await provider.key(str(header.get("kid", "")))
    try:
        return jwt.decode(text, key, algorithms=ALGORITHMS).claims
    except (JoseError, ValueError):
        raise InvalidToken("Its signature is not its issuer's.") from None


def _check(provider: Provider, claims: Claims, audience: str) -> None:
    registry = JWTClaimsRegistry(
        leeway=provider.settings.oidc_leeway_seconds,
        iss={"essential": True, "value": provider.issuer},
        aud={"essential": True, "value": audience},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
    )
    try:
        registry.validate(dict(claims))
    except JoseError as fault:
        named = [claim for claim in _CHECKED if claim in getattr(fault, "claim", "").split(",")]
        raise InvalidToken(f"Its {' and '.join(named) or 'claims'} cannot be accepted.") from None


def identity_of(settings: Settings, issuer: str, claims: Claims) -> Identity:
    """The identity that the claims map to; raises `NoPlaceHere` if there is none."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or not subject.isprintable():
        raise InvalidToken("Its sub cannot be accepted.")
    held = _values(claim_at(claims, settings.oidc_role_claim))
    role = next((role for value, role in settings.oidc_roles.items() if value in held), None)
    if role is None:
        raise NoPlaceHere("The provider names no role that is mapped here.")
    tenant = settings.oidc_tenant
    if settings.oidc_tenant_claim is not None:
        named = _values(claim_at(claims, settings.oidc_tenant_claim))
        if len(named) != 1:
            raise NoPlaceHere("The provider does not name exactly one tenant.")
        (tenant,) = named
    return Identity(issuer, subject, tenant, role)


def claim_at(claims: Claims, name: str) -> Any:
    """The claim of this name; a name with dots may be a path into nested claims."""
    if name in claims:
        return claims[name]
    place: Any = claims
    for step in name.split("."):
        place = place.get(step) if isinstance(place, Mapping) else None
    return place


def _values(claim: Any) -> set[str]:
    """One value, or a list of them."""
    listed = claim if isinstance(claim, list) else [claim]
    return {each for each in listed if isinstance(each, str) and each}
