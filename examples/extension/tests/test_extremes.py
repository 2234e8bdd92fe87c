"""The attack on extreme values, on tables small enough to count by hand."""

import numpy as np
import pyarrow as pa
import pytest
from antifaz_example.extremes import Extremes

import antifaz
from antifaz.extending.conformance import faults_of, faults_of_attempt

AGES = [20, 21, 22, 23, 40, 41, 42, 90]
POLICY = {
    "kind": "table",
    "attributes": {"age": {"role": "quasi_identifier"}, "disease": {"role": "sensitive"}},
    "guarantees": [{"model": "k_anonymity", "k": 4}],
    "method": {"name": "mondrian"},
    "report": {"attacks": ["extremes"]},
}


def release_of(ages: list[int], **changes: object) -> antifaz.Release:
    table = pa.table({"age": [str(age) for age in ages], "disease": ["flu", "cold"] * (len(ages) // 2)})
    return antifaz.protect(antifaz.Table.from_arrow(table), POLICY | changes, np.random.default_rng(1))


def seeded() -> np.random.Generator:
    return np.random.default_rng(1)


def attempt(release: antifaz.Release) -> dict[str, object]:
    return Extremes().attempt(release.checked.table, release.protected.table, seeded(), lambda share: None)


def test_it_is_complete_and_behaves_as_attacks_must():
    release = release_of(AGES)
    assert faults_of(Extremes) == []
    assert faults_of_attempt(Extremes(), release.checked.table, release.protected.table, seeded) == []


def test_the_oldest_is_one_of_the_four_records_with_the_highest_label():
    assert attempt(release_of(AGES)) == {
        "rate": 1 / 4, "baseline": 1 / 8, "column": "age", "end": "lowest", "targets": 1,
    }  # fmt: skip


def test_an_age_that_is_released_unchanged_points_at_the_oldest():
    rounding = {"name": "rounding", "attributes": ["age"], "base": 10}
    unchanged = {"guarantees": [], "method": rounding, "waivers": [{"rule": "no_guarantee", "reason": "a test"}]}
    found = attempt(release_of(AGES, **unchanged))
    assert (found["rate"], found["end"]) == (1.0, "highest")


def test_people_who_share_the_highest_value_hide_one_another():
    unchanged = {"guarantees": [{"model": "k_anonymity", "k": 2}]}
    found = attempt(release_of([20, 20, 20, 20, 90, 90, 90, 90], **unchanged))
    assert found["rate"] == pytest.approx(1 / 4)
    assert found["targets"] == 4


def test_the_report_of_a_release_names_the_package():
    [found, *_] = [each for each in release_of(AGES).report(np.random.default_rng(1))["attacks"] if "package" in each]
    assert (found["name"], found["package"]) == ("extremes", "antifaz-example 1.0")
