"""L2 and L14: an error names the rule, the column and the row; it never repeats the value."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antifaz.errors import InvalidPolicy
from antifaz.policy.parse import parse_hierarchy, parse_policy
from tests.leaks.canary import CanaryData, Flock, Scanner
from tests.leaks.story import Story
from tests.patience import patience

Change = Callable[[dict[str, Any], str], Any]


def _set(*path: str | int) -> Change:
    """Put a token where the policy expects something else."""

    def change(policy: dict[str, Any], token: str) -> None:
        here: Any = policy
        for step in path[:-1]:
            here = here[step]
        here[path[-1]] = token

    return change


def _rows(make: Callable[[str], Any]) -> Change:
    def change(policy: dict[str, Any], token: str) -> None:
        policy["attributes"]["home"]["hierarchy"]["rows"] = make(token)

    return change


BAD_POLICIES: dict[str, Change] = {
    "a kind": _set("kind"),
    "a role": _set("attributes", "age", "role"),
    "a type": _set("attributes", "age", "type"),
    "a recoding": _set("attributes", "age", "recoding"),
    "an attribute that is a text": _set("attributes", "age"),
    "a k": _set("guarantees", 0, "k"),
    "a model": _set("guarantees", 0, "model"),
    "a method": _set("method", "name"),
    "a format": _set("formats", 0),
    "a limit of the gate": lambda policy, token: policy.update(gate={"max_suppressed": token}),
    "a waived rule": lambda policy, token: policy.update(waivers=[{"rule": token, "reason": token}]),
    "a measure": lambda policy, token: policy.update(report={"utility": [token]}),
    "an attack": lambda policy, token: policy.update(report={"attacks": [token]}),
    "the id of a hierarchy": _set("attributes", "home", "hierarchy", "id"),
    "a kind of hierarchy": _set("attributes", "home", "hierarchy", "kind"),
    "rows that are a text": _set("attributes", "home", "hierarchy", "rows"),
    "a row that is a text": _rows(lambda token: [token]),
    "a label that is a list": _rows(lambda token: [[[token], "*"]]),
    "a ragged hierarchy": _rows(lambda token: [[token, token, "*"], [token + "1", "*"]]),
    "a value twice in a hierarchy": _rows(lambda token: [[token, "*"], [token, "*"]]),
    "a label with two parents": _rows(lambda token: [[token, token, "a", "*"], [token + "1", token, "b", "*"]]),
    "a hierarchy by label": lambda policy, token: policy["attributes"]["home"].update(
        hierarchy={"kind": "levels", token: [token, "*"]}
    ),
    "a hierarchy whose rows are by label": _rows(lambda token: {token: [token, "*"]}),
    "an order of an identifier": lambda policy, token: policy["attributes"]["name"].update(order=[token]),
}


def is_clean(problem: dict[str, Any] | str, data: CanaryData) -> bool:
    return data.anything.find(problem if isinstance(problem, str) else json.dumps(problem)) == []


@pytest.mark.parametrize("fault", BAD_POLICIES)
def test_a_faulty_policy_is_described_without_what_it_holds(fault: str) -> None:
    data = CanaryData(people=10)
    policy = data.table_policy()
    BAD_POLICIES[fault](policy, data.hidden())
    with pytest.raises(InvalidPolicy) as raised:
        parse_policy(policy)
    assert is_clean("".join(pointer + detail for pointer, detail in raised.value.faults), data), raised.value.faults


@settings(deadline=None, max_examples=60)
@given(
    st.recursive(
        st.sampled_from([None, True, 1, "TOKEN", "levels", "mask"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["TOKEN", "kind", "id"]), inner),
        max_leaves=8,
    )
)
def test_whatever_stands_where_a_hierarchy_should_is_not_repeated(document: Any) -> None:
    data = CanaryData(people=2)
    made = json.loads(json.dumps(document).replace("TOKEN", data.hidden()))
    for wrapped in (made, {"kind": "levels", "rows": made}, {"kind": "mask", "more": made}):
        assert is_clean(faults_told(wrapped), data)


def faults_told(hierarchy: Any) -> str:
    """The problem that an uploader of a hierarchy gets, if there is one."""
    try:
        parse_hierarchy(hierarchy)
    except InvalidPolicy as error:
        return "".join(pointer + detail for pointer, detail in error.faults)
    return ""


def _cells(rows: list[list[str]]) -> bytes:
    return "".join(",".join(row) + "\n" for row in rows).encode()


def bad_files(data: CanaryData) -> dict[str, tuple[bytes, str, dict[str, Any]]]:
    """Files with a fault in their first megabyte: content, extension and further metadata."""
    rows, token = data.rows(), data.hidden()
    lines = data.table().splitlines(keepends=True)
    objects = [json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:5]]
    other_keys = json.dumps({data.hidden(): token for _ in rows[0]})
    return {
        "a broken line 7": (b"".join(lines[:7]) + f"{token},{token}\n".encode() + lines[8], "csv", {}),
        "an open quote": (b"".join(lines[:5]) + f'"{token},1,2\n'.encode() * 3, "csv", {}),
        "no header": (b"".join(lines[1:]), "csv", {}),
        "a name twice": (_cells([[token, token, *rows[0][2:]], *rows[1:]]), "csv", {}),
        "NUL bytes": (b"".join(lines[:3]) + f"{token}\0".encode() + lines[4], "csv", {}),
        "another encoding": (b"".join(lines[:3]) + b"\xff\xfe" + lines[4], "csv", {"encoding": "utf-8"}),
        "a text for an encoding": (data.table(), "csv", {"encoding": token}),
        "a text for a delimiter": (data.table(), "csv", {"delimiter": token}),
        "a text for a format": (data.table(), "csv", {"format": token}),
        "a text for an earlier dataset": (data.table(), "csv", {"supersedes": token}),
        "json lines with other keys": ("\n".join([*objects, other_keys]).encode(), "jsonl", {}),
        "json lines with nested values": ("\n".join([*objects, f'{{"name": ["{token}"]}}']).encode(), "jsonl", {}),
        "json lines that are not json": ("\n".join([*objects, f'{{"name": {token}']).encode(), "jsonl", {}),
        "a parquet file that is none": (b"PAR1" + token.encode() + b"PAR1", "parquet", {}),
    }


def bad_graphs(data: CanaryData) -> dict[str, tuple[bytes, str, dict[str, Any]]]:
    token = data.hidden()
    begin = (
        '<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    )
    return {
        "graphml that does not close": (f'{begin}<node id="{token}"><{token}></graph>'.encode(), "graphml", {}),
        "graphml with an entity": (f'{begin}<node id="&{token};"/></graph></graphml>'.encode(), "graphml", {}),
        "graphml with a document type": (f'<!DOCTYPE {token} [<!ENTITY a "{token}">]><x/>'.encode(), "graphml", {}),
        "gml with a stray bracket": (f'graph [ node [ id "{token}" ] ] ] {token}'.encode(), "gml", {}),
        "node-link of another shape": (json.dumps({"nodes": token, "edges": [token]}).encode(), "json", {}),
        "an edge list with one column": (f"source,target\n{token}\n".encode(), "edges", {}),
        "pajek with a strange section": (f"*vertices 1\n1 {token}\n*{token}\n".encode(), "net", {"format": "pajek"}),
    }


@pytest.mark.parametrize("fault", [*bad_files(CanaryData(people=10)), *bad_graphs(CanaryData(people=10))])
def test_a_faulty_file_is_refused_or_fails_without_a_word_of_it(story: Story, fault: str) -> None:
    data = story.data
    tables = bad_files(data)
    content, extension, metadata = (tables | bad_graphs(data))[fault]
    policy = data.table_policy() if fault in tables else _graph_policy()
    answer = story.stack.upload(content, policy, file_name=data.file_name(extension), **metadata)
    if answer.status_code == 202:
        job = story.stack.finish(answer.json()["job"]["id"])
        assert job["status"] == "failed"
        assert is_clean(job, data), job
        return
    assert_problem(answer, data)
    if fault == "a broken line 7":
        assert answer.json()["errors"][0]["row"] == 7


def _graph_policy() -> dict[str, Any]:
    guarantees = [{"model": "k_degree_anonymity", "k": 2}]
    return {"kind": "graph", "guarantees": guarantees, "method": {"name": "k_degree"}}


def assert_problem(answer: httpx.Response, data: CanaryData) -> None:
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert {"type", "title", "status", "detail"} <= set(answer.json())
    head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    assert is_clean(head + answer.text, data), answer.text


def test_column_and_row_of_a_value_are_named_but_not_the_value(story: Story) -> None:
    error = story.jobs["a text in a column of integers"]["error"]
    assert (error["column"], error["row"]) == ("age", story.data.people + 1)
    assert story.jobs["a value without a place in its hierarchy"]["error"]["column"] == "home"
    assert story.jobs["a ragged row far down"]["error"]["row"] > 1000
    for about in (
        "a text in a column of integers",
        "a value without a place in its hierarchy",
        "a ragged row far down",
    ):
        assert is_clean(story.jobs[about], story.data), about


REQUESTS: dict[str, Callable[[httpx.Client, Story, str], httpx.Response]] = {
    "an unknown path": lambda client, story, token: client.get(f"/v1/{token}"),
    "a method that a path does not have": lambda client, story, token: client.put(f"/v1/datasets/{token}"),
    "a cursor": lambda client, story, token: client.get("/v1/datasets", params={"cursor": token}),
    "a limit": lambda client, story, token: client.get("/v1/datasets", params={"limit": token}),
    "a time": lambda client, story, token: client.get("/v1/reports", params={"since": token}),
    "a state": lambda client, story, token: client.get("/v1/jobs", params={"status": token}),
    "a format of the reports": lambda client, story, token: client.get("/v1/reports", params={"format": token}),
    "a format of a release": lambda client, story, token: client.get(
        f"/v1/releases/{story.kept['releases']}/data", params={"format": token}
    ),
    "a body that is no json": lambda client, story, token: client.post(
        "/v1/jobs", content=f'{{"dataset_id": {token}'.encode(), headers={"Content-Type": "application/json"}
    ),
    "a key twice": lambda client, story, token: client.post(
        "/v1/jobs",
        content=f'{{"{token}": 1, "{token}": 2}}'.encode(),
        headers={"Content-Type": "application/json"},
    ),
    "another media type": lambda client, story, token: client.post(
        "/v1/jobs", content=token.encode(), headers={"Content-Type": f"text/{token}"}
    ),
    "a dataset's id": lambda client, story, token: client.post(
        "/v1/jobs", json={"dataset_id": token, "policy": story.data.table_policy()}
    ),
    "a policy's id": lambda client, story, token: client.post(
        "/v1/jobs", json={"dataset_id": story.kept["datasets"], "policy_id": token}
    ),
    "a column to generate from": lambda client, story, token: client.post(
        "/v1/hierarchies/generate",
        json={"name": "x", "dataset_id": story.kept["datasets"], "column": token, "hierarchy": {"kind": "mask"}},
    ),
    "an audience": lambda client, story, token: client.post(
        f"/v1/releases/{story.kept['releases']}/audience", json={"audience": token}
    ),
    "a hierarchy in text with a split label": lambda client, story, token: client.post(
        "/v1/hierarchies?name=x",
        content=f"{token};{token};a;*\n{token}1;{token};b;*\n".encode(),
        headers={"Content-Type": "text/csv"},
    ),
    "a hierarchy in text with an open quote": lambda client, story, token: client.post(
        "/v1/hierarchies?name=x", content=f'"{token};*\n'.encode(), headers={"Content-Type": "text/csv"}
    ),
    "a form that is none": lambda client, story, token: client.post(
        "/v1/datasets", content=token.encode(), headers={"Content-Type": f"multipart/form-data; boundary={token}"}
    ),
    "an unknown part": lambda client, story, token: client.post(
        "/v1/datasets",
        files=[("metadata", (None, '{"name": "x", "kind": "table"}')), (token, (token, token.encode()))],
    ),
    "metadata that are no object": lambda client, story, token: client.post(
        "/v1/datasets", files=[("metadata", (None, json.dumps([token]))), ("file", (token, token.encode()))]
    ),
    "a range": lambda client, story, token: client.get(
        f"/v1/releases/{story.kept['releases']}/data", headers={"Range": "bytes=999999999-"}
    ),
}


@pytest.mark.parametrize("case", REQUESTS)
def test_a_faulty_request_is_answered_without_a_word_of_it(story: Story, case: str) -> None:
    token = story.data.hidden()
    with story.stack.client() as steward:
        assert_problem(REQUESTS[case](steward, story, token), story.data)


def test_a_name_that_is_taken_is_not_repeated(story: Story) -> None:
    """The database's own error would quote it; it is not a cell, so it has its own flock."""
    token = Flock()()
    with story.stack.client("admin") as admin:
        assert admin.post("/v1/tenants", json={"name": token}).status_code == 201
        answer = admin.post("/v1/tenants", json={"name": token})
    assert answer.status_code == 409
    for said in (answer.content, story.said(), story.postgres.log.read_bytes()):
        assert Scanner(token).find(said) == []


def test_a_wrong_token_is_neither_answered_nor_logged(story: Story) -> None:
    token = story.data.hidden()
    answer = httpx.get(
        f"{story.stack.address}/v1/datasets", headers={"Authorization": f"Bearer {token}"}, timeout=patience()
    )
    assert answer.status_code == 401
    assert_problem(answer, story.data)
    assert Scanner(token).find(story.said()) == []


def test_names_that_come_from_keys_of_json_need_a_role_in_the_policy(story: Story) -> None:
    """L14: uploading objects whose keys are values is refused before anything is stored."""
    policy = story.data.table_policy()
    lines = [{**dict.fromkeys(policy["attributes"], "1"), f"key {n}": "1"} for n in range(3)]
    content = "\n".join(map(json.dumps, lines)).encode()
    answer = story.stack.upload(content, policy, file_name="x.jsonl")
    assert answer.status_code == 422
    same = "\n".join(json.dumps({**dict.fromkeys(policy["attributes"], "1"), "key 1": "1"}) for _ in range(3)).encode()
    answer = story.stack.upload(same, policy, file_name="x.jsonl")
    assert answer.status_code == 422
    assert [error["pointer"] for error in answer.json()["errors"]] == ["/policy/attributes"]
