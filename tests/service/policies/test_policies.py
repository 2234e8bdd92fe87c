"""Policies in requests."""

import asyncio
import threading
from uuid import uuid4

import pytest

from service.http.problems import Problem
from service.policies import policies
from service.policies.policies import accept_policy, is_short
from tests.service.samples import table_policy


def test_how_short_a_document_is_counts_every_value_in_it():
    assert is_short({"a": [1, 2], "b": {"c": 3}}, most=5)
    assert not is_short({"a": [1, 2], "b": {"c": 3}}, most=4)
    assert is_short("text", most=0)
    assert not is_short([[[[0]]]], most=3)


@pytest.mark.parametrize("rows", [2, 5_000])
def test_a_short_policy_is_read_at_once_and_a_long_one_in_a_thread(rows, monkeypatch):
    read_in = []
    accept = policies._accept
    monkeypatch.setattr(policies, "_accept", lambda each: read_in.append(threading.current_thread()) or accept(each))
    policy = table_policy()
    column = next(name for name, each in policy["attributes"].items() if each["role"] == "quasi_identifier")
    levels = {"kind": "levels", "rows": [[f"value {row}", "*"] for row in range(rows)]}
    policy["attributes"][column] = {"role": "quasi_identifier", "hierarchy": levels}
    accepted = asyncio.run(accept_policy(policy, uuid4()))
    assert "rows" not in str(accepted.public["attributes"][column])
    assert (read_in == [threading.main_thread()]) == (rows == 2)


@pytest.mark.parametrize("document", [None, [], {}, {"kind": "table"}, [0] * 1_000])
def test_what_is_no_policy_is_a_problem_whatever_its_length(document):
    with pytest.raises(Problem):
        asyncio.run(accept_policy(document, uuid4()))
