"""G1 where the bytes alone do not tell: the worker hands over what the verifier needs, and a lie is still found."""

from dataclasses import replace
from uuid import UUID

import pytest

from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.table import ProtectedTable, Role
from tests.gate import vault
from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy
from workers.context import Context
from workers.tasks import run_job

PEOPLE = patients(120, seed=5)
SOME = b"".join(PEOPLE.splitlines(keepends=True)[:41])


def stored(stack: Stack, content: bytes) -> str:
    """The id of a dataset that was uploaded without a policy."""
    answer = stack.upload(content)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def mapped(population: str, k: int = 10) -> dict[str, object]:
    return table_policy() | {"guarantees": [{"model": "k_map", "k": k, "population": population}]}


def with_original_ages(table: ProtectedTable, original: object) -> ProtectedTable:
    """Ages as they are: few people of the population have the same."""
    age = original.attribute("age").column  # type: ignore[attr-defined]
    columns = tuple(
        replace(column, codes=age.codes[table.records], labels=age.values)
        if column.role is Role.QUASI_IDENTIFIER and column.name == "age"
        else column
        for column in table.columns
    )
    return replace(table, columns=columns)


def test_a_record_that_few_people_of_the_population_match_is_refused(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = stored(stack, PEOPLE)
    assert vault.run_here(stack, context, SOME, mapped(people))["status"] == "released"
    honest = Mondrian.apply
    monkeypatch.setattr(Mondrian, "apply", lambda *given: with_original_ages(honest(*given), given[1]))
    job = vault.run_here(stack, context, SOME, mapped(people))
    assert job["status"] == "refused", job
    assert [reason["rule"] for reason in job["refusal"]["reasons"]] == ["guarantee:k_map"]
    vault.assert_not_released(stack, job)


def test_a_population_deleted_before_the_run_fails_the_job_and_not_its_dataset(stack: Stack, context: Context) -> None:
    people = stored(stack, PEOPLE)
    answer = stack.upload(SOME, mapped(people)).json()
    with stack.client() as steward:
        assert steward.delete(f"/v1/datasets/{people}").status_code == 204
    run_job(context, UUID(answer["job"]["id"]))
    job = stack.finish(answer["job"]["id"])
    assert job["status"] == "failed"
    assert job["error"]["rule"] == "population"
    with stack.client() as steward:
        assert steward.get(f"/v1/datasets/{answer['dataset']['id']}").json()["status"] == "ready"


def test_a_population_that_cannot_be_read_does_not_condemn_the_table(stack: Stack, context: Context) -> None:
    ragged = stored(stack, PEOPLE * 400 + b"a,row,with,too,many,cells\n")
    answer = stack.upload(SOME, mapped(ragged)).json()
    run_job(context, UUID(answer["job"]["id"]))
    job = stack.finish(answer["job"]["id"])
    assert (job["status"], job["error"]["rule"]) == ("failed", "population")
    with stack.client() as steward:
        assert steward.get(f"/v1/datasets/{answer['dataset']['id']}").json()["status"] == "ready"
