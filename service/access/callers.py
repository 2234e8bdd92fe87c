"""Callers authenticated by the provider, as principals like all others."""

from uuid import UUID

from service.runtime.identity_claims import Claims, identity_of, read_access_token
from service.runtime.identity_errors import InvalidToken, NoPlaceHere
from service.runtime.identity_provider import Provider
from service.runtime.state import Service
from storage.audit import audit
from storage.operations.lookups import Caller
from storage.tenancy import identities, tenants


async def caller_by_access_token(service: Service, provider: Provider, text: str, job_id: UUID | None) -> Caller:
    """The sender of an access token; raises `InvalidToken`, `NoPlaceHere` or `ProviderDown`."""
    return await known_caller(service, provider, await read_access_token(provider, text), job_id)


async def known_caller(service: Service, provider: Provider, claims: Claims, job_id: UUID | None = None) -> Caller:
    """The caller that verified claims identify; registered the first time."""
    identity = identity_of(service.settings, provider.issuer, claims)
    found = await service.lookups.identity(identity, job_id)
    if found is not None:
        return found
    # Two first requests at once both come here: one of them registers the identity, and both find it below.
    async with service.writing() as connection:
        made = await connection.run_sync(identities.register, service.token_key, identity)
        if made is not None:
            details = {"role": made.role, "by": "oidc"}
            who = f"token:{made.token_id}"
            await connection.run_sync(audit.append, made.tenant_id, who, "token.create", str(made.token_id), details)
    found = await service.lookups.identity(identity, job_id)
    if found is not None:
        return found
    if made is None and not await _is_tenant(service, identity.tenant):
        raise NoPlaceHere("The provider names a tenant that does not exist here.")
    raise InvalidToken("An administrator of this service revoked its bearer.")


async def _is_tenant(service: Service, name: str) -> bool:
    async with service.reading() as connection:
        return await connection.run_sync(tenants.find_tenant_by_name, name) is not None
