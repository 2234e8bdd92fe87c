"""Repeated releases of one lineage are checked together."""

import re
from dataclasses import replace
from typing import Any

import pytest

from storage.blobs.keyring import shred
from storage.releases import releases
from tests.system.samples import friends, graph_policy, patients, table_policy
from tests.workers.conftest import Steward
from tests.workers.releasing import PUBLISHED, ROWS, assert_refused, at, policy_for
from workers.pipeline import pipeline
from workers.process.tasks import run_job

# --- repeated releases -----------------------------------------------------------------------------------------------


def test_a_second_release_is_checked_together_with_the_first(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.run(dataset, policy_for(3, 2))
    assert [g["model"] for g in steward.released(first).guarantees] == ["k_anonymity", "l_diversity"]
    second = steward.run(dataset, policy_for(3, 2))
    assert second.status == "released", second
    joint = steward.released(second).guarantees[-2:]
    for finding in joint:
        assert (finding["model"], finding["holds"]) == ("joint_releases", True)
        assert finding["evidence"] == "bytes+sealed_map"
    diverse = {"promise": "l_diversity", "variant": "distinct", "l": 2, "attribute": "disease"}
    assert [finding["required"] for finding in joint] == [{"k": 3}, diverse]
    assert [release.job_id for release in steward.releases_of(dataset)] == [first.id, second.id]


def test_the_attack_of_several_releases_sees_the_earlier_ones(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    policy = {**table_policy(3, None), "report": {"utility": [], "attacks": ["composition"]}}
    told = [steward.report(steward.run(dataset, policy)).content["risk"]["attacks"][0] for _ in range(2)]
    assert [attack["releases"] for attack in told] == [1, 2]
    assert told[1]["rate"] >= told[0]["rate"]


def test_whom_an_earlier_release_left_out_is_told_apart_by_it(steward: Steward) -> None:
    """Three of one town, three of another, and two of a third that the first release leaves out."""
    content = "town,disease\n" + "Vic,flu\n" * 3 + "Olot,flu\n" * 3 + "Lugo,flu\n" * 2
    dataset = steward.upload(content.encode())

    def policy(method: str, k: int) -> dict[str, Any]:
        return {
            "kind": "table",
            "attributes": {"town": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
            "guarantees": [{"model": "k_anonymity", "k": k}],
            "method": {"name": method},
            "waivers": [{"rule": "composition", "reason": "to see what is lost"}],
            "report": {"utility": [], "attacks": ["composition"]},
        }

    assert steward.run(dataset, policy("suppress", 3)).status == "released"
    job = steward.run(dataset, policy("mondrian", 8))
    assert job.status == "released", job
    (attack,) = steward.report(job).content["risk"]["attacks"]
    assert (attack["releases"], attack["smallest"]) == (2, 2)
    assert (attack["rate"], attack["baseline"]) == (3 / 8, 1 / 8)
    newer = steward.upload(content.encode(), supersedes=dataset.id)
    (attack,) = steward.report(steward.run(newer, policy("mondrian", 8))).content["risk"]["attacks"]
    assert attack["releases"] == 1


def test_releases_that_together_break_k_are_refused_with_the_k_that_is_left(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.run(dataset, policy_for(3))
    assert first.status == "released"
    other = policy_for(4)
    other["attributes"]["age"]["recoding"] = "set"
    job = steward.run(dataset, other)
    assert_refused(steward, job, ["composition"])
    assert job.refusal is not None
    (reason,) = job.refusal["reasons"]
    joint = steward.report(job).content["guarantees"][-1]
    assert (reason["limit"], reason["measured"]) == (4, joint["achieved"]["k"])
    assert reason["measured"] < 4
    shown = [name for name, stated in other["attributes"].items() if stated["role"] == "quasi_identifier"]
    assert len(shown) > 1
    assert reason["detail"] == (
        f"the releases together break k; release {steward.released(first).id}. Possible now: release fewer of the "
        f"quasi-identifiers that are cut differently here ({', '.join(shown)}), or cut them as that release does; or "
        "waive composition with a reason"
    )
    assert len(steward.releases_of(dataset)) == 1


def test_releases_that_together_break_l_are_refused(steward: Steward) -> None:
    """Two partitions in classes of two whose intersections are classes of two again, with one disease each."""
    lines = ["age,sex,disease", "20,F,flu", "20,F,flu", "20,M,cold", "20,M,cold"] * 1
    dataset = steward.upload("\n".join([*lines, ""]).encode())

    def policy(shown: str, hidden: str, l_value: int) -> dict[str, Any]:
        rows = [["F", "*"], ["M", "*"]] if hidden == "sex" else [["20", "*"]]
        attributes: dict[str, Any] = {
            shown: {"role": "quasi_identifier", "type": "text"},
            hidden: {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "levels", "rows": rows}},
            "disease": {"role": "sensitive"},
        }
        guarantees: list[dict[str, Any]] = [{"model": "k_anonymity", "k": 2}]
        if l_value > 1:
            guarantees.append({"model": "l_diversity", "variant": "distinct", "l": l_value, "attribute": "disease"})
        return {
            "kind": "table",
            "attributes": attributes,
            "guarantees": guarantees,
            "method": {"name": "mondrian"},
            **PUBLISHED,
        }

    assert steward.run(dataset, policy("age", "sex", 1)).status == "released"
    job = steward.run(dataset, policy("age", "sex", 2))
    assert_refused(steward, job, ["composition"])
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["detail"].partition(";")[0] == "the releases together break l"


def test_nothing_can_be_shown_where_an_earlier_map_is_gone(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.released(steward.run(dataset, policy_for(3)))
    without = releases.bind(steward.context.release_key, replace(first, map_blob_id=None))
    statement = "UPDATE releases SET map_blob_id = NULL, mac = :mac WHERE id = :id RETURNING 1"
    steward.ask(statement, id=first.id, mac=without.mac)
    job = steward.run(dataset, policy_for(3))
    assert_refused(steward, job, ["composition"])
    assert job.refusal is not None
    assert job.refusal["reasons"][0]["detail"] == (
        f"the map of an earlier release is gone, so nothing can be verified; release {first.id}. Possible now: waive "
        "composition with a reason"
    )


HIDDEN = {
    "moved to another lineage": "UPDATE releases SET lineage_id = gen_random_uuid() WHERE id = :id RETURNING 1",
    "said to have no map": "UPDATE releases SET map_blob_id = NULL WHERE id = :id RETURNING 1",
    "said to show nothing": "UPDATE releases SET dictionary = '[]' WHERE id = :id RETURNING 1",
    "removed": "DELETE FROM releases WHERE id = :id RETURNING 1",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_an_earlier_release_cannot_be_hidden_from_a_later_one(steward: Steward, how: str) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.released(steward.run(dataset, policy_for(3)))
    if how == "removed":
        steward.ask("DELETE FROM artifacts WHERE release_id = :id AND format = 'parquet' RETURNING 1", id=first.id)
        steward.ask("DELETE FROM artifacts WHERE release_id = :id RETURNING 1", id=first.id)
    assert steward.ask(HIDDEN[how], id=first.id) == 1
    job = steward.run(dataset, policy_for(3))
    assert (job.status, job.release_id) == ("failed", None)
    assert job.error is not None
    assert job.error["rule"] == "storage"


def test_a_map_whose_key_is_shredded_is_no_release(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    first = steward.released(steward.run(dataset, policy_for(3)))
    assert first.map_blob_id is not None
    with steward.keyring.begin() as keys:
        shred(keys, [first.map_blob_id])
    job = steward.run(dataset, policy_for(3))
    assert (job.status, job.release_id) == ("failed", None)
    assert len(steward.releases_of(dataset)) == 1


def test_another_version_of_a_table_cannot_be_joined_without_a_waiver(steward: Steward) -> None:
    first = steward.upload(patients(ROWS))
    assert steward.run(first, policy_for(3)).status == "released"
    newer = steward.upload(patients(ROWS, seed=5), supersedes=first.id)
    job = steward.run(newer, policy_for(3))
    assert_refused(steward, job, ["composition"])
    assert job.refusal is not None
    (reason,) = job.refusal["reasons"]
    assert (reason["limit"], reason["measured"]) == (0, 1)
    what, release, now = re.fullmatch(r"(.*); release ([0-9a-f-]{36})\. Possible now: (.*)", reason["detail"]).groups()
    assert what == "earlier releases of this lineage cannot be joined"
    assert [str(each.id) for each in steward.releases_of(first)] == [release]
    assert "name the same privacy unit" in now
    waived = steward.run(newer, policy_for(3, waivers=[{"rule": "composition", "reason": "other people"}]))
    assert waived.status == "released"
    assert [g["model"] for g in steward.released(waived).guarantees] == ["k_anonymity"]
    assert steward.events()[-1].details["waivers"] == ["composition"]


def test_a_graph_is_released_once(steward: Steward) -> None:
    dataset = steward.upload(friends(30, 60), "graph")
    assert steward.run(dataset, graph_policy(2, **PUBLISHED)).status == "released"
    job = steward.run(dataset, graph_policy(2, **PUBLISHED))
    assert_refused(steward, job, ["composition"])


def test_roles_may_not_change_between_releases(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    assert steward.run(dataset, policy_for(3)).status == "released"
    for name, role in (("sex", "insensitive"), ("sex", "sensitive"), ("disease", "quasi_identifier")):
        changed = policy_for(3)
        changed["attributes"][name] = {"role": role}
        job = steward.run(dataset, changed)
        assert_refused(steward, job, ["composition"])
        assert job.refusal is not None
        (reason,) = job.refusal["reasons"]
        assert (reason["limit"], reason["measured"]) == (0, 1)
        told = f"one release generalizes or hides columns that another publishes unchanged: {name}; release "
        assert reason["detail"].startswith(told)
        waived = {**changed, "waivers": [{"rule": "composition", "reason": "agreed"}]}
        assert steward.run(dataset, waived).status == "released" if name == "disease" else True


def test_a_plain_value_may_become_sensitive_and_the_other_way_round(steward: Steward) -> None:
    dataset = steward.upload(patients(ROWS))
    for role in ("sensitive", "insensitive", "sensitive"):
        policy = policy_for(3)
        policy["attributes"]["disease"]["role"] = role
        job = steward.run(dataset, policy)
        assert job.status == "released", job


def test_a_record_that_only_the_newest_release_leaves_out_belongs_to_nobody_else(steward: Steward) -> None:
    """Nine rows without a town are a class of the first release, and no rows of the second."""
    content = "town,disease\n" + "Vic,flu\n" * 3 + ",flu\n" * 9
    dataset = steward.upload(content.encode())

    def policy(missing: str) -> dict[str, Any]:
        return {
            "kind": "table",
            "attributes": {"town": {"role": "quasi_identifier", "missing": missing}, "disease": {"role": "sensitive"}},
            "guarantees": [{"model": "k_anonymity", "k": 3}],
            "method": {"name": "suppress"},
            "waivers": [{"rule": "composition", "reason": "to see what is lost"}],
            "report": {"utility": [], "attacks": ["composition"]},
        }

    assert steward.run(dataset, policy("own_value")).status == "released"
    job = steward.run(dataset, policy("suppress_row"))
    assert job.status == "released", job
    (attack,) = steward.report(job).content["risk"]["attacks"]
    assert (attack["releases"], attack["rate"], attack["smallest"]) == (2, 1 / 3, 3)


def test_a_release_that_was_overtaken_is_done_again(steward: Steward, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = steward.upload(patients(ROWS))
    slow, quick = steward.submit(dataset, policy_for(3)), steward.submit(dataset, policy_for(3))
    monkeypatch.setattr(pipeline, "reach", at("verified", lambda: run_job(steward.context, quick)))
    run_job(steward.context, slow)
    assert steward.job(quick).status == "released"
    waiting = steward.job(slow)
    assert (waiting.status, waiting.release_id, waiting.attempt, waiting.stage) == ("queued", None, 0, None)
    assert (waiting.progress, waiting.finished_at) == (0.0, None)
    assert [release.job_id for release in steward.releases_of(dataset)] == [quick]
    run_job(steward.context, slow)
    assert steward.job(slow).status == "released"
    assert steward.releases_of(dataset)[-1].guarantees[-1]["model"] == "joint_releases"
