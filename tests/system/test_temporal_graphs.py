"""Temporal graphs through the API: every release is verified, impossible requests are refused, budgets are charged."""

import csv
import io
import json
import subprocess
import sys
from collections import Counter
from typing import Any

import networkx as nx
import pytest

from tests.datasets import data_file
from tests.patience import patience, wait_for
from tests.system.conftest import ROOT
from tests.system.samples import contact_ages, contacts
from tests.system.test_commands import antifaz, written

ABOUT = {"kind": "temporal_graph", "window": "day", "file_name": "contacts.csv"}
EACH = {
    "kind": "temporal_graph",
    "attributes": {"age": {"role": "quasi_identifier"}},
    "guarantees": [{"model": "k_degree_anonymity", "k": 2}, {"model": "k_anonymity", "k": 3}],
    "method": {"name": "k_degree", "effort": "fast"},
    "formats": ["csv", "graphml", "node-link"],
    "report": {"utility": ["edge_jaccard"], "attacks": []},
}


def private(epsilon: float = 3.0, **guarantee: Any) -> dict[str, Any]:
    stated = {"model": "edge_local_dp", "epsilon": epsilon, "density": {"declared": 0.14}, **guarantee}
    return {
        "kind": "temporal_graph",
        "guarantees": [stated],
        "method": {"name": "edge_local_dp"},
        "report": {"utility": ["edge_jaccard"], "attacks": []},
    }


@pytest.fixture(scope="module")
def job(stack: Any) -> dict[str, Any]:
    finished = stack.publish(contacts(), EACH, nodes=contact_ages(), **ABOUT)
    assert finished["status"] == "released", finished
    return dict(finished)


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def test_every_snapshot_has_the_guarantee_and_all_formats_agree(stack: Any, job: dict[str, Any]) -> None:
    release = job["release_id"]
    content = stack.data(release)
    assert content.startswith(b"source,target,snapshot\n")
    edges = {(int(r["source"]), int(r["target"]), int(r["snapshot"])) for r in rows_of(content)}
    nodes = [int(row["node"]) for row in rows_of(stack.data(release, part="nodes", format="csv"))]
    assert nodes == list(range(25))
    for t in range(4):
        degrees = Counter(end for u, v, at in edges if at == t for end in (u, v))
        assert min(Counter(degrees[node] for node in nodes).values()) >= 2
    marked = nx.parse_graphml(stack.data(release, format="graphml").decode())
    assert {
        (*sorted(map(int, pair)), t)
        for *pair, data in marked.edges(data=True)
        for t in range(data["first"], data["last"] + 1)
    } == edges
    linked = nx.node_link_graph(json.loads(stack.data(release, format="node-link")), edges="edges")
    assert {(*sorted(pair), data["snapshot"]) for *pair, data in linked.edges(data=True)} == edges
    windows = rows_of(stack.data(release, part="snapshots", format="csv"))
    assert windows[0] == {"snapshot": "0", "begin": "2001-09-09T00:00:00Z"}
    assert b"id-" not in content + stack.data(release, part="nodes", format="csv")


def test_the_report_counts_what_was_dropped_and_says_what_several_snapshots_show(
    stack: Any, job: dict[str, Any]
) -> None:
    with stack.client() as steward:
        report = steward.get(f"/v1/jobs/{job['id']}/report").json()
        page = steward.get(f"/v1/releases/{job['release_id']}/report.html")
    change = report["transformation"]
    assert (change["self_loops_dropped"], change["repeated_edges_dropped"]) == (1, 8)
    assert change["self_loops_by_snapshot"] == [1, 0, 0, 0]
    assert change["repeated_edges_by_snapshot"] == [2, 2, 2, 2]
    assert report["dataset"]["snapshots"] == 4
    assert report["release"]["smallest_trajectory"] >= 1
    found = {guarantee["model"]: guarantee["achieved"] for guarantee in report["guarantees"]}
    assert found["k_degree_anonymity"]["k"] >= 2
    assert "k" in found["k_degree_anonymity"]["aggregate"]
    assert found["k_anonymity"]["k"] >= 3
    assert page.status_code == 200


def test_the_public_report_warns_of_nodes_that_are_alone_over_time(stack: Any, job: dict[str, Any]) -> None:
    release = job["release_id"]
    rows = [tuple(map(int, row.values())) for row in rows_of(stack.data(release))]
    degrees = Counter((end, t) for u, v, t in rows for end in (u, v))
    paths = Counter(tuple(degrees[node, t] for t in range(4)) for node in range(25))
    alone = sum(count for count in paths.values() if count == 1) / 25
    assert alone > 0.5, "although every snapshot keeps its promise"
    with stack.client("consumer") as consumer:
        report = consumer.get(f"/v1/releases/{release}/report").json()
        page = consumer.get(f"/v1/releases/{release}/report.html").text
    (warning,) = [each for each in report["warnings"] if each["code"] == "UNIQUE_TRAJECTORIES"]
    assert warning["share"] == pytest.approx(alone)
    assert report["release"]["unique_trajectories"] == pytest.approx(alone)
    (degree,) = [each for each in report["guarantees"] if each["model"] == "k_degree_anonymity"]
    assert degree["assumes"].startswith("in one snapshot, and the attacker follows nobody over time: ")
    assert "degrees over time that no other node has" in page


def test_the_datasets_profile_counts_nodes_edges_and_snapshots(stack: Any, job: dict[str, Any]) -> None:
    with stack.client() as steward:
        dataset = steward.get(f"/v1/datasets/{job['dataset_id']}").json()
    assert (dataset["nodes"], dataset["edges"], dataset["snapshots"]) == (25, 160, 4)
    assert [column["name"] for column in dataset["columns"]] == ["age"]
    assert dataset["directed"] is False


def test_a_second_release_needs_the_waiver_as_for_graphs(stack: Any, job: dict[str, Any]) -> None:
    with stack.client() as steward:
        answer = steward.post("/v1/jobs", json={"dataset_id": job["dataset_id"], "policy": EACH})
    again = stack.finish(answer.json()["id"])
    assert again["status"] == "refused"
    assert again["refusal"]["reasons"][0]["rule"] == "composition"


def test_a_budget_is_charged_for_every_snapshot(stack: Any) -> None:
    answer = stack.upload(contacts(), None, budget={"epsilon": 18.0}, **ABOUT)
    assert answer.status_code == 201, answer.text
    dataset_id = answer.json()["id"]
    with stack.client() as steward:
        wait_for(lambda: steward.get(f"/v1/datasets/{dataset_id}").json()["status"] == "ready", "a profile")
        forecast = steward.post("/v1/policies/validate", json={"policy": private(), "dataset_id": dataset_id}).json()
        assert forecast["forecast"]["epsilon_pair"] == 12.0
        run = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": private()})
        assert run.status_code == 202, run.text
        finished = stack.finish(run.json()["id"])
        assert finished["status"] == "released", finished
        budget = steward.get(f"/v1/datasets/{dataset_id}/budget").json()
        assert (budget["spent"], budget["remaining"]) == (12.0, 6.0)
        report = steward.get(f"/v1/jobs/{finished['id']}/report").json()
        more = steward.post("/v1/jobs", json={"dataset_id": dataset_id, "policy": private(2.0)})
    assert more.status_code == 409
    achieved = report["guarantees"][0]["achieved"]
    assert achieved["snapshots"] == 4
    assert achieved["epsilon"] <= 3
    assert report["mechanism"]["edge_local_dp"]["epsilon_pair"] == "12.0"


def test_with_a_budget_file_and_policy_together_must_say_how_many_snapshots_are_charged(stack: Any) -> None:
    unsaid = stack.upload(contacts(), private(), budget={"epsilon": 30.0}, **ABOUT)
    assert unsaid.status_code == 422
    assert unsaid.json()["errors"][0]["pointer"] == "/policy/guarantees/0/snapshots"
    few = stack.publish(contacts(), private(snapshots=3), budget={"epsilon": 30.0}, **ABOUT)
    assert (few["status"], "3 snapshots" in few["error"]["detail"]) == ("failed", True)
    enough = stack.publish(contacts(), private(snapshots=5), budget={"epsilon": 30.0}, **ABOUT)
    assert enough["status"] == "released", enough


def test_unclear_columns_and_bad_windows_are_refused_at_once(stack: Any) -> None:
    about = {"kind": "temporal_graph", "file_name": "a.edges"}
    for content, metadata, pointer in (
        (b"a b 3\n", {"window": "day"}, "/metadata/columns"),
        (b"a b 1000000000\n", {}, "/metadata/window"),
        (b"a b 1000000000\n", {"window": "fortnight"}, "/metadata/window"),
        (b"a b 1000000000\n", {"window": {"seconds": 0}}, "/metadata/window"),
        (b"a b 1000000000\n", {"window": "day", "columns": ["source", "time"]}, "/metadata/columns"),
        (b"a b 1000000000\n", {"window": "day", "decimal": ","}, "/metadata/decimal"),
    ):
        answer = stack.upload(content, **about, **metadata)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["pointer"].startswith(pointer), answer.text


def test_dense_snapshots_are_refused_with_what_would_do(stack: Any) -> None:
    full = "".join(f"{u} {v} {t}\n" for t in (1, 2) for u in range(8) for v in range(u)).encode()
    policy = private(density={"exact": True}) | {"waivers": [{"rule": "exact_density", "reason": "public"}]}
    refused = stack.publish(full, policy, kind="temporal_graph", window="snapshot", file_name="f.edges")
    assert refused["status"] == "refused"
    assert refused["refusal"]["reasons"][0]["rule"] == "dense"
    policy["method"]["dense"] = "complement"
    assert stack.publish(full, policy, kind="temporal_graph", window="snapshot", file_name="f.edges")["status"] == (
        "released"
    )


PUBLISHED = {
    "aves-sparrow/aves-sparrow-social.edges": ("snapshot", False, 2),
    "mammalia-voles-rob/mammalia-voles-rob-trapping.edges": ("snapshot", False, 61),
    "insecta-ant-colony5/insecta-ant-colony5.edges": ("snapshot", False, 41),
    "ia-enron-employees/ia-enron-employees.edges": ("week", True, 161),
    "collegemsg/CollegeMsg.txt": ("week", True, 29),
}
"""Published files: their windows, whether edges have a direction, and the number of snapshots."""
TARGETS = {
    "recurrence": {"model": "temporal_k_degree_anonymity", "k": 2},
    "trajectory": {"model": "degree_trajectory_anonymity", "k": 2},
}


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("file", PUBLISHED)
def test_published_temporal_graphs_are_released_and_verified(stack: Any, file: str, target: str) -> None:
    window, directed, snapshots = PUBLISHED[file]
    policy = {
        "kind": "temporal_graph",
        "guarantees": [TARGETS[target]],
        "method": {"name": "temporal_k_degree", "target": target},
        "report": {"utility": ["edge_jaccard"], "attacks": []},
    }
    columns = ["source", "target", "time"] if file.startswith("collegemsg") else ["source", "target", "weight", "time"]
    about = {"kind": "temporal_graph", "window": window, "directed": directed, "columns": columns}
    content = data_file(f"graphs/{file}").read_bytes()
    job = stack.publish(content, policy, file_name="contacts.edges", unrelated=True, **about)
    assert job["status"] == "released", job
    with stack.client() as steward:
        dataset = steward.get(f"/v1/datasets/{job['dataset_id']}").json()
        report = steward.get(f"/v1/jobs/{job['id']}/report").json()
    assert (dataset["snapshots"], dataset["directed"]) == (snapshots, directed)
    assert report["guarantees"][0]["holds"]
    assert report["guarantees"][0]["achieved"]["k"] >= 2


def test_what_publishing_a_temporal_graph_saves_is_verified_by_the_verifiers_own_command(
    stack: Any, tmp_path: Any
) -> None:
    policy = {name: EACH[name] for name in ("kind", "method", "report")}
    policy |= {"guarantees": [{"model": "k_degree_anonymity", "k": 2}]}
    files = written(tmp_path, "contacts.csv", contacts(), policy)
    done = antifaz(stack, "publish", *files, "--window", "86400", "--to", str(tmp_path))
    assert done.returncode == 0, done.stderr
    saved = [str(tmp_path / name) for name in ("graph.csv", "graph.graphml", "nodes.csv", "snapshots.csv")]
    command = [sys.executable, "-m", "verifier", files[1], *saved]
    verdict = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience(), check=False)
    assert verdict.returncode == 0, verdict.stdout
    assert json.loads(verdict.stdout)["describe"]["snapshots"] == 4
