"""Pipeline: steps in order, guarantees at the end."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz import catalogue
from antifaz.errors import Infeasible
from antifaz.hierarchies.mask import Mask
from antifaz.policy.parse import parse_policy
from antifaz.tables.classes.classes import class_sizes, released_classes
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.methods.pipeline import Pipeline
from antifaz.tables.utility.ncp import Ncp
from antifaz.watch import unwatched

PATIENTS = """08500 M 29 cancer,17600 F 48 hepatitis,08242 M 21 flu,25128 M 36 cancer,17488 F 45 diabetes,
08401 F 58 flu,08760 F 72 hepatitis,43840 F 22 cancer,43500 M 25 diabetes,25310 F 43 flu"""


@pytest.fixture(scope="module", autouse=True)
def every_method():
    return catalogue.parts("methods", "table")


@pytest.fixture
def patients(table_of):
    cells = [row.split() for row in PATIENTS.split(",")]
    columns = dict(zip(["zip", "gender", "age", "disease"], zip(*cells, strict=True), strict=True))
    return table_of(columns, {"disease": "sensitive"}, {"zip": Mask()}, zip={"type": "text"})


def protect(table, method, *guarantees, watch=unwatched):
    return method.apply(table, guarantees, np.random.default_rng(1), watch)


def test_generalize_suppress_and_microaggregate(patients, rows_of):
    steps = [
        {"name": "generalize", "levels": {"zip": 3}},
        {"name": "suppress", "attributes": ["gender"]},
        {"name": "microaggregation", "variant": "univariate", "attributes": ["age"], "size": 2},
    ]
    released = protect(patients, Pipeline(steps=steps))
    assert rows_of(released)[0] == ("08***", "*", "27", "cancer")
    assert [step["method"] for step in released.account["steps"]] == [step["name"] for step in steps]


def test_a_hierarchy_goes_on_above_what_an_earlier_step_released(patients, rows_of):
    steps = [{"name": "generalize", "levels": {"zip": 3, "gender": "top"}}, {"name": "mondrian"}]
    released = protect(patients, Pipeline(steps=steps), KAnonymity(k=2))
    assert class_sizes(*released_classes(released)).min() >= 2
    assert all(label.endswith("***") or label == "*" for label in released.column("zip").labels)
    assert rows_of(released)[1] == ("17***", "*", "[45, 48]", "hepatitis")


def test_losses_of_all_steps_count(patients):
    alone = protect(patients, Pipeline(steps=[{"name": "suppress", "attributes": ["gender"]}]))
    both = protect(
        patients,
        Pipeline(steps=[{"name": "suppress", "attributes": ["gender"]}, {"name": "generalize", "levels": {"zip": 1}}]),
    )
    measure = [Ncp().measure(patients, released, np.random.default_rng(1), unwatched) for released in (alone, both)]
    assert measure[0]["attributes"]["gender"] == measure[1]["attributes"]["gender"] == 1.0
    assert alone.column("gender").source == both.column("gender").source == "gender"


def test_records_are_those_of_the_original(table_of):
    table = table_of({"a": ["1", "2", "2", "3", "3"], "b": ["x", "x", "x", "y", "y"]})
    steps = [{"name": "suppress"}, {"name": "generalize", "levels": {"b": "top"}}, {"name": "suppress"}]
    released = protect(table, Pipeline(steps=steps), KAnonymity(k=2))
    assert released.records.tolist() == [1, 2, 3, 4]


def test_what_comes_out_is_checked(patients):
    steps = [{"name": "generalize", "levels": {"zip": 3}}]
    with pytest.raises(Infeasible):
        protect(patients, Pipeline(steps=steps), KAnonymity(k=2))


def test_bounds_are_written_by_the_last_step(table_of):
    table = table_of({"a": ["1", "2", "8", "9"], "b": ["x", "x", "y", "y"]}, a={"recoding": "bounds"})
    steps = [{"name": "generalize", "levels": {"b": "top"}}, {"name": "mondrian"}]
    released = protect(table, Pipeline(steps=steps), KAnonymity(k=2))
    assert [column.name for column in released.columns] == ["a_min", "a_max", "b"]
    assert {column.source for column in released.columns} == {"a", "b"}


def test_public_parts_of_steps_stay_public(patients):
    steps = [{"name": "pram", "attributes": ["gender"]}, {"name": "rounding"}]
    assert set(protect(patients, Pipeline(steps=steps)).account["public"]) == {"pram"}


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [{"name": "none"}],
        [{"levels": {}}],
        [{"name": "pipeline", "steps": [{"name": "rounding"}]}],
        [{"name": "rounding", "unknown": 1}],
        [{"name": "rounding", "base": -1}],
    ],
)
def test_steps_that_make_no_sense_are_refused(steps):
    with pytest.raises(ValidationError) as caught:
        Pipeline.model_validate({"steps": steps})
    assert "input_value=-1" not in str(caught.value.errors(include_input=False))


def test_a_policy_can_state_one():
    policy = parse_policy(
        {
            "kind": "table",
            "attributes": {"a": {"role": "quasi_identifier"}},
            "guarantees": [{"model": "k_anonymity", "k": 2}],
            "method": {"name": "pipeline", "steps": [{"name": "rounding", "base": 5}, {"name": "mondrian"}]},
        }
    )
    assert policy.canonical()["method"]["steps"][0]["base"] == 5
    assert [step.wire_name() for step in policy.method.steps] == ["rounding", "mondrian"]


@pytest.mark.parametrize("last", [{"name": "synthetic"}, {"name": "mondrian"}, {"name": "rounding"}])
def test_a_step_that_leaves_no_record_is_a_refusal_and_not_a_fault_of_the_next(table_of, last):
    everyone_alone = table_of({"age": [str(20 + row) for row in range(40)]})
    steps = [{"name": "suppress"}, last]
    with pytest.raises(Infeasible) as caught:
        protect(everyone_alone, Pipeline(steps=steps), KAnonymity(k=2))
    assert [reason.rule for reason in caught.value.reasons] == ["nothing_kept"]
