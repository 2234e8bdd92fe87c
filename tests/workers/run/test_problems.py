"""Problems of failed jobs: rows and counts for the uploader only, bands for others who may run jobs on the dataset."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from antifaz.errors import Infeasible, InvalidDataset, Reason, band
from storage.jobs import jobs
from tests.workers.conftest import Steward
from workers.process.tasks import run_job
from workers.run.problems import problem_of, refusal_of, without_figures

ANN, BOB = uuid4(), uuid4()
TOWNS = ["Vic", "Olot", "Ripoll", "Alp"]
PEOPLE = "town,age\n" + "".join(f"{TOWNS[number % 4]},{20 + number % 3}\n" for number in range(24))


def policy_of(**town: Any) -> dict[str, Any]:
    return {
        "kind": "table",
        "attributes": {"town": {"role": "quasi_identifier", **town}, "age": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
    }


def lacking(*towns: str) -> dict[str, Any]:
    """A hierarchy without some of the towns."""
    return {"hierarchy": {"kind": "levels", "rows": [[town, "*"] for town in TOWNS if town not in towns]}}


def ended(steward: Steward, asked_by: UUID, policy: dict[str, Any], people: str = PEOPLE) -> jobs.JobRecord:
    """A job of one of the two on Ann's upload."""
    dataset = steward.upload(people.encode(), created_by=ANN)
    job_id = steward.submit(dataset, policy, created_by=asked_by)
    assert run_job(steward.context, job_id)
    return steward.job(job_id)


@pytest.mark.parametrize(("count", "shown"), [(0, "0"), (1, "1-9"), (9, "1-9"), (10, "10-99"), (1234, "1000-9999")])
def test_a_band_is_a_number_of_digits(count: int, shown: str) -> None:
    assert band(count) == shown


def test_the_uploader_is_told_the_row_and_how_many() -> None:
    error = InvalidDataset("type_mismatch", "cells are not of type integer", column="age", row=7, count=3)
    found = problem_of(error)
    assert (found["column"], found["row"], found["detail"]) == ("age", 7, "3 cells are not of type integer")


def test_others_are_told_the_column_and_a_band() -> None:
    error = InvalidDataset("type_mismatch", "cells are not of type integer", column="age", row=7, count=3)
    found = problem_of(error, to_uploader=False)
    assert (found["column"], found["detail"]) == ("age", "1-9 cells are not of type integer")
    assert "row" not in found


def test_the_row_of_a_file_that_is_destroyed_is_shown_to_all() -> None:
    assert problem_of(InvalidDataset("ragged", "a ragged row", row=7, shred=True), to_uploader=False)["row"] == 7


def test_how_many_values_a_hierarchy_lacks_is_for_the_uploader(steward: Steward) -> None:
    shown = {}
    for asked_by in (ANN, BOB):
        ends = [ended(steward, asked_by, policy_of(**lacking(*towns))) for towns in (("Vic",), ("Vic", "Alp"))]
        assert [job.status for job in ends] == ["failed", "failed"]
        shown[asked_by] = [job.error["detail"] for job in ends if job.error is not None]
    assert shown[ANN][0].startswith("1 distinct values")
    assert shown[ANN][1].startswith("2 distinct values")
    assert shown[BOB][0] == shown[BOB][1] == "1-9 distinct values have no place in the hierarchy"


@pytest.mark.parametrize("asked", [{"type": "integer"}, {"missing": "reject"}, {"order": TOWNS[:3]}])
def test_no_row_of_a_stored_table_is_shown_to_others(steward: Steward, asked: dict[str, Any]) -> None:
    job = ended(steward, BOB, policy_of(**asked), PEOPLE + ",20\n" + "Alp,20\n")
    assert job.status == "failed"
    assert job.error is not None
    assert "row" not in job.error
    assert job.error["column"] == "town"


def test_a_failure_about_values_is_in_the_audit_trail_with_its_column(steward: Steward) -> None:
    job = ended(steward, BOB, policy_of(**lacking("Vic")))
    (event,) = [event for event in steward.events() if event.action == "job.fail" and event.subject == str(job.id)]
    assert event.details == {"problem": "urn:antifaz:problem:unknown-value", "column": "town"}


def test_a_refusal_against_a_population_has_one_reason_and_no_figure() -> None:
    reasons = [Reason("k_map", 5, 3, "too few"), Reason("whole_table", 5), Reason("max_suppressed", 0.1, 0.2)]
    found = without_figures(refusal_of(Infeasible(reasons, {"k": 3})), {"max_suppressed"})
    assert [reason["rule"] for reason in found["reasons"]] == ["population", "max_suppressed"]
    assert set(found["reasons"][0]) == {"rule", "detail"}
    assert set(found) == {"reasons"}


def test_a_refusal_that_says_nothing_of_people_stays_as_it_is() -> None:
    refusal = refusal_of(Infeasible([Reason("max_suppressed", 0.1, 0.2)]))
    assert without_figures(refusal, {"max_suppressed"}) == refusal


# --- populations -----------------------------------------------------------------------------------------------------

CENSUS = "town,age,wage\n" + "Vic,20,1\n" * 3 + "Olot,30,2\n"
DECLARED = {
    "attributes": {
        "town": {"role": "quasi_identifier"},
        "age": {"role": "quasi_identifier"},
        "wage": {"role": "sensitive"},
    }
}


def held_against(steward: Steward, population: UUID, row: str, **town: Any) -> jobs.JobRecord:
    """A job on a table of one row."""
    policy = policy_of(**town) | {"guarantees": [{"model": "k_map", "k": 2, "population": str(population)}]}
    return steward.run(steward.upload(f"town,age\n{row}\n".encode()), policy)


def test_a_person_of_the_population_and_a_stranger_end_alike(steward: Steward) -> None:
    census = steward.upload(CENSUS.encode(), population=DECLARED)
    ends = [held_against(steward, census.id, row) for row in ("Olot,30", "Olot,31", "Reus,99")]
    assert [job.status for job in ends] == ["refused"] * 3
    assert ends[0].refusal == ends[1].refusal == ends[2].refusal
    assert [job.error for job in ends] == [None] * 3
    reports = [steward.report(job).content for job in ends]
    assert len({str([report["refusal"], report["guarantees"], report["warnings"]]) for report in reports}) == 1


def test_enough_people_are_released_without_being_counted(steward: Steward) -> None:
    census = steward.upload(CENSUS.encode(), population=DECLARED)
    waived = [{"rule": "no_guarantee", "reason": "a single row"}]
    policy = policy_of() | {"guarantees": [{"model": "k_map", "k": 2, "population": str(census.id)}], "waivers": waived}
    job = steward.run(steward.upload(b"town,age\nVic,20\n"), policy)
    assert job.status == "released", job
    assert steward.released(job).guarantees[0]["achieved"] == {"k": 2}


def test_a_population_that_a_steward_names_does_not_accept_a_row_that_is_unchanged_and_alone(steward: Steward) -> None:
    census = steward.upload(CENSUS.encode(), population=DECLARED)
    policy = policy_of() | {"guarantees": [{"model": "k_map", "k": 2, "population": str(census.id)}]}
    job = steward.run(steward.upload(b"town,age\nVic,20\n"), policy)
    assert job.status == "refused"
    assert [reason["rule"] for reason in (job.refusal or {})["reasons"]] == ["no_guarantee"]


@pytest.mark.parametrize("listed", [["Vic", "Olot"], ["Vic", "Olot", "Reus"], ["Olot"]])
def test_a_hierarchy_that_lacks_a_value_of_the_population_ends_no_job(steward: Steward, listed: list[str]) -> None:
    census = steward.upload(CENSUS.encode(), population=DECLARED)
    rows = {"hierarchy": {"kind": "levels", "rows": [[town, "*"] for town in listed]}}
    job = held_against(steward, census.id, "Olot,30", **rows)
    assert job.status == "refused"
    assert job.refusal is not None
    assert [reason["rule"] for reason in job.refusal["reasons"]] == ["population"]


def test_a_type_that_the_population_does_not_have_is_named_by_its_column_alone(steward: Steward) -> None:
    census = steward.upload(CENSUS.replace("Vic,20", "Vic,x").encode(), population=DECLARED)
    job = held_against(steward, census.id, "Olot,30")
    assert job.status == "failed"
    assert job.error is not None
    assert (job.error["rule"], job.error["column"]) == ("population", "age")
    assert "row" not in job.error


@pytest.mark.parametrize(
    "declared",
    [None, {"attributes": {**DECLARED["attributes"], "age": {"role": "sensitive"}}}],
    ids=["not a population", "not by this column"],
)
def test_what_was_not_declared_is_not_read(steward: Steward, declared: dict[str, Any] | None) -> None:
    census = steward.upload(CENSUS.encode(), population=declared)
    job = held_against(steward, census.id, "Vic,20")
    assert job.status == "failed"
    assert job.error is not None
    assert job.error["rule"] == "population"
    assert [event for event in steward.events() if event.action == "population.read"] == []


def test_reading_a_population_leaves_a_trace(steward: Steward) -> None:
    census = steward.upload(CENSUS.encode(), population=DECLARED)
    job = held_against(steward, census.id, "Vic,20")
    (event,) = [event for event in steward.events() if event.action == "population.read"]
    assert (event.subject, event.details["job"]) == (str(census.id), str(job.id))
