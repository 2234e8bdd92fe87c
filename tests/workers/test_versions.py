"""Versions of a table: people are followed by keyed marks, and a release that would single someone out is refused."""

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antifaz.kinds.kind import Dataset
from antifaz.policy.parse import parse_policy
from formats.core.raw import RawColumn
from publication.promises import pack_promise
from publication.versions import marks_all, marks_of, newest_version, speaks_of_people, version_of
from storage.blobs.keyring import shred
from storage.jobs import jobs
from tests.workers.conftest import Steward
from verifier.joint.versions import UNTOLD
from workers.run import sources

Person = tuple[str, str, str]
"""A name, a town, a disease."""

FIRST = [(f"Person {number}", town, disease) for number, (town, disease) in enumerate(
    [("Vic", "flu"), ("Vic", "cold"), ("Vic", "flu"), ("Olot", "flu"), ("Olot", "cold"), ("Olot", "cold")]
)]  # fmt: skip


def written(people: Sequence[Person], unit: str = "name") -> bytes:
    return "".join(f"{','.join(row)}\n" for row in [(unit, "town", "disease"), *people]).encode()


def policy_of(k: int = 3, unit: str | None = "name", l_value: int | None = None, **more: Any) -> dict[str, Any]:
    guarantees: list[dict[str, Any]] = [{"model": "k_anonymity", "k": k}]
    if l_value:
        guarantees.append({"model": "l_diversity", "variant": "distinct", "l": l_value, "attribute": "disease"})
    return {
        "kind": "table",
        "attributes": {
            unit or "name": {"role": "identifier"},
            "town": {"role": "quasi_identifier"},
            "disease": {"role": "sensitive"},
        },
        "guarantees": guarantees,
        "method": {"name": "suppress"},
        "report": {"utility": [], "attacks": []},
        **({"privacy_unit": unit} if unit else {}),
        **more,
    }


def two_versions(
    steward: Steward, newer: Sequence[Person], first: dict[str, Any] | None = None, second: dict[str, Any] | None = None
) -> jobs.JobRecord:
    """The first version released, then a job on another one that supersedes it."""
    old = steward.upload(written(FIRST))
    assert steward.run(old, first or policy_of()).status == "released"
    return steward.run(steward.upload(written(newer), supersedes=old.id), second or policy_of())


def map_of(steward: Steward, job: jobs.JobRecord) -> dict[str, Any]:
    blob_id = steward.released(job).map_blob_id
    assert blob_id is not None
    with np.load(io.BytesIO(sources.read_blob(steward.context, steward.tenant_id, blob_id))) as archive:
        return {name: archive[name] for name in archive.files}


def refused_for(job: jobs.JobRecord) -> dict[str, Any]:
    assert job.status == "refused", job
    assert job.refusal is not None
    (reason,) = job.refusal["reasons"]
    assert reason["rule"] == "composition"
    return reason


def test_the_same_people_in_the_same_classes_may_be_released_again(steward: Steward) -> None:
    job = two_versions(steward, FIRST[::-1])
    assert job.status == "released", job
    (joint,) = [g for g in steward.released(job).guarantees if g["model"] == "joint_releases"]
    assert (joint["holds"], joint["achieved"], joint["evidence"]) == (True, {"k": 3}, "bytes+sealed_map")
    assert joint["required"] == {"k": 3}
    assert "all versions" in joint["assumes"]


def test_who_moves_to_another_class_is_singled_out(steward: Steward) -> None:
    newer = [("Person 0", "Olot", "flu"), *FIRST[1:], ("Person 7", "Vic", "flu")]
    reason = refused_for(two_versions(steward, newer))
    assert (reason["limit"], reason["measured"]) == (3, 1)
    assert reason["detail"].partition(";")[0] == "the versions together break k"


def test_who_is_new_among_old_acquaintances_is_singled_out(steward: Steward) -> None:
    reason = refused_for(two_versions(steward, [*FIRST, ("Person 6", "Vic", "flu")]))
    assert (reason["limit"], reason["measured"]) == (3, 1)


def test_newcomers_may_come_in_numbers(steward: Steward) -> None:
    crowd = [(f"Person {number}", "Vic", "flu") for number in (6, 7, 8)]
    assert two_versions(steward, [*FIRST, *crowd]).status == "released"


def test_l_is_kept_by_what_did_not_change(steward: Steward) -> None:
    """In Vic flu and cold, then flu and gout: anyone whose disease did not change has flu."""
    newer = [(name, town, "gout" if town == "Vic" and disease == "cold" else disease) for name, town, disease in FIRST]
    both = policy_of(l_value=2), policy_of(l_value=2)
    assert (
        refused_for(two_versions(steward, newer, *both))["detail"].partition(";")[0] == "the versions together break l"
    )
    assert two_versions(steward, FIRST, *both).status == "released"


def test_a_third_version_is_judged_with_both_others_and_with_its_own_releases(steward: Steward) -> None:
    old = steward.upload(written(FIRST))
    assert steward.run(old, policy_of()).status == "released"
    middle = steward.upload(written([*FIRST, *[(f"Person {n}", "Vic", "flu") for n in (6, 7, 8)]]), supersedes=old.id)
    assert [steward.run(middle, policy_of()).status for _ in range(2)] == ["released"] * 2
    newest = steward.upload(written(FIRST), supersedes=middle.id)
    assert steward.run(newest, policy_of()).status == "released"
    fewer = steward.upload(written([*FIRST[:5], ("Person 6", "Olot", "flu")]), supersedes=newest.id)
    assert refused_for(steward.run(fewer, policy_of()))["measured"] == 1


@pytest.mark.parametrize("case", ["no unit now", "no unit then", "another unit"])
def test_versions_whose_people_cannot_be_told_are_not_joined(steward: Steward, case: str) -> None:
    first, second, newer = policy_of(), policy_of(), written(FIRST)
    if case == "no unit now":
        second = policy_of(unit=None)
    elif case == "no unit then":
        first = policy_of(unit=None)
    else:
        second, newer = policy_of(unit="number"), written(FIRST, "number")
    old = steward.upload(written(FIRST))
    assert steward.run(old, first).status == "released"
    reason = refused_for(steward.run(steward.upload(newer, supersedes=old.id), second))
    assert (reason["limit"], reason["measured"]) == (0, 1)
    assert reason["detail"].startswith("earlier releases of this lineage cannot be joined; release ")


def test_people_whose_names_are_written_in_another_way_stop_the_release(steward: Steward) -> None:
    newer = [(f"mx {name}", town, disease) for name, town, disease in FIRST]
    assert "no person in common" in refused_for(two_versions(steward, newer))["detail"]


def test_people_are_followed_through_the_spellings_of_their_names(steward: Steward) -> None:
    newer = [(f" {name.upper()}\u200b", town, disease.upper()) for name, town, disease in FIRST]
    assert two_versions(steward, newer).status == "released"


def test_a_version_whose_maps_were_shredded_cannot_be_joined(steward: Steward) -> None:
    old = steward.upload(written(FIRST))
    first = steward.released(steward.run(old, policy_of()))
    with steward.keyring.begin() as keys:
        shred(keys, [first.map_blob_id] if first.map_blob_id else [])
    newer = steward.upload(written(FIRST), supersedes=old.id)
    detail = refused_for(steward.run(newer, policy_of()))["detail"]
    assert detail.startswith("earlier releases of this lineage cannot be joined; release ")
    waived = policy_of(waivers=[{"rule": "composition", "reason": "the first version is gone"}])
    assert steward.run(newer, waived).status == "released"


def test_maps_of_a_lineage_share_a_key_and_hold_no_name(steward: Steward) -> None:
    old = steward.upload(written(FIRST))
    first = map_of(steward, steward.run(old, policy_of()))
    second = map_of(steward, steward.run(steward.upload(written(FIRST[::-1]), supersedes=old.id), policy_of()))
    other = map_of(steward, steward.run(steward.upload(written(FIRST)), policy_of()))
    assert set(first) == {"promise", "records", "classes", "key", "unit", "persons", "attributes", "values"}
    assert first["key"].tobytes() == second["key"].tobytes() != other["key"].tobytes()
    assert len(first["key"]) == 32
    assert sorted(first["persons"]) == sorted(second["persons"])
    assert not set(first["persons"]) & set(other["persons"])
    by_record = dict(zip(first["records"].tolist(), first["persons"].tolist(), strict=True))
    assert by_record == {5 - record: mark for record, mark in zip(second["records"], second["persons"], strict=True)}
    assert (first["persons"].dtype, first["values"].dtype) == (np.int64, np.int64)


def test_rows_that_missing_cells_leave_out_keep_their_values_in_the_joint_check(steward: Steward) -> None:
    """People without a town are only in the first release, with two diseases between them."""
    people = [*FIRST, *[(f"Person {n}", "", disease) for n, disease in enumerate(("flu", "cold", "cold"), start=6)]]
    dataset = steward.upload(written(people))

    def policy(missing: str) -> dict[str, Any]:
        made = policy_of(unit=None, l_value=2)
        made["attributes"]["town"]["missing"] = missing
        return made

    assert steward.run(dataset, policy("own_value")).status == "released"
    job = steward.run(dataset, policy("suppress_row"))
    assert job.status == "released", job
    joint = [g["achieved"] for g in steward.released(job).guarantees if g["model"] == "joint_releases"]
    assert joint == [{"k": 3}, {"l": 2, "attribute": "disease"}]


# --- promises of earlier versions ------------------------------------------------------------------------------------

GROWN = [*FIRST, *[(f"Person {n}", "Vic", "flu") for n in (6, 7, 8)]]
"""Three newcomers with one disease: k of three is kept, but every promise about diseases is broken."""
MIXED = [*GROWN[:7], ("Person 7", "Vic", "cold"), GROWN[8]]
"""The same with two diseases, as often as among the others of the town."""
PROMISED: dict[str, dict[str, Any]] = {
    "l": {"model": "l_diversity", "l": 2, "attribute": "disease"},
    "alpha": {"model": "alpha_k", "alpha": 0.7, "k": 3, "attribute": "disease"},
    "t": {"model": "t_closeness", "t": 0.25, "distance": "equal", "attribute": "disease"},
    "beta": {"model": "beta_likeness", "beta": 0.5, "attribute": "disease"},
}


@pytest.mark.parametrize("figure", PROMISED)
def test_a_promise_of_an_earlier_version_is_kept_by_a_weaker_policy(steward: Steward, figure: str) -> None:
    first = policy_of(guarantees=[{"model": "k_anonymity", "k": 3}, PROMISED[figure]])
    reason = refused_for(two_versions(steward, GROWN, first, policy_of(2)))
    assert reason["detail"].partition(";")[0] == f"the versions together break {figure}"
    assert reason["limit"] == PROMISED[figure][figure]
    job = two_versions(steward, MIXED, first, policy_of(2))
    assert job.status == "released", job


def test_the_largest_k_of_any_version_counts(steward: Steward) -> None:
    pair = [*FIRST, *[(f"Person {n}", "Vic", "flu") for n in (6, 7)]]
    reason = refused_for(two_versions(steward, pair, policy_of(3), policy_of(2)))
    assert (reason["limit"], reason["measured"]) == (3, 2)
    assert two_versions(steward, pair, policy_of(2), policy_of(2)).status == "released"


def test_a_promised_column_is_followed_where_a_later_version_calls_it_plain(steward: Steward) -> None:
    plain = policy_of(2)
    plain["attributes"]["disease"]["role"] = "insensitive"
    first = policy_of(l_value=2)
    assert (
        refused_for(two_versions(steward, GROWN, first, plain))["detail"].partition(";")[0]
        == "the versions together break l"
    )
    assert two_versions(steward, MIXED, first, plain).status == "released"


def test_a_plain_column_of_an_earlier_version_has_no_marks_to_keep_a_promise_by(steward: Steward) -> None:
    plain = policy_of()
    plain["attributes"]["disease"]["role"] = "insensitive"
    reason = refused_for(two_versions(steward, FIRST, plain, policy_of(l_value=2)))
    assert (reason["limit"], reason["measured"]) == (0, 1)
    assert "has no marks of it" in reason["detail"]
    assert two_versions(steward, FIRST, plain, policy_of()).status == "released"


def test_distances_by_order_are_not_judged_between_versions(steward: Steward) -> None:
    first = policy_of(guarantees=[{**PROMISED["t"], "distance": "ordered"}])
    detail = refused_for(two_versions(steward, FIRST, first))["detail"]
    assert detail.partition(";")[0] == "distances between values cannot be judged over several versions"


# --- marks -----------------------------------------------------------------------------------------------------------


def dataset_of(**columns: Sequence[str]) -> Dataset:
    encoded = []
    for name, cells in columns.items():
        values, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
        encoded.append(RawColumn(name, codes.astype(np.int32), values))
    return Dataset(tuple(encoded), len(next(iter(columns.values()))))


POLICY = parse_policy(policy_of())


def test_without_a_privacy_unit_there_are_no_marks() -> None:
    assert marks_of(dataset_of(name=["a"], town=["x"], disease=["y"]), parse_policy(policy_of(unit=None)), []) is None


def test_numbers_have_one_mark_however_they_are_written() -> None:
    numbers = parse_policy({**policy_of(), "attributes": {
        **policy_of()["attributes"], "disease": {"role": "sensitive", "type": "decimal"}
    }})  # fmt: skip
    marks = marks_of(dataset_of(name=["7", "7.0", "", "7"], town=["x"] * 4, disease=["7", "7.0", "", "8"]), numbers, [])
    assert marks is not None
    persons, values = marks.persons.tolist(), marks.sensitive["disease"].tolist()
    assert persons[0] == persons[1] == persons[3] != persons[2]
    assert persons[2] == marks.nobody
    assert values[0] == values[1]
    assert len(set(values)) == 3


@given(st.lists(st.tuples(st.text("ab", max_size=2), st.text("xy", max_size=1)), min_size=1, max_size=8))
def test_marks_are_equal_where_cells_are_under_the_same_key(rows: list[tuple[str, str]]) -> None:
    names, diseases = [name for name, _ in rows], [disease for _, disease in rows]
    first = marks_of(dataset_of(name=names, town=names, disease=diseases), POLICY, [])
    assert first is not None
    sealed = first.of_records(np.arange(len(rows)))
    again = marks_of(dataset_of(name=names[::-1], town=names, disease=diseases), POLICY, [None, {}, sealed])
    other = marks_of(dataset_of(name=names, town=names, disease=diseases), POLICY, [])
    assert again is not None
    assert other is not None
    assert again.persons.tolist() == first.persons.tolist()[::-1]
    assert len(set(first.persons.tolist())) == len(set(names))
    assert not set(first.persons.tolist()) & set(other.persons.tolist())
    assert not set(first.persons.tolist()) & set(first.sensitive["disease"].tolist())


def test_what_no_release_of_a_version_shows_is_not_told() -> None:
    marks = marks_of(dataset_of(name=["a", "b", "c"], town=["x"] * 3, disease=["u", "v", "w"]), POLICY, [])
    assert marks is not None
    shown, silent = np.array([2, 0]), np.array([1, 2])
    promise = pack_promise({"types": {"disease": "text"}, "changed": ["town"]})
    maps = [
        {"promise": promise, "records": shown, "classes": np.array([0, 0]), **marks.of_records(shown)},
        {
            "promise": promise, "records": silent, "classes": np.array([1, 1]), **marks.of_records(silent),
            "attributes": np.array([], dtype=np.str_), "values": np.zeros((0, 2), dtype=np.int64),
        },
    ]  # fmt: skip
    version = version_of(maps)
    assert version.persons.tolist() == marks.persons.tolist()
    told = marks.sensitive["disease"]
    assert version.sensitive["disease"].tolist() == [told[0], UNTOLD, told[2]]
    assert [release.records.tolist() for release in version.releases] == [[2, 0], [1, 2]]
    assert {release.changed for release in version.releases} == {frozenset(["town"])}
    assert speaks_of_people(maps[0], POLICY)
    assert not speaks_of_people({}, POLICY)
    assert marks_all(maps[0], ["disease"], [])
    assert not marks_all(maps[1], ["disease"], [])
    assert marks_all(maps[1], ["disease"], ["disease"])
    assert marks_all(maps[1], [], [])
    assert not marks_all({}, ["disease"], [])


def test_what_only_an_earlier_release_of_the_newest_version_shows_is_known_by_its_map() -> None:
    marks = marks_of(dataset_of(name=["a", "b", "c"], town=["x"] * 3, disease=["u", "v", "w"]), POLICY, [])
    assert marks is not None
    promise = pack_promise({"types": {"disease": "text"}, "changed": []})
    first, every = np.array([0, 1]), np.arange(3)
    shows = {"promise": promise, "records": first, "classes": np.array([0, 0]), **marks.of_records(first)}
    silent = replace(marks, sensitive={})
    newest = {"promise": promise, "records": every, "classes": np.zeros(3, dtype=int), **silent.of_records(every)}
    nameless = {"promise": promise, "records": every, "classes": np.zeros(3, dtype=int)}
    version = newest_version([nameless, shows, newest], silent)
    assert version.sensitive["disease"].tolist() == [*marks.sensitive["disease"][:2], UNTOLD]
    assert version.persons.tolist() == marks.persons.tolist()
    assert len(version.releases) == 3
