"""Every table method through the API: every release is verified, and impossible requests are refused."""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.system.samples import patients, table_policy

pytestmark = pytest.mark.long

WAIVED = [{"rule": "no_guarantee", "reason": "a test of masking alone"}]
GUARANTEED: dict[str, dict[str, Any]] = {
    "generalize": {"levels": {"age": "top", "zip": "top"}},
    "suppress": {"attributes": ["zip", "age"]},
    "datafly": {},
    "optimal": {"suppression": 0.1},
    "microaggregation": {},
    "pipeline": {"steps": [{"name": "generalize", "levels": {"zip": 3}}, {"name": "mondrian"}]},
}
MASKING: dict[str, dict[str, Any]] = {
    "mu_argus": {},
    "additive_noise": {"bounds": {"age": [18, 90]}},
    "pram": {},
    "rank_swapping": {},
    "top_bottom_coding": {"bounds": {"age": {"top": 80}}},
    "rounding": {"base": 5},
    "synthetic": {"model": "copula"},
}


def policy_of(name: str) -> dict[str, Any]:
    if name in MASKING:
        return {**table_policy(method={"name": name, **MASKING[name]}, waivers=WAIVED), "guarantees": []}
    return table_policy(l_value=None, method={"name": name, **GUARANTEED[name]})


@pytest.fixture(scope="module")
def job_of(stack: Any) -> Callable[[str], dict[str, Any]]:
    """One job for each method, run at its first use."""

    @cache
    def publish(name: str) -> dict[str, Any]:
        return dict(stack.publish(patients(seed=len(name)), policy_of(name)))

    return publish


def rows_of(stack: Any, job: dict[str, Any]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(stack.data(job["release_id"]).decode())))


@pytest.mark.parametrize("name", [*GUARANTEED, *MASKING])
def test_a_release_comes_out_of_every_method(stack, job_of, name):
    job = job_of(name)
    assert job["status"] == "released", (job, stack.said())
    rows = rows_of(stack, job)
    assert list(rows[0]) == ["age", "zip", "sex", "disease"]
    if name not in ("optimal", "datafly"):
        assert len(rows) == 200


@pytest.mark.parametrize("name", GUARANTEED)
def test_every_class_has_at_least_k_rows(stack, job_of, name):
    sizes = Counter((row["age"], row["zip"], row["sex"]) for row in rows_of(stack, job_of(name)))
    assert min(sizes.values()) >= 5


def test_masked_numbers_keep_their_form(stack, job_of):
    assert all(18 <= int(row["age"]) <= 90 for row in rows_of(stack, job_of("additive_noise")))
    assert all(int(row["age"]) % 5 == 0 for row in rows_of(stack, job_of("rounding")))
    assert max(int(row["age"]) for row in rows_of(stack, job_of("top_bottom_coding"))) <= 80


def test_a_guarantee_that_a_method_cannot_give_is_refused_at_once(stack):
    policy = table_policy(l_value=None, method={"name": "mu_argus"})
    answer = stack.upload(patients(), policy)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"].endswith("/guarantees/0")


def test_levels_that_fall_short_are_refused_with_the_k_that_they_reach(stack):
    job = stack.publish(patients(), table_policy(l_value=None, method={"name": "generalize"}))
    assert job["status"] == "refused"
    assert job["refusal"]["reasons"][0]["rule"] == "k_anonymity"


def test_a_step_that_makes_no_sense_is_a_fault_without_its_value(stack):
    method = {"name": "pipeline", "steps": [{"name": "rounding", "base": "cnry"}]}
    answer = stack.upload(patients(), table_policy(l_value=None, method=method))
    assert answer.status_code == 422
    assert "cnry" not in json.dumps(answer.json())
