"""Suggestions for unknown names."""

import pytest

from antifaz.errors import InvalidPolicy
from antifaz.policy.parse import parse_policy
from antifaz.suggestions import suggest

POLICY = {
    "kind": "table",
    "attributes": {"age": {"role": "quasi_identifier"}},
    "guarantees": [{"model": "k_anonymity", "k": 2}],
    "method": {"name": "mondrian"},
}


def faults_of(**changes: object) -> dict[str, str]:
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy({**POLICY, **changes})
    return dict(caught.value.faults)


def test_suggests_the_known_name_that_is_much_like_an_unknown_one():
    assert suggest("Birht", ["birth", "sex"]) == '; did you mean "birth"?'
    assert suggest("income", ["birth", "sex"]) == ""


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        *(("aeg", "age"), ("gae", "age"), ("Agw", "age"), ("ag", "age"), ("agee", "age"), ("sxe", "sex")),
        *(("ZPI", "Zip"), ("di", "id"), ("k_", None), ("xge", None), ("eag", None), ("x", None), ("", None)),
    ],
)
def test_one_slip_in_a_short_name_is_understood(given: str, meant: str | None):
    known = ["age", "sex", "Zip", "id", "k", "occupation"]
    assert suggest(given, known) == (f'; did you mean "{meant}"?' if meant else "")


def test_of_several_short_names_the_same_one_is_always_suggested():
    assert {suggest("aeg", names) for names in (["age", "aef"], ["aef", "age"])} == {'; did you mean "aef"?'}


def test_a_misspelled_field_of_a_policy_is_answered_with_the_field():
    assert faults_of(guarantee=[])["/guarantee"] == 'unknown field; did you mean "guarantees"?'
    assert 'did you mean "mondrian"?' in faults_of(method={"name": "modrian"})["/method"]
    assert 'did you mean "quasi_identifier"?' in str(faults_of(attributes={"age": {"role": "quasi-identifier"}}))


def test_a_field_of_another_part_is_not_suggested_to_its_writer():
    assert faults_of(method={"name": "mondrian", "k": 5}) == {"/method/k": "unknown field"}


def test_a_seed_is_answered_with_why_there_is_none():
    assert "there is no seed" in faults_of(seed=7)["/seed"]
    assert "there is no seed" in faults_of(method={"name": "mondrian", "seed": 7})["/method/seed"]


def test_a_misspelled_column_is_answered_with_the_column():
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(POLICY).check_columns(["Age", "age_group"])
    assert "no column has a role" in caught.value.detail
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(
            {**POLICY, "attributes": {"ages": {"role": "quasi_identifier"}, "x": {"role": "identifier"}}}
        ).check_columns(["age", "x"])
    assert ("/attributes/ages", 'there is no such column; did you mean "age"?') in caught.value.faults
    with pytest.raises(InvalidPolicy) as caught:
        parse_policy(
            {**POLICY, "attributes": {"aeg": {"role": "quasi_identifier"}, "x": {"role": "identifier"}}}
        ).check_columns(["age", "x"])
    assert ("/attributes/aeg", 'there is no such column; did you mean "age"?') in caught.value.faults
