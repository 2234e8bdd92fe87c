"""Policies: validated and stored."""

import json
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from tests.service.samples import table_policy


def test_a_good_policy_is_valid_and_comes_with_warnings(api):
    with api.client() as steward:
        answer = steward.post("/v1/policies/validate", json={"policy": table_policy()})
    assert answer.status_code == 200
    assert answer.json()["valid"] is True
    assert "k-anonymity alone" in answer.json()["warnings"][0]


def test_a_bad_policy_gets_the_problem_that_a_submission_would_get(api):
    bad = table_policy(guarantees=[{"model": "k_anonymity", "k": 1}])
    dataset_id = api.upload().json()["id"]
    with api.client() as steward:
        validated = steward.post("/v1/policies/validate", json={"policy": bad})
        submitted = steward.post("/v1/jobs", json={"policy": bad, "dataset_id": dataset_id})
    assert validated.status_code == submitted.status_code == 422
    assert validated.json() == submitted.json() == api.upload(policy=bad).json()
    assert validated.json()["errors"][0]["pointer"] == "/policy/guarantees/0/k"


def noisy_edges(epsilon: float, density: float) -> dict[str, Any]:
    guarantee = {"model": "edge_local_dp", "epsilon": epsilon, "density": {"declared": density}}
    return {"kind": "graph", "guarantees": [guarantee], "method": {"name": "edge_local_dp"}}


def test_what_is_to_be_expected_is_told_before_anything_is_run(api):
    answer = api.upload(b"a b\nb c\nc d\n", file_name="g.edges", kind="graph")
    dataset_id = answer.json()["id"]
    with api.owner.begin() as connection:
        counts = json.dumps({"nodes": 1000})
        statement = text("UPDATE datasets SET counts = CAST(:counts AS jsonb) WHERE id = :id")
        connection.execute(statement, {"id": dataset_id, "counts": counts})
    with api.client() as steward:
        asked = {"policy": noisy_edges(6.0, 0.01), "dataset_id": dataset_id}
        forecast = steward.post("/v1/policies/validate", json=asked).json()["forecast"]
        alone = steward.post("/v1/policies/validate", json={"policy": noisy_edges(6.0, 0.01)}).json()["forecast"]
        plain = steward.post("/v1/policies/validate", json={"policy": table_policy()}).json()["forecast"]
    assert round(forecast["survival"], 3) == 0.803
    assert (forecast["nodes"], round(forecast["expected_edges"])) == (1000, 4995)
    assert forecast["expected_jaccard"] == forecast["p11"] / (2 - forecast["p11"])
    assert (alone["expected_edges"], plain) == (None, None)


def test_noise_that_leaves_most_of_a_small_graph_as_it_is_costs_nothing(api):
    """It is refused as soon as the size of the graph is known, before a charge; only a waiver accepts it."""
    answer = api.upload(b"a b\nb c\nc d\n", file_name="g.edges", kind="graph", budget={"epsilon": 30})
    dataset_id = answer.json()["id"]
    with api.owner.begin() as connection:
        statement = text(
            "UPDATE datasets SET counts = CAST(:counts AS jsonb), details = details || CAST(:details AS jsonb)"
            " WHERE id = :id"
        )
        known = {"counts": json.dumps({"nodes": 60}), "details": json.dumps({"directed": False})}
        connection.execute(statement, {"id": dataset_id, **known})
    asked = {"policy": noisy_edges(10, 0.07), "dataset_id": dataset_id}
    waived = asked | {"policy": asked["policy"] | {"waivers": [{"rule": "naive", "reason": "it is public"}]}}
    with api.client() as steward:
        validated, submitted = (steward.post(path, json=asked) for path in ("/v1/policies/validate", "/v1/jobs"))
        assert (validated.status_code, submitted.status_code) == (422, 422)
        assert validated.json()["errors"] == submitted.json()["errors"]
        assert validated.json()["errors"][0]["pointer"] == "/policy/guarantees/0/epsilon"
        assert steward.get(f"/v1/datasets/{dataset_id}/budget").json()["spent"] == 0
        forecast = steward.post("/v1/policies/validate", json=waived).json()["forecast"]
        assert forecast["node_unchanged"] > 0.9
        assert steward.post("/v1/jobs", json=waived).status_code == 202
        assert steward.get(f"/v1/datasets/{dataset_id}/budget").json()["spent"] == 10


def test_a_hopeless_epsilon_is_refused_when_it_is_validated_and_when_it_is_submitted(api):
    hopeless = noisy_edges(1.0, 0.001)
    with api.client() as steward:
        answer = steward.post("/v1/policies/validate", json={"policy": hopeless})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/policy/guarantees/0/epsilon"
    submitted = api.upload(b"a b\nb c\n", hopeless, file_name="g.edges")
    assert submitted.json() == answer.json()


def test_the_same_name_makes_the_next_version_and_an_old_one_never_changes(api):
    with api.client("steward", "versions") as steward:
        first = steward.post("/v1/policies", json={"name": "p", "policy": table_policy()})
        stricter = table_policy(guarantees=[{"model": "k_anonymity", "k": 9}])
        second = steward.post("/v1/policies", json={"name": "p", "policy": stricter})
        assert (first.status_code, second.status_code) == (201, 201)
        assert (first.json()["version"], second.json()["version"]) == (1, 2)
        assert steward.get(first.headers["Location"]).json() == first.json()
        assert [item["version"] for item in steward.get("/v1/policies").json()["items"]] == [2, 1]
        for method in ("PUT", "PATCH", "DELETE"):
            answer = steward.request(method, first.headers["Location"])
            assert answer.status_code == 405
            assert answer.headers["Allow"] == "GET, HEAD"


def test_hierarchy_rows_are_never_shown_again(api):
    rows = [["secret-leaf", "group", "*"], ["other-leaf", "group", "*"]]
    attributes = table_policy()["attributes"] | {
        "zip": {"role": "quasi_identifier", "hierarchy": {"kind": "levels", "rows": rows}}
    }
    with api.client() as steward:
        answer = steward.post("/v1/policies", json={"name": "h", "policy": table_policy(attributes=attributes)})
        assert answer.status_code == 201, answer.text
        shown = steward.get(answer.headers["Location"]).text
    assert "secret-leaf" not in answer.text + shown
    assert '"kind":"levels"' in shown
    with api.owner.connect() as connection:
        stored = connection.exec_driver_sql("SELECT string_agg(public::text, '') FROM policies").scalar_one()
    assert "secret-leaf" not in stored


def test_a_foreign_population_is_answered_like_one_that_never_was(api):
    def answered(population: str) -> tuple[int, bytes]:
        policy = table_policy(guarantees=[{"model": "k_map", "k": 3, "population": population}])
        with api.client("steward", "neighbors") as steward:
            answer = steward.post("/v1/policies/validate", json={"policy": policy})
        return answer.status_code, answer.content

    foreign = api.upload().json()["id"]
    assert answered(foreign) == answered(str(uuid4()))
    assert answered(foreign)[0] == 422


def roles_of(**changed):
    roles = {name: attribute["role"] for name, attribute in table_policy()["attributes"].items()} | changed
    return {"attributes": {name: {"role": role} for name, role in roles.items()}}


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        (None, "not uploaded to be used as a population"),
        (roles_of(zip="sensitive"), "not a quasi-identifier of the population"),
        (roles_of(zip="identifier"), "not a quasi-identifier of the population"),
    ],
)
def test_a_dataset_is_a_population_by_the_columns_that_its_upload_names_and_no_others(api, declared, reason):
    people = api.upload(**({} if declared is None else {"population": declared})).json()
    assert people["population"] == declared
    policy = table_policy(guarantees=[{"model": "k_map", "k": 3, "population": people["id"]}])
    with api.client() as steward:
        answer = steward.post("/v1/policies/validate", json={"policy": policy})
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert fault["pointer"] == "/policy/guarantees/0/population"
    assert reason in fault["detail"]


@pytest.mark.parametrize(
    "declared",
    [
        {"attributes": {"age": {"role": "quasi_identifier"}}},
        roles_of(age="identifier", zip="sensitive"),
        {"attributes": {**roles_of()["attributes"], "height": {"role": "insensitive"}}},
        {"attributes": {}},
        {"attributes": {"age": {"role": "public"}}},
    ],
    ids=["a column without a role", "no quasi-identifier", "a column that is not there", "nothing", "no such role"],
)
def test_a_population_is_declared_column_by_column(api, declared):
    answer = api.upload(population=declared)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].startswith("/metadata/population")


def test_a_population_of_the_tenant_is_valid(api):
    people = api.upload(population=roles_of()).json()
    assert people["population"] == roles_of()
    policy = table_policy(guarantees=[{"model": "k_map", "k": 3, "population": people["id"]}])
    with api.client() as steward:
        assert steward.post("/v1/policies/validate", json={"policy": policy}).status_code == 200
        assert steward.post("/v1/policies", json={"name": "mapped", "policy": policy}).status_code == 201
