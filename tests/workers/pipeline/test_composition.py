"""All releases of a lineage show a column in the same way, and hidden is one: otherwise intersections tell all.

240 people of six ages and five regions; each of the 30 combinations has a disease of its own. A release that shows
ages next to diseases leaves five for everyone, one that shows regions leaves six, and both together leave one.
"""

import csv
import io
from typing import Any

import pytest

from storage.jobs import jobs
from tests.workers.conftest import Steward

HIDDEN = {"role": "identifier"}
SHOWN = {"role": "quasi_identifier", "type": "text"}
PSEUDONYM = {"role": "identifier", "pseudonym": True}
WAIVERS = [{"rule": "composition", "reason": "to see what is lost"}]
REFUSED = "one release generalizes or hides columns that another publishes unchanged: "


def table(*more: str) -> bytes:
    """The people, with these columns in addition to name, age, sex and disease."""
    lines = [",".join(["name", "age", "sex", *more, "disease"])]
    for age in range(6):
        for region in range(5):
            for sex in "FM":
                for _ in range(4):
                    cells = [f"Person {len(lines)}", f"age {age}", sex, *[f"region {region}" for _ in more]]
                    lines.append(",".join([*cells, f"disease {age}.{region}"]))
    return "\n".join([*lines, ""]).encode()


PEOPLE = table("region")


def policy(age: dict[str, Any], region: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    attributes = {"name": HIDDEN, "age": age, "sex": SHOWN, "disease": {"role": "sensitive"}}
    if region is not None:
        attributes["region"] = region
    return {
        "kind": "table",
        "attributes": attributes,
        "guarantees": [
            {"model": "k_anonymity", "k": 4},
            {"model": "l_diversity", "variant": "distinct", "l": 5, "attribute": "disease"},
        ],
        "method": {"name": "suppress"},
        "report": {"utility": [], "attacks": []},
        **more,
    }


def rows(steward: Steward, job: jobs.JobRecord) -> list[dict[str, str]]:
    artifact = next(each for each in steward.released(job).artifacts if each.format == "csv")
    return list(csv.DictReader(io.StringIO(steward.content(artifact).decode())))


def diagnoses(*shown: list[dict[str, str]]) -> int:
    """How many of the people an attacker who knows everyone's age, sex and region finds exactly one disease for."""
    known = 0
    for person in csv.DictReader(io.StringIO(PEOPLE.decode())):
        left = None
        for release in shown:
            facts = {name: person[name] for name in ("age", "sex", "region") if name in release[0]}
            possible = {row["disease"] for row in release if all(row[name] == facts[name] for name in facts)}
            left = possible if left is None else left & possible
        known += left == {person["disease"]}
    return known


BY_AGE = policy(SHOWN, HIDDEN)
OTHER_WAYS = {"insensitive": {"role": "insensitive"}, "sensitive": {"role": "sensitive"}}


@pytest.mark.parametrize("region", OTHER_WAYS)
@pytest.mark.parametrize("order", ["hidden first", "hidden second"])
def test_a_column_hidden_in_one_release_is_no_plain_value_of_another(steward: Steward, region: str, order: str) -> None:
    by_region = policy(HIDDEN, OTHER_WAYS[region])
    first, second = (BY_AGE, by_region) if order == "hidden first" else (by_region, BY_AGE)
    dataset = steward.upload(PEOPLE)
    released = steward.run(dataset, first)
    assert released.status == "released", released
    job = steward.run(dataset, second)
    assert job.status == "refused", job
    assert job.refusal is not None
    (reason,) = job.refusal["reasons"]
    assert reason["detail"].startswith(f"{REFUSED}region; release {released.release_id}")
    assert "identifier" not in reason["detail"]
    assert diagnoses(rows(steward, released)) == 0
    # What the rule prevents.
    waived = steward.run(dataset, {**second, "waivers": WAIVERS})
    assert waived.status == "released", waived
    assert diagnoses(rows(steward, released), rows(steward, waived)) == 240


def test_what_the_second_release_would_tell_as_a_quasi_identifier_is_found_by_the_joint_check(steward: Steward) -> None:
    dataset = steward.upload(PEOPLE)
    assert steward.run(dataset, BY_AGE).status == "released"
    job = steward.run(dataset, policy(HIDDEN, SHOWN))
    assert job.status == "refused", job
    assert job.refusal is not None
    assert "the releases together break l" in job.refusal["reasons"][0]["detail"]


def test_a_column_that_groups_people_is_no_pseudonym_where_it_was_hidden(steward: Steward) -> None:
    dataset = steward.upload(PEOPLE)
    assert steward.run(dataset, BY_AGE).status == "released"
    job = steward.run(dataset, policy(HIDDEN, PSEUDONYM))
    assert job.status == "refused", job
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["detail"].startswith(f"{REFUSED}region;")


def test_a_later_version_brings_no_new_plain_column(steward: Steward) -> None:
    """To a reader of the first release, a column that it did not have is a hidden one."""
    unit = {"privacy_unit": "name"}
    dataset = steward.upload(table())
    assert steward.run(dataset, policy(SHOWN, None, **unit)).status == "released"
    newer = steward.upload(PEOPLE, supersedes=dataset.id)
    job = steward.run(newer, policy(HIDDEN, {"role": "insensitive"}, **unit))
    assert job.status == "refused", job
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["detail"].startswith(f"{REFUSED}region;")


@pytest.mark.parametrize("region", [HIDDEN, *OTHER_WAYS.values()], ids=["hidden", *OTHER_WAYS])
def test_the_same_roles_and_coarser_classes_are_released_again(steward: Steward, region: dict[str, Any]) -> None:
    dataset = steward.upload(PEOPLE)
    first = steward.run(dataset, policy(SHOWN, region))
    second = steward.run(dataset, policy(HIDDEN, region))
    assert (first.status, second.status) == ("released", "released")


def test_a_column_may_follow_that_no_earlier_release_can_be_compared_by(steward: Steward) -> None:
    """First the people without their diseases, then with them: the releases have no plain column in common."""
    dataset = steward.upload(PEOPLE)
    first = policy(SHOWN, HIDDEN)
    first["attributes"]["disease"] = HIDDEN
    first["guarantees"] = first["guarantees"][:1]
    assert steward.run(dataset, first).status == "released"
    job = steward.run(dataset, BY_AGE)
    assert job.status == "released", job
