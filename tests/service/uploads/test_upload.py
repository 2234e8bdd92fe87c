"""Uploads: stored whole, or refused immediately with nothing stored."""

import gzip
import json
import secrets
from itertools import permutations
from typing import Any

import pytest

from storage.blobs.originals import read_original
from storage.crypto.keys import load_private_key
from tests.service.samples import TABLE, table_policy

PROBLEM = "application/problem+json"


def parts(*named: tuple[str, Any]) -> list[tuple[str, Any]]:
    return [(name, content if isinstance(content, tuple) else (None, content)) for name, content in named]


ABOUT = json.dumps({"name": "t", "kind": "table"})
POLICY = json.dumps(table_policy())
GRAPH_POLICY = {
    "kind": "graph",
    "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
    "method": {"name": "k_degree"},
}


def graph_policy(**changes: Any) -> dict[str, Any]:
    return GRAPH_POLICY | changes


@pytest.fixture
def nothing_is_stored(api):
    """The store is the same after the test as before."""
    tables = ("datasets", "blobs", "original_chunks", "jobs", "audit_events", "idempotency")
    before = {table: api.count(table) for table in tables}
    yield
    assert {table: api.count(table) for table in tables} == before


def test_an_upload_without_a_policy_is_stored_and_profiled(api):
    before = api.count("jobs")
    answer = api.upload()
    assert answer.status_code == 201
    dataset = answer.json()
    assert answer.headers["Location"] == f"/v1/datasets/{dataset['id']}"
    assert dataset["status"] == "stored"
    assert [column["name"] for column in dataset["columns"]] == ["name", "age", "zip", "disease"]
    assert api.count("jobs") == before + 1
    with api.client() as steward:
        assert steward.get(answer.headers["Location"]).json() == dataset
        assert steward.get("/v1/jobs", params={"dataset_id": dataset["id"]}).json()["items"] == []


def test_an_upload_with_a_policy_queues_a_job(api):
    answer = api.upload(policy=table_policy())
    assert answer.status_code == 202
    job, dataset = answer.json()["job"], answer.json()["dataset"]
    assert answer.headers["Location"] == f"/v1/jobs/{job['id']}"
    assert int(answer.headers["Retry-After"]) >= 1
    assert (job["status"], job["dataset_id"]) == ("queued", dataset["id"])


def test_what_is_stored_is_what_was_sent_and_only_a_worker_can_read_it(api):
    content = gzip.compress(TABLE, mtime=0)
    dataset_id = api.upload(content, file_name="t.csv.gz").json()["id"]
    private = load_private_key(api.settings.worker_public_key_file.with_name("worker.key"))
    with api.worker.connect() as connection, api.worker_keyring.connect() as keyring:
        row = connection.exec_driver_sql(
            "SELECT tenant_id, blob_id, details FROM datasets WHERE id = %s", (dataset_id,)
        ).one()
        chunks = read_original(connection, keyring, private, row.tenant_id, row.blob_id)
        assert b"".join(chunks) == content
    assert row.details["compression"] == "gzip"


def test_a_graph_with_a_node_table_is_stored(api):
    answer = api.upload(
        b"source,target\na,b\nb,c\n", kind="graph", directed=True, file_name="g.csv", nodes=b"node,age\na,1\nb,2\nc,3\n"
    )
    assert answer.status_code == 201, answer.text
    assert answer.json()["format"] == "edgelist"
    assert answer.json()["directed"] is True
    assert [column["name"] for column in answer.json()["columns"]] == ["age"]


def test_a_large_upload_is_stored_in_chunks(api):
    content = b"a,b\n" + b"1,2\n" * 1_500_000
    answer = api.upload(content)
    assert answer.status_code == 201
    with api.owner.connect() as connection:
        chunks, size = connection.exec_driver_sql(
            "SELECT b.chunks, b.size FROM datasets d JOIN blobs b ON b.id = d.blob_id WHERE d.id = %s",
            (answer.json()["id"],),
        ).one()
    assert (chunks, size) == (6, len(content))


def test_a_newer_version_joins_the_lineage_of_the_dataset_that_it_supersedes(api):
    first = api.upload().json()
    second = api.upload(supersedes=first["id"])
    assert second.status_code == 201
    assert second.json()["supersedes"] == first["id"]
    with api.owner.connect() as connection:
        lineages = connection.exec_driver_sql(
            "SELECT count(DISTINCT lineage_id) FROM datasets WHERE id IN (%s, %s)", (first["id"], second.json()["id"])
        ).scalar_one()
    assert lineages == 1


@pytest.mark.parametrize(
    ("form", "pointer"),
    [
        (parts(("file", TABLE)), "/metadata"),
        (parts(("policy", "{}"), ("metadata", ABOUT), ("file", TABLE)), "/metadata"),
        (parts(("metadata", ABOUT), ("file", TABLE), ("policy", "{")), "/policy"),
        (
            parts(("metadata", ABOUT), ("policy", json.dumps(table_policy())), ("policy", "{}"), ("file", TABLE)),
            "/policy",
        ),
        (parts(("metadata", ABOUT), ("policy", json.dumps(table_policy()))), "/file"),
        (parts(("metadata", ABOUT), ("metadata", ABOUT), ("file", TABLE)), "/metadata"),
        (parts(("metadata", ABOUT), ("file", TABLE), ("file", TABLE)), "/file"),
        (parts(("metadata", ABOUT)), "/file"),
        (parts(("metadata", ABOUT), ("surprise", b"x"), ("file", TABLE)), ""),
        (parts(("metadata", ABOUT), ("nodes", b"a,b\n1,2\n"), ("file", TABLE)), "/nodes"),
        (parts(("metadata", "{"), ("file", TABLE)), "/metadata"),
        (parts(("metadata", '{"name": "t", "kind": "table", "kind": "graph"}'), ("file", TABLE)), "/metadata"),
        (parts(("metadata", '{"name": NaN, "kind": "table"}'), ("file", TABLE)), "/metadata"),
        (parts(("metadata", "[" * 50 + "]" * 50), ("file", TABLE)), "/metadata"),
        (parts(("metadata", '{"name": "t"}'), ("file", TABLE)), "/metadata/kind"),
        (parts(("metadata", '{"name": "t", "kind": "table", "seed": 1}'), ("file", TABLE)), "/metadata/seed"),
        (parts(("metadata", '{"name": "t", "kind": "temporal_graph"}'), ("file", b"a b 1\n")), "/metadata/window"),
        (
            parts(("metadata", '{"name": "t", "kind": "temporal_graph", "window": "day"}'), ("file", b"a b 1\n")),
            "/metadata/columns",
        ),
        (
            parts(("metadata", '{"name": "t", "kind": "graph", "empty_windows": "keep"}'), ("file", b"a b\n")),
            "/metadata/empty_windows",
        ),
        (
            parts(("metadata", '{"name": "t", "kind": "table", "directed": true}'), ("file", TABLE)),
            "/metadata/directed",
        ),
        (
            parts(("metadata", '{"name": "t", "kind": "graph", "decimal": ","}'), ("file", b"a b\n")),
            "/metadata/decimal",
        ),
        (parts(("metadata", ABOUT[:-1] + ', "supersedes": "nothing"}'), ("file", TABLE)), "/metadata/supersedes"),
        (parts(("metadata", ABOUT), ("policy", "{"), ("file", TABLE)), "/policy"),
    ],
)
def test_a_wrong_envelope_is_refused_at_once(api, nothing_is_stored, form, pointer):
    answer = api.upload(parts=form)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == PROBLEM
    assert answer.json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("metadata", "pointer"),
    [
        ({"format": "xyz"}, "/metadata/format"),
        ({"window": "eon"}, "/metadata/window"),
        ({"window": {"seconds": 0}}, "/metadata/window/seconds"),
        ({"columns": 7}, "/metadata/columns"),
        ({"columns": {"listed": {"type": "x"}}}, "/metadata/columns/listed/type"),
    ],
)
def test_a_wrong_member_of_the_metadata_is_one_fault_at_its_place(api, nothing_is_stored, metadata, pointer):
    answer = api.upload(parts=parts(("metadata", json.dumps(json.loads(ABOUT) | metadata)), ("file", TABLE)))
    assert [each["pointer"] for each in answer.json()["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("policy", "pointer"),
    [
        (table_policy(guarantees=[{"model": "k_anonymity", "k": 1}]), "/policy/guarantees/0/k"),
        (table_policy(seed=1), "/policy/seed"),
        (table_policy(method={"name": "mondrian", "seed": 1}), "/policy/method/seed"),
        (table_policy(method={"name": "no_such_method"}), "/policy/method"),
        (table_policy(kind="graph"), "/policy"),
        (graph_policy(), "/policy/kind"),
        (table_policy(attributes={"name": {"role": "identifier"}, "age": {"role": "quasi_identifier"}}), "/policy"),
        (
            table_policy(attributes=table_policy()["attributes"] | {"salary": {"role": "sensitive"}}),
            "/policy/attributes/salary",
        ),
        (
            table_policy(
                attributes=table_policy()["attributes"]
                | {"zip": {"role": "quasi_identifier", "hierarchy": {"id": "00000000-0000-0000-0000-000000000000"}}}
            ),
            "/policy/attributes/zip/hierarchy/id",
        ),
    ],
)
def test_a_wrong_policy_is_refused_at_once(api, nothing_is_stored, policy, pointer):
    answer = api.upload(policy=policy, kind="table")
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == PROBLEM
    assert answer.json()["errors"][0]["pointer"].startswith(pointer)


@pytest.mark.parametrize(
    ("policy", "pointer"),
    [
        (table_policy(guarantees=[{"model": "k_anonymity", "k": 1}]), "/policy/guarantees/0/k"),
        (graph_policy(), "/policy/kind"),
        (
            table_policy(attributes=table_policy()["attributes"] | {"salary": {"role": "sensitive"}}),
            "/policy/attributes/salary",
        ),
        (
            table_policy(
                attributes=table_policy()["attributes"]
                | {"zip": {"role": "quasi_identifier", "hierarchy": {"id": "00000000-0000-0000-0000-000000000000"}}}
            ),
            "/policy/attributes/zip/hierarchy/id",
        ),
    ],
)
def test_a_wrong_policy_after_the_file_leaves_nothing(api, nothing_is_stored, policy, pointer):
    form = parts(("metadata", ABOUT), ("file", ("t.csv", TABLE)), ("policy", json.dumps(policy)))
    answer = api.upload(parts=form)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"].startswith(pointer)


@pytest.mark.parametrize("order", list(permutations(("policy", "nodes", "file"))))
def test_parts_after_the_metadata_come_in_any_order(api, order):
    content = {
        "policy": (None, json.dumps(graph_policy(attributes={"age": {"role": "insensitive"}}))),
        "nodes": ("nodes.csv", b"node,age\na,1\nb,2\nc,3\n"),
        "file": ("g.csv", b"source,target\na,b\nb,c\n"),
    }
    about = ("metadata", (None, json.dumps({"name": "g", "kind": "graph"})))
    answer = api.upload(parts=[about, *((name, content[name]) for name in order)])
    assert answer.status_code == 202, answer.text
    assert [column["name"] for column in answer.json()["dataset"]["columns"]] == ["age"]


@pytest.mark.parametrize("order", list(permutations(("policy", "nodes", "file"))))
def test_attributes_of_nodes_need_a_role_in_whatever_order_they_come(api, nothing_is_stored, order):
    content = {
        "policy": (None, json.dumps(graph_policy())),
        "nodes": ("nodes.csv", b"node,age\na,1\nb,2\nc,3\n"),
        "file": ("g.csv", b"source,target\na,b\nb,c\n"),
    }
    about = ("metadata", (None, json.dumps({"name": "g", "kind": "graph"})))
    answer = api.upload(parts=[about, *((name, content[name]) for name in order)])
    assert answer.status_code == 422, answer.text
    assert "age" in answer.json()["errors"][0]["detail"]


def test_a_column_without_a_role_is_named(api, nothing_is_stored):
    attributes = {name: role for name, role in table_policy()["attributes"].items() if name != "disease"}
    answer = api.upload(policy=table_policy(attributes=attributes))
    assert answer.status_code == 422
    assert "disease" in answer.json()["errors"][0]["detail"]


def test_attributes_of_nodes_need_a_role(api, nothing_is_stored):
    answer = api.upload(b"a b\nb c\n", graph_policy(), file_name="g.edges", nodes=b"node,age\na,1\nb,2\nc,3\n")
    assert answer.status_code == 422
    assert "age" in answer.json()["errors"][0]["detail"]
    answer = api.upload(b"a b\nb c\n", graph_policy(attributes={"age": {"role": "insensitive"}}), file_name="g.edges")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/policy/attributes/age"


@pytest.mark.parametrize(
    ("content", "file_name", "metadata"),
    [
        (b"", "t.csv", {}),
        (b"a,a\n1,2\n", "t.csv", {}),
        (b"a,\n1,2\n", "t.csv", {}),
        (b"a,b\n1,2\n3\n", "t.csv", {}),
        (b"a,b\n1,\x00\n", "t.csv", {}),
        ("a,b\n1,ñ\n".encode("latin-1"), "t.csv", {"encoding": "utf-8"}),
        (b'{"a": NaN}\n', "t.jsonl", {}),
        (b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}\n", "t.jsonl", {}),
        (b"PAR1 this is not parquet PAR1", "t.parquet", {}),
        (gzip.compress(TABLE, mtime=0)[:-9], "t.csv.gz", {}),
        (
            b'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "b">]><graphml><graph edgedefault="undirected"/></graphml>',
            "g.graphml",
            {"kind": "graph"},
        ),
    ],
)
def test_a_wrong_file_is_refused_at_once(api, nothing_is_stored, content, file_name, metadata):
    answer = api.upload(content, file_name=file_name, **metadata)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == PROBLEM
    assert answer.json()["errors"][0]["pointer"].startswith("/")


def test_a_decompression_bomb_is_refused(api, nothing_is_stored):
    answer = api.upload(gzip.compress(b"a,b\n" + b"0" * (100 << 20)), file_name="t.csv.gz")
    assert answer.status_code == 413
    assert answer.headers["content-type"] == PROBLEM


def test_more_than_the_limit_is_refused(make_api):
    small = make_api(max_bytes=1 << 20, max_policy_bytes=1 << 16)
    answer = small.upload(b"a,b\n" + b"1,2\n" * (1 << 20))
    assert answer.status_code == 413
    answer = small.upload(TABLE, name="x" * 100_000)
    assert answer.status_code == 413
    with small.client() as steward:
        answer = steward.post("/v1/policies/validate", json={"policy": {"x": "y" * 100_000}})
    assert answer.status_code == 413
    assert answer.headers["content-type"] == PROBLEM


def test_an_upload_that_breaks_off_leaves_nothing(api, nothing_is_stored):
    form = b'--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n' + ABOUT.encode()
    form += b'\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n' + TABLE
    with api.client() as steward:
        headers = {"Content-Type": "multipart/form-data; boundary=b"}
        answer = steward.post("/v1/datasets", content=form, headers=headers)
    assert answer.status_code == 422


def test_another_media_type_is_a_415(api, nothing_is_stored):
    with api.client() as steward:
        assert steward.post("/v1/datasets", json={}).status_code == 415
        assert steward.post("/v1/jobs", content=b"x", headers={"Content-Type": "text/plain"}).status_code == 415


def canaries() -> list[tuple[str, dict[str, Any]]]:
    """Uploads that are refused, each with a canary in every place that a value can stand."""
    word = f"cnry_{secrets.token_hex(12)}"
    cells = f"name,age\n{word},1\n{word}\n".encode()
    rows = [[word, "x", "*"], [word, "y", "*"]]
    attributes = {"name": {"role": "quasi_identifier", "hierarchy": {"kind": "levels", "rows": rows}}}
    return [
        (word, {"content": cells}),
        (word, {"content": f"{word},{word}\n1,2\n".encode()}),
        (word, {"content": TABLE, "name": word + "\n"}),
        (word, {"content": TABLE, "kind": word}),
        (word, {"content": TABLE, "delimiter": word}),
        (word, {"content": TABLE, word + " ": 1}),
        (word, {"content": TABLE, "supersedes": word}),
        (word, {"content": TABLE, "policy": table_policy(attributes=attributes)}),
        (word, {"content": TABLE, "policy": table_policy(method={"name": word})}),
        (word, {"content": TABLE, "policy": table_policy(guarantees=[{"model": "k_anonymity", "k": word}])}),
        (word, {"content": f"<graphml>{word}".encode(), "kind": "graph", "file_name": f"{word}.graphml"}),
        (word, {"content": f'{{"nodes": ["{word}", NaN]}}'.encode(), "kind": "graph", "file_name": f"{word}.json"}),
        (word, {"content": f'{{"{word}": 1}}\n{{"{word}": NaN}}\n'.encode(), "file_name": "t.jsonl"}),
    ]


@pytest.mark.parametrize("position", range(len(canaries())))
def test_a_refusal_repeats_nothing_of_what_was_sent(api, capfd, position):
    word, sent = canaries()[position]
    answer = api.upload(**sent)
    assert answer.status_code in (413, 415, 422), answer.text
    said = answer.text + str(answer.headers) + "".join(capfd.readouterr())
    assert word not in said


def test_uploads_of_one_token_are_limited(make_api):
    hasty = make_api(uploads_per_minute=2)
    statuses = [hasty.upload() for _ in range(3)]
    assert [answer.status_code for answer in statuses] == [201, 201, 429]
    assert int(statuses[2].headers["Retry-After"]) >= 1
    assert statuses[2].headers["content-type"] == PROBLEM
