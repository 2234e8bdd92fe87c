"""Forged accounts and grants: no answer for anyone who writes to the database, and the audit says so.

The forger is a superuser of the main database without a key, who has copies of all earlier rows.
"""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from storage.audit import audit
from storage.datasets import datasets
from tests.service.samples import DECLARATIONS, QUESTION, table_policy


def declared(api: Any, tenant: str, **changes: Any) -> str:
    """A dataset with an account of 3, of which an analyst may spend 1."""
    answer = api.upload(tenant=tenant)
    assert answer.status_code == 201, answer.text
    dataset_id = str(answer.json()["id"])
    with api.worker.begin() as c:
        columns = [{"name": name} for name in DECLARATIONS["columns"]]
        datasets.mark_profiled(c, UUID(dataset_id), columns, {"rows": 50})
    steward = api.client("steward", tenant)
    assert steward.put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARATIONS | changes).status_code == 200
    analyst = api.client("analyst", tenant).get("/v1/me").json()["token_id"]
    answer = steward.post(f"/v1/datasets/{dataset_id}/grants", json={"token_id": analyst, "epsilon": 1})
    assert answer.status_code == 201, answer.text
    return dataset_id


def ask(api: Any, tenant: str, dataset_id: str, role: str = "steward", epsilon: float = 0.1) -> int:
    client = api.client(role, tenant)
    return int(client.post(f"/v1/datasets/{dataset_id}/queries", json=QUESTION | {"epsilon": epsilon}).status_code)


def write(api: Any, statement: str, **values: Any) -> Any:
    """As a superuser, without triggers and foreign keys."""
    with api.owner.begin() as c:
        c.execute(text("SET session_replication_role = replica"))
        return c.execute(text(statement), values)


def state(api: Any, tenant: str) -> dict[str, Any]:
    return dict(api.client("auditor", tenant).get("/v1/audit-events/verify").json())


FORGERIES = {
    "a larger total": ("budgets", "UPDATE budgets SET total = 9000000 WHERE lineage_id = :id"),
    "no limit of delta": ("budgets", "UPDATE budgets SET delta_total = NULL WHERE lineage_id = :id"),
    "less spent": ("budgets", "UPDATE budgets SET spent = 0 WHERE lineage_id = :id"),
    "less delta spent": ("budgets", "UPDATE budgets SET delta_spent = -1 WHERE lineage_id = :id"),
    "another measure": ("budgets", "UPDATE budgets SET measure = 'zcdp' WHERE lineage_id = :id"),
    "another tenant": ("budgets", "UPDATE budgets SET tenant_id = gen_random_uuid() WHERE lineage_id = :id"),
    "a wider grant": ("grants", "UPDATE grants SET total = 3000000 WHERE lineage_id = :id"),
    "less of the grant spent": ("grants", "UPDATE grants SET spent = 0 WHERE lineage_id = :id"),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_a_changed_account_or_grant_answers_nobody_and_the_audit_names_it(api: Any, case: str) -> None:
    tenant = f"forged-{case.replace(' ', '-')}"
    dataset_id = declared(api, tenant)
    assert ask(api, tenant, dataset_id, "analyst") == 202
    assert (state(api, tenant)["intact"], state(api, tenant)["forged"]) == (True, [])
    table, statement = FORGERIES[case]
    if case == "less delta spent":
        write(api, "ALTER TABLE budgets DROP CONSTRAINT IF EXISTS budgets_delta_spent")
    assert write(api, statement, id=dataset_id).rowcount == 1
    assert ask(api, tenant, dataset_id, "analyst", 0.2) == 500
    if table == "budgets":
        assert ask(api, tenant, dataset_id, "steward", 0.3) == 500
    if case != "another tenant":
        found = state(api, tenant)
        assert found["intact"] is False
        assert {row["table"] for row in found["forged"]} == {table}


def test_a_grant_that_was_written_into_the_database_opens_nothing(api: Any) -> None:
    dataset_id = declared(api, "inserted")
    other = api.client("admin", "inserted").post("/v1/tokens", json={"name": "eve", "role": "analyst"}).json()
    write(
        api,
        "INSERT INTO grants (lineage_id, token_id, tenant_id, dataset_id, total, spent, created_at, mac)"
        " SELECT lineage_id, :token, tenant_id, dataset_id, total, 0, created_at, mac FROM grants"
        " WHERE lineage_id = :id",
        token=other["id"],
        id=dataset_id,
    )
    headers = {"Authorization": f"Bearer {other['token']}"}
    path = f"/v1/datasets/{dataset_id}"
    client = api.client(None)
    assert client.post(f"{path}/queries", json=QUESTION, headers=headers).status_code == 500
    assert client.get(f"{path}/declarations", headers=headers).status_code == 500
    assert client.get("/v1/grants", headers=headers).json()["items"] == []
    assert [row["table"] for row in state(api, "inserted")["forged"]] == ["grants"]


def row_of(api: Any, table: str, dataset_id: str) -> dict[str, Any]:
    with api.owner.connect() as c:
        return dict(
            c.execute(text(f"SELECT * FROM {table} WHERE lineage_id = :id"), {"id": dataset_id}).mappings().one()
        )


def put_back(api: Any, table: str, row: dict[str, Any]) -> None:
    """An earlier row, with its code."""
    names = [name for name in row if name not in ("lineage_id", "token_id")]
    changes = ", ".join(f"{name} = :{name}" for name in names)
    write(api, f"UPDATE {table} SET {changes} WHERE lineage_id = :lineage_id", **row)


@pytest.mark.parametrize("table", ["budgets", "grants"])
def test_a_row_from_before_a_charge_is_contradicted_by_the_charge(api: Any, table: str) -> None:
    tenant = f"replayed-{table}"
    dataset_id = declared(api, tenant)
    before = row_of(api, table, dataset_id)
    assert ask(api, tenant, dataset_id, "analyst", 1) == 202
    put_back(api, table, before)
    assert ask(api, tenant, dataset_id, "analyst", 0.5) == 500
    assert state(api, tenant)["contradicted"] != []


def test_an_account_from_before_it_was_lowered_is_contradicted_by_the_declarations(api: Any) -> None:
    dataset_id = declared(api, "lowered")
    before = row_of(api, "budgets", dataset_id)
    lower = DECLARATIONS | {"budget": {"epsilon": 1}}
    assert (
        api.client("steward", "lowered").put(f"/v1/datasets/{dataset_id}/declarations", json=lower).status_code == 200
    )
    assert state(api, "lowered")["contradicted"] == []
    put_back(api, "budgets", before)
    assert ask(api, "lowered", dataset_id) == 500
    assert state(api, "lowered")["contradicted"] != []


def test_a_grant_from_before_it_was_lowered_is_contradicted_by_the_trail(api: Any) -> None:
    dataset_id = declared(api, "narrowed")
    before = row_of(api, "grants", dataset_id)
    analyst = api.client("analyst", "narrowed").get("/v1/me").json()["token_id"]
    steward = api.client("steward", "narrowed")
    lower = {"token_id": analyst, "epsilon": 0.5}
    assert steward.post(f"/v1/datasets/{dataset_id}/grants", json=lower).status_code == 201
    assert state(api, "narrowed")["contradicted"] == []
    put_back(api, "grants", before)
    assert len(state(api, "narrowed")["contradicted"]) == 1


@pytest.mark.parametrize(
    "removal",
    [
        "DELETE FROM charges WHERE lineage_id = :id",
        "DELETE FROM grants WHERE lineage_id = :id",
        "DELETE FROM declarations WHERE lineage_id = :id",
        "DELETE FROM budgets WHERE lineage_id = :id",
    ],
)
def test_rows_that_were_removed_are_contradicted_by_the_trail(api: Any, removal: str) -> None:
    tenant = f"removed-{removal.split()[2]}"
    dataset_id = declared(api, tenant)
    assert ask(api, tenant, dataset_id, "analyst") == 202
    assert state(api, tenant)["contradicted"] == []
    write(api, removal, id=dataset_id)
    assert state(api, tenant)["contradicted"] != []


def test_a_charge_that_was_written_into_the_database_lets_no_job_run(api: Any) -> None:
    """A worker believes a charge by its code."""
    dataset_id = declared(api, "uncharged")
    assert ask(api, "uncharged", dataset_id) == 202
    write(api, "UPDATE charges SET units = units * 9 WHERE lineage_id = :id", id=dataset_id)
    assert api.client("auditor", "uncharged").get(f"/v1/datasets/{dataset_id}/budget").status_code == 500
    assert [row["table"] for row in state(api, "uncharged")["forged"]] == ["charges"]


def test_a_release_that_was_removed_from_the_database_still_stops_questions(api: Any) -> None:
    """Answers beside it would tell more than either promises, and the trail still names it."""
    answer = api.upload(policy=table_policy())
    dataset_id, job_id = answer.json()["dataset"]["id"], answer.json()["job"]["id"]
    assert api.declare(dataset_id).status_code == 200
    claimed = api.claim(job_id)
    with api.worker.begin() as connection:
        made = api.release_as(connection, claimed, UUID(int=claimed.job.id.int ^ 1), "tenant")
        details = {"lineage": dataset_id}
        audit.append(connection, claimed.job.tenant_id, "worker", "release.publish", str(made.id), details)
    assert ask(api, "default", dataset_id) == 409
    write(api, "DELETE FROM releases WHERE lineage_id = :id", id=dataset_id)
    assert ask(api, "default", dataset_id) == 500
