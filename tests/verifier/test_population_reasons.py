"""Reasons in findings about populations."""

from typing import Any

import pytest

from tests.verifier.reasoning import BLINDLY, PEOPLE, csv_of, judge
from verifier import Artifact, Finding, verify


def test_k_map_that_holds_and_that_does_not() -> None:
    assumes = (
        "the attacker knows the quasi-identifiers of everyone in the population, but not which of them are in the table"
        + BLINDLY
    )
    found = judge({"model": "k_map", "k": 2, "population": "p"}, sealed=PEOPLE)
    required = {"k": 2, "population": "p"}
    assert found == Finding("k_map", required, {"k": 2}, True, "bytes+sealed_map", assumes, "")
    found = judge({"model": "k_map", "k": 3, "population": "p"}, sealed=PEOPLE)
    assert (found.holds, found.achieved) == (False, {"k": 2})
    assert found.detail == "a class matches fewer than k people of the population"


def test_delta_presence_that_holds_and_that_does_not() -> None:
    assumes = "the attacker knows the quasi-identifiers of everyone in the population" + BLINDLY
    stated: dict[str, Any] = {"minimum": 0.6, "maximum": 1, "population": "p"}
    found = judge({"model": "delta_presence", **stated}, sealed=PEOPLE)
    achieved = {"minimum": 0.666666, "maximum": 1.0}
    assert found == Finding("delta_presence", stated, achieved, True, "bytes+sealed_map", assumes, "")
    found = judge({"model": "delta_presence", **stated, "maximum": 0.9}, sealed=PEOPLE)
    assert (found.holds, found.achieved) == (False, achieved)
    assert found.detail == "a person's presence is more likely than the maximum"
    found = judge({"model": "delta_presence", **stated, "minimum": 0.7}, sealed=PEOPLE)
    assert (found.holds, found.achieved) == (False, achieved)
    assert found.detail == "a person's presence is less likely than the minimum"
    found = judge({"model": "delta_presence", "maximum": 1, "population": "p"}, sealed=PEOPLE)
    assert (found.holds, found.required) == (True, {"minimum": 0, "maximum": 1, "population": "p"})


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"maximum": 1.1},
        {"minimum": None, "maximum": 1},
        {"minimum": "0", "maximum": 1},
        {"minimum": -0.1, "maximum": 1},
        {"minimum": 0.6, "maximum": 0.5},
        {"maximum": True},
    ],
)
def test_bounds_of_presence_that_are_no_shares(bounds: dict[str, Any]) -> None:
    found = judge({"model": "delta_presence", "population": "p", **bounds}, sealed=PEOPLE)
    assert (found.holds, found.achieved, found.detail) == (False, {}, "the bounds are not shares")


def test_bounds_of_presence_at_their_ends() -> None:
    exact = {"codes": [0, 0, 1, 1], "values": ["1", "2"], "type": "text"}
    everybody = {"populations": {"p": {"columns": {"q": exact}}}}
    stated = {"model": "delta_presence", "minimum": 1, "maximum": 1, "population": "p"}
    assert judge(stated, sealed=everybody).achieved == {"minimum": 1.0, "maximum": 1.0}
    assert judge(stated, sealed=everybody).holds


def people(**column: Any) -> dict[str, Any]:
    stated = {"codes": [0, 0, 1, 1], "values": ["1", "2"], "type": "text", **column}
    return {"populations": {"p": {"columns": {"q": stated}}}}


@pytest.mark.parametrize(
    ("sealed", "why"),
    [
        (None, "there is no sealed map of the population"),
        ({"populations": None}, "there is no sealed map of the population"),
        ({"populations": {"other": {}}}, "there is no sealed map of the population"),
        ({"populations": {"p": {"columns": {"z": {}}}}}, "the population lacks a quasi-identifier"),
        (people(codes=[]), "the columns of the population have different lengths"),
        (people(codes=[0, 2]), "the columns of the population do not fit their values"),
        (people(codes=[0, -1]), "the columns of the population do not fit their values"),
        (people(codes=[0, 0, 1]), "a class has more rows than there are people whom it covers"),
        (people(values=["1", "3"]), "a class has more rows than there are people whom it covers"),
    ],
)
def test_a_population_that_cannot_be_used(sealed: Any, why: str) -> None:
    for guarantee in ({"model": "k_map", "k": 2}, {"model": "delta_presence", "maximum": 1}):
        found = judge({**guarantee, "population": "p"}, sealed=sealed)
        assert (found.holds, found.achieved, found.detail) == (False, {}, why)
    found = judge({"model": "k_map", "k": 2, "population": "p"}, csv_of([("1",)], "s"), sealed=PEOPLE)
    assert found.detail == "a quasi-identifier is missing"


@pytest.mark.parametrize(
    ("label", "settings", "type_", "covered"),
    [
        ("20", {"recoding": "set"}, "decimal", ["20", "20.0"]),
        ('["20", "22"]', {"recoding": "set"}, "integer", ["20", "22"]),
        ("[20, 22]", {"recoding": "set"}, "integer", ["20", "22"]),
        ('["20"]', {"recoding": "set"}, "integer", ["20"]),
        ("[20, 22]", {}, "integer", ["20", "20.0", "21", "22"]),
        ("[20.0, 22]", {}, "decimal", ["20", "20.0", "21", "22"]),
        ("[21]", {}, "integer", ["21"]),
        ("[20, 21, 22]", {}, "integer", []),
        ("[]", {}, "integer", []),
        ("[20, x]", {}, "integer", []),
        ("[true, 25]", {}, "integer", []),
        ("[null, 25]", {}, "integer", []),
        ('["20", "x"]', {}, "integer", []),
        ('{"20": 1}', {}, "integer", []),
        ("[20", {}, "integer", []),
        ("[20", {}, "text", []),
        ("x", {}, "integer", []),
        ("1/0", {}, "integer", []),
        ("20", {}, "text", ["20"]),
        ('["20", "21"]', {}, "text", ["20", "21"]),
        ("[20, 21]", {}, "text", ["20", "21"]),
        ("*", {}, "integer", ["20", "20.0", "21", "22", "30", ""]),
        ("*", {}, "text", ["20", "20.0", "21", "22", "30", ""]),
        ("low", {"hierarchy": {"rows": [["20", "low", "*"], ["21", "low", "*"]]}}, "text", ["20", "21"]),
        ("low", {"hierarchy": {"rows": [["20", "low", "*"], ["21", "low", "*"]]}}, "integer", ["20", "21"]),
    ],
)
def test_whom_a_label_covers(label: str, settings: dict[str, Any], type_: str, covered: list[str]) -> None:
    values = ["20", "20.0", "21", "22", "30", ""]
    column = {"codes": list(range(6)), "values": values, "type": type_}
    policy = {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier", **settings}},
        "guarantees": [{"model": "k_map", "k": 2, "population": "p"}],
    }
    quoted = label.replace('"', '""')
    artifact = Artifact("csv", "table", f'q\n"{quoted}"\n'.encode())
    (found,) = verify(policy, [artifact], {"populations": {"p": {"columns": {"q": column}}}}).findings
    if covered:
        assert found.achieved == {"k": len(covered)}
    else:
        assert found.detail == "a class has more rows than there are people whom it covers"


@pytest.mark.parametrize(
    ("low", "high", "covered"),
    [
        ("20", "21", 2),
        ("20", "20", 1),
        ("*", "21", 2),
        ("21", "*", 3),
        ("*", "*", 5),
        ("20.0", "22", 3),
        ("20.0", "21.0", 2),
    ],
)
def test_whom_two_bounds_cover(low: str, high: str, covered: int) -> None:
    column = {"codes": [0, 1, 2, 3, 4], "values": ["20", "21", "22", "30", ""], "type": "integer"}
    policy = {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier", "recoding": "bounds"}},
        "guarantees": [{"model": "k_map", "k": 2, "population": "p"}],
    }
    artifact = csv_of([(low, high)], "q_min,q_max")
    (found,) = verify(policy, [artifact], {"populations": {"p": {"columns": {"q": column}}}}).findings
    assert found.achieved == {"k": covered}
    (found,) = verify(
        policy, [csv_of([("x", high)], "q_min,q_max")], {"populations": {"p": {"columns": {"q": column}}}}
    ).findings
    assert found.detail == "a class has more rows than there are people whom it covers"


def test_bounds_may_be_days() -> None:
    days = {"codes": [0, 1, 2], "values": ["2024-01-31", "2024-02-01", "2024-03-01"], "type": "date"}
    policy = {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier", "recoding": "bounds"}},
        "guarantees": [{"model": "k_map", "k": 2, "population": "p"}],
    }
    artifact = csv_of([("2024-01-01", "2024-02-29")], "q_min,q_max")
    (found,) = verify(policy, [artifact], {"populations": {"p": {"columns": {"q": days}}}}).findings
    assert found.achieved == {"k": 2}


def test_the_least_minimum_of_presence_is_missed_by_whom_no_class_covers() -> None:
    column = {"codes": [0, 0, 1, 1, 2], "values": ["1", "2", "3"], "type": "text"}
    sealed = {"populations": {"p": {"columns": {"q": column}}}}
    guarantee = {"model": "delta_presence", "maximum": 1, "population": "p"}
    assert judge({**guarantee, "minimum": 0}, sealed=sealed).holds
    assert not judge({**guarantee, "minimum": 1e-10}, sealed=sealed).holds


def test_dates_are_compared_as_moments() -> None:
    days = {"codes": [0, 1, 2], "values": ["2024-01-31", "2024-02-01", "2024-03-01"], "type": "date"}
    policy = {
        "kind": "table",
        "attributes": {"q": {"role": "quasi_identifier"}},
        "guarantees": [{"model": "k_map", "k": 2, "population": "p"}],
    }
    artifact = Artifact("jsonl", "table", b'{"q": "[\\"2024-01-01\\", \\"2024-02-01\\"]"}\n')
    (found,) = verify(policy, [artifact], {"populations": {"p": {"columns": {"q": days}}}}).findings
    assert found.achieved == {"k": 2}
    for type_, covered in (("datetime", 2), ("text", 1)):
        sealed = {"populations": {"p": {"columns": {"q": {**days, "type": type_}}}}}
        (found,) = verify(policy, [artifact], sealed).findings
        assert found.achieved == {"k": covered}
