"""G1 if the bytes alone are not enough: the worker passes the evidence to the verifier, which still finds a lie."""

from dataclasses import replace
from uuid import UUID

import pytest

from antifaz.kernels.tables.conditions import SIZE
from antifaz.tables.guarantees.t_closeness import TCloseness
from antifaz.tables.masking import pseudonyms
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.parts import ClassRule
from antifaz.tables.table import ProtectedTable, Role
from tests.gate import vault
from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy
from workers.process.tasks import run_job
from workers.run.context import Context

honest_pseudonym = pseudonyms.pseudonym
ILLNESSES = (b"asthma", b"cancer", b"flu", b"hepatitis")
PEOPLE = patients(120, seed=5)
SOME = b"".join(PEOPLE.splitlines(keepends=True)[:41])


TOWN = {
    "attributes": {
        "name": {"role": "identifier"},
        "disease": {"role": "sensitive"},
        **{name: {"role": "quasi_identifier"} for name in ("age", "zip", "sex")},
    }
}


def stored(stack: Stack, content: bytes) -> str:
    """The id of a dataset that was uploaded without a policy, to be used as a population."""
    answer = stack.upload(content, population=TOWN)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def mapped(population: str, k: int = 10) -> dict[str, object]:
    return table_policy() | {"guarantees": [{"model": "k_map", "k": k, "population": population}]}


def with_original_ages(table: ProtectedTable, original: object) -> ProtectedTable:
    """Unchanged ages: few people of the population share one."""
    age = original.attribute("age").column  # type: ignore[attr-defined]
    columns = tuple(
        replace(column, codes=age.codes[table.records], labels=age.values, losses=None)
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
    assert [reason["rule"] for reason in job["refusal"]["reasons"]] == ["population"]
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
    ragged = stored(stack, PEOPLE + PEOPLE.partition(b"\n")[2] * 400 + b"a,row,with,too,many,cells\n")
    answer = stack.upload(SOME, mapped(ragged)).json()
    run_job(context, UUID(answer["job"]["id"]))
    job = stack.finish(answer["job"]["id"])
    assert (job["status"], job["error"]["rule"]) == ("failed", "population")
    with stack.client() as steward:
        assert steward.get(f"/v1/datasets/{answer['dataset']['id']}").json()["status"] == "ready"


VISITS = b"name,age,zip,sex,disease\n" + b"".join(
    b"Person %d,%d,08001,F,%s\n" % (row // 3, 20 + row // 3, ILLNESSES[row % 4]) for row in range(180)
)
"""Three visits of each of sixty people of different ages: four rows belong to two people."""


def by_person(**name: object) -> dict[str, object]:
    policy = table_policy(4, l_value=None, privacy_unit="name")
    policy["attributes"]["name"] = {"role": "identifier", **name}
    return policy


def rules_of(job: dict[str, object]) -> list[str]:
    assert job["status"] == "refused", job
    return [reason["rule"] for reason in job["refusal"]["reasons"]]  # type: ignore[index]


def test_a_class_of_many_rows_and_few_people_is_refused(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vault.run_here(stack, context, VISITS, by_person())["status"] == "released"
    blind = Mondrian.apply
    monkeypatch.setattr(Mondrian, "apply", lambda self, table, *more: blind(self, replace(table, unit=None), *more))
    job = vault.run_here(stack, context, VISITS, by_person())
    assert rules_of(job) == ["guarantee:k_anonymity"]
    vault.assert_not_released(stack, job)


FALSE_PSEUDONYMS = {
    "names instead of pseudonyms": lambda key, column, value: value,
    "one pseudonym for two people": lambda key, column, value: f"{len(value):032x}",
    "digests that are too short": lambda key, column, value: honest_pseudonym(key, column, value)[:31],
}


@pytest.mark.parametrize("lie", FALSE_PSEUDONYMS)
def test_false_pseudonyms_are_refused(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    monkeypatch.setattr(pseudonyms, "pseudonym", FALSE_PSEUDONYMS[lie])
    job = vault.run_here(stack, context, VISITS, by_person(pseudonym=True))
    assert set(rules_of(job)) == {"release_form"}
    vault.assert_not_released(stack, job)
    assert b"Person" not in str(job).encode()


def test_a_class_far_from_the_release_in_its_hierarchy_is_refused(
    stack: Stack, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = table_policy(l_value=None)
    policy["attributes"]["disease"]["hierarchy"] = {"kind": "mask", "direction": "left"}
    policy["guarantees"] = [{"model": "t_closeness", "t": 0.1, "distance": "hierarchical", "attribute": "disease"}]
    assert vault.run_here(stack, context, VISITS, policy)["status"] == "released"
    monkeypatch.setattr(TCloseness, "rules", lambda self, table: (ClassRule(SIZE, None, (2.0,)),))
    job = vault.run_here(stack, context, VISITS, policy)
    assert rules_of(job) == ["guarantee:t_closeness"]
    vault.assert_not_released(stack, job)
