"""Tokens and tenants."""

import httpx
import pytest

from tests.patience import patience


def test_a_token_is_shown_once_and_works(api):
    with api.client("admin") as admin:
        answer = admin.post("/v1/tokens", json={"name": "portal", "role": "consumer", "expires_in_days": 90})
        made = answer.json()
        listed = next(item for item in admin.get("/v1/tokens").json()["items"] if item["id"] == made["id"])
    assert answer.status_code == 201
    assert made["token"].startswith("afz_")
    assert made["expires_at"] > made["created_at"]
    assert listed == {name: value for name, value in made.items() if name != "token"}
    headers = {"Authorization": f"Bearer {made['token']}"}
    assert httpx.get(f"{api.address}/v1/releases", headers=headers, timeout=patience()).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        {"name": "a"},
        {"name": "a", "role": "root"},
        {"name": "a", "role": "admin", "expires_in_days": 0},
        {"name": "a", "role": "admin", "expires_in_days": True},
        {"role": "admin"},
    ],
)
def test_a_wrong_token_request_is_a_422(api, body):
    with api.client("admin") as admin:
        assert admin.post("/v1/tokens", json=body).status_code == 422


def test_only_the_first_tenants_admin_makes_tenants(api):
    with api.client("admin") as admin:
        made = admin.post("/v1/tenants", json={"name": "clinic"})
        assert made.status_code == 201
        assert admin.post("/v1/tenants", json={"name": "clinic"}).status_code == 409
    headers = {"Authorization": f"Bearer {made.json()['token']['token']}"}
    with httpx.Client(base_url=api.address, headers=headers, timeout=patience()) as clinic:
        assert clinic.get("/v1/tokens").status_code == 200
        assert clinic.post("/v1/tenants", json={"name": "another"}).status_code == 403


def test_the_first_token_is_installed_again_without_harm(api, make_api):
    again = make_api()
    with again.client("admin") as admin:
        assert admin.get("/v1/tokens").status_code == 200


@pytest.mark.parametrize("role", ["steward", "consumer", "auditor", "analyst", "admin"])
def test_a_token_can_ask_whom_it_stands_for(api, role):
    with api.client(role, "whoami") as client:
        found = client.get("/v1/me").json()
    assert (found["role"], found["tenant"]["name"], found["expires_at"]) == (role, "whoami", None)
    assert found["name"] == ("first" if role == "admin" else role)
    with api.client("admin", "whoami") as admin:
        assert found["token_id"] in [token["id"] for token in admin.get("/v1/tokens").json()["items"]]


def test_without_a_token_there_is_nobody_to_name(api):
    with api.client(None) as nobody:
        assert nobody.get("/v1/me").status_code == 401
