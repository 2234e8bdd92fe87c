"""Errors of a policy that a profile alone reveals."""

from typing import Any

import pytest

from antifaz.policy.parse import parse_policy
from antifaz.policy.profiles import profile_faults


def faults_of(attribute: dict[str, Any], found: str | None) -> list[str]:
    policy = {
        "kind": "table",
        "attributes": {"a": {"role": "quasi_identifier", **attribute}},
        "guarantees": [{"model": "k_anonymity", "k": 2}],
        "method": {"name": "mondrian"},
    }
    return [pointer for pointer, _ in profile_faults(parse_policy(policy), {"a": found})]


@pytest.mark.parametrize(
    ("attribute", "found", "expected"),
    [
        ({"type": "integer"}, "date", ["/attributes/a/type"]),
        ({"type": "integer"}, "decimal", ["/attributes/a/type"]),
        ({"type": "decimal"}, "integer", []),
        ({"type": "integer"}, "text", []),
        ({"type": "text"}, "integer", []),
        ({"hierarchy": {"kind": "date"}}, "text", ["/attributes/a/hierarchy"]),
        ({"hierarchy": {"kind": "date"}}, "date", []),
        ({"hierarchy": {"kind": "intervals", "width": 5}}, "date", ["/attributes/a/hierarchy"]),
        ({"hierarchy": {"kind": "mask"}}, "text", []),
        ({"recoding": "range"}, "text", ["/attributes/a/recoding"]),
        ({"recoding": "range"}, "date", []),
        ({"hierarchy": {"kind": "date"}}, None, []),
    ],
)
def test_finds_what_the_check_of_a_job_would_find(attribute, found, expected):
    assert faults_of(attribute, found) == expected
