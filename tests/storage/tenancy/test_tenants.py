"""Tenants."""

from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection

from storage.tenancy.tenants import NameTaken, create_tenant, find_tenant_by_name, get_tenant


def test_a_tenant_is_found_by_id_and_by_name(c: Connection) -> None:
    made = create_tenant(c, "Universität")
    assert get_tenant(c, made.id) == made
    assert find_tenant_by_name(c, "Universität") == made


def test_unknown_tenants_are_none(c: Connection) -> None:
    assert get_tenant(c, uuid4()) is None
    assert find_tenant_by_name(c, "nobody") is None


def test_a_name_is_given_once_and_the_transaction_goes_on(c: Connection, tenant_id: UUID) -> None:
    create_tenant(c, "once")
    with pytest.raises(NameTaken):
        create_tenant(c, "once")
    assert get_tenant(c, tenant_id) is not None
