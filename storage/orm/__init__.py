"""The schema of both databases, as SQLAlchemy models.

Main database: everything but keys. Keyring database: the sealed data keys of originals and the anchored heads of the
audit chains. The migrations grant the rights on each table (roles ``antifaz_service``, ``antifaz_worker``,
``antifaz_courier``).
"""

from storage.orm.advice import Advice
from storage.orm.audit import AuditEvent
from storage.orm.base import NAMES, Base, KeyringBase
from storage.orm.blobs import Blob, OriginalChunk, ReleaseChunk
from storage.orm.catalog import Card, Listing
from storage.orm.consumers import Consumer
from storage.orm.courier import Delivery, Portal, Publication, Webhook
from storage.orm.datasets import Content, Dataset, Hierarchy, Policy
from storage.orm.jobs import Budget, Charge, Job, Outbox
from storage.orm.keyring import AuditAnchor, LedgerAnchor, SealedKey
from storage.orm.questions import Declaration, Grant, Projection, QueryAnswer
from storage.orm.releases import Artifact, Comparison, Release, Report
from storage.orm.tenancy import Idempotency, Tally, Tenant, Token

__all__ = [
    "Advice",
    "Artifact",
    "AuditAnchor",
    "AuditEvent",
    "Base",
    "Blob",
    "Budget",
    "Card",
    "Charge",
    "Comparison",
    "Consumer",
    "Content",
    "Dataset",
    "Declaration",
    "Delivery",
    "Grant",
    "Hierarchy",
    "Idempotency",
    "Job",
    "KeyringBase",
    "Listing",
    "LedgerAnchor",
    "NAMES",
    "OriginalChunk",
    "Outbox",
    "Policy",
    "Portal",
    "Projection",
    "Publication",
    "QueryAnswer",
    "Release",
    "ReleaseChunk",
    "Report",
    "SealedKey",
    "Tally",
    "Tenant",
    "Token",
    "Webhook",
]
