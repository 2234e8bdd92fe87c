"""Sessions: tokens used from a browser.

A session is a token with a parent, the role of that parent, and a lifetime of a few hours; revoking the parent ends it
immediately. Its text is in a cookie that scripts cannot read. Its secret is derived from the text; pages give it to
their own scripts, which send it back in a header. An attacker who can make a browser send the cookie has not read the
page, and so cannot send the secret.
"""

import hmac
import secrets
from datetime import timedelta
from uuid import UUID

from sqlalchemy import Connection

from storage.crypto import authenticity
from storage.tenancy import tokens
from storage.tenancy.tokens import Principal, TokenRecord

LIFE = timedelta(hours=8)
_PREFIX = "afs_"
_SECRET = "session secret"


def open_session(c: Connection, keys: bytes, principal: Principal) -> tuple[TokenRecord, str]:
    """Begin a session for a principal who has signed in; the returned text is not stored."""
    text = _PREFIX + secrets.token_urlsafe(32)
    name, role, tenant_id = principal.name, principal.role, principal.tenant_id
    session = tokens.insert_token(c, keys, tenant_id, name, role, text, LIFE, parent_id=principal.token_id)
    return session, text


def close_session(c: Connection, tenant_id: UUID, session_id: UUID) -> None:
    """End a session immediately."""
    tokens.revoke_token(c, tenant_id, session_id)


def secret_of(keys: bytes, text: str) -> str:
    """The secret of the session with this text, under the newest key."""
    return _secrets(keys, text)[0]


def is_secret(keys: bytes, text: str, given: str) -> bool:
    """Whether this is the secret of the session with this text."""
    # Secrets under older keys count too: a rotation must not end the sessions of people at work.
    return any(hmac.compare_digest(known.encode(), given.encode()) for known in _secrets(keys, text))


def _secrets(keys: bytes, text: str) -> list[str]:
    return [digest.hex() for digest in authenticity.digests_of(keys, _SECRET, text.encode())]
