"""Every line of the contract's table of refusals, each with data whose values must not be repeated."""

import copy
import gzip
import json
from typing import Any

import pytest

from tests.system.samples import friends, graph_policy, patients, table_policy

CANARY = "cnry5e1f0c3a9b7d2e4f"


def with_canaries(rows: int = 40) -> bytes:
    """Patients whose texts all hold a token that no answer may repeat."""
    return patients(rows).replace(b"Person", CANARY.encode()).replace(b"flu", b"flu" + CANARY.encode())


def edited(**changes: Any) -> dict[str, Any]:
    policy = copy.deepcopy(table_policy(3))
    policy.update(changes)
    return policy


def without_role(column: str) -> dict[str, Any]:
    policy = table_policy(3, l_value=None)
    del policy["attributes"][column]
    return policy


def with_extra_role() -> dict[str, Any]:
    policy = table_policy(3)
    policy["attributes"]["height"] = {"role": "insensitive"}
    return policy


BAD_POLICIES = {
    "an unknown field": (edited(color="red"), "/policy/color"),
    "a k below 2": (edited(guarantees=[{"model": "k_anonymity", "k": 1}]), "/policy/guarantees/0/k"),
    "a seed": (edited(method={"name": "mondrian", "seed": 7}), "/policy/method/seed"),
    "an unknown method": (edited(method={"name": "magic"}), "/policy/method"),
    "no guarantee": (edited(guarantees=[]), "/policy/guarantees"),
    "a guarantee that the method cannot give": (
        edited(guarantees=[{"model": "k_degree_anonymity", "k": 3}]),
        "/policy/guarantees/0",
    ),
    "a column without a role": (without_role("disease"), "/policy/attributes"),
    "a role without a column": (with_extra_role(), "/policy/attributes/height"),
}


@pytest.mark.parametrize("case", BAD_POLICIES)
def test_a_bad_policy_is_refused_at_once_with_a_pointer(stack, case):
    policy, pointer = BAD_POLICIES[case]
    answer = stack.upload(with_canaries(), policy)
    assert_refused(answer, stack)
    assert pointer in [error["pointer"] for error in answer.json()["errors"]]


def test_an_unlisted_column_is_named(stack):
    answer = stack.upload(with_canaries(), without_role("disease"))
    assert "disease" in answer.text


HEADER = b"name,age,zip,sex,disease\n"
ROW = f"{CANARY},30,08500,F,flu{CANARY}\n".encode()
BAD_FILES = {
    "an empty file": b"",
    "no header": ROW * 20,
    "a ragged row": HEADER + ROW * 5 + f"{CANARY},30,08500,F\n".encode() + ROW,
    "a duplicate column": b"name,age,age,sex,disease\n" + ROW,
    "an empty column name": b"name,age,,sex,disease\n" + ROW,
    "NUL bytes": HEADER + ROW + f"{CANARY}\0,30,08500,F,flu\n".encode() + ROW,
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_at_once(stack, case):
    if case == "no header":
        content = b"".join(b"%d,%d,%d,1,2\n" % (i, i + 20, 8000 + i) for i in range(20))
    else:
        content = BAD_FILES[case]
    assert_refused(stack.upload(content, table_policy(3)), stack)


def test_a_file_that_is_not_in_its_declared_encoding_is_refused(stack):
    content = HEADER + "Ñandú,30,08500,F,flu\n".encode("latin-1") * 4
    assert_refused(stack.upload(content, table_policy(3), encoding="utf-8"), stack)


def test_a_decompression_bomb_is_refused_and_memory_stays_small(stack):
    bomb = gzip.compress(HEADER + b"\n" * 100_000_000)
    answer = stack.upload(bomb, table_policy(3), file_name="bomb.csv.gz")
    assert answer.status_code == 413, answer.text
    assert_refused(answer, stack)


def test_xml_with_a_document_type_is_refused(stack):
    content = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "' + CANARY.encode() + b'">]><graphml></graphml>'
    assert_refused(stack.upload(content, graph_policy(2), file_name="g.graphml"), stack)


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"nodes": [{"id": NaN}], "edges": []}'])
def test_json_that_is_too_deep_or_not_json_is_refused(stack, content):
    assert_refused(stack.upload(content, graph_policy(2), file_name="g.json", format="node-link"), stack)


def test_a_deep_policy_is_refused(stack):
    with stack.client() as steward:
        body = b'{"policy": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
        answer = steward.post("/v1/policies/validate", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500
    assert answer.headers["content-type"] == "application/problem+json"


def assert_refused(answer: Any, stack: Any) -> None:
    """4xx as a problem, without a value, and nothing stored."""
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert {"type", "title", "status", "detail"} <= set(problem)
    assert CANARY not in answer.text
    with stack.client() as steward:
        names = [item["name"] for item in steward.get("/v1/datasets", params={"limit": 100}).json()["items"]]
    assert "refused-at-once" not in names


def test_nothing_is_stored_of_what_was_refused_at_once(stack):
    before = count_of(stack, "blobs")
    stack.upload(b"", table_policy(3), name="refused-at-once")
    stack.upload(BAD_FILES["a ragged row"], table_policy(3), name="refused-at-once")
    assert count_of(stack, "blobs") == before


def count_of(stack: Any, table: str) -> int:
    from sqlalchemy import create_engine, text

    engine = create_engine(stack.database_url)
    with engine.connect() as connection:
        count = connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
    engine.dispose()
    return int(count)


def failed(stack: Any, content: bytes, policy: dict[str, Any], **more: Any) -> dict[str, Any]:
    job = stack.publish(content, policy, **more)
    assert job["status"] == "failed", job
    assert CANARY not in json.dumps(job)
    return job


def is_shredded(stack: Any, job: dict[str, Any]) -> bool:
    with stack.client() as steward:
        return bool(steward.get(f"/v1/datasets/{job['dataset_id']}").json()["status"] == "invalid")


def test_a_ragged_row_far_down_fails_the_job_with_its_number_and_shreds_the_original(stack):
    rows = 60_000
    content = HEADER + ROW * rows + f"{CANARY},30,08500\n".encode() + ROW * 10
    assert len(content) > 2 << 20
    job = failed(stack, content, table_policy(3))
    assert job["error"]["row"] == rows + 1
    assert is_shredded(stack, job)


def test_a_k_above_the_number_of_rows_fails_the_job_and_shreds_the_original(stack):
    job = failed(stack, with_canaries(40), table_policy(41))
    assert job["error"]["type"].endswith("k-above-rows")
    assert is_shredded(stack, job)


def test_a_value_missing_from_a_hierarchy_fails_in_the_check_and_names_column_and_count(stack):
    policy = table_policy(3)
    policy["attributes"]["sex"]["hierarchy"] = {"kind": "levels", "rows": [[f"F{CANARY}", "*"], ["M", "*"]]}
    job = failed(stack, with_canaries(40), policy)
    assert job["stage"] == "check"
    assert job["error"]["column"] == "sex"
    assert not is_shredded(stack, job)


def test_text_in_a_column_declared_integer_fails_in_the_check_and_names_the_row(stack):
    content = with_canaries(40) + f"x,{CANARY},08500,F,flu\n".encode()
    job = failed(stack, content, table_policy(3))
    assert job["stage"] == "check"
    assert (job["error"]["column"], job["error"]["row"]) == ("age", 41)


def test_free_text_fails_the_job_unless_it_is_waived(stack):
    policy = table_policy(3)
    policy["attributes"]["name"] = {"role": "insensitive"}
    assert failed(stack, with_canaries(60), policy)["error"]["column"] == "name"


def test_a_strict_graph_with_loops_fails(stack):
    content = friends() + f"{CANARY},{CANARY}\n".encode()
    failed(stack, content, graph_policy(2), file_name="f.edges", strict=True)


def test_loops_and_repetitions_are_otherwise_dropped_and_counted(stack):
    content = friends() + b"id-1,id-1\n" + friends().splitlines(keepends=True)[1]
    job = stack.publish(content, graph_policy(2), file_name="f.edges")
    with stack.client() as steward:
        change = steward.get(f"/v1/jobs/{job['id']}/report").json()["transformation"]
    assert (change["self_loops_dropped"], change["repeated_edges_dropped"]) == (1, 1)


def test_parts_in_another_order_are_refused(stack):
    parts = [("file", ("a.csv", patients(5))), ("metadata", (None, json.dumps({"name": "x", "kind": "table"})))]
    with stack.client() as steward:
        answer = steward.post("/v1/datasets", files=parts)
    assert answer.status_code == 422
