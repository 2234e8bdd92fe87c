"""What a policy can promise about a table beyond k and l of its rows, each through the API."""

import csv
import io
import json
from typing import Any
from uuid import uuid4

import pytest

from tests.system.conftest import wait_for
from tests.system.samples import friends, patients, table_policy

PEOPLE = 400
SAMPLE = 80


def population() -> bytes:
    """The people of a town, of whom `sample` are patients; only what attackers know of them."""
    rows = list(csv.reader(io.StringIO(patients(PEOPLE, seed=7).decode())))
    return _written([row[:4] for row in rows])


def sample() -> bytes:
    """Every fifth of the same people, with their illness."""
    rows = list(csv.reader(io.StringIO(patients(PEOPLE, seed=7).decode())))
    return _written([rows[0], *rows[1 :: PEOPLE // SAMPLE]])


def _written(rows: list[list[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def policy_against(people: str, *guarantees: dict[str, Any], **more: Any) -> dict[str, Any]:
    return table_policy(**more) | {"guarantees": [{**guarantee, "population": people} for guarantee in guarantees]}


def covered(label: str, value: str) -> bool:
    """Whether a released label of `patients` stands for a value."""
    if label.startswith("[") and value.isdecimal():
        low, high = json.loads(label)
        return bool(low <= int(value) <= high)
    if label.startswith("["):
        return value in json.loads(label)
    return label == "*" or all(mark in ("*", letter) for mark, letter in zip(label, value, strict=False))


@pytest.fixture(scope="module")
def people(stack: Any) -> str:
    """The id of the stored population."""
    answer = stack.upload(population())
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def matches(stack: Any, job: dict[str, Any]) -> list[int]:
    """For every released row how many people it could be."""
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
    assert finding["achieved"] == {"k": min(found)}


def test_presence_stays_below_the_maximum_and_with_it_k_anonymity(stack, people):
    policy = policy_against(
        people, {"model": "delta_presence", "maximum": 0.7}, method={"name": "mondrian", "cut": "range"}
    )
    policy["guarantees"].append({"model": "k_anonymity", "k": 4})
    job = stack.publish(sample(), policy)
    assert job["status"] == "released", (job, stack.said())
    with stack.client("auditor") as auditor:
        report = auditor.get(f"/v1/jobs/{job['id']}/report").json()
    presence, anonymity = report["guarantees"]
    assert 0 < presence["achieved"]["maximum"] <= 0.7
    assert anonymity["achieved"]["k"] >= 4


def test_a_table_that_was_not_drawn_from_the_population_is_refused_without_a_value(stack, people):
    stranger = sample() + b"Zoe Stranger,101,99999,X,flu\n"
    job = stack.publish(stranger, policy_against(people, {"model": "k_map", "k": 3}))
    assert job["status"] == "failed"
    assert job["error"]["rule"] == "population"
    assert "99999" not in json.dumps(job)


def test_a_share_above_the_maximum_is_refused_with_the_share(stack, people):
    job = stack.publish(sample(), policy_against(people, {"model": "delta_presence", "maximum": 0.1}))
    assert job["status"] == "refused"
    reason = job["refusal"]["reasons"][0]
    assert (reason["rule"], reason["limit"], reason["measured"]) == ("delta_presence", 0.1, 0.2)


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


def test_a_population_without_a_quasi_identifier_is_refused_as_soon_as_its_columns_are_known(stack):
    rows = [line.rsplit(",", 1)[0] for line in population().decode().splitlines()]
    narrow = stack.upload("\n".join(rows).encode()).json()["id"]
    with stack.client() as steward:
        wait_for(lambda: steward.get(f"/v1/datasets/{narrow}").json()["status"] == "ready", "the profile")
    answer = stack.upload(sample(), policy_against(narrow, {"model": "k_map", "k": 3}))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["detail"] == 'the population lacks the column "sex"'
