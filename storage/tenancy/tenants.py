"""Tenants: organizations that share nothing with each other."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import Connection, select
from sqlalchemy.dialects.postgresql import insert

from storage.database.records import columns_of
from storage.errors import NameTaken as NameTaken
from storage.orm import Tenant

DEFAULT_TENANT = "default"


@dataclass(frozen=True)
class TenantRecord:
    """One tenant."""

    id: UUID
    name: str
    created_at: datetime


_COLUMNS = columns_of(TenantRecord, Tenant)


def create_tenant(c: Connection, name: str) -> TenantRecord:
    """Create a tenant; `NameTaken` if the name is taken."""
    statement = insert(Tenant).values(id=uuid4(), name=name).on_conflict_do_nothing().returning(*_COLUMNS)
    row = c.execute(statement).one_or_none()
    if row is None:
        raise NameTaken("there is a tenant of that name")
    return TenantRecord(*row)


def get_tenant(c: Connection, tenant_id: UUID) -> TenantRecord | None:
    """A tenant by its id."""
    row = c.execute(select(*_COLUMNS).where(Tenant.id == tenant_id)).one_or_none()
    return None if row is None else TenantRecord(*row)


def find_tenant_by_name(c: Connection, name: str) -> TenantRecord | None:
    """A tenant by its name."""
    row = c.execute(select(*_COLUMNS).where(Tenant.name == name)).one_or_none()
    return None if row is None else TenantRecord(*row)
