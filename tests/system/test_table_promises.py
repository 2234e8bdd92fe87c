"""Promises about a table beyond k and l of its rows, each through the API."""

import csv
import io
import json
import random
import re
from collections import Counter
from typing import Any

import pytest

from tests.system.samples import DISEASES, csv_of_rows, patients, table_policy

# --- people and their pseudonyms -------------------------------------------------------------------------------------


def visits(people: int = 60, each: int = 3) -> bytes:
    """Several visits of each of some people, who always have the same age and place."""
    chance = random.Random(9)
    rows = [["patient", "age", "zip", "sex", "disease"]]
    for number in range(people):
        known = [f"José {number}", str(30 + number % 12), f"08{number % 3:03d}", chance.choice("FM")]
        rows += [[*known, chance.choice(DISEASES)] for _ in range(each)]
    return csv_of_rows(rows)


def visit_policy(*guarantees: dict[str, Any], pseudonym: bool = True, **more: Any) -> dict[str, Any]:
    policy = table_policy(4, l_value=None, **{"privacy_unit": "patient", **more})
    policy["attributes"]["patient"] = {"role": "identifier", "pseudonym": pseudonym}
    del policy["attributes"]["name"]
    policy["guarantees"] += guarantees
    return policy


def released_rows(stack: Any, job: dict[str, Any], **parameters: str) -> list[dict[str, str]]:
    assert job["status"] == "released", (job, stack.said())
    return list(csv.DictReader(io.StringIO(stack.data(job["release_id"], **parameters).decode())))


@pytest.fixture(scope="module")
def visiting(stack: Any) -> dict[str, Any]:
    """A release in which k counts people, who have pseudonyms."""
    return dict(stack.publish(visits(), visit_policy(formats=["csv", "parquet", "jsonl"])))


def test_k_counts_people_and_not_their_rows(stack, visiting):
    crowd: dict[tuple[str, ...], set[str]] = {}
    for row in released_rows(stack, visiting):
        crowd.setdefault((row["age"], row["zip"], row["sex"]), set()).add(row["patient"])
    smallest = min(len(people) for people in crowd.values())
    assert smallest >= 4
    with stack.client("consumer") as consumer, stack.client("auditor") as auditor:
        finding = consumer.get(f"/v1/releases/{visiting['release_id']}/report").json()["guarantees"][0]
        risk = auditor.get(f"/v1/jobs/{visiting['id']}/report").json()["risk"]
    assert finding["achieved"] == {"k": smallest}
    assert finding["evidence"] == "bytes+sealed_map"
    assert risk["after"]["prosecutor"]["max"] == pytest.approx(1 / smallest)


def test_pseudonyms_are_keyed_stable_within_the_dataset_and_nowhere_else(stack, visiting):
    first = released_rows(stack, visiting)
    shown = {row["patient"] for row in first}
    assert len(first) == 180
    assert len(shown) == 60
    assert all(re.fullmatch("[0-9a-f]{32}", text) for text in shown)
    with stack.client() as steward:
        again = steward.post("/v1/jobs", json={"dataset_id": visiting["dataset_id"], "policy": visit_policy()})
        assert again.status_code == 202, again.text
    second = released_rows(stack, stack.finish(again.json()["id"]))
    assert {row["patient"] for row in second} == shown
    elsewhere = released_rows(stack, stack.publish(visits(), visit_policy()))
    assert {row["patient"] for row in elsewhere}.isdisjoint(shown)


def test_the_release_says_what_pseudonyms_are_and_what_they_link(stack, visiting):
    with stack.client("consumer") as consumer:
        release = consumer.get(f"/v1/releases/{visiting['release_id']}").json()
        report = consumer.get(f"/v1/releases/{visiting['release_id']}/report").json()
    column = next(column for column in release["dictionary"] if column["name"] == "patient")
    assert column["role"] == "identifier"
    assert column["meaning"].startswith("pseudonym")
    assert any("link the rows of one person" in warning["detail"] for warning in report["warnings"])
    assert "José" not in json.dumps([release, report], ensure_ascii=False)


def test_too_few_people_with_enough_rows_fail_at_once(stack):
    job = stack.publish(visits(people=3, each=20), visit_policy())
    assert job["status"] == "failed"
    assert job["error"]["rule"] == "k_above_rows"
    assert "persons" in job["error"]["detail"]


def test_a_unit_that_is_no_identifier_is_refused_at_once(stack):
    answer = stack.upload(visits(), visit_policy(privacy_unit="zip"))
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/policy/privacy_unit"]


def test_what_was_a_pseudonym_is_not_published_as_it_is_later(stack, visiting):
    policy = visit_policy(privacy_unit=None, pseudonym=False, waivers=[{"rule": "free_text", "reason": "a test"}])
    del policy["privacy_unit"]
    policy["attributes"]["patient"] = {"role": "insensitive"}
    with stack.client() as steward:
        answer = steward.post("/v1/jobs", json={"dataset_id": visiting["dataset_id"], "policy": policy})
    job = stack.finish(answer.json()["id"])
    assert job["status"] == "refused"
    assert job["refusal"]["reasons"][0]["rule"] == "composition"


# --- sensitive values, measures, repeated releases -------------------------------------------------------------------

ORGANS = [["asthma", "lungs", "*"], ["flu", "lungs", "*"], ["cancer", "others", "*"], ["hepatitis", "others", "*"]]


@pytest.mark.parametrize("written_out", [True, False])
def test_sensitive_values_are_close_by_their_hierarchy(stack, written_out):
    hierarchy: dict[str, Any] = {"kind": "levels", "rows": ORGANS}
    if not written_out:
        with stack.client() as steward:
            stored = steward.post("/v1/hierarchies", json={"name": "organs", "hierarchy": hierarchy})
        assert stored.status_code == 201, stored.text
        hierarchy = {"id": stored.json()["id"]}
    policy = table_policy(l_value=None)
    policy["attributes"]["disease"]["hierarchy"] = hierarchy
    policy["guarantees"].append({"model": "t_closeness", "t": 0.15, "distance": "hierarchical", "attribute": "disease"})
    job = stack.publish(patients(), policy)
    rows = released_rows(stack, job)
    assert farthest(rows) <= 0.15 + 1e-9
    with stack.client("consumer") as consumer:
        report = consumer.get(f"/v1/releases/{job['release_id']}/report").json()
    assert report["guarantees"][1]["achieved"]["t"] == pytest.approx(farthest(rows), abs=2e-6)
    assert "lungs" not in json.dumps(report)


def farthest(rows: list[dict[str, str]]) -> float:
    """The largest distance of a class: the mean, over both levels, of the share that must change its group."""

    def shares(some: list[dict[str, str]], level: int) -> Counter[str]:
        place = {row[0]: row[level] for row in ORGANS}
        counts = Counter(place[row["disease"]] for row in some)
        return Counter({label: count / len(some) for label, count in counts.items()})

    classes: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        classes.setdefault((row["age"], row["zip"], row["sex"]), []).append(row)
    whole = [shares(rows, level) for level in (0, 1)]
    return max(
        sum(max(share - whole[level][label], 0) / 2 for level in (0, 1) for label, share in shares(some, level).items())
        for some in classes.values()
    )


def test_measures_take_their_parameters_from_the_policy(stack):
    report = {
        "utility": ["ncp", {"name": "ml_accuracy", "target": "sex_at_birth", "held_out": 0.4}],
        "attacks": [{"name": "record_linkage", "targets": 150}],
        "sampling_fraction": 0.05,
    }
    lines = patients().splitlines()
    content = b"\n".join([lines[0] + b",sex_at_birth", *(line + b"," + line.split(b",")[3] for line in lines[1:])])
    policy = table_policy(report=report, gate={"max_journalist_risk": 0.2})
    policy["attributes"]["sex_at_birth"] = {"role": "insensitive"}
    # The report scales its risks by the sampling fraction; the gate does not.
    refused = stack.publish(content, policy | {"gate": {"max_journalist_risk": 0.02}})
    assert refused["status"] == "refused"
    (reason,) = refused["refusal"]["reasons"]
    assert (reason["rule"], reason["limit"]) == ("max_journalist_risk", 0.02)
    assert 0.1 < reason["measured"] <= 1 / 5
    job = stack.publish(content, policy)
    assert job["status"] == "released", (job, stack.said())
    with stack.client("auditor") as auditor:
        found = auditor.get(f"/v1/jobs/{job['id']}/report").json()
    assert set(found["utility"]) == {"ncp", "ml_accuracy"}
    assert found["utility"]["ml_accuracy"]["target"] == "sex_at_birth"
    assert found["utility"]["ml_accuracy"]["judged"] == 80
    assert [attack["targets"] for attack in found["risk"]["attacks"]] == [150]
    assert found["risk"]["after"]["journalist"]["max"] <= 0.05 / 5
    assert found["risk"]["before"]["population_uniqueness"]["model"] in ("pitman", "zayatz", "snb")


def test_a_second_release_is_attacked_together_with_the_first(stack):
    job = stack.publish(patients(), table_policy())
    assert job["status"] == "released"
    again = table_policy(2, l_value=None, report={"attacks": []})
    again["waivers"] = [{"rule": "composition", "reason": "the first release was recalled"}]
    with stack.client() as steward:
        answer = steward.post("/v1/jobs", json={"dataset_id": job["dataset_id"], "policy": again})
        second = stack.finish(answer.json()["id"])
        report = steward.get(f"/v1/jobs/{second['id']}/report").json()
    (attack,) = report["risk"]["attacks"]
    assert (attack["name"], attack["releases"]) == ("composition", 2)
    assert attack["rate"] >= attack["baseline"] > 0
    assert attack["smallest"] <= 2


def test_bounds_that_a_method_does_not_write_are_refused_at_once(stack):
    policy = table_policy(method={"name": "datafly"})
    policy["attributes"]["age"]["recoding"] = "bounds"
    answer = stack.upload(patients(), policy)
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/policy/attributes/age/recoding"]


# --- a table as people have them -------------------------------------------------------------------------------------


def survey(rows: int = 240) -> bytes:
    """A hundred columns of all types, with gaps, accents in two spellings, decimal commas and semicolons."""
    chance = random.Random(3)
    towns = ["Vic", "Àger", "A\u0300ger", "L'Escala", "Sant Boi", ""]
    header = ["id", "birth", "height", "income", "smoker", "town", "visit", "children", "zip", "sex", "illness"]
    header += [f"answer {number}" for number in range(89)]
    lines = [header]
    for number in range(rows):
        known = [
            f"ñ{number // 2}",
            f"{chance.randint(1940, 2005)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}",
            chance.choice(["", f"1,{chance.randint(50, 99)}"]),
            f"{chance.randint(9, 60)}000,{chance.choice(['5', '50', '05'])}",
            chance.choice(["true", "false", ""]),
            chance.choice(towns),
            f"2024-0{chance.randint(1, 9)}-01T{chance.randint(0, 23):02d}:30:00",
            str(chance.randint(0, 4)),
            f"0{chance.randint(8001, 8042)}",
            chance.choice("FM"),
            chance.choice(["flu", "cáncer", "ca\u0301ncer", "asma"]),
        ]
        lines.append([*known, *(chance.choice(["sí", "no", "", "1,5"]) for _ in range(89))])
    out = io.StringIO()
    csv.writer(out, delimiter=";", lineterminator="\n").writerows(lines)
    return out.getvalue().encode()


SURVEYED = ("birth", "height", "income", "smoker", "town", "visit", "children", "zip", "sex")


def survey_policy() -> dict[str, Any]:
    attributes: dict[str, Any] = {name: {"role": "quasi_identifier"} for name in SURVEYED}
    attributes["birth"] |= {"type": "date"}
    attributes["height"] |= {"type": "decimal", "recoding": "bounds"}
    attributes["income"] |= {"type": "decimal"}
    attributes["smoker"] |= {"type": "boolean", "missing": "suppress_row"}
    attributes["visit"] |= {"type": "datetime"}
    attributes["zip"] |= {"hierarchy": {"kind": "mask"}}
    attributes["id"] = {"role": "identifier", "pseudonym": True}
    attributes["illness"] = {"role": "sensitive"}
    attributes |= {f"answer {number}": {"role": "insensitive"} for number in range(89)}
    return {
        "kind": "table",
        "attributes": attributes,
        "privacy_unit": "id",
        "guarantees": [
            {"model": "k_anonymity", "k": 6},
            {"model": "l_diversity", "l": 2, "attribute": "illness"},
        ],
        "method": {"name": "mondrian"},
        "formats": ["csv", "parquet", "jsonl"],
    }


def test_a_wide_table_of_all_types_with_gaps_and_accents_is_released(stack):
    content = survey()
    job = stack.publish(content, survey_policy(), delimiter=";", decimal=",")
    rows = released_rows(stack, job)
    original = list(csv.DictReader(io.StringIO(content.decode()), delimiter=";"))
    kept = [row for row in original if row["smoker"]]
    assert 0 < len(rows) == len(kept) < len(original)
    known = [*(name for name in SURVEYED if name != "height"), "height_min", "height_max"]
    assert set(rows[0]) == {"id", *known, "illness", *(f"answer {number}" for number in range(89))}
    people: dict[tuple[str, ...], set[str]] = {}
    illnesses: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        key = tuple(row[name] for name in known)
        people.setdefault(key, set()).add(row["id"])
        illnesses.setdefault(key, set()).add(row["illness"])
    assert min(map(len, people.values())) >= 6
    assert min(map(len, illnesses.values())) >= 2
    assert {row["illness"] for row in rows} == {"flu", "cáncer", "asma"}
    assert Counter(row["answer 7"] for row in rows) == Counter(row["answer 7"] for row in kept)
    assert sum(row["illness"] == "cáncer" for row in rows) == sum(row["illness"].startswith("c") for row in kept)
    shown = {row["town"] for row in rows}
    towns = {town for text in shown for town in (json.loads(text) if text.startswith("[") else [text])}
    assert towns == {"Vic", "Àger", "L'Escala", "Sant Boi", ""}
    typed = [json.loads(line) for line in stack.data(job["release_id"], format="jsonl").decode().splitlines()]
    assert [row["id"] for row in typed] == [row["id"] for row in rows]
    with stack.client() as steward:
        change = steward.get(f"/v1/jobs/{job['id']}/report").json()["transformation"]
    assert (change["rows_in"], change["rows_out"]) == (len(original), len(rows))


def test_a_gap_that_the_policy_rejects_is_named_by_its_column_and_row(stack):
    policy = survey_policy()
    policy["attributes"]["smoker"]["missing"] = "reject"
    job = stack.publish(survey(), policy, delimiter=";", decimal=",")
    assert job["status"] == "failed"
    assert (job["error"]["rule"], job["error"]["column"]) == ("missing_value", "smoker")
    rows = list(csv.DictReader(io.StringIO(survey().decode()), delimiter=";"))
    assert rows[job["error"]["row"] - 1]["smoker"] == ""
