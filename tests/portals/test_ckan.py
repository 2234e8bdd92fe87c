"""A real CKAN: it harvests the open catalog, and the courier publishes and removes releases."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.courier.receivers import receiving
from tests.patience import patience, wait_for
from tests.portals.ckan_portal import Ckan, extra_of, running_ckan
from tests.portals.releases import card, make_public
from tests.service.conftest import api, make_api
from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy

__all__ = ["api", "make_api"]

MANY = 250
OVER = ("published", "failed", "withdrawn", "could_not_be_removed")


@pytest.fixture(scope="module")
def ckan(
    environments: Path, templates: Any, redis_server: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ckan]:
    # A database of Redis that no stack uses.
    redis_url = f"{redis_server.url.rsplit('/', 1)[0]}/9"
    folder = tmp_path_factory.mktemp("ckan")
    with running_ckan(environments / "ckan", folder, templates.address, redis_url) as portal:
        portal.act("organization_create", name="hospital", title="Hospital of Examples")
        yield portal


@pytest.fixture(scope="module")
def courier(stack: Stack) -> Iterator[None]:
    """The courier, next to the other processes of the stack."""
    stack.start("courier")
    yield
    stack.stop("courier")


def public_table(stack: Stack, title: str) -> str:
    """A table that a worker made, open to all; its id."""
    policy = table_policy(4, formats=["csv", "parquet"], report={"utility": [], "attacks": []})
    job = stack.publish(patients(60), policy, name="patients")
    assert job["status"] == "released", job
    make_public(stack, job["release_id"], card(title, "patients", "tests"))
    return str(job["release_id"])


def withdraw(stack: Stack, release_id: str) -> None:
    with stack.client() as steward:
        steward.post(f"/v1/releases/{release_id}/withdraw", json={"reason": "a test"}).raise_for_status()


def public_releases(address: str, stack: Any) -> dict[str, dict[str, Any]]:
    """Everything public, by address."""
    found: dict[str, dict[str, Any]] = {}
    asked: dict[str, Any] = {"limit": 200}
    with stack.client(None) as anybody:
        while True:
            page = anybody.get("/v1/releases", params=asked).json()
            found |= {f"{address}/v1/releases/{each['id']}": each for each in page["items"]}
            if not page.get("next_cursor"):
                return found
            asked["cursor"] = page["next_cursor"]


def description_of(stack: Stack, release_id: str) -> str:
    """The words that metadata say of a release."""
    with stack.client(None) as anybody:
        document = anybody.get(f"/v1/releases/{release_id}/metadata", params={"profile": "dcat-ap"}).json()
    [dataset] = [node for node in document["@graph"] if "dcat:Dataset" in node["@type"]]
    said = dataset["dct:description"]
    return str((said[0] if isinstance(said, list) else said)["@value"])


def digests_of(package: dict[str, Any]) -> set[str]:
    return {each["hash"].rpartition(":")[2] for each in package["resources"]}


def test_what_is_public_is_harvested_and_what_is_withdrawn_is_gone_at_the_next_harvest(
    stack: Stack, ckan: Ckan
) -> None:
    stays, goes = public_table(stack, "A table that stays on the portal"), public_table(stack, "A table that leaves")
    source = ckan.add_source("antifaz", f"{stack.address}/v1/catalog")
    public = public_releases(stack.address, stack)
    assert ckan.harvest(source)["added"] == len(public)

    packages = ckan.packages(fq="dataset_type:dataset")
    assert set(packages) == set(public)
    for address, release in public.items():
        package = packages[address]
        assert digests_of(package) == {each["sha256"] for each in release["artifacts"]}
        assert {each["hash_algorithm"].rpartition("_")[2] for each in package["resources"]} == {"sha256"}
        assert package["notes"] == description_of(stack, release["id"])
    staying, going = (f"{stack.address}/v1/releases/{each}" for each in (stays, goes))
    kept = packages[staying]
    assert "k anonymity" in kept["notes"]
    assert "k anonymity" in str(extra_of(kept, "provenance"))
    assert kept["title"] == "A table that stays on the portal"
    assert list(ckan.packages(q="stays", fq="dataset_type:dataset")) == [staying]

    withdraw(stack, goes)
    with stack.client() as steward:
        about = card("A table with another title", "patients")
        steward.put(f"/v1/releases/{stays}/about", json=about).raise_for_status()
    counts = ckan.harvest(source)
    assert (counts["added"], counts["deleted"], counts["updated"]) == (0, 1, len(public) - 1)
    left = ckan.packages(fq="dataset_type:dataset")
    assert set(left) == set(public) - {going}
    assert left[staying]["id"] == kept["id"]
    assert left[staying]["title"] == "A table with another title"
    gone = packages[going]["id"]
    assert ckan.ask("package_show", "", id=gone).status_code in (403, 404)

    counts = ckan.harvest(source)
    assert (counts["added"], counts["deleted"], counts["updated"]) == (0, 0, len(public) - 1)


def test_every_page_of_a_catalog_of_250_releases_is_harvested(api: Any, ckan: Ckan) -> None:
    for number in range(MANY):
        published = api.publish(b"age,zip\n" + b"20,08000\n" * 50 + b"%d,08001\n" % number)
        api.open_to_all(published, title=f"Release number {number} of many")
    public = public_releases(api.address, api)
    assert len(public) == MANY
    source = ckan.add_source("many", f"{api.address}/v1/catalog")
    assert ckan.harvest(source)["added"] == MANY
    packages = ckan.packages(fq=f'harvest_source_id:"{source}"')
    assert set(packages) == set(public)
    for address, release in public.items():
        assert digests_of(packages[address]) == {each["sha256"] for each in release["artifacts"]}


def connect(stack: Stack, url: str, token: str) -> str:
    body = {"kind": "ckan", "name": f"portal {url} {token[-6:]}", "url": url, "token": token, "collection": "hospital"}
    with stack.client("admin") as admin:
        answer = admin.post("/v1/portals", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def publish(stack: Stack, release_id: str, portal_id: str, **more: Any) -> dict[str, Any]:
    with stack.client() as steward:
        path = f"/v1/releases/{release_id}/publications"
        answer = steward.post(path, json={"portal": portal_id, **more})
    assert answer.status_code == 202, answer.text
    return end_of(stack, release_id)


def end_of(stack: Stack, release_id: str) -> dict[str, Any]:
    def found() -> dict[str, Any]:
        with stack.client() as steward:
            [item] = steward.get(f"/v1/releases/{release_id}/publications").json()["items"]
        return dict(item)

    wait_for(lambda: found()["state"] in OVER, "the end of a publication", pause=0.3)
    return found()


@pytest.mark.usefixtures("courier")
@pytest.mark.parametrize("mode", ["link", "upload"])
def test_sent_twice_it_is_one_package_and_a_withdrawal_leaves_no_resource_and_no_row(
    stack: Stack, ckan: Ckan, mode: str
) -> None:
    release_id = public_table(stack, f"A table that is sent in mode {mode}")
    portal_id = connect(stack, ckan.url, ckan.token)
    copies = {"mode": "upload", "acknowledge_copies": True} if mode == "upload" else {}
    first = publish(stack, release_id, portal_id, **copies)
    assert first["state"] == "published", first
    name = f"antifaz-{release_id}"
    before = ckan.act("package_show", id=name)
    again = publish(stack, release_id, portal_id, **copies)
    assert again["state"] == "published", again
    assert again["url"] == f"{ckan.url}/dataset/{name}"

    [package] = [each for each in ckan.packages().values() if release_id in each["name"]]
    assert (package["id"], package["organization"]["name"]) == (before["id"], "hospital")
    assert "k anonymity" in package["notes"]
    with stack.client(None) as anybody:
        files = anybody.get(f"/v1/releases/{release_id}").json()["artifacts"]
    assert len(package["resources"]) == len(files) == 2
    said = " ".join(each["description"] for each in package["resources"])
    assert all(each["sha256"] in said for each in files)
    [table] = [each["id"] for each in package["resources"] if each["format"] == "CSV"]

    if mode == "link":
        # Of links the loader hears from its operator; of copies by itself.
        ckan.act("xloader_submit", resource_id=table)

    def is_loaded() -> bool:
        answer = ckan.ask("xloader_status", resource_id=table)
        return answer.status_code == 200 and answer.json()["result"]["status"] == "complete"

    wait_for(is_loaded, "the rows in the DataStore", pause=0.5)
    assert ckan.rows(table) == len(stack.data(release_id, format="csv").splitlines()) - 1

    withdraw(stack, release_id)
    wait_for(lambda: end_of(stack, release_id)["state"] != "published", "the removal")
    removed = end_of(stack, release_id)
    assert removed["state"] == "withdrawn", removed
    assert ("may remain on its disk" in str(removed["reason"])) is (mode == "upload")
    deleted = ckan.act("package_show", id=name)
    assert (deleted["state"], deleted["resources"]) == ("deleted", [])
    assert ckan.ask("package_show", "", id=name).status_code in (403, 404)
    assert ckan.ask("resource_show", id=table).status_code == 404
    assert ckan.ask("datastore_search", resource_id=table).status_code == 404
    assert ckan.rows(table) is None


@pytest.mark.usefixtures("courier")
def test_a_portal_with_a_schema_of_its_own_gets_its_fields_filled(stack: Stack, ckan: Ckan) -> None:
    url = ckan.serve_with_schema()
    release_id, portal_id = public_table(stack, "A table for a portal with a schema"), connect(stack, url, ckan.token)
    for _ in range(2):
        sent = publish(stack, release_id, portal_id)
        assert sent["state"] == "published", sent
    with httpx.Client(trust_env=False, timeout=patience()) as client:
        shown = client.get(f"{url}/api/3/action/package_show", params={"id": f"antifaz-{release_id}"}).json()["result"]
    assert shown["contact"] == [{"name": "Data office", "email": "data@hospital.example"}]
    assert shown["publisher"] == [{"name": "Hospital of Examples", "url": "https://hospital.example"}]
    assert shown["temporal_coverage"] == [{"start": "2024-01-01", "end": "2024-12-31"}]
    assert "k anonymity" in shown["provenance"]
    assert {tag["name"] for tag in shown["tags"]} == {"patients", "tests"}
    assert len(shown["resources"]) == 2


@pytest.mark.usefixtures("courier")
def test_a_wrong_key_fails_with_the_reason_and_is_in_no_log(stack: Stack, ckan: Ckan) -> None:
    head, body, signature = ckan.token.split(".")
    wrong = f"{head}.{body}.{signature[::-1]}"
    release_id = public_table(stack, "A table that is not let in")
    with receiving() as receiver, stack.client("admin") as admin:
        hook = admin.post("/v1/webhooks", json={"url": receiver.url, "events": ["publication.failed"]})
        assert hook.status_code == 201, hook.text
        failed = publish(stack, release_id, connect(stack, ckan.url, wrong))
        assert failed["state"] == "failed"
        assert failed["reason"] == "package_create: the portal answered 403: the key does not allow this"
        wait_for(lambda: bool(receiver.heard), "the event")
        told = admin.get("/v1/audit-events", params={"limit": 200}).text + admin.get("/v1/portals").text
        heard = str([(each.headers, each.body) for each in receiver.heard])
    assert ckan.ask("package_show", id=f"antifaz-{release_id}").status_code == 404
    logs = [log for folder in (stack.logs, ckan.logs) for log in folder.glob("*.log")]
    assert len(logs) >= 9
    for secret in (wrong, signature[::-1]):
        assert secret not in told + heard + json.dumps(failed)
        assert [log.name for log in logs if secret in log.read_text()] == []
