"""Identities: whoever a provider vouches for, in a tenant and a role.

Each is a row of tokens that no text opens: it is found by a digest of a kind of its own over issuer, subject, tenant
and role. So its sessions, its events and its revocation are those of a token, and another role is another row: what the
provider says next counts at once, and a row that an administrator revoked stays revoked.
"""

from dataclasses import astuple, dataclass

from sqlalchemy import Connection, select

from storage import authenticity, tokens
from storage.canonical import canonical
from storage.locks import lock_name
from storage.orm import Token
from storage.tenants import find_tenant_by_name
from storage.tokens import Principal

_KIND = "identity"


@dataclass(frozen=True)
class Identity:
    """What a provider's token says of its bearer, in our words."""

    issuer: str
    subject: str
    tenant: str
    """Name of the tenant."""
    role: str


def digests_of(keys: bytes, identity: Identity) -> list[bytes]:
    """What an identity is found by, one digest for each key, newest first."""
    return authenticity.digests_of(keys, _KIND, canonical(list(astuple(identity))).encode())


def register(c: Connection, keys: bytes, identity: Identity) -> Principal | None:
    """Make the row of an identity that has none yet; None if it has one, or if there is no such tenant."""
    digests = digests_of(keys, identity)
    lock_name(c, _KIND, digests[0].hex())
    tenant = find_tenant_by_name(c, identity.tenant)
    if tenant is None or c.execute(select(Token.id).where(Token.digest.in_(digests))).first() is not None:
        return None
    row = tokens.insert_digest(c, keys, tenant.id, identity.subject, identity.role, digests[0])
    return Principal(row.id, row.tenant_id, row.role, row.name)
