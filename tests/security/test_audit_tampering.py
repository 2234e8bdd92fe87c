"""The audit trail as its readers meet it: whatever a superuser does to the rows, the API says so."""

from typing import Any

import pytest
from sqlalchemy import text

from storage import audit

TENANT = "(SELECT id FROM tenants WHERE name = :tenant)"


def filled(api: Any, tenant: str) -> list[dict[str, Any]]:
    """A chain with a few events whose head is anchored, as the sweeper does every few seconds."""
    api.token("auditor", tenant)
    for number in range(6):
        with api.client("steward", tenant) as steward:
            stored = steward.post("/v1/policies", json={"name": f"policy {number}", "policy": POLICY})
            assert stored.status_code == 201, stored.text
    with api.worker.begin() as c, api.worker_keyring.begin() as kc:
        audit.anchor_heads(c, kc)
    with api.client("auditor", tenant) as auditor:
        assert auditor.get("/v1/audit-events/verify").json()["intact"] is True
        events: list[dict[str, Any]] = auditor.get("/v1/audit-events").json()["items"]
    return events


POLICY = {
    "kind": "table",
    "attributes": {"age": {"role": "quasi_identifier"}},
    "guarantees": [{"model": "k_anonymity", "k": 2}],
    "method": {"name": "mondrian"},
}

TAMPERING = {
    "another actor": ("UPDATE audit_events SET actor = 'nobody' WHERE number = 4", 4),
    "other details": ("UPDATE audit_events SET details = '{}' WHERE number = 4", 4),
    "another time": ("UPDATE audit_events SET at = at - interval '1 hour' WHERE number = 4", 4),
    "a row taken out": ("DELETE FROM audit_events WHERE number = 4", 4),
    "the last three cut off": (
        "DELETE FROM audit_events WHERE number > (SELECT max(number) - 3 FROM audit_events WHERE tenant_id = {tenant})",
        None,
    ),
    "the whole chain gone": ("DELETE FROM audit_events WHERE true", 1),
}


@pytest.mark.parametrize("case", TAMPERING)
def test_every_change_behind_our_back_is_named(api: Any, case: str) -> None:
    statement, place = TAMPERING[case]
    tenant = case.replace(" ", "-")
    events = filled(api, tenant)
    with api.owner.begin() as connection:
        done = connection.execute(
            text(f"{statement.replace('{tenant}', TENANT)} AND tenant_id = {TENANT}"), {"tenant": tenant}
        )
        assert done.rowcount >= 1
    with api.client("auditor", tenant) as auditor:
        state = auditor.get("/v1/audit-events/verify").json()
    assert state["intact"] is False
    assert state["broken_at"] == (place or len(events) - 2)
    assert state["anchored"] == len(events)
