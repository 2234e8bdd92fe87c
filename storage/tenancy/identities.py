"""Identities: users authenticated by an OpenID provider, in a tenant and a role.

Each is a row of the table of tokens, but has no token text: it is found by its own kind of digest over issuer, subject,
tenant and role. So its sessions, events and revocation work as those of a token. Another role is another row: a change
at the provider takes effect immediately, and a row that an administrator revoked stays revoked.
"""

from dataclasses import astuple, dataclass

from sqlalchemy import Connection, select

from storage.crypto import authenticity
from storage.database.canonical import canonical
from storage.database.locks import lock_name
from storage.orm import Token
from storage.tenancy import tokens
from storage.tenancy.tenants import find_tenant_by_name
from storage.tenancy.tokens import Principal

_KIND = "identity"


@dataclass(frozen=True)
class Identity:
    """The claims of a provider's token, in our terms."""

    issuer: str
    subject: str
    tenant: str
    """Name of the tenant."""
    role: str


def digests_of(keys: bytes, identity: Identity) -> list[bytes]:
    """The digests by which an identity is found, one for each key, newest first."""
    return authenticity.digests_of(keys, _KIND, canonical(list(astuple(identity))).encode())


def register(c: Connection, keys: bytes, identity: Identity) -> Principal | None:
    """Create the row of an identity; None if it already has one, or if the tenant does not exist."""
    digests = digests_of(keys, identity)
    lock_name(c, _KIND, digests[0].hex())
    tenant = find_tenant_by_name(c, identity.tenant)
    if tenant is None or c.execute(select(Token.id).where(Token.digest.in_(digests))).first() is not None:
        return None
    row = tokens.insert_digest(c, keys, tenant.id, identity.subject, identity.role, digests[0])
    return Principal(row.id, row.tenant_id, row.role, row.name)
