"""Every operation of the API, called by every role with every id."""

import json
import secrets
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx

from metadata.profiles import PROFILES
from tests.leaks.story import Story

ROLES = ("steward", "consumer", "auditor", "analyst", "admin")
LAST = (
    *("cancel_job", "withdraw_release", "destroy_release_data", "delete_dataset", "revoke_token"),
    *("withdraw_publication", "delete_webhook", "delete_portal"),
)
"""Operations that delete or end a resource: called last, in this order."""
PAPER = ("get_job_report_pdf", "get_release_report_pdf")
RELEASE_DATA = "get_release_data"
VARIANTS: dict[str, list[dict[str, str]]] = {
    RELEASE_DATA: [
        {},
        *({"format": form} for form in ("parquet", "jsonl", "graphml", "gml", "node-link", "nonsense")),
        *({"part": part, "format": form} for part in ("nodes", "snapshots") for form in ("csv", "parquet")),
    ],
    "list_reports": [{}, {"format": "csv"}, {"min_k": "2"}],
    "get_release_metadata": [{"profile": profile} for profile in PROFILES],
    "get_job": [{}, {"wait": "0"}],
    "get_comparison": [{}, {"format": "csv"}],
}


# --- every operation -------------------------------------------------------------------------------------------------


def call_everything(story: Story) -> set[str]:
    """Every operation of the API's description × every role, of this tenant, of another, and none × every id."""
    with story.stack.client(None) as nobody:
        description = nobody.get("/openapi.json").json()
    operations = {
        operation["operationId"]: (method.upper(), path)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    }
    ordered = sorted(operations, key=lambda name: (LAST.index(name) + 1 if name in LAST else 0, name))
    callers = ["nobody", *(f"foreign-{role}" for role in ROLES), "auditor", "consumer", "analyst", "admin", "steward"]
    for caller in callers:
        with story.stack.client(None if caller == "nobody" else caller) as client:
            for name in ordered:
                _call_with_every_id(story, client, caller, name, *operations[name])
    return set(operations)


def _call_with_every_id(
    story: Story, client: httpx.Client, caller: str, operation: str, method: str, path: str
) -> None:
    for case, place in _cases(story, caller, path).items():
        # On resources that are kept, only callers without permission try to end them; the story ended the others.
        if operation in LAST and case in ("its id", "a graph's id") and caller in ("steward", "admin"):
            continue
        if operation in PAPER and _is_printed_again(caller, case):
            continue
        exists = case in ("its id", "a graph's id", "no id") and not caller.startswith("foreign")
        for query in VARIANTS.get(operation, [{}]) if exists else [{}]:
            with story.witness.noting(operation, caller, f"{case} {query or ''}".strip()):
                client.request(method, place, params=query, **_body(story, operation))


def _is_printed_again(caller: str, case: str) -> bool:
    """Whether to skip a PDF report: each takes seconds, and its page, called in every way, shows the same."""
    printed = caller in ROLES and case not in ("a random id", "a canary for an id")
    return printed and not (case == "its id" and caller in ("consumer", "steward"))


def _cases(story: Story, caller: str, path: str) -> dict[str, str]:
    """The ids with which an operation is called, by type."""
    if "{id}" not in path:
        return {"no id": path}
    resource = path.split("/")[2]
    ids = {"its id": story.kept.get(resource), "the id of a deleted one": story.gone.get(resource)}
    if not caller.startswith("foreign") or caller == "foreign-admin":
        ids |= {"a random id": str(uuid4()), "a canary for an id": story.data.hidden()}
    if resource == "releases":
        ids["a graph's id"] = story.jobs["graph"]["release_id"]
        ids["a temporal graph's id"] = story.jobs["contacts"]["release_id"]
    return {case: path.replace("{id}", item_id) for case, item_id in ids.items() if item_id}


def _body(story: Story, operation: str) -> dict[str, Any]:
    """The request's body, with canaries wherever the contract accepts data."""
    make = _BODIES.get(operation)
    return make(story) if make else {}


def _upload_body(story: Story) -> dict[str, Any]:
    metadata = (None, json.dumps({"name": "test", "kind": "table"}), "application/json")
    return {"files": [("metadata", metadata), ("file", (story.data.file_name("csv"), story.data.table()))]}


_BODIES: dict[str, Callable[[Story], dict[str, Any]]] = {
    "create_dataset": _upload_body,
    "create_job": lambda story: {"json": {"dataset_id": story.data.hidden(), "policy": story.data.table_policy()}},
    "create_comparison": lambda story: {
        "json": {"dataset_id": story.data.hidden(), "policies": [{"name": "a", "policy": story.data.table_policy()}]}
    },
    "release_comparison": lambda story: {"json": {"name": story.data.hidden()}},
    "put_declarations": lambda story: {"json": {"columns": {"born": {"type": "text"}}, "budget": {"epsilon": 1}}},
    "create_query": lambda story: {"json": {"select": [{"count": {}}], "epsilon": 0.01}},
    "create_grant": lambda story: {"json": {"token_id": story.kept["tokens"], "epsilon": 1}},
    "create_policy": lambda story: {"json": {"name": "again", "policy": story.data.table_policy()}},
    "validate_policy": lambda story: {
        "json": {"dataset_id": story.kept["datasets"], "policy": story.data.table_policy()}
    },
    "create_hierarchy": lambda story: {"json": {"name": "again", "hierarchy": story.data.hierarchy()}},
    "generate_hierarchy": lambda story: {
        "json": {
            "name": "again",
            "dataset_id": story.kept["datasets"],
            "column": "home",
            "hierarchy": story.data.hierarchy(),
        }
    },
    "preview_hierarchy": lambda story: {
        "json": {"dataset_id": story.kept["datasets"], "column": "home", "hierarchy": story.data.hierarchy()}
    },
    "create_webhook": lambda story: {"json": {"url": f"http://127.0.0.1:9/{uuid4()}", "events": ["job.released"]}},
    "create_portal": lambda story: {
        "json": {"kind": "ckan", "name": "again", "url": "http://127.0.0.1:9", "token": "key-of-a-portal"}
    },
    "create_publication": lambda story: {"json": {"portal": story.kept["portals"]}},
    "create_token": lambda story: {"json": {"name": "again", "role": "consumer", "expires_in_days": 1}},
    "create_tenant": lambda story: {"json": {"name": f"again {secrets.token_hex(8)}"}},
    "withdraw_release": lambda story: {"json": {"reason": "test"}},
    "set_release_audience": lambda story: {"json": {"audience": "tenant"}},
    "set_release_about": lambda story: {"json": {"title": "test", "keywords": ["test"]}},
    "set_catalog_about": lambda story: {"json": {"title": "test"}},
}
