"""Sessions: signing in, what a cookie allows, and what it allows only for our own pages."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from service.access.sessions import COOKIE, SECRET_HEADER
from storage.crypto.authenticity import mac_of
from storage.crypto.keys import load_token_key
from storage.tenancy.tokens import CALLER
from tests.patience import patience
from tests.service.conftest import Api

OURS = {"Sec-Fetch-Site": "same-origin"}
LOOKS_ELSEWHERE = ["same-site", "cross-site", "", None]


def browser(api: Api) -> httpx.Client:
    """A client that keeps no cookies by itself: `Secure` ones would not come back over http."""
    return httpx.Client(base_url=api.address, timeout=patience())


def sign_in(api: Api, role: str = "steward", token: str | None = None, target: str = "") -> dict[str, str]:
    """The cookie and the secret of a new session."""
    with browser(api) as client:
        fields = {"token": token or api.token(role), "next": target}
        answer = client.post("/sign-in", data=fields, headers=OURS)
        assert answer.status_code == 303, answer.text
        cookie = answer.headers["set-cookie"].partition(";")[0]
        page = client.get("/", headers={"Cookie": cookie, **OURS}).text
    return {"cookie": cookie, "secret": page.partition('name="antifaz-session" content="')[2].partition('"')[0]}


@pytest.fixture(scope="module")
def session(api: Api) -> dict[str, str]:
    return sign_in(api)


def ask(api: Api, session: dict[str, str], site: str | None = "same-origin") -> int:
    headers = {"Cookie": session["cookie"]} | ({} if site is None else {"Sec-Fetch-Site": site})
    return httpx.get(f"{api.address}/v1/datasets", headers=headers, timeout=patience()).status_code


def change(api: Api, session: dict[str, str], site: str | None, secret: str | None) -> int:
    headers: dict[str, Any] = {"Cookie": session["cookie"]} | ({} if site is None else {"Sec-Fetch-Site": site})
    headers |= {} if secret is None else {SECRET_HEADER: secret.encode()}
    body = {"policy": {"kind": "table"}}
    address = f"{api.address}/v1/policies/validate"
    return httpx.post(address, headers=headers, json=body, timeout=patience()).status_code


def test_the_cookie_is_of_this_host_alone_and_no_script_can_read_it(api: Api) -> None:
    with browser(api) as client:
        answer = client.post("/sign-in", data={"token": api.token("steward")}, headers=OURS)
    said = answer.headers["set-cookie"]
    assert said.startswith(f"{COOKIE}=afs_")
    assert {part.strip().lower() for part in said.split(";")[1:]} == {
        "httponly",
        "secure",
        "samesite=strict",
        "path=/",
        "max-age=28800",
    }
    assert api.token("steward") not in said


def test_a_session_reads_and_changes_for_a_page_of_ours(api: Api, session: dict[str, str]) -> None:
    assert ask(api, session) == 200
    # A typed address does not come from our pages, and may read.
    assert ask(api, session, "none") == 200
    assert change(api, session, "same-origin", session["secret"]) == 422


@pytest.mark.parametrize("site", LOOKS_ELSEWHERE)
def test_a_cookie_that_another_site_or_port_makes_the_browser_send_opens_nothing(
    api: Api, session: dict[str, str], site: str | None
) -> None:
    assert ask(api, session, site) == 401
    assert change(api, session, site, session["secret"]) == 401


@pytest.mark.parametrize("secret", [None, "", "0" * 64, "\u00e9"])
def test_a_cookie_without_the_header_changes_nothing(api: Api, session: dict[str, str], secret: str | None) -> None:
    assert change(api, session, "same-origin", secret) == 401
    assert change(api, session, "none", session["secret"]) == 401


def test_the_secret_of_one_session_is_not_that_of_another(api: Api, session: dict[str, str]) -> None:
    other = sign_in(api)
    assert other["secret"] != session["secret"]
    assert change(api, session, "same-origin", other["secret"]) == 401


def test_neither_is_a_session_a_token_nor_a_token_a_session(api: Api, session: dict[str, str]) -> None:
    cookie_text = session["cookie"].partition("=")[2]
    as_token = {"Authorization": f"Bearer {cookie_text}", **OURS}
    assert httpx.get(f"{api.address}/v1/datasets", headers=as_token, timeout=patience()).status_code == 401
    as_cookie = {"cookie": f"{COOKIE}={api.token('steward')}"}
    assert ask(api, as_cookie) == 401
    with browser(api) as client:
        assert client.post("/sign-in", data={"token": cookie_text}, headers=OURS).status_code == 401


def test_an_expired_session_is_refused(api: Api) -> None:
    brief = sign_in(api)
    assert ask(api, brief) == 200
    age(api, timedelta(hours=7))
    assert ask(api, brief) == 200
    age(api, timedelta(hours=2))
    assert ask(api, brief) == 401
    with browser(api) as client:
        assert "antifaz-session" not in client.get("/", headers={"Cookie": brief["cookie"], **OURS}).text


def newest_session(api: Api) -> Any:
    made = text("SELECT id FROM tokens WHERE parent_id IS NOT NULL ORDER BY created_at DESC LIMIT 1")
    with api.owner.begin() as c:
        return c.execute(made).scalar_one()


def age(api: Api, passed: timedelta) -> None:
    """Write the newest session as if it had begun earlier, under the key, without which it would be nobody's."""
    keys = load_token_key(Path(str(api.settings.token_key_file)))
    columns = [column.key for column in CALLER if column.key != "mac"]
    one = {"id": newest_session(api)}
    with api.owner.begin() as c:
        row = c.execute(text(f"SELECT {', '.join(columns)} FROM tokens WHERE id = :id"), one).one()
        values = dict(zip(columns, row, strict=True))
        values["expires_at"] -= passed
        changed = {"end": values["expires_at"], "mac": mac_of(keys, "token", tuple(values.values()))}
        c.execute(text("UPDATE tokens SET expires_at = :end, mac = :mac WHERE id = :id"), one | changed)


def test_revoking_the_token_ends_its_sessions_at_once(api: Api) -> None:
    with api.client("admin") as admin:
        made = admin.post("/v1/tokens", json={"name": "stolen", "role": "steward"}).json()
        stolen = sign_in(api, token=made["token"])
        assert ask(api, stolen) == 200
        assert admin.delete(f"/v1/tokens/{made['id']}").status_code == 204
    assert ask(api, stolen) == 401
    with browser(api) as client:
        assert client.post("/sign-in", data={"token": made["token"]}, headers=OURS).status_code == 401


def test_signing_out_ends_the_session_and_nothing_else(api: Api, session: dict[str, str]) -> None:
    leaving = sign_in(api)
    with browser(api) as client:
        headers = {"Cookie": leaving["cookie"]}
        forged = client.post(
            "/sign-out", data={"session": leaving["secret"]}, headers=headers | {"Sec-Fetch-Site": "same-site"}
        )
        blind = client.post("/sign-out", data={"session": "0" * 64}, headers=headers | OURS)
        assert (forged.status_code, blind.status_code) == (403, 403)
        assert ask(api, leaving) == 200
        answer = client.post("/sign-out", data={"session": leaving["secret"]}, headers=headers | OURS)
    assert answer.status_code == 303
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert ask(api, leaving) == 401
    assert ask(api, session) == 200


@pytest.mark.parametrize("site", LOOKS_ELSEWHERE)
def test_nobody_is_signed_in_by_a_form_of_another_site(api: Api, site: str | None) -> None:
    headers = {} if site is None else {"Sec-Fetch-Site": site}
    with browser(api) as client:
        answer = client.post("/sign-in", data={"token": api.token("steward")}, headers=headers)
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("token", ["", "wrong", "afz_" + "x" * 43, "écrit", "x" * 9000])
def test_a_wrong_token_gets_a_page_and_no_cookie(api: Api, token: str) -> None:
    with browser(api) as client:
        answer = client.post("/sign-in", data={"token": token}, headers=OURS)
    assert answer.status_code in (401, 413)
    assert "set-cookie" not in answer.headers
    assert token == "" or token not in answer.text


@pytest.mark.parametrize(
    "target", ["//evil.example/", "https://evil.example/", "/\\evil.example", "evil", "/\t/evil.example"]
)
def test_nobody_is_sent_to_another_host_after_signing_in(api: Api, target: str) -> None:
    with browser(api) as client:
        answer = client.post("/sign-in", data={"token": api.token("consumer"), "next": target}, headers=OURS)
    assert answer.headers["location"] == "/releases"


def test_the_page_that_was_wanted_comes_after_signing_in(api: Api) -> None:
    with browser(api) as client:
        answer = client.post("/sign-in", data={"token": api.token("auditor"), "next": "/audit?min_k=3"}, headers=OURS)
    assert answer.headers["location"] == "/audit?min_k=3"


def test_the_trail_names_the_token_behind_a_session(api: Api) -> None:
    with api.client("admin") as admin:
        opened = admin.get("/v1/audit-events", params={"action": "session.open"}).json()["items"][0]
        me = sign_in(api)
    headers = {"Cookie": me["cookie"], **OURS}
    seen = httpx.get(f"{api.address}/v1/me", headers=headers, timeout=patience()).json()
    assert seen["name"] == "steward"
    with api.client("steward") as steward:
        assert seen["token_id"] == steward.get("/v1/me").json()["token_id"]
    assert opened["actor"].startswith("token:")


def test_sessions_are_not_listed_among_the_tokens(api: Api, session: dict[str, str]) -> None:
    with api.client("admin") as admin:
        names = [item["name"] for item in admin.get("/v1/tokens", params={"limit": 200}).json()["items"]]
    assert names.count("steward") == 1


CHANGED = {
    "another parent": "UPDATE tokens SET parent_id = (SELECT id FROM tokens WHERE role = 'admin' LIMIT 1) "
    "WHERE id = :id",
    "no parent": "UPDATE tokens SET parent_id = NULL WHERE id = :id",
    "a later end": "UPDATE tokens SET expires_at = expires_at + interval '1 hour' WHERE id = :id",
    "another role": "UPDATE tokens SET role = 'admin' WHERE id = :id",
}


@pytest.mark.parametrize("how", CHANGED)
def test_a_session_whose_row_was_changed_is_nobodys(api: Api, how: str) -> None:
    mine = sign_in(api)
    one = {"id": newest_session(api)}
    with api.owner.begin() as c:
        assert c.execute(text(CHANGED[how]), one).rowcount == 1
    assert ask(api, mine) == 401
    assert (
        httpx.get(
            f"{api.address}/v1/datasets",
            headers={"Authorization": f"Bearer {mine['cookie'].partition('=')[2]}"},
            timeout=patience(),
        ).status_code
        == 401
    )


def test_a_public_release_is_shown_to_a_visitor_with_an_old_cookie(api: Api) -> None:
    published = api.publish()
    api.open_to_all(published)
    headers = {"Cookie": f"{COOKIE}=afs_{uuid4().hex}", **OURS}
    address = f"{api.address}/v1/releases/{published.release_id}"
    assert httpx.get(address, headers=headers, timeout=patience()).status_code == 200


def test_pages_allow_neither_inline_scripts_nor_styles_nor_other_hosts(api: Api) -> None:
    with browser(api) as client:
        for path in ("/", "/sign-in"):
            answer = client.get(path)
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert " style=" not in answer.text
            assert "<script>" not in answer.text
            assert answer.headers["cache-control"] == "no-store"
