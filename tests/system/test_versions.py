"""Versions of a dataset through the API: the second release is refused if both together would single out a person."""

from typing import Any

from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy


def policy() -> dict[str, Any]:
    """Two classes that are large enough by themselves, so that only arrivals and departures can distinguish people."""
    made = table_policy(5, None, privacy_unit="name", method={"name": "suppress"})
    made["attributes"] |= {"age": {"role": "identifier"}, "zip": {"role": "identifier"}}
    return made


def test_a_newer_version_is_released_or_refused_by_the_people_in_both(stack: Stack) -> None:
    header, *rows = patients(80).splitlines(keepends=True)
    first = stack.publish(b"".join([header, *rows[:60]]), policy())
    assert first["status"] == "released", first

    newcomers = stack.publish(b"".join([header, *rows]), policy(), supersedes=first["dataset_id"])
    assert newcomers["status"] == "released", newcomers
    with stack.client("consumer") as consumer:
        guarantees = consumer.get(f"/v1/releases/{newcomers['release_id']}").json()["guarantees"]
    (joint,) = [guarantee for guarantee in guarantees if guarantee["model"] == "joint_releases"]
    assert joint["holds"]
    assert joint["achieved"]["k"] >= 5

    alone = b"Somebody,30,08500,F,flu\n"
    refused = stack.publish(b"".join([header, *rows, alone]), policy(), supersedes=newcomers["dataset_id"])
    assert refused["status"] == "refused", refused
    (reason,) = refused["refusal"]["reasons"]
    assert (reason["rule"], reason["limit"], reason["measured"]) == ("composition", 5, 1)
    assert "Somebody" not in str(refused)


def test_without_a_privacy_unit_versions_are_not_joined(stack: Stack) -> None:
    plain = policy()
    del plain["privacy_unit"]
    first = stack.publish(patients(60), plain)
    second = stack.publish(patients(60), plain, supersedes=first["dataset_id"])
    assert [first["status"], second["status"]] == ["released", "refused"]
    assert [reason["rule"] for reason in second["refusal"]["reasons"]] == ["composition"]
