"""Promises about a table and a population, through the API."""

import csv
import io
import json
from collections import Counter
from typing import Any
from uuid import uuid4

import pytest

from tests.patience import wait_for
from tests.system.samples import csv_of_rows, friends, patients, table_policy

PEOPLE = 400
SAMPLE = 80


def population() -> bytes:
    """The people of a town, of whom `sample` are patients; only the attributes that attackers know."""
    rows = list(csv.reader(io.StringIO(patients(PEOPLE, seed=7).decode())))
    return csv_of_rows([row[:4] for row in rows])


def sample() -> bytes:
    """Every fifth of the same people, with their illness."""
    rows = list(csv.reader(io.StringIO(patients(PEOPLE, seed=7).decode())))
    return csv_of_rows([rows[0], *rows[1 :: PEOPLE // SAMPLE]])


def policy_against(people: str, *guarantees: dict[str, Any], **more: Any) -> dict[str, Any]:
    return table_policy(**more) | {"guarantees": [{**guarantee, "population": people} for guarantee in guarantees]}


def covered(label: str, value: str) -> bool:
    """Whether a released label of `patients` covers a value."""
    if label.startswith("[") and value.isdecimal():
        low, high = json.loads(label)
        return bool(low <= int(value) <= high)
    if label.startswith("["):
        return value in json.loads(label)
    return label == "*" or all(mark in ("*", letter) for mark, letter in zip(label, value, strict=False))


@pytest.fixture(scope="module")
def people(stack: Any) -> str:
    """The id of the stored population."""
    roles = {"name": "identifier", **dict.fromkeys(("age", "zip", "sex"), "quasi_identifier")}
    declared = {"attributes": {name: {"role": role} for name, role in roles.items()}}
    answer = stack.upload(population(), population=declared)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def matches(stack: Any, job: dict[str, Any]) -> list[int]:
    """For every released row, the number of people it could be."""
    rows = list(csv.DictReader(io.StringIO(stack.data(job["release_id"]).decode())))
    crowd = list(csv.DictReader(io.StringIO(population().decode())))
    known = ("age", "zip", "sex")
    return [sum(all(covered(row[n], person[n]) for n in known) for person in crowd) for row in rows]


def test_every_released_record_could_be_k_people_of_the_population(stack, people):
    job = stack.publish(sample(), policy_against(people, {"model": "k_map", "k": 12}))
    assert job["status"] == "released", (job, stack.said())
    found = matches(stack, job)
    assert len(found) == SAMPLE
    assert min(found) >= 12
    with stack.client("consumer") as consumer:
        finding = consumer.get(f"/v1/releases/{job['release_id']}/report").json()["guarantees"][0]
    assert finding["holds"]
    assert finding["evidence"] == "bytes+sealed_map"
    assert finding["achieved"] == {"k": 12}


def test_presence_stays_below_the_maximum_and_with_it_k_anonymity(stack, people):
    policy = policy_against(
        people, {"model": "delta_presence", "maximum": 0.7}, method={"name": "mondrian", "cut": "range"}
    )
    policy["guarantees"].append({"model": "k_anonymity", "k": 4})
    policy["attributes"]["zip"] = {"role": "identifier"}
    job = stack.publish(sample(), policy)
    assert job["status"] == "released", (job, stack.said())
    with stack.client("auditor") as auditor:
        report = auditor.get(f"/v1/jobs/{job['id']}/report").json()
    presence, anonymity = report["guarantees"]
    assert presence["achieved"] == {"minimum": 0.0, "maximum": 0.7}
    assert anonymity["achieved"]["k"] >= 4


@pytest.mark.parametrize("method", [{"name": "mondrian"}, {"name": "mondrian", "cut": "range"}], ids=["loss", "range"])
def test_whether_somebody_is_in_the_population_cannot_be_told_from_how_a_job_ends(stack, people, method):
    """One row: a person of the population with a unique combination, and one who is not in it."""
    crowd = [tuple(row[1:4]) for row in csv.reader(io.StringIO(population().decode()))][1:]
    known = ",".join(next(person for person, times in Counter(crowd).items() if times == 1))
    ends = []
    for person in (known, "101,99999,X"):
        table = f"name,age,zip,sex,disease\nSomebody,{person},flu\n".encode()
        job = stack.publish(table, policy_against(people, {"model": "k_map", "k": 2}, method=method))
        with stack.client() as steward:
            report = steward.get(f"/v1/jobs/{job['id']}/report").json()
        ends.append((job["status"], job["refusal"], job["error"], report["refusal"], report["guarantees"]))
    assert ends[0] == ends[1]
    assert ends[0][0] == "refused"
    assert ends[0][1] == {"reasons": [{"rule": "population", "detail": ends[0][1]["reasons"][0]["detail"]}]}


def test_a_share_above_the_maximum_is_refused_without_a_figure(stack, people):
    job = stack.publish(sample(), policy_against(people, {"model": "delta_presence", "maximum": 0.1}))
    assert job["status"] == "refused"
    assert [reason["rule"] for reason in job["refusal"]["reasons"]] == ["population"]
    assert "measured" not in job["refusal"]["reasons"][0]


def test_only_what_was_uploaded_as_a_population_is_one(stack):
    hidden = stack.upload(population()).json()["id"]
    answer = stack.upload(sample(), policy_against(hidden, {"model": "k_map", "k": 2}))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/policy/guarantees/0/population"


def test_every_use_of_a_population_is_in_the_audit_trail(stack, people):
    job = stack.publish(sample(), policy_against(people, {"model": "k_map", "k": 12}))
    with stack.client("auditor") as auditor:
        events = auditor.get("/v1/audit-events", params={"action": "population.read", "limit": 200}).json()["items"]
    assert (people, {"job": job["id"]}) in [(event["subject"], event["details"]) for event in events]


def test_a_comparison_reads_a_population_once(stack, people):
    dataset_id = stack.upload(sample()).json()["id"]
    policy = policy_against(people, {"model": "k_map", "k": 12})
    body = {"policy": policy, "vary": {"/guarantees/0/k": [11, 13]}, "repeats": 2}
    with stack.client() as steward:
        asked = steward.post("/v1/comparisons", json={"dataset_id": dataset_id, **body})
        assert asked.status_code == 202, asked.text
        place = asked.headers["Location"]
        wait_for(lambda: steward.get(place).json()["finished_at"] is not None, "the comparison's end")
        found = steward.get(place).json()
    assert [row["runs"] for row in found["rows"]] == [2, 2], found
    with stack.client("auditor") as auditor:
        events = auditor.get("/v1/audit-events", params={"action": "population.read", "limit": 200}).json()["items"]
    assert [event["details"]["job"] for event in events].count(found["id"]) == 1


def test_a_population_that_no_policy_may_name_is_refused_at_once(stack, people):
    graph = stack.upload(friends(), kind="graph", file_name="f.edges").json()["id"]
    deleted = stack.upload(population()).json()["id"]
    with stack.client() as steward:
        assert steward.delete(f"/v1/datasets/{deleted}").status_code == 204
    answers = {
        name: stack.upload(sample(), policy_against(named, {"model": "k_map", "k": 3}))
        for name, named in (("unknown", str(uuid4())), ("deleted", deleted), ("no id", "people"), ("graph", graph))
    }
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(answers, 422)
    errors = {name: answer.json()["errors"] for name, answer in answers.items()}
    assert errors["graph"] == [
        {"pointer": "/policy/guarantees/0/population", "detail": "the population must be a table"}
    ]
    assert errors["unknown"] == errors["deleted"] == errors["no id"]
    assert errors["unknown"][0]["detail"] == "there is no such dataset"


def test_a_dataset_that_was_not_uploaded_as_a_population_is_none(stack):
    rows = [line.rsplit(",", 1)[0] for line in population().decode().splitlines()]
    narrow = stack.upload("\n".join(rows).encode()).json()["id"]
    answer = stack.upload(sample(), policy_against(narrow, {"model": "k_map", "k": 3}))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["detail"] == "the dataset was not uploaded to be used as a population"
