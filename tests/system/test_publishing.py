"""From upload to verified release, through the API, as stewards, consumers and auditors see it."""

import csv
import hashlib
import io
import json
import re
from collections import Counter
from typing import Any

import httpx
import networkx as nx
import pyarrow.parquet as pq
import pytest

import verifier
from tests.patience import patience, wait_for
from tests.service.samples import ABOUT
from tests.system.samples import friends, graph_policy, patients, table_policy


@pytest.fixture(scope="module")
def table_job(stack: Any) -> dict[str, Any]:
    """One released table that several tests share."""
    policy = table_policy(formats=["csv", "parquet", "jsonl"])
    job = stack.publish(patients(), policy)
    assert job["status"] == "released", (job, stack.said())
    return job


@pytest.fixture(scope="module")
def graph_job(stack: Any) -> dict[str, Any]:
    """One released graph that several tests share."""
    job = stack.publish(
        friends(), graph_policy(formats=["edgelist", "graphml", "gml", "node-link"]), file_name="f.edges"
    )
    assert job["status"] == "released", (job, stack.said())
    return job


def classes_of(content: bytes) -> Counter[tuple[str, ...]]:
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    return Counter((row["age"], row["zip"], row["sex"]) for row in rows)


def test_every_class_of_a_released_table_has_at_least_k_rows(stack, table_job):
    content = stack.data(table_job["release_id"])
    sizes = classes_of(content)
    assert sum(sizes.values()) == 200
    assert min(sizes.values()) >= 5
    assert b"Person" not in content


def test_every_class_has_l_sensitive_values(stack, table_job):
    rows = list(csv.DictReader(io.StringIO(stack.data(table_job["release_id"]).decode())))
    values: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        values.setdefault((row["age"], row["zip"], row["sex"]), set()).add(row["disease"])
    assert min(len(found) for found in values.values()) >= 2


def test_all_formats_hold_the_same_rows_and_the_hashes_are_those_of_the_report(stack, table_job):
    release_id = table_job["release_id"]
    contents = {form: stack.data(release_id, format=form) for form in ("csv", "parquet", "jsonl")}
    with stack.client("auditor") as auditor:
        report = auditor.get(f"/v1/releases/{release_id}/report").json()
    stated = {artifact["format"]: artifact["sha256"] for artifact in report["artifacts"]}
    assert stated == {form: hashlib.sha256(content).hexdigest() for form, content in contents.items()}
    from_csv = Counter(tuple(row.values()) for row in csv.DictReader(io.StringIO(contents["csv"].decode())))
    from_parquet = Counter(
        tuple(str(cell) for cell in row.values()) for row in pq.read_table(io.BytesIO(contents["parquet"])).to_pylist()
    )
    from_jsonl = Counter(
        tuple(str(cell) for cell in json.loads(line).values()) for line in contents["jsonl"].decode().splitlines()
    )
    assert from_csv == from_parquet == from_jsonl


def test_a_consumer_sees_the_guarantees_but_nothing_computed_from_the_original(stack, table_job):
    with stack.client("consumer") as consumer, stack.client("steward") as steward:
        public = consumer.get(f"/v1/releases/{table_job['release_id']}/report").json()
        full = steward.get(f"/v1/jobs/{table_job['id']}/report").json()
    assert public["guarantees"][0] == full["guarantees"][0]
    assert public["guarantees"][0]["achieved"]["k"] >= 5
    assert full["risk"]["before"]
    assert full["utility"]
    assert full["transformation"]["rows_in"] == 200
    for hidden in ("utility", "transformation", "timing"):
        assert hidden not in public
    assert "before" not in public.get("risk", {})
    assert "attacks" not in public.get("risk", {})
    assert "rows" not in public.get("dataset", {})


def test_the_report_page_is_readable_and_self_contained(stack, table_job):
    with stack.client("auditor") as auditor:
        answer = auditor.get(f"/v1/releases/{table_job['release_id']}/report.html")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "<svg" in answer.text
    assert "k_anonymity" in answer.text
    assert "<script" not in answer.text
    assert "http://" not in answer.text.replace("http://www.w3.org", "")


def test_a_range_of_a_release_is_served_with_its_etag(stack, table_job):
    whole = stack.data(table_job["release_id"])
    with stack.client("consumer") as consumer:
        part = consumer.get(f"/v1/releases/{table_job['release_id']}/data", headers={"Range": "bytes=10-99"})
        assert (part.status_code, part.content) == (206, whole[10:100])
        again = consumer.get(
            f"/v1/releases/{table_job['release_id']}/data", headers={"If-None-Match": part.headers["ETag"]}
        )
        assert again.status_code == 304


def test_degrees_of_a_released_graph_are_k_anonymous_and_all_formats_agree(stack, graph_job):
    release_id = graph_job["release_id"]
    edges = list(csv.reader(io.StringIO(stack.data(release_id).decode())))
    assert edges[0] == ["source", "target"]
    nodes = list(csv.DictReader(io.StringIO(stack.data(release_id, part="nodes", format="csv").decode())))
    graph = nx.Graph()
    graph.add_nodes_from(row["node"] for row in nodes)
    graph.add_edges_from(edges[1:])
    assert min(Counter(dict(graph.degree).values()).values()) >= 3
    assert sorted(int(node) for node in graph) == list(range(60))
    pairs = {frozenset(edge) for edge in graph.edges}
    xml = nx.parse_graphml(stack.data(release_id, format="graphml").decode())
    gml = nx.parse_gml(stack.data(release_id, format="gml").decode().splitlines(), label="id")
    link = json.loads(stack.data(release_id, format="node-link"))
    assert {frozenset(map(str, edge)) for edge in xml.edges} == pairs
    assert {frozenset(map(str, edge)) for edge in gml.edges} == pairs
    assert {frozenset((str(e["source"]), str(e["target"]))) for e in link.get("edges", link.get("links"))} == pairs


def test_the_graph_report_states_the_edits_beside_their_lower_bound(stack, graph_job):
    with stack.client() as steward:
        report = steward.get(f"/v1/jobs/{graph_job['id']}/report").json()
    change = report["transformation"]
    assert 0 <= change["edit_lower_bound"] <= change["edges_added"] + change["edges_removed"]
    assert report["utility"]["average_distance"]["original"] > 1


def test_a_directed_graph_with_node_attributes_is_protected_in_both_senses(stack):
    nodes = b"node,age,city\n" + b"".join(b"id-%d,%d,city%d\n" % (i, 20 + i % 7, i % 3) for i in range(60))
    policy = graph_policy(
        k=3,
        attributes={"age": {"role": "quasi_identifier"}, "city": {"role": "quasi_identifier"}},
    )
    policy["guarantees"].append({"model": "k_anonymity", "k": 4})
    job = stack.publish(friends(), policy, nodes=nodes, file_name="f.edges", directed=True)
    assert job["status"] == "released", (job, stack.said())
    rows = list(csv.DictReader(io.StringIO(stack.data(job["release_id"], part="nodes", format="csv").decode())))
    assert min(Counter((row["age"], row["city"]) for row in rows).values()) >= 4
    edges = list(csv.reader(io.StringIO(stack.data(job["release_id"]).decode())))[1:]
    out, into = Counter(u for u, _ in edges), Counter(v for _, v in edges)
    assert min(Counter((into[row["node"]], out[row["node"]]) for row in rows).values()) >= 3


def test_a_dataset_uploaded_without_a_policy_is_profiled_and_can_be_published_later(stack):
    answer = stack.upload(patients(60))
    assert answer.status_code == 201
    location = answer.headers["Location"]
    with stack.client() as steward:
        wait_for(lambda: steward.get(location).json()["status"] != "stored", "a profile")
        dataset = steward.get(location).json()
        assert dataset["status"] == "ready"
        assert {column["name"]: column["type"] for column in dataset["columns"]}["age"] == "integer"
        assert dataset["rows"] == 60
        job = steward.post("/v1/jobs", json={"dataset_id": dataset["id"], "policy": table_policy(3)})
        assert job.status_code == 202
    assert stack.finish(job.json()["id"])["status"] == "released"


def test_a_gate_refuses_a_release_whose_guarantees_hold(stack):
    job = stack.publish(patients(), table_policy(gate={"max_loss": 0.0001}))
    assert job["status"] == "refused"
    reason = job["refusal"]["reasons"][0]
    assert reason["rule"] == "max_loss"
    assert reason["measured"] > reason["limit"] == 0.0001
    with stack.client("auditor") as auditor:
        report = auditor.get(f"/v1/jobs/{job['id']}/report")
        assert report.status_code == 200
        assert report.json()["artifacts"] == []


def test_a_policy_that_no_release_can_satisfy_is_refused_with_what_would_work(stack):
    job = stack.publish(patients(), table_policy(l_value=5))
    assert job["status"] == "refused"
    assert job["refusal"]["nearest"]["l"] == 4


def test_a_second_release_is_checked_together_with_the_first(stack):
    answer = stack.upload(patients(80, seed=5), table_policy(4))
    dataset_id = answer.json()["dataset"]["id"]
    assert stack.finish(answer.json()["job"]["id"])["status"] == "released"
    other = table_policy(4, method={"name": "mondrian", "cut": "range"})
    with stack.client() as steward:
        job = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": other}).json()
    job = stack.finish(job["id"])
    assert job["status"] == "refused"
    # One reason for each promise that the two releases break together: k and l.
    assert [reason["rule"] for reason in job["refusal"]["reasons"]] == ["composition", "composition"]
    other["waivers"] = [{"rule": "composition", "reason": "the first release was recalled"}]
    with stack.client() as steward:
        job = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": other}).json()
    job = stack.finish(job["id"])
    assert job["status"] == "released"
    with stack.client("consumer") as consumer:
        public = consumer.get(f"/v1/releases/{job['release_id']}/report").json()
    assert public["waivers"][0]["rule"] == "composition"


def test_a_second_release_of_a_graph_needs_the_waiver(stack):
    answer = stack.upload(friends(seed=9), graph_policy(2), file_name="f.edges")
    assert stack.finish(answer.json()["job"]["id"])["status"] == "released"
    with stack.client() as steward:
        again = {"dataset_id": answer.json()["dataset"]["id"], "policy": graph_policy(4)}
        job = stack.finish(steward.post("/v1/jobs", json=again).json()["id"])
    assert job["status"] == "refused"
    assert job["refusal"]["reasons"][0]["rule"] == "composition"


def test_a_deleted_original_is_gone_while_its_release_stays(stack):
    answer = stack.upload(patients(50, seed=3), table_policy(3)).json()
    job = stack.finish(answer["job"]["id"])
    with stack.client() as steward:
        assert steward.delete(f"/v1/datasets/{answer['dataset']['id']}").status_code in (200, 204)
        again = {"dataset_id": answer["dataset"]["id"], "policy": table_policy(3)}
        assert steward.post("/v1/jobs", json=again).status_code in (404, 409, 410)
    assert stack.data(job["release_id"])


def test_a_withdrawn_release_answers_410_and_keeps_its_report(stack):
    job = stack.publish(patients(50, seed=4), table_policy(3))
    with stack.client() as steward, stack.client("consumer") as consumer:
        reason = {"reason": "superseded"}
        assert steward.post(f"/v1/releases/{job['release_id']}/withdraw", json=reason).status_code in (200, 204)
        assert consumer.get(f"/v1/releases/{job['release_id']}/data").status_code == 410
        assert consumer.get(f"/v1/releases/{job['release_id']}/report").status_code == 200


def test_a_release_is_written_for_the_program_that_is_to_open_it(stack):
    style = {"delimiter": ";", "decimal": ",", "bom": True}
    policy = table_policy(3) | {"formats": ["csv", "xlsx", "jsonl", "parquet"], "csv": style}
    policy |= {"labels": {"ranges": "20–29"}}
    job = stack.publish(patients(80, seed=12), policy)
    assert job["status"] == "released", (job, stack.said())
    files = {form: stack.data(job["release_id"], format=form) for form in policy["formats"]}
    header, first, *_ = files["csv"].decode("utf-8-sig").splitlines()
    assert header == "age;zip;sex;disease"
    assert re.match(r"[0-9]+(–[0-9]+)?;", first)
    verdict = verifier.verify(policy, [verifier.Artifact(form, "table", files[form]) for form in files])
    assert (verdict.holds, verdict.faults) == (True, ())
    with stack.client() as steward:
        dictionary = steward.get(f"/v1/releases/{job['release_id']}").json()["dictionary"]
    assert "low–high" in next(column["meaning"] for column in dictionary if column["name"] == "age")


def test_an_uploaded_and_a_generated_hierarchy_serve_by_their_ids(stack):
    rows = [["F", "*"], ["M", "*"]]
    with stack.client() as steward:
        made = steward.post("/v1/hierarchies", json={"name": "sex", "hierarchy": {"kind": "levels", "rows": rows}})
        assert made.status_code == 201, made.text
        dataset = stack.upload(patients(70, seed=6)).json()
        wanted = {"name": "zip", "dataset_id": dataset["id"], "column": "zip", "hierarchy": {"kind": "mask"}}
        generated = steward.post("/v1/hierarchies/generate", json=wanted)
        assert generated.status_code == 202, generated.text
        path = generated.headers["Location"]
        wait_for(lambda: steward.get(path).json()["status"] != "generating", "a hierarchy")
        shape = steward.get(path).json()
        assert shape["status"] == "ready", shape
        assert shape["shape"]["groups"][-1] == "1-9"
        del wanted["name"]
        seen = steward.get(steward.post("/v1/hierarchies/preview", json=wanted).headers["Location"]).json()
        wait_for(lambda: steward.get(f"/v1/hierarchies/{seen['id']}").json()["status"] == "preview", "a preview")
        seen = steward.get(f"/v1/hierarchies/{seen['id']}").json()["shape"]
        assert (seen["kind"], seen["levels"]) == ("mask", shape["shape"]["levels"])
        assert (seen["groups"][-1], seen["rows_per_label"][-1]) == ("1-9", {"10-99": "<10"})
        misfit = steward.post("/v1/hierarchies/preview", json=wanted | {"hierarchy": {"kind": "icd10"}})
        wait_for(lambda: steward.get(misfit.headers["Location"]).json()["status"] != "generating", "a misfit")
        refused = steward.get(misfit.headers["Location"]).json()
        assert (refused["status"], refused["problem"]["column"]) == ("failed", "zip"), refused
        policy = table_policy(3)
        policy["attributes"]["sex"]["hierarchy"] = {"id": made.json()["id"]}
        policy["attributes"]["zip"]["hierarchy"] = {"id": shape["id"]}
        job = steward.post("/v1/jobs", json={"dataset_id": dataset["id"], "policy": policy}).json()
    job = stack.finish(job["id"])
    assert job["status"] == "released", (job, stack.said())


def test_the_same_key_and_content_answer_the_first_result_again(stack):
    key = {"Idempotency-Key": "upload-1"}
    first = stack.upload(patients(40), table_policy(3), headers=key)
    again = stack.upload(patients(40), table_policy(3), headers=key)
    other = stack.upload(patients(41), table_policy(3), headers=key)
    assert first.json()["job"]["id"] == again.json()["job"]["id"]
    assert (first.status_code, again.status_code, other.status_code) == (202, 202, 422)
    stack.finish(first.json()["job"]["id"])


def test_the_events_of_a_job_end_with_its_last_state(stack):
    answer = stack.upload(patients(100, seed=8), table_policy(3)).json()
    seen = []
    with stack.client() as steward, steward.stream("GET", f"/v1/jobs/{answer['job']['id']}/events") as events:
        for line in events.iter_lines():
            if line.startswith("data:"):
                seen.append(json.loads(line[5:]))
    assert seen[-1]["status"] == "released"
    assert [state["progress"] for state in seen] == sorted(state["progress"] for state in seen)


def test_the_auditors_query_finds_jobs_by_what_was_promised_and_how_they_ended(stack, table_job):
    with stack.client("auditor") as auditor:
        found = auditor.get("/v1/reports", params={"guarantee": "l_diversity", "min_k": 5, "status": "released"}).json()
        assert table_job["id"] in [item["job_id"] for item in found["items"]]
        refused = auditor.get("/v1/reports", params={"status": "refused"}).json()
        assert all(item["status"] == "refused" for item in refused["items"])
        table = auditor.get("/v1/reports", params={"format": "csv"})
        assert table.headers["content-type"].startswith("text/csv")


def test_the_audit_chain_is_intact_after_all_this(stack, table_job):
    with stack.client("auditor") as auditor:
        actions = {event["action"] for event in auditor.get("/v1/audit-events", params={"limit": 100}).json()["items"]}
        state = auditor.get("/v1/audit-events/verify").json()
    assert "release.publish" in actions
    assert state["intact"] is True


def test_a_release_is_public_only_when_the_steward_says_so(stack, table_job):
    path = f"/v1/releases/{table_job['release_id']}/data"
    with httpx.Client(base_url=stack.address, timeout=patience()) as nobody, stack.client() as steward:
        assert nobody.get(path).status_code in (401, 404)
        release = f"/v1/releases/{table_job['release_id']}"
        assert steward.post(f"{release}/audience", json={"audience": "public"}).status_code == 422
        assert steward.put(f"{release}/about", json=ABOUT).status_code == 200
        answer = steward.post(f"{release}/audience", json={"audience": "public"})
        assert answer.status_code == 200, answer.text
        assert nobody.get(path).status_code == 200


def test_a_cancelled_job_never_becomes_a_release(stack):
    stack.stop("worker")
    try:
        job = stack.upload(patients(50), table_policy(3)).json()["job"]
        with stack.client() as steward:
            assert steward.post(f"/v1/jobs/{job['id']}/cancel").status_code in (200, 202)
    finally:
        stack.start("worker")
    job = stack.finish(job["id"])
    assert job["status"] == "cancelled"
    assert job["release_id"] is None
