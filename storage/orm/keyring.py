"""The keyring database: sealed keys of originals, and anchored heads of the audit chains and of the ledger."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, func
from sqlalchemy.orm import Mapped, mapped_column

from storage.orm.base import KeyringBase


class SealedKey(KeyringBase):
    """The data key of an original, sealed to the workers' public key."""

    __tablename__ = "sealed_keys"
    blob_id: Mapped[UUID] = mapped_column(primary_key=True)
    sealed: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class AuditAnchor(KeyringBase):
    """The signed head of a tenant's audit chain at some time: a truncated chain no longer reaches it."""

    __tablename__ = "audit_anchors"
    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    digest: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    signature: Mapped[bytes]


class LedgerAnchor(KeyringBase):
    """The signed amount that an account had spent at some time: an account that was rolled back has spent less."""

    __tablename__ = "ledger_anchors"
    lineage_id: Mapped[UUID] = mapped_column(primary_key=True)
    spent: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    delta_spent: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    signature: Mapped[bytes]
