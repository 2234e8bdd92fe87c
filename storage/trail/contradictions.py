"""Contradictions: events of the audit trail that the stored rows contradict.

Codes bind rows, but cannot show that an older row was restored together with its code, or that a row was removed.
"""

from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Text, and_, cast, exists, func, or_, select
from sqlalchemy.orm import aliased

from storage.orm import AuditEvent, Budget, Charge, Dataset, Declaration, Grant, Release, Token


def contradicted_events(c: Connection, tenant_id: UUID) -> tuple[int, ...]:
    """Numbers of the tenant's events that their rows contradict."""
    revoked = exists().where(cast(Token.id, Text) == AuditEvent.subject, Token.revoked_at.is_not(None))
    claims = (
        ("token.revoke", revoked),
        ("session.close", revoked),
        (
            "release.withdraw",
            exists().where(cast(Release.id, Text) == AuditEvent.subject, Release.withdrawn_at.is_not(None)),
        ),
        ("release.publish", exists().where(cast(Release.id, Text) == AuditEvent.subject)),
        ("budget.open", exists().where(cast(Budget.lineage_id, Text) == AuditEvent.subject)),
        ("budget.charge", _charge_stands()),
        ("declarations.put", _declaration_stands()),
        ("grant.set", _grant_stands()),
    )
    broken = or_(*(and_(AuditEvent.action == action, ~true_now) for action, true_now in claims))
    statement = select(AuditEvent.number).where(AuditEvent.tenant_id == tenant_id, broken)
    return tuple(c.execute(statement.order_by(AuditEvent.number)).scalars())


def _charge_stands() -> ColumnElement[bool]:
    """Whether the charge of the event is in the ledger, and its account has spent all its charges."""
    job, *losses = (AuditEvent.details[name].astext for name in ("job", "micro_epsilon", "nano_rho"))
    entered = exists().where(cast(Charge.job_id, Text) == job, cast(Charge.units, Text) == func.coalesce(*losses))
    total = select(func.sum(Charge.units)).where(Charge.lineage_id == Budget.lineage_id).scalar_subquery()
    return and_(entered, exists().where(cast(Budget.lineage_id, Text) == AuditEvent.subject, Budget.spent >= total))


def _declaration_stands() -> ColumnElement[bool]:
    """Whether the version of the event is stored, and its account has no more than the newest version allows."""
    ours = and_(Dataset.lineage_id == Declaration.lineage_id, cast(Dataset.id, Text) == AuditEvent.subject)
    stored = exists().where(ours, cast(Declaration.version, Text) == AuditEvent.details["version"].astext)
    version = cast(AuditEvent.details["version"].astext, Declaration.version.type)
    later = exists().where(ours, Declaration.version > version)
    account = exists().where(
        Dataset.lineage_id == Budget.lineage_id,
        cast(Dataset.id, Text) == AuditEvent.subject,
        cast(Budget.total, Text) == AuditEvent.details["total"].astext,
    )
    return and_(stored, or_(later, account))


def _grant_stands() -> ColumnElement[bool]:
    """Whether the grant of the event exists and has this total, unless a later event set another."""
    newer, elsewhere = aliased(AuditEvent), aliased(Dataset)
    same_lineage = exists().where(
        cast(Dataset.id, Text) == AuditEvent.subject,
        cast(elsewhere.id, Text) == newer.subject,
        elsewhere.lineage_id == Dataset.lineage_id,
    )
    token = AuditEvent.details["token"].astext
    later = exists().where(
        newer.tenant_id == AuditEvent.tenant_id,
        newer.number > AuditEvent.number,
        newer.action == "grant.set",
        newer.details["token"].astext == token,
        same_lineage,
    )
    stored = (
        Dataset.lineage_id == Grant.lineage_id,
        cast(Dataset.id, Text) == AuditEvent.subject,
        cast(Grant.token_id, Text) == token,
    )
    charged = select(func.coalesce(func.sum(Charge.units), 0)).where(
        Charge.lineage_id == Grant.lineage_id, Charge.token_id == Grant.token_id
    )
    exact = cast(Grant.total, Text) == AuditEvent.details["total"].astext
    now = exists().where(*stored, exact, Grant.spent >= charged.scalar_subquery())
    return or_(and_(later, exists().where(*stored)), now)
