"""Questions over HTTP: declared, granted, charged before they are answered, and the same question only once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import text

from service.jobs import questions
from storage.accounts import anchors as ledger_anchors
from storage.accounts import ledger
from storage.datasets import datasets
from tests.patience import patience
from tests.service.conftest import Api
from tests.service.samples import DECLARATIONS, QUESTION

SYNTHETIC: dict[str, Any] = {
    "kind": "table",
    "attributes": {
        "age": {"role": "insensitive"},
        "zip": {"role": "insensitive"},
        "name": {"role": "identifier"},
        "disease": {"role": "identifier"},
    },
    "guarantees": [{"model": "differential_privacy", "epsilon": 1}],
    "method": {
        "name": "synthetic",
        "model": "dp_marginals",
        "values": {"zip": ["08000", "08001"]},
        "bounds": {"age": [0, 120]},
    },
}


@pytest.fixture
def dataset_id(api: Api) -> str:
    """A dataset that was read, and is declared."""
    made = str(api.upload().json()["id"])
    answer = api.declare(made)
    assert answer.status_code == 200, answer.text
    return made


def ask(api: Api, dataset_id: str, role: str = "steward", **more: Any) -> httpx.Response:
    return api.client(role).post(f"/v1/datasets/{dataset_id}/queries", json=QUESTION | more)


def budget(api: Api, dataset_id: str) -> dict[str, Any]:
    found: dict[str, Any] = api.client().get(f"/v1/datasets/{dataset_id}/budget").json()
    return found


def analyst_id(api: Api) -> str:
    found: str = api.client("analyst").get("/v1/me").json()["token_id"]
    return found


def grant(api: Api, dataset_id: str, **loss: float) -> httpx.Response:
    body = {"token_id": analyst_id(api)} | loss
    return api.client().post(f"/v1/datasets/{dataset_id}/grants", json=body)


def test_forty_questions_at_once_are_all_answered_none_is_refused(api: Api, dataset_id: str) -> None:
    assert api.settings.max_writes_at_once < 40

    async def all_at_once() -> list[httpx.Response]:
        headers = {"Authorization": f"Bearer {api.token('steward')}"}
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(
            base_url=api.address, headers=headers, timeout=patience(), limits=limits
        ) as client:
            asked = [QUESTION | {"epsilon": 0.001 * (1 + number)} for number in range(40)]
            path = f"/v1/datasets/{dataset_id}/queries"
            return await asyncio.gather(*(client.post(path, json=body) for body in asked))

    answers = asyncio.run(all_at_once())
    assert [answer.status_code for answer in answers] == [202] * 40
    assert len({answer.json()["id"] for answer in answers}) == 40


def test_what_is_declared_is_shown_as_it_was_stated(api: Api, dataset_id: str) -> None:
    found = api.client("auditor").get(f"/v1/datasets/{dataset_id}/declarations").json()
    assert found["version"] == 1
    assert found["declarations"]["columns"]["age"]["bounds"] == [0, 120]
    assert "rows" not in str(found)


def test_a_column_that_is_not_there_cannot_be_declared(api: Api, dataset_id: str) -> None:
    columns = {"height": {"type": "text"}}
    answer = api.client().put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARATIONS | {"columns": columns})
    assert answer.json()["errors"][0]["pointer"] == "/columns/height"


def test_nothing_can_be_asked_before_it_is_declared(api: Api) -> None:
    made = api.upload().json()["id"]
    assert ask(api, made).status_code == 409
    api.declare(made)
    assert ask(api, made).status_code == 202


def test_a_question_is_charged_before_anybody_looks_at_the_data(api: Api, dataset_id: str) -> None:
    answer = ask(api, dataset_id)
    assert answer.status_code == 202
    assert answer.headers["Location"] == f"/v1/queries/{answer.json()['id']}"
    assert (answer.json()["cost"], answer.json()["remaining"]) == ({"epsilon": 0.1, "delta": 0.0}, 2.9)
    account = budget(api, dataset_id)
    assert (account["spent"], account["entries"][0]["job_id"]) == (0.1, answer.json()["id"])


def test_the_same_question_is_the_same_job_and_one_charge(api: Api, dataset_id: str) -> None:
    first = ask(api, dataset_id).json()["id"]
    with ThreadPoolExecutor(10) as pool:
        again = list(pool.map(lambda _: ask(api, dataset_id, epsilon=0.10).json()["id"], range(20)))
    assert set(again) == {first}
    assert budget(api, dataset_id)["spent"] == 0.1
    assert ask(api, dataset_id, epsilon=0.2).json()["id"] != first


def test_other_declarations_make_it_another_question(api: Api, dataset_id: str) -> None:
    first = ask(api, dataset_id).json()["id"]
    api.declare(dataset_id, columns={"age": {"type": "integer", "bounds": [0, 100]}})
    assert ask(api, dataset_id).json()["id"] != first


def test_accuracy_costs_nothing_and_asks_nothing(api: Api, dataset_id: str) -> None:
    jobs = api.count("jobs")
    answer = ask(api, dataset_id, accuracy=True)
    assert answer.status_code == 200
    assert answer.json()["accuracy"][0]["plus_minus"] == 30
    assert answer.json()["cost"]["epsilon"] == 0.1
    assert (api.count("jobs"), budget(api, dataset_id)["spent"]) == (jobs, 0)


def test_an_exhausted_budget_is_refused_with_what_is_left(api: Api, dataset_id: str) -> None:
    assert ask(api, dataset_id, epsilon=2.95).status_code == 202
    answer = ask(api, dataset_id)
    assert (answer.status_code, answer.json()["remaining"]) == (409, 0.05)


def test_deltas_are_summed_and_bounded(api: Api, dataset_id: str) -> None:
    thresholded = {"group_by": ["zip"], "keys": "threshold"}
    assert ask(api, dataset_id, delta=9e-7, **thresholded).status_code == 202
    answer = ask(api, dataset_id, delta=2e-7, **thresholded)
    assert (answer.status_code, answer.json()["detail"]) == (409, "The delta budget of this dataset is used up.")
    assert budget(api, dataset_id)["delta_spent"] == pytest.approx(9e-7)


def test_an_analyst_asks_only_with_a_grant_and_only_within_it(api: Api, dataset_id: str) -> None:
    assert ask(api, dataset_id, "analyst").status_code == 404
    assert api.client("analyst").get(f"/v1/datasets/{dataset_id}/declarations").status_code == 404
    assert grant(api, dataset_id, epsilon=0.15).status_code == 201
    mine = api.client("analyst").get("/v1/grants").json()["items"]
    assert (mine[0]["dataset_id"], mine[0]["remaining"]) == (dataset_id, 0.15)
    answer = ask(api, dataset_id, "analyst")
    assert (answer.status_code, answer.json()["remaining"]) == (202, 0.05)
    assert ask(api, dataset_id, "analyst", epsilon=0.2).json()["remaining"] == 0.05
    assert ask(api, dataset_id, "analyst").json()["id"] == answer.json()["id"]
    assert budget(api, dataset_id)["spent"] == 0.1
    assert api.client("analyst").get(f"/v1/datasets/{dataset_id}").status_code == 403


def test_a_grant_is_inside_the_budget_and_never_below_what_was_spent(api: Api, dataset_id: str) -> None:
    assert grant(api, dataset_id, epsilon=4).status_code == 422
    assert grant(api, dataset_id, rho=0.1).status_code == 422
    grant(api, dataset_id, epsilon=1)
    ask(api, dataset_id, "analyst")
    assert grant(api, dataset_id, epsilon=0).json()["total"] == 0.1
    assert ask(api, dataset_id, "analyst", epsilon=0.11).status_code == 409


def test_only_analysts_are_granted_anything(api: Api, dataset_id: str) -> None:
    steward = api.client().get("/v1/me").json()["token_id"]
    answer = api.client().post(f"/v1/datasets/{dataset_id}/grants", json={"token_id": steward, "epsilon": 1})
    assert answer.json()["errors"][0]["pointer"] == "/token_id"


@pytest.mark.parametrize(
    "change",
    [
        {"budget": {"epsilon": 5}},
        {"budget": {"epsilon": 0.05}},
        {"measure": "zcdp", "budget": {"rho": 1}, "delta": 1e-6},
        {"delta": 1e-5},
        {"privacy_unit": "zip"},
    ],
)
def test_an_account_that_was_charged_cannot_be_escaped(api: Api, dataset_id: str, change: dict[str, Any]) -> None:
    ask(api, dataset_id)
    assert api.declare(dataset_id, **change).status_code == 409
    assert api.declare(dataset_id, budget={"epsilon": 1}).status_code == 200
    assert budget(api, dataset_id)["remaining"] == 0.9


def test_before_the_first_charge_everything_can_be_changed(api: Api, dataset_id: str) -> None:
    change = {"measure": "zcdp", "budget": {"rho": 0.5}, "delta": 1e-5, "privacy_unit": "zip", "contributions": 2}
    assert api.declare(dataset_id, **change).status_code == 200
    assert ask(api, dataset_id).json()["cost"] == {"rho": 0.005, "delta": 0.0}
    found = budget(api, dataset_id)
    assert (found["measure"], found["rho"], found["spent"]) == ("zcdp", 0.5, 0.005)
    assert 0 < found["epsilon_at_delta"] < 1


def test_an_account_that_was_put_back_is_noticed_and_raised_again(api: Api, dataset_id: str) -> None:
    with api.owner.begin() as connection:
        row = text(
            "SELECT b.lineage_id AS id, b.mac FROM budgets b JOIN datasets d USING (lineage_id) WHERE d.id = :id"
        )
        before = connection.execute(row, {"id": UUID(dataset_id)}).one()
    assert ask(api, dataset_id, epsilon=1).status_code == 202
    with api.owner.begin() as connection:
        lineage = connection.execute(
            text("SELECT lineage_id FROM datasets WHERE id = :id"), {"id": UUID(dataset_id)}
        ).scalar_one()
    with api.worker.begin() as connection, api.worker_keyring.begin() as keys:
        ledger_anchors.anchor_accounts(connection, keys, api.head_signer)
    # As a backup from before the question would: the account with its code, and no charge.
    with api.owner.begin() as connection:
        connection.execute(text("SET session_replication_role = replica"))
        connection.execute(text("UPDATE budgets SET spent = 0, mac = :mac WHERE lineage_id = :id"), before._asdict())
        connection.execute(text("DELETE FROM charges WHERE lineage_id = :id"), {"id": lineage})
    assert ask(api, dataset_id, epsilon=2.5).json()["remaining"] == 2.0
    assert ask(api, dataset_id, epsilon=1.5).status_code == 202
    assert budget(api, dataset_id)["spent"] == 2.5
    events = api.client("auditor").get("/v1/audit-events", params={"action": "budget.restore"}).json()["items"]
    known = ledger.charged_for(Decimal(1))
    assert [event["details"]["known"] for event in events if event["subject"] == str(lineage)] == [known]


def test_a_release_of_another_privacy_unit_is_not_charged_to_the_account(api: Api, dataset_id: str) -> None:
    api.declare(dataset_id, privacy_unit="zip")
    answer = api.client().post("/v1/jobs", json={"dataset_id": dataset_id, "policy": SYNTHETIC})
    assert answer.json()["errors"][0]["pointer"] == "/policy/privacy_unit"


def test_losses_of_records_are_not_taken_for_losses_of_people(api: Api) -> None:
    """A release that protects single records was charged before anything was declared: someone with ten records lost
    ten times that, so an account of people must not begin with it."""
    made = str(api.upload(budget={"epsilon": 3}).json()["id"])
    answer = api.client().post("/v1/jobs", json={"dataset_id": made, "policy": SYNTHETIC})
    assert answer.status_code == 202, answer.text
    assert budget(api, made)["spent"] == 1.0
    assert api.declare(made, privacy_unit="name").status_code == 409
    assert api.declare(made).status_code == 200


def test_a_question_is_not_charged_by_declarations_that_were_replaced_meanwhile(
    api: Api, dataset_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its check and its charge the account became one of rho: an epsilon of 0.1 would cost 0.0001 of it."""
    honest = questions.Asked.check_plan

    async def slowly(asked: questions.Asked) -> None:
        await honest(asked)
        change = {"measure": "zcdp", "budget": {"rho": 0.5}, "delta": 1e-6}
        answer = await asyncio.to_thread(api.declare, dataset_id, **change)
        assert answer.status_code == 200

    monkeypatch.setattr(questions.Asked, "check_plan", slowly)
    answer = ask(api, dataset_id)
    monkeypatch.undo()
    assert (answer.status_code, budget(api, dataset_id)["spent"]) == (409, 0.0)
    assert ask(api, dataset_id).json()["cost"] == {"rho": 0.005, "delta": 0.0}


def test_the_same_question_is_free_for_another_analyst_and_on_another_version_it_is_not(
    api: Api, dataset_id: str
) -> None:
    grant(api, dataset_id, epsilon=1)
    first = ask(api, dataset_id, "analyst").json()
    again = ask(api, dataset_id, "steward").json()
    assert (again["id"], budget(api, dataset_id)["spent"]) == (first["id"], 0.1)
    newer = str(api.upload(supersedes=dataset_id).json()["id"])
    with api.worker.begin() as connection:
        datasets.mark_profiled(connection, UUID(newer), [{"name": name} for name in DECLARATIONS["columns"]], {})
    other = ask(api, newer, "analyst")
    assert other.status_code == 202, other.text
    assert other.json()["id"] != first["id"]
    assert budget(api, newer)["spent"] == 0.2


def test_what_was_answered_of_a_deleted_dataset_stays_and_nothing_more_is_asked_of_it(
    api: Api, dataset_id: str
) -> None:
    first = ask(api, dataset_id).json()
    assert api.client().delete(f"/v1/datasets/{dataset_id}").status_code == 204
    assert ask(api, dataset_id).status_code == 404
    assert ask(api, dataset_id, epsilon=0.2).status_code == 404
    assert api.client().get(f"/v1/queries/{first['id']}").status_code == 200
