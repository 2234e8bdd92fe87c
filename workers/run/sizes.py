"""Sizes: limits on the bytes of a release, checked before any of it is stored and while it is rendered."""

from collections.abc import Iterator
from uuid import UUID

from sqlalchemy import Connection

from antifaz.errors import AntifazError
from storage.settings import Settings
from storage.tenancy.quotas import rendered_by


class TooLarge(AntifazError):
    """The release exceeds the size limit of a release, or the remaining quota of its tenant."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule = rule
        self.detail = detail


class Allowance:
    """Bytes that the files of one release may take together."""

    def __init__(self, settings: Settings, connection: Connection, tenant_id: UUID) -> None:
        self._most = settings.max_release_bytes
        self._room = settings.tenant_release_bytes - rendered_by(connection, tenant_id).releases
        self._settings = settings
        self._taken = 0

    def require(self, size: int) -> None:
        """Raise if this number of additional bytes is not allowed."""
        if self._taken + size > self._most:
            raise TooLarge("release_size", _too_large(self._settings))
        if self._taken + size > self._room:
            raise TooLarge("release_quota", _no_room(self._settings))

    def counted(self, content: Iterator[bytes]) -> Iterator[bytes]:
        """Pass content on, up to the limit."""
        for piece in content:
            self.require(len(piece))
            self._taken += len(piece)
            yield piece


def require_room(connection: Connection, settings: Settings, tenant_id: UUID) -> None:
    """Raise if the tenant's releases, including this transaction's, exceed its quota.

    Call it while the tenant's audit chain is locked: of two releases that compete for the last bytes one is refused.
    """
    if rendered_by(connection, tenant_id).published > settings.tenant_release_bytes:
        raise TooLarge("release_quota", _no_room(settings))


def _too_large(settings: Settings) -> str:
    remedy = "request fewer formats, or give columns a hierarchy so that labels are short"
    return f"the files of one release may have at most {settings.max_release_bytes} bytes in total; {remedy}"


def _no_room(settings: Settings) -> str:
    remedy = "withdraw releases that are no longer needed and destroy their data"
    return f"the releases of one tenant may use at most {settings.tenant_release_bytes} bytes; {remedy}"
