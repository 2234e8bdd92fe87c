"""Nothing crosses tenants: wherever a request takes an id, another tenant's id is treated like an unknown one.

The places are those of the OpenAPI document: paths, queries, and members of bodies that hold an id.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.service.samples import DECLARATIONS, QUESTION, WAIVERS, table_policy

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = json.loads((ROOT / "api_schemas" / "openapi.json").read_text())
VERBS = ("get", "post", "put", "patch", "delete")
CHANGING = {"date", "x-request-id"}
BODIES = {
    "withdraw_release": {"reason": "test"},
    "set_release_audience": {"audience": "public"},
    "release_comparison": {"name": "a"},
    "set_release_about": {"title": "test"},
    "put_declarations": DECLARATIONS,
    "create_query": QUESTION,
    "create_publication": {"portal": "00000000-0000-0000-0000-000000000000"},
    "create_grant": {"token_id": "00000000-0000-0000-0000-000000000000", "epsilon": 1},
}
HOLDS_AN_ID = re.compile(r"(^|_)ids?$|^supersedes$|^population$")


def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Every operation of the document: verb, path and description."""
    return {
        about["operationId"]: (verb.upper(), path, about)
        for path, item in DOCUMENT["paths"].items()
        for verb, about in item.items()
        if verb in VERBS
    }


OPERATIONS = operations()
WITH_ID = sorted(name for name, (_, path, _) in OPERATIONS.items() if "{id}" in path)


@pytest.fixture(scope="module")
def belongings(api: Any) -> dict[str, str]:
    """One of each resource in the default tenant, by its name in paths."""
    published = api.publish()
    steward, admin = api.client(), api.client("admin")
    rows = {"kind": "levels", "rows": [["a", "*"], ["b", "*"]]}
    named = {"dataset_id": published.dataset_id, "policies": [{"name": "a", "policy": table_policy()}]}
    assert api.declare(published.dataset_id, waivers=WAIVERS).status_code == 200
    shown = api.publish()
    api.open_to_all(shown)
    portal = {"kind": "ckan", "name": "portal", "url": "http://127.0.0.1:9", "token": "key-of-a-portal"}
    portals = admin.post("/v1/portals", json=portal).json()["id"]
    sent = steward.post(f"/v1/releases/{shown.release_id}/publications", json={"portal": portals})
    hook = {"url": "http://127.0.0.1:9", "events": ["job.released"]}
    webhooks = admin.post("/v1/webhooks", json=hook).json()["id"]
    return {
        "portals": portals,
        "publications": sent.json()["id"],
        "webhooks": webhooks,
        "deliveries": admin.post(f"/v1/webhooks/{webhooks}/test").json()["id"],
        "queries": steward.post(f"/v1/datasets/{published.dataset_id}/queries", json=QUESTION).json()["id"],
        "datasets": published.dataset_id,
        "jobs": published.job_id,
        "comparisons": steward.post("/v1/comparisons", json=named).json()["id"],
        "releases": published.release_id,
        "policies": steward.post("/v1/policies", json={"name": "p", "policy": table_policy()}).json()["id"],
        "hierarchies": steward.post("/v1/hierarchies", json={"name": "h", "hierarchy": rows}).json()["id"],
        "analysts": admin.post("/v1/tokens", json={"name": "ana", "role": "analyst"}).json()["id"],
        "tokens": admin.post("/v1/tokens", json={"name": "spare", "role": "consumer"}).json()["id"],
    }


def told(answer: httpx.Response, *ids: str) -> tuple[int, list[tuple[str, str]], bytes]:
    """The whole answer except the time, the request's own number, and the requested id."""
    head = sorted((name, value) for name, value in answer.headers.items() if name not in CHANGING)
    body = answer.content
    for item_id in ids:
        body = body.replace(item_id.encode(), b"ID")
    return answer.status_code, head, body


@pytest.mark.parametrize("role", ["admin", "steward", "consumer", "auditor", "analyst", None])
@pytest.mark.parametrize("operation", WITH_ID)
def test_a_foreign_id_in_a_path_is_answered_exactly_like_a_random_one(
    api: Any, belongings: dict[str, str], operation: str, role: str | None
) -> None:
    verb, path, _ = OPERATIONS[operation]
    foreign, random = belongings[path.split("/")[2]], str(uuid4())
    client = api.client(role, "stranger") if role else api.client(None)
    answers = [
        told(client.request(verb, path.replace("{id}", item_id), json=BODIES.get(operation)), item_id)
        for item_id in (foreign, random)
    ]
    assert answers[0] == answers[1]
    assert answers[0][0] in (401, 403, 404)


def test_nothing_happened_to_what_was_asked_for(api: Any, belongings: dict[str, str]) -> None:
    """After all of the above: it is still there, not withdrawn, not public, not revoked."""
    admin = api.client("admin")
    for resource in ("datasets", "jobs", "comparisons", "releases", "policies", "hierarchies", "portals", "webhooks"):
        assert admin.get(f"/v1/{resource}/{belongings[resource]}").status_code == 200
    release = admin.get(f"/v1/releases/{belongings['releases']}").json()
    assert (release["audience"], release["withdrawn_at"]) == ("tenant", None)
    spare = next(item for item in admin.get("/v1/tokens").json()["items"] if item["id"] == belongings["tokens"])
    assert spare["revoked_at"] is None


Call = Callable[[Any, str], httpx.Response]


def post(path: str, **body: Any) -> Call:
    """Sends a body in which ID is replaced by the id."""
    text = json.dumps(body)
    headers = {"Content-Type": "application/json"}
    return lambda api, item_id: api.client("steward", "stranger").post(
        path, content=text.replace("ID", item_id).replace("MINE", mine(api)), headers=headers
    )


def get(path: str, **query: str) -> Call:
    return lambda api, item_id: api.client("admin", "stranger").get(path, params=dict.fromkeys(query, item_id))


def upload(**metadata: str) -> Call:
    return lambda api, item_id: api.upload(tenant="stranger", **dict.fromkeys(metadata, item_id))


def grant(api: Any, item_id: str) -> httpx.Response:
    """A budget of the stranger's own dataset, for a given token."""
    steward, dataset_id = api.client("steward", "stranger"), mine(api)
    steward.put(f"/v1/datasets/{dataset_id}/declarations", json=DECLARATIONS)
    return steward.post(f"/v1/datasets/{dataset_id}/grants", json={"token_id": item_id, "epsilon": 1})


def with_hierarchy() -> dict[str, Any]:
    policy = table_policy()
    name = next(iter(policy["attributes"]))
    policy["attributes"][name] = {"role": "quasi_identifier", "hierarchy": {"id": "ID"}}
    return policy


def against_a_population() -> dict[str, Any]:
    return table_policy() | {"guarantees": [{"model": "k_map", "k": 2, "population": "ID"}]}


def mine(api: Any) -> str:
    """The stranger's own dataset."""
    listed = api.client("steward", "stranger").get("/v1/datasets").json()["items"]
    return str(listed[0]["id"] if listed else api.upload(tenant="stranger").json()["id"])


PLACES: dict[str, tuple[str, Call]] = {
    "create_job dataset_id": ("datasets", post("/v1/jobs", dataset_id="ID", policy=table_policy())),
    "create_job policy_id": ("policies", post("/v1/jobs", dataset_id="MINE", policy_id="ID")),
    "create_job id": ("hierarchies", post("/v1/jobs", dataset_id="MINE", policy=with_hierarchy())),
    "create_job population": ("datasets", post("/v1/jobs", dataset_id="MINE", policy=against_a_population())),
    "validate_policy dataset_id": ("datasets", post("/v1/policies/validate", dataset_id="ID", policy=table_policy())),
    "validate_policy id": ("hierarchies", post("/v1/policies/validate", policy=with_hierarchy())),
    "create_policy id": ("hierarchies", post("/v1/policies", name="x", policy=with_hierarchy())),
    "preview_hierarchy dataset_id": (
        "datasets",
        post("/v1/hierarchies/preview", dataset_id="ID", column="zip", hierarchy={"kind": "mask"}),
    ),
    "generate_hierarchy dataset_id": (
        "datasets",
        post("/v1/hierarchies/generate", name="x", dataset_id="ID", column="zip", hierarchy={"kind": "mask"}),
    ),
    "create_dataset supersedes": ("datasets", upload(supersedes="ID")),
    "create_comparison dataset_id": (
        "datasets",
        post("/v1/comparisons", dataset_id="ID", policies=[{"name": "a", "policy": table_policy()}]),
    ),
    "create_grant token_id": ("analysts", grant),
    "list_jobs dataset_id": ("datasets", get("/v1/jobs", dataset_id="ID")),
    "list_reports dataset_id": ("datasets", get("/v1/reports", dataset_id="ID")),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_foreign_id_anywhere_else_is_answered_exactly_like_a_random_one(
    api: Any, belongings: dict[str, str], place: str
) -> None:
    resource, call = PLACES[place]
    mine(api)
    foreign, random = belongings[resource], str(uuid4())
    answers = [told(call(api, item_id), item_id) for item_id in (foreign, random)]
    assert answers[0] == answers[1]
    if place.startswith("list_"):
        assert json.loads(answers[0][2])["items"] == []
    else:
        assert answers[0][0] in (404, 422)


def test_every_place_for_an_id_is_tried() -> None:
    """A new query or member of a body that holds an id must be added above."""
    found = set()
    for name, (_, _, about) in OPERATIONS.items():
        found |= {f"{name} {each['name']}" for each in about.get("parameters", []) if each["in"] == "query"}
        for content in about.get("requestBody", {}).get("content", {}).values():
            found |= {f"{name} {member}" for member in members(content.get("schema", {}), frozenset())}
    ids = {place for place in found if HOLDS_AN_ID.search(place.split()[1])}
    # A policy is read by the same code whether it comes with an upload, is stored, or is only checked.
    same = {"create_dataset id", "create_dataset population", "validate_policy population", "create_policy population"}
    same |= {"create_comparison id", "create_comparison population"}
    assert ids - same <= set(PLACES)
    assert {place for place in PLACES if not place.endswith(" id")} <= ids


def members(schema: Any, seen: frozenset[str]) -> set[str]:
    """The names of all members below a schema."""
    if isinstance(schema, list):
        return set().union(*(members(each, seen) for each in schema))
    if not isinstance(schema, dict):
        return set()
    reference = schema.get("$ref")
    if isinstance(reference, str):
        if reference in seen:
            return set()
        target = DOCUMENT["components"]["schemas"][reference.rpartition("/")[2]]
        return members(target, seen | {reference})
    named = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return named.union(*(members(each, seen) for each in schema.values()))
