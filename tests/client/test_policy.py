"""Policies that are built step by step, and files of JSON with comments."""

import json

import pytest
from antifaz_client import GraphPolicy, TablePolicy, TemporalPolicy
from antifaz_client.policy import policy_document, read_json

from antifaz.policy.parse import parse_policy


def test_the_policy_of_the_documentation_is_the_one_that_is_meant():
    policy = TablePolicy(k=5).identifier("name").quasi("age", "zip", "sex").sensitive("disease", l=2)
    assert policy.to_dict() == {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier"},
            "zip": {"role": "quasi_identifier"},
            "sex": {"role": "quasi_identifier"},
            "disease": {"role": "sensitive"},
        },
        "guarantees": [
            {"model": "k_anonymity", "k": 5},
            {"model": "l_diversity", "variant": "distinct", "l": 2, "attribute": "disease"},
        ],
        "method": {"name": "mondrian"},
    }


@pytest.mark.parametrize(
    "policy",
    [
        TablePolicy(k=5).identifier("name").quasi("age").sensitive("disease", l=2, t=0.4).insensitive("ward"),
        TablePolicy(k=2).quasi("age", type="integer", recoding="range").gate(max_suppressed=0.1).formats("csv"),
        TablePolicy(k=2).quasi("age").identifier("person").unit("person").report(utility=["ncp"], attacks=[]),
        GraphPolicy(k=3).insensitive("club").method("k_degree", strategy="greedy"),
        GraphPolicy().method("naive").waive("naive", "a class exercise"),
        TemporalPolicy(k=2),
    ],
)
def test_what_is_built_is_what_the_service_accepts(policy):
    assert parse_policy(policy.to_dict()).kind == policy.kind


def test_a_step_leaves_the_policy_before_it_as_it_was():
    first = TablePolicy(k=5).quasi("age")
    second = first.quasi("zip").guarantee("t_closeness", t=0.2, attribute="disease").gate(max_suppressed=0.1)
    assert list(first.to_dict()["attributes"]) == ["age"]
    assert "gate" not in first.to_dict()
    assert len(second.to_dict()["guarantees"]) == 2
    first.to_dict()["guarantees"].clear()
    assert first == TablePolicy(k=5).quasi("age")


def test_comments_and_last_commas_are_read_over_and_texts_are_left_alone(tmp_path):
    text = '{\n  // why\n  "a": "http://x // no comment \\" // none", // because\n  "b": [1, 2,],\n}\n'
    assert read_json(text) == {"a": 'http://x // no comment " // none', "b": [1, 2]}
    plain = {"kind": "table", "note": "a,]}"}
    (tmp_path / "p.json").write_text("\ufeff" + json.dumps(plain), encoding="utf-8")
    assert policy_document(tmp_path / "p.json") == plain


@pytest.mark.parametrize("text", ["{", '{"a": 1, "a": 2}', "// nothing", '{"a": 1,, }', '{"a" 1}'])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError):
        read_json(text)


def test_a_policy_shows_itself_and_its_names_are_escaped():
    assert "&lt;b&gt;" in TablePolicy(k=2).quasi("<b>")._repr_html_()
