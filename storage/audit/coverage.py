"""Coverage: why each table can be trusted. A new table or column has to be added here, or a test fails.

A table is *coded* (a row carries a code, or its content authenticates by itself), *derived* from others, or *harmless*:
changing it changes nothing that is served or allowed. `forged_rows` checks the codes of a whole tenant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Table, literal, select, tuple_

from storage.accounts import grants, ledger
from storage.crypto.authenticity import is_authentic
from storage.datasets import contents
from storage.orm import Base
from storage.releases import releases


@dataclass(frozen=True)
class Keys:
    """The keys of the codes; no database holds them."""

    release: bytes = field(repr=False)
    token: bytes = field(repr=False)


@dataclass(frozen=True)
class Coded:
    """Every row carries a code over these columns."""

    kind: str
    covers: Sequence[str]
    """In the order in which the code takes them."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Columns that the code does not cover, and why that is harmless."""
    unless_null: Sequence[str] = ()
    """Columns that the code covers after the others, if they are not null."""
    under_token_key: bool = False


@dataclass(frozen=True)
class Authenticated:
    """Coded in another way."""

    how: str


@dataclass(frozen=True)
class Derived:
    """Computed from other tables, or of no effect without them."""

    source: str


@dataclass(frozen=True)
class Harmless:
    """Changing it changes nothing that is served or allowed."""

    why: str


@dataclass(frozen=True)
class ForgedRow:
    """A row that does not match its code."""

    table: str
    id: str


_SHOWN = "shown, and decides nothing"
_STATE = "a state: it decides when work is done, not what is served"
_TRAIL = "the audit trail contradicts a row that was reset"
_SENT = "when and how often it is sent"
_OF_JOBS = ("queue", "status", "attempt", "fence", "lease_until", "cancel_requested", "rung_at")

MAIN: Mapping[str, Coded | Authenticated | Derived | Harmless] = {
    "tenants": Harmless("names are shown; everything belongs to a tenant by its id, which codes cover"),
    "tallies": Derived("blobs and jobs, by triggers"),
    "tokens": Coded(
        "token",
        ("id", "tenant_id", "role", "name", "expires_at", "digest"),
        {"created_at": _SHOWN, "revoked_at": _TRAIL},
        unless_null=("parent_id",),
        under_token_key=True,
    ),
    "idempotency": Coded(
        "answer",
        ("tenant_id", "key", "fingerprint", "status", "headers", "body"),
        {"created_at": "when it is forgotten"},
    ),
    "datasets": Coded(
        "dataset",
        (
            *("id", "tenant_id", "kind", "blob_id", "nodes_blob_id", "lineage_id", "supersedes"),
            *("population", "created_by"),
        ),
        {
            **dict.fromkeys(("name", "size", "created_at", "deleted_at", "problem"), _SHOWN),
            **dict.fromkeys(("format", "details"), "read wrongly, an original fails or gives other columns"),
            **dict.fromkeys(("columns", "counts"), "a worker reads them again from the original"),
            "status": _STATE,
        },
        unless_null=("digest", "unrelated_to", "unrelated"),
    ),
    "contents": Coded(*contents.CODE),
    "policies": Coded(
        "policy",
        ("id", "tenant_id", "name", "version", "public", "blob_id", "fingerprint"),
        {"created_at": _SHOWN},
    ),
    "hierarchies": Coded(
        "hierarchy",
        ("id", "tenant_id", "kind", "dataset_id", "column", "blob_id"),
        {**dict.fromkeys(("name", "shape", "problem", "created_at"), _SHOWN), "status": _STATE},
    ),
    "jobs": Coded(
        "job",
        (
            *("id", "tenant_id", "task", "dataset_id", "hierarchy_id", "policy", "policy_id", "policy_blob_id"),
            *("created_by", "fingerprint", "policy_name"),
        ),
        {
            **dict.fromkeys(_OF_JOBS, _STATE),
            **dict.fromkeys(("stage", "progress", "refusal", "error"), _SHOWN),
            **dict.fromkeys(("created_at", "started_at", "finished_at"), _SHOWN),
            "release_id": "a pointer: the release names its job",
            "noise_at": "a release that was drawn is in the trail; a draw without a release showed nothing",
        },
        unless_null=("then",),
    ),
    "consumers": Harmless("heartbeats: they decide what readiness and metrics say"),
    "outbox": Derived("jobs: a missing or additional message is sent again or dropped"),
    "budgets": Coded(*ledger.ACCOUNT_CODE),
    "charges": Coded(*ledger.CHARGE_CODE),
    "grants": Coded(*grants.GRANT_CODE),
    "declarations": Coded("declaration", ("lineage_id", "version", "tenant_id", "content", "created_by", "created_at")),
    "query_answers": Coded("query answer", ("job_id", "tenant_id", "content"), {"created_at": _SHOWN}),
    "projections": Authenticated("the key of each column is derived from dataset, version, place and blob"),
    "advice": Coded("advice", ("dataset_id", "tenant_id", "content", "findings", "created_at")),
    "releases": Authenticated("a code over the whole row and all artifacts (storage.releases.releases)"),
    "artifacts": Authenticated("the code of their release covers them"),
    "reports": Coded(
        "report",
        (
            *("job_id", "tenant_id", "dataset_id", "release_id", "status", "method", "guarantees", "achieved_k"),
            *("risk", "private", "content", "created_at"),
        ),
    ),
    "comparisons": Coded("comparison", ("job_id", "tenant_id", "rows", "created_at")),
    "cards": Coded("card", ("subject", "version", "tenant_id", "content", "created_at")),
    "listings": Derived("releases: it holds only a time"),
    "webhooks": Coded(
        "webhook",
        ("id", "tenant_id", "url", "events", "secret", "former_secret", "former_until", "created_by"),
        {
            **dict.fromkeys(("description", "created_at", "disabled_reason"), _SHOWN),
            **dict.fromkeys(("failing_since", "disabled_at", "deleted_at"), _SENT),
        },
    ),
    "deliveries": Derived("webhooks: a delivery has ids of events, and goes where its webhook's code says"),
    "portals": Coded(
        "portal",
        ("id", "tenant_id", "kind", "name", "url", "options", "credentials", "created_by"),
        {"created_at": _SHOWN, "deleted_at": _SENT},
    ),
    "publications": Coded(
        "publication",
        ("tenant_id", "release_id", "portal_id", "mode", "base", "created_by"),
        {
            **dict.fromkeys(("id", "created_at", "changed_at", "reason", "remote"), _SHOWN),
            **dict.fromkeys(("state", "attempts", "next_at", "lease_until"), _SENT),
        },
    ),
    "audit_events": Authenticated("a hash chain whose heads are signed and stored in the keyring"),
    "blobs": Derived("coded rows name them; their content authenticates under their key, id and tenant"),
    "original_chunks": Authenticated("AES-GCM under the key of the original, with its blob, place and tenant"),
    "release_chunks": Authenticated("AES-GCM under the key of the release, with its blob, place and tenant"),
}
"""Every table of the main database."""

KEYRING: Mapping[str, Coded | Authenticated | Derived | Harmless] = {
    "sealed_keys": Authenticated("sealed to the workers, with the blob; another key opens nothing"),
    "audit_anchors": Authenticated("signed"),
    "ledger_anchors": Authenticated("signed"),
}
"""Every table of the keyring."""

_BATCH = 200


def forged_rows(c: Connection, keys: Keys, tenant_id: UUID | None = None) -> list[ForgedRow]:
    """The rows of a tenant, or of all, that do not match their codes."""
    found = [ForgedRow("releases", str(each)) for each in releases.forged_releases(c, keys.release, tenant_id)]
    for name, coded in MAIN.items():
        if isinstance(coded, Coded):
            key = keys.token if coded.under_token_key else keys.release
            found += _forged(c, key, Base.metadata.tables[name], coded, tenant_id)
    return found


def _forged(c: Connection, key: bytes, table: Table, coded: Coded, tenant_id: UUID | None) -> Iterator[ForgedRow]:
    for row in _rows(c, table, tenant_id):
        values = [row[column] for column in coded.covers]
        values += [row[column] for column in coded.unless_null if row[column] is not None]
        if not is_authentic(key, coded.kind, values, row["mac"]):
            yield ForgedRow(table.name, " ".join(str(row[column.name]) for column in table.primary_key))


def _rows(c: Connection, table: Table, tenant_id: UUID | None) -> Iterator[Mapping[Any, Any]]:
    """The rows of a table, some at a time."""
    place = list(table.primary_key)
    statement = select(table).order_by(*place).limit(_BATCH)
    if tenant_id is not None:
        statement = statement.where(_tenant(table) == tenant_id)
    found = c.execute(statement).mappings().all()
    while found:
        yield from found
        last = tuple_(*(literal(found[-1][column.name], column.type) for column in place))
        found = c.execute(statement.where(tuple_(*place) > last)).mappings().all()


def _tenant(table: Table) -> Any:
    """The tenant of a row; a charge belongs to the tenant of its account."""
    if "tenant_id" in table.c:
        return table.c.tenant_id
    budgets = Base.metadata.tables["budgets"]
    return select(budgets.c.tenant_id).where(budgets.c.lineage_id == table.c.lineage_id).scalar_subquery()
