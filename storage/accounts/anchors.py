"""Anchors of the ledger: the amounts that accounts have spent, signed and stored outside the accounts' database.

The sweeper copies accounts into the keyring, like the heads of the audit chains (`storage.audit.audit`). If the main
database is restored to an older state, its accounts have spent less than their anchors show: the next charge raises
them again, and records that in the audit trail.
"""

import logging
from uuid import UUID

from sqlalchemy import Connection, func, or_, select
from sqlalchemy.dialects.postgresql import insert

from storage.crypto.heads import HeadSigner
from storage.orm import Budget, LedgerAnchor

_LOGGER = logging.getLogger(__name__)
_LABEL = "antifaz ledger head 1"


def anchor_accounts(c: Connection, kc: Connection, signer: HeadSigner) -> int:
    """Sign and store the spending of every account that was charged since its last anchor; return the count."""
    spent = select(Budget.lineage_id, Budget.spent, Budget.delta_spent)
    accounts = c.execute(spent.where(or_(Budget.spent > 0, Budget.delta_spent > 0))).all()
    heads = select(LedgerAnchor.lineage_id, func.max(LedgerAnchor.spent), func.max(LedgerAnchor.delta_spent))
    known = {row[0]: (row[1], row[2]) for row in kc.execute(heads.group_by(LedgerAnchor.lineage_id))}
    moved = 0
    for lineage_id, units, delta in accounts:
        before = known.get(lineage_id, (0, 0))
        if units < before[0] or delta < before[1]:
            _LOGGER.error("an account has spent less than before", extra={"fields": {"lineage": str(lineage_id)}})
        elif (units, delta) != before:
            values = {"lineage_id": lineage_id, "spent": units, "delta_spent": delta}
            signature = signer.signature_of(_text(lineage_id, units, delta))
            kc.execute(insert(LedgerAnchor).values(**values, signature=signature).on_conflict_do_nothing())
            moved += 1
    return moved


def anchored(kc: Connection, signer: HeadSigner, lineage_id: UUID) -> tuple[int, int]:
    """The most that an account is known to have spent, and of delta; anchors that we did not sign are ignored."""
    columns = (LedgerAnchor.spent, LedgerAnchor.delta_spent, LedgerAnchor.signature)
    newest = select(*columns).where(LedgerAnchor.lineage_id == lineage_id)
    # Spending only grows, so one row has the highest value of both, unless someone else inserted rows.
    for spent, delta, signature in kc.execute(
        newest.order_by(LedgerAnchor.spent.desc(), LedgerAnchor.delta_spent.desc())
    ):
        if signer.made(signature, _text(lineage_id, spent, delta)):
            return spent, delta
    return 0, 0


def _text(lineage_id: UUID, spent: int, delta_spent: int) -> bytes:
    return f"{_LABEL}\n{lineage_id}\n{spent}\n{delta_spent}\n".encode()
