"""Every operation × every role × the tenant's own, a foreign and a missing id."""

import re
from typing import Any
from uuid import uuid4

import httpx
import pytest

from service.access.permissions import (
    ADMIN,
    ANALYST,
    AUDITOR,
    CONSUMER,
    OPEN,
    PAGES,
    PERMISSIONS,
    PUBLIC_LISTS,
    PUBLIC_RELEASES,
    STEWARD,
    WITH_ANSWERS,
    WITH_DATA,
)
from service.access.routing import GuardedRoute
from service.app import ROUTERS, create_app
from tests.patience import patience
from tests.service.conftest import ROLES, Api, Published
from tests.service.samples import DECLARATIONS, QUESTION, WAIVERS, table_policy

ROUTES = [route for module in ROUTERS for route in module.router.routes]
OPERATIONS = {
    route.operation_id: (min(route.methods), route.path)
    for route in ROUTES
    if isinstance(route, GuardedRoute) and route.include_in_schema
}
BODIES: dict[str, Any] = {
    "withdraw_release": {"reason": "test"},
    "set_release_audience": {"audience": "tenant"},
    "release_comparison": {"name": "a"},
    "set_release_about": {"title": "test"},
    "set_catalog_about": {"title": "test"},
    "put_declarations": DECLARATIONS,
    "create_query": QUESTION,
    "create_publication": {"portal": "00000000-0000-0000-0000-000000000000"},
    "create_grant": {"token_id": "00000000-0000-0000-0000-000000000000", "epsilon": 1},
}
PAPER = {"get_job_report_pdf", "get_release_report_pdf"}
DATA_ROLES = PERMISSIONS["get_release_data"]
DESTRUCTIVE = {"delete_dataset", "revoke_token", "withdraw_release", "cancel_job", "delete_webhook", "delete_portal"}


@pytest.fixture(scope="module")
def belongings(api: Api) -> dict[str, Any]:
    """One of each kind of thing in the default tenant."""
    published = api.publish()
    with api.client() as steward, api.client("admin") as admin:
        policy = steward.post("/v1/policies", json={"name": "p", "policy": table_policy()}).json()
        rows = [["a", "*"], ["b", "*"]]
        body = {"name": "h", "hierarchy": {"kind": "levels", "rows": rows}}
        hierarchy = steward.post("/v1/hierarchies", json=body).json()
        token = admin.post("/v1/tokens", json={"name": "spare", "role": "consumer"}).json()
        named = {"dataset_id": published.dataset_id, "policies": [{"name": "a", "policy": table_policy()}]}
        comparison = steward.post("/v1/comparisons", json=named).json()
        assert api.declare(published.dataset_id, waivers=WAIVERS).status_code == 200
        query = steward.post(f"/v1/datasets/{published.dataset_id}/queries", json=QUESTION).json()
        hook = {"url": "http://127.0.0.1:9", "events": ["job.released"]}
        webhook = admin.post("/v1/webhooks", json=hook).json()
        delivery = admin.post(f"/v1/webhooks/{webhook['id']}/test").json()
        place = {"kind": "ckan", "name": "p", "url": "http://127.0.0.1:9", "token": "secret"}
        portal = admin.post("/v1/portals", json=place).json()
        shown = api.publish()
        api.open_to_all(shown)
        path = f"/v1/releases/{shown.release_id}"
        publication = steward.post(f"{path}/publications", json={"portal": portal["id"]}).json()
        steward.post(f"{path}/audience", json={"audience": "tenant"})
    return {
        "datasets": published.dataset_id,
        "jobs": published.job_id,
        "comparisons": comparison["id"],
        "queries": query["id"],
        "releases": published.release_id,
        "policies": policy["id"],
        "hierarchies": hierarchy["id"],
        "tokens": token["id"],
        "webhooks": webhook["id"],
        "deliveries": delivery["id"],
        "portals": portal["id"],
        "publications": publication["id"],
    }


def call(client: httpx.Client, operation: str, item_id: str) -> httpx.Response:
    method, path = OPERATIONS[operation]
    body = BODIES.get(operation)
    return client.request(method, path.replace("{id}", item_id).replace("{tenant}", "default"), json=body)


def own_id(operation: str, belongings: dict[str, Any]) -> str:
    _, path = OPERATIONS[operation]
    return str(belongings.get(path.split("/")[2], "")) if "{id}" in path else ""


def test_the_table_lists_every_operation_and_nothing_else():
    assert set(OPERATIONS) == (set(PERMISSIONS) | OPEN) - PAGES


def test_every_route_is_guarded():
    for route in ROUTES:
        assert isinstance(route, GuardedRoute), route
    assert len(create_app().routes) == len(ROUTERS)


def test_no_route_hides_another_whatever_the_order_of_modules():
    for route in ROUTES:
        path = re.sub(r"{[^}]*}", "x", route.path)
        answering = [other for other in ROUTES if other.path_regex.match(path) and other.methods & route.methods]
        assert answering[0] is route, (route.path, answering[0].path)


def test_the_table_says_what_the_contract_says():
    assert PERMISSIONS["create_dataset"] == {STEWARD, ADMIN}
    assert CONSUMER in DATA_ROLES
    assert AUDITOR not in DATA_ROLES
    assert PERMISSIONS["list_audit_events"] == {AUDITOR, ADMIN}
    assert PERMISSIONS["create_token"] == {ADMIN}
    for roles in PERMISSIONS.values():
        assert ADMIN in roles


@pytest.mark.parametrize("operation", sorted(PERMISSIONS))
def test_without_a_token_nothing_is_served_that_is_not_public(api, belongings, operation):
    with api.client(None) as nobody:
        answer = call(nobody, operation, own_id(operation, belongings))
    if operation in PUBLIC_LISTS and "{tenant}" not in OPERATIONS[operation][1]:
        assert answer.status_code == (415 if operation == "oai_form" else 200)
        assert belongings["releases"] not in answer.text
        return
    if operation in PUBLIC_RELEASES | PUBLIC_LISTS:
        assert answer.status_code == 404
    else:
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.headers["content-type"] == "application/problem+json"


CELL = b"a-cell-of-the-release"


def test_what_contains_data_has_the_roles_of_data(api, belongings):
    """A rule about what answers contain, whatever the table says: it also covers an operation that is added later."""
    published = api.publish(b"age,disease\n" + b"20," + CELL + b"\n" * 50)
    own = belongings | {"releases": published.release_id, "jobs": published.job_id, "datasets": published.dataset_id}
    containing = set()
    for operation, (method, _) in OPERATIONS.items():
        if method != "GET" or operation in PAPER:
            continue
        for role in (None, *ROLES):
            with api.client(role) as client:
                if CELL in call(client, operation, own_id(operation, own)).content:
                    containing.add((operation, role))
    assert {role for _, role in containing} == DATA_ROLES
    assert {operation for operation, _ in containing} <= WITH_DATA
    assert ("get_release_bundle", CONSUMER) in containing


def test_what_is_data_is_only_for_roles_of_data():
    """Operations that other roles may call too leave the data out; those are named here with what remains."""
    without = {name for name in WITH_DATA | WITH_ANSWERS if not PERMISSIONS[name] <= DATA_ROLES | {ANALYST}}
    assert without == {"get_release_bundle", "get_release_report_page", "get_release_report_pdf", "get_query"}


@pytest.mark.usefixtures("consumed")
@pytest.mark.parametrize("operation", sorted(OPEN - PAGES))
def test_what_is_open_needs_no_token(api, operation):
    with api.client(None) as nobody:
        assert call(nobody, operation, "").status_code == 200


@pytest.mark.parametrize("operation", sorted(PERMISSIONS))
def test_only_the_listed_roles_are_admitted(api, belongings, operation):
    for role in ROLES:
        with api.client(role) as client:
            denied = role not in PERMISSIONS[operation] and operation not in PUBLIC_LISTS
            if not denied and operation in DESTRUCTIVE:
                continue
            # A report on paper takes seconds: one role prints it, the others are admitted to one that is not there.
            printed = operation not in PAPER or denied or role == "steward"
            answer = call(client, operation, own_id(operation, belongings) if printed else str(uuid4()))
            assert (answer.status_code == 403) == denied, (role, answer.text)
            assert answer.status_code < 500


@pytest.fixture(scope="module")
def shown(api) -> str:
    """The id of a public release."""
    published = api.publish()
    api.open_to_all(published)
    return published.release_id


@pytest.fixture
def consumed(api):
    """Without live consumers a service with waiting work is not ready."""
    with api.consumers_of_everything():
        yield


@pytest.mark.usefixtures("consumed")
@pytest.mark.parametrize("operation", sorted(PUBLIC_LISTS | PUBLIC_RELEASES | (OPEN - PAGES)))
def test_the_holder_of_a_token_may_do_at_least_what_a_stranger_may(api, shown, operation):
    with api.client(None) as nobody:
        public = ask_as(nobody, operation, shown)
    assert public.status_code == 200, public.text
    for role in ROLES:
        for tenant in ("default", "stranger"):
            # A report on paper takes seconds: one role prints it.
            if operation in PAPER and (role, tenant) != ("analyst", "default"):
                continue
            with api.client(role, tenant) as client:
                answer = ask_as(client, operation, shown)
            assert answer.status_code == 200, (role, tenant, answer.text)
            if operation in PUBLIC_LISTS and role not in PERMISSIONS[operation]:
                # Nothing more, either: a role that is not listed sees what strangers see.
                assert ids_in(answer) == ids_in(public)


def ask_as(client: httpx.Client, operation: str, release_id: str) -> httpx.Response:
    method, path = OPERATIONS[operation]
    place = path.replace("{id}", release_id).replace("{tenant}", "default")
    form = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}
    if operation.startswith("oai"):
        return client.request(method, place, **({"data": form} if method == "POST" else {"params": form}))
    return client.request(method, place)


def ids_in(answer: httpx.Response) -> set[str]:
    return set(re.findall(r"[0-9a-f]{8}-[0-9a-f]{4}-7?[0-9a-f-]{15,}", answer.text))


@pytest.mark.parametrize("operation", sorted(name for name, (_, path) in OPERATIONS.items() if "{id}" in path))
def test_a_foreign_id_answers_like_an_unknown_one(api, belongings, operation):
    for role in sorted(PERMISSIONS[operation]):
        with api.client(role, "stranger") as stranger:
            foreign = call(stranger, operation, own_id(operation, belongings))
            unknown = call(stranger, operation, str(uuid4()))
            nonsense = call(stranger, operation, "no-such-id")
        assert foreign.status_code == unknown.status_code == nonsense.status_code == 404
        assert foreign.content == unknown.content == nonsense.content


@pytest.mark.parametrize(
    "path",
    ["/v1/datasets", "/v1/jobs", "/v1/releases", "/v1/policies", "/v1/hierarchies", "/v1/webhooks", "/v1/portals"],
)
def test_lists_show_nothing_of_another_tenant(api, belongings, path):
    with api.client("admin", "stranger") as stranger:
        assert stranger.get(path).json() == {"items": [], "next_cursor": None}


def test_a_foreign_dataset_cannot_be_used_by_its_id(api, belongings):
    with api.client("steward", "stranger") as stranger:
        body = {"dataset_id": belongings["datasets"], "policy": table_policy()}
        assert stranger.post("/v1/jobs", json=body).status_code == 404
        assert stranger.post("/v1/policies/validate", json=body).status_code == 404
        mine = api.upload(tenant="stranger").json()["id"]
        body = {"dataset_id": mine, "policy_id": belongings["policies"]}
        assert stranger.post("/v1/jobs", json=body).status_code == 404
    answer = api.upload(supersedes=belongings["datasets"], tenant="stranger")
    assert answer.json()["errors"][0]["pointer"] == "/metadata/supersedes"


def test_a_public_release_is_read_without_a_token_and_by_everybody(api):
    published: Published = api.publish()
    path = f"/v1/releases/{published.release_id}"
    api.open_to_all(published)
    for role, tenant in ((None, ""), ("auditor", "default"), ("consumer", "stranger")):
        with api.client(role, tenant) as reader:
            assert reader.get(f"{path}/data").content == published.content
            assert reader.get(path).status_code == 200
            assert "k_anonymity" in reader.get(f"{path}/report.html").text
            seen = reader.get(f"{path}/report").json()
            assert ("risk" in seen) == (role == "auditor")
    with api.client() as steward:
        steward.post(f"{path}/audience", json={"audience": "tenant"})
    with api.client(None) as nobody:
        assert nobody.get(path).status_code == 404


@pytest.mark.parametrize("header", ["Bearer", "Basic YTpi", "Bearer wrong", "Bearer " + "x" * 600, "Bearer \x7f"])
def test_a_bad_token_is_a_401_even_for_what_is_public(api, header):
    answer = httpx.get(f"{api.address}/v1/releases/{uuid4()}", headers={"Authorization": header}, timeout=patience())
    assert answer.status_code == 401


def test_a_revoked_token_is_refused_at_once(api):
    with api.client("admin") as admin:
        made = admin.post("/v1/tokens", json={"name": "brief", "role": "consumer", "expires_in_days": 1}).json()
        headers = {"Authorization": f"Bearer {made['token']}"}
        assert httpx.get(f"{api.address}/v1/releases", headers=headers, timeout=patience()).status_code == 200
        assert admin.delete(f"/v1/tokens/{made['id']}").status_code == 204
        assert httpx.get(f"{api.address}/v1/releases", headers=headers, timeout=patience()).status_code == 401
        listed = next(item for item in admin.get("/v1/tokens").json()["items"] if item["id"] == made["id"])
    assert listed["revoked_at"] is not None
    assert "token" not in listed


def test_an_address_of_its_own_is_not_taken_for_one_with_a_parameter() -> None:
    for route in ROUTES:
        first = next(r for r in ROUTES if r.path_regex.match(route.path) and r.methods & route.methods)
        assert "{" in route.path or first.path == route.path, f"{first.path} is matched before {route.path}"
