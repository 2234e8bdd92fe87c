"""The audit trail as its readers see it: the API reports any change that a superuser makes to its rows."""

import hashlib
import itertools
import json
from datetime import UTC
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from sqlalchemy import Connection, create_engine, text

from storage.audit import audit

TENANT = "(SELECT id FROM tenants WHERE name = :tenant)"


def filled(api: Any, tenant: str) -> list[dict[str, Any]]:
    """A chain with a few events whose head is anchored, as the sweeper does every few seconds."""
    api.token("auditor", tenant)
    for number in range(6):
        with api.client("steward", tenant) as steward:
            stored = steward.post("/v1/policies", json={"name": f"policy {number}", "policy": POLICY})
            assert stored.status_code == 201, stored.text
    with api.worker.begin() as c, api.worker_keyring.begin() as kc:
        audit.anchor_heads(c, kc, api.head_signer)
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
    "another action": ("UPDATE audit_events SET action = 'policy.read' WHERE number = 4", 4),
    "another subject": ("UPDATE audit_events SET subject = gen_random_uuid()::text WHERE number = 4", 4),
    "another digest": ("UPDATE audit_events SET digest = sha256('x') WHERE number = 4", 4),
    "another digest before": ("UPDATE audit_events SET previous = sha256('x') WHERE number = 4", 4),
    "another number": ("UPDATE audit_events SET number = number + 100 WHERE number = 4", 4),
    "another time": ("UPDATE audit_events SET at = at - interval '1 hour' WHERE number = 4", 4),
    "a row taken out": ("DELETE FROM audit_events WHERE number = 4", 4),
    "the last three cut off": (
        "DELETE FROM audit_events WHERE number > (SELECT max(number) - 3 FROM audit_events WHERE tenant_id = {tenant})",
        None,
    ),
    "the whole chain gone": ("DELETE FROM audit_events WHERE true", 1),
}


def state_of(api: Any, tenant: str) -> dict[str, Any]:
    with api.client("auditor", tenant) as auditor:
        return dict(auditor.get("/v1/audit-events/verify").json())


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
    state = state_of(api, tenant)
    assert state["intact"] is False
    assert state["broken_at"] == (place or len(events) - 2)
    assert state["anchored"] == len(events)


ROWS = f"SELECT * FROM audit_events WHERE tenant_id = {TENANT} ORDER BY number"


def rows_of(connection: Connection, tenant: str) -> list[Any]:
    return list(connection.execute(text(ROWS), {"tenant": tenant}).all())


def write(connection: Connection, row: Any, **changes: Any) -> None:
    """Replace a row by a changed one with the same number."""
    values = {**row._mapping, **changes}
    values["details"] = json.dumps(values["details"])
    place = {"tenant_id": values["tenant_id"], "number": values["number"]}
    connection.execute(text("DELETE FROM audit_events WHERE tenant_id = :tenant_id AND number = :number"), place)
    names = ", ".join(values)
    connection.execute(text(f"INSERT INTO audit_events ({names}) VALUES (:{', :'.join(values)})"), values)


def digest_of(row: dict[str, Any]) -> bytes:
    """The input of an event's digest, which is not secret."""
    when = row["at"].astimezone(UTC).isoformat(timespec="microseconds")
    told = [str(row["tenant_id"]), row["number"], when, row["actor"], row["action"], row["subject"], row["details"]]
    canonical = json.dumps([*told, row["previous"].hex()], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).digest()


def test_two_events_exchanged_are_noticed(api: Any) -> None:
    filled(api, "exchanged")
    with api.owner.begin() as connection:
        rows = rows_of(connection, "exchanged")
        write(connection, rows[2], number=4)
        write(connection, rows[3], number=3)
    assert (state_of(api, "exchanged")["intact"], state_of(api, "exchanged")["broken_at"]) == (False, 3)


def test_an_event_put_in_between_is_noticed(api: Any) -> None:
    filled(api, "in-between")
    with api.owner.begin() as connection:
        for row in reversed(rows_of(connection, "in-between")[3:]):
            write(connection, row, number=row.number + 1)
        write(connection, rows_of(connection, "in-between")[2], number=4, subject="smuggled in")
    assert (state_of(api, "in-between")["intact"], state_of(api, "in-between")["broken_at"]) == (False, 4)


def test_an_event_of_another_tenant_does_not_fit(api: Any) -> None:
    events = filled(api, "robbed")
    filled(api, "enriched")
    with api.owner.begin() as connection:
        loot, own = rows_of(connection, "robbed")[-1], rows_of(connection, "enriched")[-1]
        write(connection, loot, tenant_id=own.tenant_id, number=own.number + 1, previous=own.digest)
    assert state_of(api, "robbed")["intact"] is True
    state = state_of(api, "enriched")
    assert (state["intact"], state["broken_at"]) == (False, len(events) + 1)


def remove_anchors(databases: Any, tenant_id: Any) -> None:
    engine = create_engine(databases.keyring_url)
    with engine.begin() as connection:
        assert connection.execute(text("DELETE FROM audit_anchors WHERE tenant_id = :id"), {"id": tenant_id}).rowcount
    engine.dispose()


def test_the_first_event_of_another_tenant_does_not_fit_either(api: Any, databases: Any) -> None:
    """Its number and previous digest fit its new place, all later events are chained again, and the anchors are gone:
    only the tenant in its digest reveals the move."""
    for tenant in ("robbed-of-its-first", "enriched-by-a-first"):
        filled(api, tenant)
    with api.owner.begin() as connection:
        loot = rows_of(connection, "robbed-of-its-first")[0]
        first, *others = rows_of(connection, "enriched-by-a-first")
        assert (loot.number, loot.previous) == (first.number, first.previous)
        write(connection, loot, tenant_id=first.tenant_id)
        previous = loot.digest
        for row in others:
            changed = {**row._mapping, "previous": previous}
            previous = digest_of(changed)
            write(connection, row, previous=changed["previous"], digest=previous)
    remove_anchors(databases, first.tenant_id)
    state = state_of(api, "enriched-by-a-first")
    assert (state["intact"], state["broken_at"]) == (False, 1)


def test_a_chain_that_was_forged_well_is_noticed_through_its_anchor(api: Any) -> None:
    """Event 4 is changed and every later digest recomputed: the chain is consistent in itself."""
    events = filled(api, "forged")
    with api.owner.begin() as connection:
        previous = rows_of(connection, "forged")[2].digest
        for row in rows_of(connection, "forged")[3:]:
            changed = {**row._mapping, "previous": previous, "actor": "nobody" if row.number == 4 else row.actor}
            previous = digest_of(changed)
            write(connection, row, actor=changed["actor"], previous=changed["previous"], digest=previous)
        forged = rows_of(connection, "forged")
    assert all(digest_of(dict(row._mapping)) == row.digest for row in forged)
    assert all(later.previous == row.digest for row, later in itertools.pairwise(forged))
    state = state_of(api, "forged")
    assert (state["intact"], state["broken_at"]) == (False, len(events))


def test_a_changed_anchor_is_noticed_too(api: Any, databases: Any) -> None:
    events = filled(api, "unmoored")
    with api.owner.connect() as connection:
        tenant_id = rows_of(connection, "unmoored")[0].tenant_id
    engine = create_engine(databases.keyring_url)
    with engine.begin() as connection:
        done = connection.execute(
            text("UPDATE audit_anchors SET digest = sha256('x') WHERE tenant_id = :id"), {"id": tenant_id}
        )
        assert done.rowcount == 1
    engine.dispose()
    state = state_of(api, "unmoored")
    assert (state["intact"], state["broken_at"]) == (False, len(events))


def forge(api: Any, tenant: str) -> list[Any]:
    """Event 4 is changed and every later digest recomputed."""
    with api.owner.begin() as connection:
        previous = rows_of(connection, tenant)[2].digest
        for row in rows_of(connection, tenant)[3:]:
            changed = {**row._mapping, "previous": previous, "actor": "nobody" if row.number == 4 else row.actor}
            previous = digest_of(changed)
            write(connection, row, actor=changed["actor"], previous=changed["previous"], digest=previous)
        return rows_of(connection, tenant)


def test_a_chain_that_was_forged_together_with_its_anchors_is_noticed(api: Any, databases: Any) -> None:
    events = filled(api, "forged-throughout")
    rows = forge(api, "forged-throughout")
    engine = create_engine(databases.keyring_url)
    with engine.begin() as connection:
        for row in rows:
            statement = text(
                "UPDATE audit_anchors SET digest = :digest WHERE tenant_id = :tenant_id AND number = :number"
            )
            connection.execute(statement, dict(row._mapping))
    engine.dispose()
    state = state_of(api, "forged-throughout")
    assert (state["intact"], state["broken_at"], state["signed_head"]) == (False, len(events), None)


def test_a_chain_that_was_forged_and_whose_anchors_are_gone_does_not_fit_a_kept_head(api: Any, databases: Any) -> None:
    """The sweeper anchors the forged chain again: only an auditor who kept a head can notice."""
    events = filled(api, "forged-and-unmoored")
    kept = state_of(api, "forged-and-unmoored")["signed_head"]
    public_key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(kept["public_key"]))
    told = f"antifaz audit head 1\n{kept['tenant_id']}\n{kept['number']}\n{kept['digest']}\n"
    public_key.verify(bytes.fromhex(kept["signature"]), told.encode())
    rows = forge(api, "forged-and-unmoored")
    remove_anchors(databases, rows[0].tenant_id)
    with api.worker.begin() as c, api.worker_keyring.begin() as kc:
        audit.anchor_heads(c, kc, api.head_signer)
    assert state_of(api, "forged-and-unmoored")["intact"] is True
    place = {"number": kept["number"], "digest": kept["digest"]}
    with api.client("auditor", "forged-and-unmoored") as auditor:
        state = auditor.get("/v1/audit-events/verify", params=place).json()
        alone = auditor.get("/v1/audit-events/verify", params={"number": kept["number"]})
    assert (state["intact"], state["broken_at"]) == (False, len(events))
    assert alone.status_code == 422


def test_a_kept_head_fits_while_the_chain_only_grows(api: Any) -> None:
    filled(api, "growing")
    kept = state_of(api, "growing")["signed_head"]
    filled(api, "growing")
    with api.client("auditor", "growing") as auditor:
        place = {"number": kept["number"], "digest": kept["digest"]}
        state = auditor.get("/v1/audit-events/verify", params=place).json()
    assert state["intact"] is True
    assert state["signed_head"]["number"] > kept["number"]
    assert state["signed_head"]["public_key"] == kept["public_key"]


def test_what_was_put_back_is_contradicted_by_the_trail(api: Any) -> None:
    """Old versions of rows carry valid codes; the trail shows the events since then."""
    tenant = "put-back"
    made = api.publish(tenant=tenant)
    with api.owner.connect() as c:
        before = c.execute(text("SELECT mac FROM releases WHERE id = :id"), {"id": made.release_id}).scalar_one()
    with api.client("admin", tenant) as admin:
        token = admin.post("/v1/tokens", json={"name": "gone", "role": "consumer"}).json()
        assert admin.delete(f"/v1/tokens/{token['id']}").status_code == 204
        withdrawn = admin.post(f"/v1/releases/{made.release_id}/withdraw", json={"reason": "wrong"})
        assert withdrawn.status_code == 200
    api.token("auditor", tenant)
    assert state_of(api, tenant)["contradicted"] == []
    with api.owner.begin() as c:
        c.execute(text("UPDATE tokens SET revoked_at = NULL WHERE id = :id"), {"id": token["id"]})
        back = "UPDATE releases SET withdrawn_at = NULL, withdrawn_reason = NULL, mac = :mac WHERE id = :id"
        c.execute(text(back), {"mac": before, "id": made.release_id})
    with api.client("auditor", tenant) as auditor:
        events = auditor.get("/v1/audit-events?limit=200").json()["items"]
    expected = sorted(event["number"] for event in events if event["action"] in ("token.revoke", "release.withdraw"))
    state = state_of(api, tenant)
    assert len(expected) == 2
    assert (state["intact"], state["contradicted"]) == (True, expected)
