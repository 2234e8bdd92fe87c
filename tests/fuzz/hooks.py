"""Hooks for schemathesis: facts that the API's description cannot express. SCHEMATHESIS_HOOKS names this module.

Generated ids do not exist, so every operation would answer 404: they are replaced by ids of existing resources. A key
reused with other content is refused, so keys follow the content. Two checks of our own run on every answer.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import schemathesis

EXISTING = "ANTIFAZ_FUZZ_EXISTING"
"""Environment variable: a JSON file of ids by operation, the run's token, and texts that must not be disclosed."""
CONTRADICTABLE = frozenset(
    {
        *("create_dataset", "create_hierarchy", "generate_hierarchy", "create_job", "create_policy", "validate_policy"),
        *("create_comparison", "release_comparison", "list_audit_events"),
        *("set_release_about", "set_release_audience", "set_catalog_about", "list_releases", "list_reports"),
        *("put_declarations", "create_query", "create_grant"),
        *("preview_hierarchy", "create_portal", "create_publication", "create_webhook"),
    }
)
"""Operations whose request can fit the schema, yet contradict itself, a dataset or a file's format."""

_world: dict[str, Any] = json.loads(Path(os.environ[EXISTING]).read_text()) if EXISTING in os.environ else {}


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Use existing ids in requests that are meant to be valid; leave intentionally invalid ones unchanged."""
    operation = _operation_id(case)
    if operation == "revoke_token" and case.path_parameters.get("id") == _world.get("token_id"):
        # Without the token of the run itself every further answer would be 401.
        case.path_parameters["id"] = str(uuid4())
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.meta.phase.name.value != "stateful":
        _put_in_existing(case, operation)
    _bind_key(case, operation)


def _put_in_existing(case: Any, operation: str) -> None:
    """Every other request is about an existing resource; the request determines which, so it is repeatable."""
    ids = _world.get("ids", {}).get(operation, [])
    number = int(hashlib.sha256(repr((case.path_parameters, case.query, case.body)).encode()).hexdigest()[:8], 16)
    if not ids or number % 2:
        return
    chosen = ids[number // 2 % len(ids)]
    if "id" in (case.path_parameters or {}):
        case.path_parameters["id"] = chosen
    elif isinstance(case.body, dict) and isinstance(case.body.get("dataset_id"), str):
        case.body = {**case.body, "dataset_id": chosen}


def _bind_key(case: Any, operation: str) -> None:
    """The same content comes with the same key, other content with another; an upload always with a new one.

    A key still returns its dataset if that was deleted meanwhile. This is correct, but schemathesis expects a resource
    that was just created to exist.
    """
    if "Idempotency-Key" in (case.headers or {}):
        content = case.id if operation == "create_dataset" else repr((case.media_type, case.query, case.body))
        case.headers["Idempotency-Key"] = hashlib.sha256(f"{operation} {content}".encode()).hexdigest()


@schemathesis.check
def nothing_original_comes_out(ctx: Any, response: Any, case: Any) -> None:
    """Only a release's own data contains a cell of an original."""
    if _operation_id(case) != "get_release_data":
        for text in _world.get("secrets", ()):
            assert text.encode() not in response.content, "an answer holds a cell of an original"


@schemathesis.check
def a_refusal_says_where(ctx: Any, response: Any, case: Any) -> None:
    """A request that fits the schema is refused only with the place of each fault, or because of its key."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 422:
        return
    assert _operation_id(case) in CONTRADICTABLE, "a request that fits the schema was refused"
    faults = response.json().get("errors", [])
    assert faults, "a refusal does not say where the fault is"
    assert all(fault["pointer"].startswith("/") or fault["pointer"] == "" for fault in faults)


def _operation_id(case: Any) -> str:
    return str(case.operation.definition.raw.get("operationId", ""))
