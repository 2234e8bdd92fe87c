"""Advice over HTTP: for stewards, once a worker has made it."""

from uuid import UUID

from storage.jobs import advice, jobs
from tests.service.samples import table_policy

CONTENT = {"policy": {"kind": "table"}, "columns": [], "privacy_unit": None, "choices": [], "warnings": []}


def _advise(api, dataset_id: str, findings: dict | None = None) -> None:
    """Write advice as a worker does."""
    with api.worker.begin() as connection:
        tenant_id = connection.exec_driver_sql("SELECT tenant_id FROM datasets WHERE id = %s", (dataset_id,)).scalar()
        advice.save_advice(connection, api.release_key, tenant_id, UUID(dataset_id), CONTENT, findings or {})


def _profiles(api, dataset_id: str) -> list[str]:
    with api.owner.connect() as connection:
        query = "SELECT status FROM jobs WHERE dataset_id = %s AND task = 'profile'"
        return [row[0] for row in connection.exec_driver_sql(query, (dataset_id,))]


def test_advice_is_awaited_and_then_answered(api):
    dataset_id = api.upload().json()["id"]
    path = f"/v1/datasets/{dataset_id}/advice"
    with api.client() as steward:
        waiting = steward.get(path)
        assert (waiting.status_code, waiting.headers["Retry-After"]) == (202, "1")
        assert waiting.json() == {"dataset_id": dataset_id, "status": "stored"}
        _advise(api, dataset_id)
        assert steward.get(path).json() == CONTENT
        assert steward.delete(f"/v1/datasets/{dataset_id}").status_code == 204
        assert steward.get(path).status_code == 404


def test_a_dataset_that_came_with_a_policy_is_profiled_when_its_advice_is_asked_for_once(api):
    dataset_id = api.upload(policy=table_policy()).json()["dataset"]["id"]
    assert _profiles(api, dataset_id) == []
    with api.client() as steward:
        for _ in range(2):
            assert steward.get(f"/v1/datasets/{dataset_id}/advice").status_code == 202
    assert _profiles(api, dataset_id) == ["queued"]


def test_a_profile_that_failed_is_not_waited_for(api):
    dataset_id = api.upload().json()["id"]
    with api.owner.connect() as connection:
        query = "SELECT id FROM jobs WHERE dataset_id = %s"
        job_id = connection.exec_driver_sql(query, (dataset_id,)).scalar_one()
    claim = api.claim(str(job_id))
    with api.worker.begin() as connection:
        assert jobs.finish(connection, job_id, claim.fence, "failed", error={"type": "x"})
    with api.client() as steward:
        assert steward.get(f"/v1/datasets/{dataset_id}/advice").status_code == 409


def test_forged_advice_is_not_answered(api):
    dataset_id = api.upload().json()["id"]
    _advise(api, dataset_id)
    with api.owner.begin() as connection:
        query = "UPDATE advice SET content = '{}' WHERE dataset_id = %s"
        connection.exec_driver_sql(query, (dataset_id,))
    with api.client() as steward:
        assert steward.get(f"/v1/datasets/{dataset_id}/advice").status_code == 500


def test_advice_is_for_stewards_of_the_tenant(api):
    dataset_id = api.upload().json()["id"]
    _advise(api, dataset_id)
    for role in ("auditor", "consumer"):
        with api.client(role) as other:
            assert other.get(f"/v1/datasets/{dataset_id}/advice").status_code == 403
    with api.client("steward", "elsewhere") as stranger:
        assert stranger.get(f"/v1/datasets/{dataset_id}/advice").status_code == 404


def test_validation_finds_columns_that_a_job_would_refuse(api):
    dataset_id = api.upload().json()["id"]
    policy = table_policy()
    name = next(name for name, attribute in policy["attributes"].items() if attribute["role"] == "sensitive")
    _advise(api, dataset_id, {name: {"rule": "as_it_is", "detail": "looks like people", "sensitive": True}})
    with api.client() as steward:
        body = {"policy": policy, "dataset_id": dataset_id}
        refused = steward.post("/v1/policies/validate", json=body)
        assert refused.status_code == 422
        assert refused.json()["errors"] == [
            {"pointer": f"/policy/attributes/{name}/role", "detail": "looks like people"}
        ]
        waiver = {"rule": "as_it_is", "column": name, "reason": "invented"}
        body["policy"] = {**policy, "waivers": [waiver]}
        assert steward.post("/v1/policies/validate", json=body).status_code == 200
