"""One row that does not match its code is left out of lists, logged and counted; everything else is listed."""

import logging
from urllib.parse import quote

import httpx
import pytest
from prometheus_client import generate_latest
from sqlalchemy import text

from service.runtime.metrics import Metrics
from storage.crypto.authenticity import FORGED
from tests.service.conftest import Api

LISTS = ("/v1/catalog", "/oai?verb=ListRecords&metadataPrefix=oai_dc", "/v1/releases", "/v1/releases?q=test")


def opened(api: Api, case: str) -> tuple[str, str]:
    """A public release of each of two tenants: one stays as it is, a row of the other will be changed."""
    made = []
    for tenant in (f"honest {case}", f"forged {case}"):
        published = api.publish(tenant=tenant)
        api.open_to_all(published, tenant)
        made.append(published.release_id)
    return made[0], made[1]


def lists(api: Api, tenant: str | None = None) -> dict[str, httpx.Response]:
    """Every public list, or every list of a tenant's own."""
    if tenant is None:
        client = api.client(None)
        return {path: client.get(path) for path in LISTS}
    steward, auditor = api.client("steward", tenant), api.client("auditor", tenant)
    own = {path: steward.get(path) for path in ("/v1/releases", "/v1/policies", "/v1/datasets", "/v1/jobs")}
    return own | {"/v1/reports": auditor.get("/v1/reports")}


CHANGES = {
    "a release": ("release", "UPDATE releases SET name = 'changed' WHERE id = :id"),
    "an artifact": ("release", "UPDATE artifacts SET size = size + 1 WHERE release_id = :id"),
    "a card": ("card", "UPDATE cards SET content = content || jsonb_build_object('title', 'x') WHERE subject = :id"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_changed_row_is_missing_from_public_lists_and_nothing_else_is(
    api: Api, case: str, caplog: pytest.LogCaptureFixture
) -> None:
    honest, forged = opened(api, case)
    assert all(honest in answer.text and forged in answer.text for answer in lists(api).values())
    kind, statement = CHANGES[case]
    counted = FORGED[kind]
    with api.owner.begin() as connection:
        assert connection.execute(text(statement), {"id": forged}).rowcount >= 1
    with caplog.at_level(logging.ERROR):
        for path, answer in lists(api).items():
            assert answer.status_code == 200, (path, answer.text)
            assert honest in answer.text, path
            assert forged not in answer.text, path
    stranger = api.client(None)
    assert stranger.get(f"/v1/releases/{forged}").status_code == 500
    assert stranger.get(f"/v1/releases/{honest}").status_code == 200
    assert FORGED[kind] >= counted + len(LISTS)
    assert f'antifaz_forged_rows_total{{kind="{kind}"}}' in generate_latest(Metrics().registry).decode()
    assert any("does not authenticate" in record.message for record in caplog.records)
    found = api.client("auditor", f"forged {case}").get("/v1/audit-events/verify").json()
    assert {row["table"] for row in found["forged"]} == {"cards" if kind == "card" else "releases"}
    assert api.client("auditor", f"honest {case}").get("/v1/audit-events/verify").json()["forged"] == []


def test_a_changed_row_of_a_tenant_is_missing_from_its_own_lists(api: Api) -> None:
    kept, changed = (api.publish(tenant="own-lists") for _ in range(2))
    policy = {"kind": "table", "attributes": {"age": {"role": "quasi_identifier"}}}
    policy |= {"guarantees": [{"model": "k_anonymity", "k": 2}], "method": {"name": "mondrian"}}
    steward = api.client("steward", "own-lists")
    names = ["honest", "forged"]
    for name in names:
        assert steward.post("/v1/policies", json={"name": name, "policy": policy}).status_code == 201
    with api.owner.begin() as connection:
        connection.execute(text("UPDATE releases SET name = 'x' WHERE id = :id"), {"id": changed.release_id})
        connection.execute(text("UPDATE reports SET risk = 0 WHERE release_id = :id"), {"id": changed.release_id})
        connection.execute(text("UPDATE policies SET version = 7 WHERE name = 'forged'"))
    found = lists(api, "own-lists")
    assert {path: answer.status_code for path, answer in found.items()} == dict.fromkeys(found, 200)
    assert [item["id"] for item in found["/v1/releases"].json()["items"]] == [kept.release_id]
    assert [item["job_id"] for item in found["/v1/reports"].json()["items"]] == [kept.job_id]
    assert [item["name"] for item in found["/v1/policies"].json()["items"]] == ["honest"]


def test_a_changed_card_of_a_tenant_hides_its_releases_and_no_others(api: Api) -> None:
    honest, forged = opened(api, "defaults")
    steward = api.client("steward", "forged defaults")
    assert steward.put("/v1/catalog/about", json={"keywords": ["a"]}).status_code == 200
    tenant = "(SELECT id FROM tenants WHERE name = 'forged defaults')"
    change = f"UPDATE cards SET content = '{{}}' WHERE subject = {tenant}"
    with api.owner.begin() as connection:
        assert connection.execute(text(change)).rowcount == 1
    for path, answer in lists(api).items():
        assert answer.status_code == 200, path
        assert honest in answer.text
        assert forged not in answer.text
    assert api.client(None).get(f"/v1/catalog/{quote('forged defaults')}").status_code == 200
