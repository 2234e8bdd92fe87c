"""L10, L11 and L12: a report can be computed from public data, and contains no value."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.leaks.recompute import Files, public_report
from tests.leaks.story import Story
from tests.system.samples import friends, graph_policy, patients, table_policy


def parsed_policy(story: Story, policy: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The policy and its warnings, as the API returns them without any data."""
    with story.stack.client() as steward:
        stored = steward.post("/v1/policies", json={"name": "recomputed", "policy": policy}).json()["policy"]
        warnings = steward.post("/v1/policies/validate", json={"policy": policy}).json()["warnings"]
    return stored, warnings


def downloaded(story: Story, release_id: str) -> Files:
    with story.stack.client("consumer") as consumer:
        artifacts = consumer.get(f"/v1/releases/{release_id}").json()["artifacts"]
    return {
        (file["part"], file["format"]): story.stack.data(release_id, part=file["part"], format=file["format"])
        for file in artifacts
    }


def node_policy() -> dict[str, Any]:
    """A graph whose nodes have attributes, with the guarantees of both."""
    attributes = {"age": {"role": "quasi_identifier", "type": "integer"}, "vote": {"role": "sensitive"}}
    guarantees = [{"model": "k_degree_anonymity", "k": 3}, {"model": "k_anonymity", "k": 4}]
    return graph_policy(attributes=attributes, guarantees=guarantees)


def node_table(edges: bytes) -> bytes:
    ids = sorted({end for line in edges.decode().splitlines()[1:] for end in line.split(",")})
    return ("id,age,vote\n" + "".join(f"{name},{20 + n},{'ab'[n % 2]}\n" for n, name in enumerate(ids))).encode()


def homogeneous(content: bytes) -> bytes:
    """The same patients, almost all with the same illness."""
    header, *lines = content.decode().splitlines()
    changed = [line.rsplit(",", 1)[0] + (",flu" if number % 9 else ",mumps") for number, line in enumerate(lines)]
    return "\n".join([header, *changed]).encode()


CASES: dict[str, tuple[bytes, dict[str, Any], dict[str, Any]]] = {
    "a table with k and l": (patients(), table_policy(), {}),
    "a table with k alone and homogeneous classes": (homogeneous(patients(150)), table_policy(3, None), {}),
    "a waived table": (
        patients(120),
        table_policy(4, waivers=[{"rule": "composition", "reason": "the only one"}], formats=["csv", "jsonl"]),
        {},
    ),
    "a graph with node attributes": (
        friends(),
        node_policy(),
        {"file_name": "f.edges", "nodes": node_table(friends())},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_consumers_report_is_a_function_of_bytes_and_policy(story: Story, case: str) -> None:
    content, policy, more = CASES[case]
    job = story.stack.publish(content, policy, **more)
    assert job["status"] == "released", job
    with story.stack.client("consumer") as consumer:
        report = consumer.get(f"/v1/releases/{job['release_id']}/report").json()
    software = report["software"]
    assert list(software) == ["antifaz"]
    stated, warnings = parsed_policy(story, policy)
    expected = public_report(job["release_id"], stated, warnings, downloaded(story, job["release_id"]), software)
    key = lambda file: (file["part"], file["format"])  # noqa: E731
    for view in (report, expected):
        view["artifacts"] = sorted(view["artifacts"], key=key)
    assert report == expected
    if "homogeneous" in case:
        assert report["warnings"][0]["code"] == "HOMOGENEOUS_CLASSES"


def test_a_consumer_is_not_told_the_name_of_a_column_that_is_not_released(story: Story) -> None:
    content = patients(60).replace(b"name,age", b"clinic_number,age", 1)
    policy = table_policy(3, privacy_unit="clinic_number")
    policy["attributes"] = {"clinic_number": {"role": "identifier"}, **policy["attributes"]}
    del policy["attributes"]["name"]
    job = story.stack.publish(content, policy)
    assert job["status"] == "released", job
    for role, told in (("consumer", False), ("auditor", True), ("steward", True)):
        with story.stack.client(role) as client:
            release = f"/v1/releases/{job['release_id']}"
            seen = [client.get(release + path).text for path in ("", "/report", "/report.html", "/data")]
        assert any("clinic_number" in text for text in seen) is told


OUTLIER, LEAST = 914_736_285_019_947, -728_461_930_574_813
"""Fifteen digits: the digests and ids of a report hold hundreds of random hexadecimal digits, in which seven given
ones would be found wrongly once in some 200,000 runs, and fifteen less than once in 10^14."""


def with_outliers(rows: int = 120) -> bytes:
    """Incomes with one far above and one far below all others, each alone in its class."""
    incomes = [OUTLIER, LEAST, *(1000 + 10 * (n % 20) for n in range(rows - 2))]
    lines = [f"person {n},{income},{20 + n % 4},{'ab'[n % 2]}" for n, income in enumerate(incomes)]
    return ("name,income,age,vote\n" + "\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("role", ["quasi_identifier", "sensitive", "identifier"])
def test_no_report_holds_a_minimum_or_maximum_of_the_original(story: Story, role: str) -> None:
    policy = {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "income": {"role": role, "type": "integer"},
            "age": {"role": "quasi_identifier", "type": "integer"},
            "vote": {"role": "sensitive"},
        },
        "guarantees": [{"model": "k_anonymity", "k": 5}],
        "method": {"name": "mondrian"},
    }
    job = story.stack.publish(with_outliers(), policy)
    assert job["status"] == "released", job
    told = []
    for reader in ("consumer", "auditor", "steward", "admin"):
        with story.stack.client(reader) as client:
            path = f"/v1/releases/{job['release_id']}"
            told += [client.get(path + end).text for end in ("", "/report", "/report.html")]
            if reader != "consumer":
                told += [client.get(f"/v1/jobs/{job['id']}/report").text, client.get("/v1/reports?limit=1").text]
                told.append(client.get(f"/v1/datasets/{job['dataset_id']}").text)
    for value in (str(OUTLIER), str(-LEAST), f"{OUTLIER:,}", str(OUTLIER - LEAST)):
        assert [text for text in told if value in text] == []


def counts_of(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Every number within a JSON value, with its name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from counts_of(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from counts_of(inner, name)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value


_OF_ALL_NODES = ("k", "thesis_k", "unique", "unique_nodes", "of")
"""A graph's risk figures for the whole graph, for stewards and auditors: no bins of a histogram."""


def test_small_counts_of_the_original_are_not_told_exactly(story: Story) -> None:
    rows = 300
    # 4 people have a unique age, and no one else.
    ages = [90, 91, 92, 93, *(20 + n % 10 for n in range(rows - 4))]
    content = "name,age,vote\n" + "".join(f"p{n},{age},{'ab'[n // 10 % 2]}\n" for n, age in enumerate(ages))
    policy = {
        "kind": "table",
        "attributes": {
            "name": {"role": "identifier"},
            "age": {"role": "quasi_identifier", "type": "integer"},
            "vote": {"role": "sensitive"},
        },
        "guarantees": [{"model": "k_anonymity", "k": 5}],
        "method": {"name": "mondrian"},
    }
    job = story.stack.publish(content.encode(), policy)
    graph = story.stack.publish(friends(), graph_policy(), file_name="f.edges")
    for done in (job, graph):
        with story.stack.client("steward") as steward:
            before = steward.get(f"/v1/jobs/{done['id']}/report").json()["risk"]["before"]
        counts = [(name, count) for name, count in counts_of(before) if isinstance(count, int)]
        assert counts
        assert [(name, count) for name, count in counts if 0 < count < 10 and name not in _OF_ALL_NODES] == []


def test_labels_of_a_hierarchy_that_the_release_does_not_need_are_nowhere(story: Story) -> None:
    job = story.jobs["table"]
    rows = story.data.table_policy()["attributes"]["home"]["hierarchy"]["rows"]
    unused = [row for row in rows if row[0] not in story.data.table().decode()]
    assert len(unused) == 5
    everything = b"".join(downloaded(story, job["release_id"]).values())
    for role in ("consumer", "steward", "auditor"):
        with story.stack.client(role) as client:
            paths = ("", "/report", "/report.html")
            everything += b"".join(client.get(f"/v1/releases/{job['release_id']}{path}").content for path in paths)
    with story.stack.client() as steward:
        everything += steward.get(f"/v1/hierarchies/{story.kept['hierarchies']}").content
    assert story.data.secret.find(everything) == []


def test_an_order_of_values_is_not_part_of_the_public_policy(story: Story) -> None:
    policy = copy.deepcopy(table_policy(3, None))
    policy["attributes"]["sex"] = {"role": "quasi_identifier", "order": [story.data.hidden(), "F", "M"]}
    with story.stack.client() as steward:
        answer = steward.post("/v1/policies", json={"name": "ordered", "policy": policy})
        assert answer.status_code == 201, answer.text
        shown = steward.get(f"/v1/policies/{answer.json()['id']}").text
    assert story.data.secret.find(json.dumps(policy))
    assert story.data.secret.find(answer.text + shown) == []
