"""A package that extends Antifaz, in the environment of a running service: jobs use its parts and its file format."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import own_databases
from tests.extensions import environment, install_example
from tests.system.conftest import Stack, make_stack, run_stack

ROWS = [(20 + i % 40, f"{i % 24:02d}:{i * 7 % 60:02d}", ("flu", "cold", "asthma")[i % 3]) for i in range(120)]
CSV = "age,at,disease\n" + "".join(f"{age},{at},{disease}\n" for age, at, disease in ROWS)
POLICY = {
    "kind": "table",
    "attributes": {
        "age": {"role": "quasi_identifier"},
        "at": {"role": "quasi_identifier", "type": "text", "hierarchy": {"kind": "time_of_day"}},
        "disease": {"role": "sensitive"},
    },
    "guarantees": [{"model": "k_anonymity", "k": 5}],
    "method": {"name": "mondrian"},
    "report": {"attacks": ["extremes"]},
}


@pytest.fixture(scope="module")
def extended(templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack of its own, in whose processes the example is installed."""
    installed: Path = install_example(tmp_path_factory.mktemp("package"))
    added = {"PYTHONPATH": environment(installed)["PYTHONPATH"]}
    with own_databases(templates) as made:
        plain = make_stack(made, redis_server.work_url, tmp_path_factory.mktemp("extended"))
        yield from run_stack(
            replace(
                plain,
                api_environment=plain.api_environment | added,
                worker_environment=plain.worker_environment | added,
            )
        )


def test_a_job_uses_the_attack_and_the_hierarchy_of_an_installed_package(extended):
    job = extended.publish(CSV.encode(), POLICY)
    assert job["status"] == "released", extended.said()
    cells = {line.split(",")[-2] for line in extended.data(job["release_id"]).decode().splitlines()[1:]}
    assert cells <= {"night", "morning", "afternoon", "evening", "*"} | {f"{h:02d}:00–{h:02d}:59" for h in range(24)}
    with extended.client("auditor") as client:
        report = client.get(f"/v1/jobs/{job['id']}/report").json()
    [extremes] = [attack for attack in report["risk"]["attacks"] if attack["name"] == "extremes"]
    assert extremes["package"] == "antifaz-example 1.0"
    assert extremes["rate"] <= 1 / 5
    assert report["software"]["antifaz-example"] == "1.0"


def test_a_file_in_the_format_of_an_installed_package_is_released_in_one_of_ours(extended):
    policy = {
        "kind": "table",
        "attributes": {"AGE": {"role": "quasi_identifier"}, "DISEASE": {"role": "sensitive"}},
        "guarantees": [{"model": "k_anonymity", "k": 5}],
        "method": {"name": "mondrian"},
    }
    job = extended.publish(dbf([(age, disease) for age, _, disease in ROWS]), policy, format="dbf")
    assert job["status"] == "released", extended.said()
    lines = extended.data(job["release_id"]).decode().splitlines()
    assert "DISEASE" in lines[0]
    assert len(lines) == 1 + len(ROWS)
    with extended.client() as client:
        assert client.get(f"/v1/datasets/{job['dataset_id']}").json()["format"] == "dbf"
    with extended.client("auditor") as client:
        report = client.get(f"/v1/jobs/{job['id']}/report").json()
    assert report["software"]["antifaz-example"] == "1.0"


def dbf(rows: list[tuple[int, str]]) -> bytes:
    """A DBF file with the columns AGE and DISEASE."""
    fields = b"".join(
        name.ljust(11, b"\0") + kind + bytes(4) + bytes([width]) + bytes(15)
        for name, kind, width in ((b"AGE", b"N", 3), (b"DISEASE", b"C", 10))
    )
    records = "".join(f" {age:3d}{disease:10}" for age, disease in rows).encode()
    sizes = len(rows).to_bytes(4, "little") + (33 + len(fields)).to_bytes(2, "little") + (14).to_bytes(2, "little")
    return b"\x03\x7e\x01\x01" + sizes + bytes(20) + fields + b"\r" + records + b"\x1a"


def test_the_catalogue_and_the_description_of_the_api_show_the_package_and_its_parts(extended):
    with extended.client() as client:
        attacks = client.get("/v1/attacks").json()["items"]
        document = json.dumps(client.get("/openapi.json").json())
    assert [attack["package"] for attack in attacks if "package" in attack] == ["antifaz-example 1.0"]
    assert '"time_of_day"' in document
    assert '"dbf"' in document


def test_a_service_without_the_package_refuses_a_policy_that_names_its_parts(stack):
    answer = stack.upload(CSV.encode(), POLICY)
    assert answer.status_code == 422, answer.text
    pointers = {error["pointer"] for error in answer.json()["errors"]}
    assert any(pointer.startswith("/policy/attributes/at/hierarchy") for pointer in pointers)


def test_a_service_without_the_package_refuses_its_format(stack):
    answer = stack.upload(dbf([(31, "flu")]), POLICY, format="dbf")
    assert answer.status_code == 422, answer.text
    assert "/metadata/format" in {error["pointer"] for error in answer.json()["errors"]}
