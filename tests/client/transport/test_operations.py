"""The client calls exactly the operations that the service offers."""

import json
from pathlib import Path

from antifaz_client.transport.operations import CREATING, OPERATIONS

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = json.loads((ROOT / "api_schemas" / "openapi.json").read_text(encoding="utf-8"))


def test_every_operation_that_the_client_names_is_in_the_openapi_document():
    offered = {
        operation["operationId"]: (method.upper(), path)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }
    assert {name: offered.get(name) for name in OPERATIONS} == OPERATIONS


def test_the_operations_that_are_repeated_by_a_key_are_those_that_take_one():
    taking = {
        operation["operationId"]
        for methods in DOCUMENT["paths"].values()
        for operation in methods.values()
        if any(parameter["name"].lower() == "idempotency-key" for parameter in operation.get("parameters", ()))
    }
    assert set(OPERATIONS) & taking == CREATING


def test_every_operation_is_used():
    sources = "".join(path.read_text() for path in (ROOT / "client" / "antifaz_client").rglob("*.py"))
    for name in OPERATIONS:
        listed = name.startswith("list_") and 'f"list_{of}"' in sources
        assert sources.count(f'"{name}"') > 1 or listed, name
