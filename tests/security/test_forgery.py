"""Forged rows: an attacker who writes to the databases without a key changes nothing that the service trusts.

The forger is a superuser of both databases who knows this code, has recorded every response, and holds no key.
Each forgery changes a row together with every digest that can be computed without a key.
"""

import hashlib
import secrets
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import text

from tests.patience import patience

# --- tokens ----------------------------------------------------------------------------------------------------------


def ask(api: Any, words: str, path: str = "/v1/datasets") -> httpx.Response:
    return httpx.get(f"{api.address}{path}", headers={"Authorization": f"Bearer {words}"}, timeout=patience())


def columns(api: Any, table: str) -> set[str]:
    with api.owner.connect() as c:
        statement = text("SELECT column_name FROM information_schema.columns WHERE table_name = :table")
        return set(c.execute(statement, {"table": table}).scalars())


@pytest.mark.parametrize("digest", [hashlib.sha256, hashlib.sha512, hashlib.blake2s], ids=lambda made: made().name)
def test_a_token_that_was_written_into_the_database_opens_nothing(api: Any, digest: Any) -> None:
    words = "afz_" + secrets.token_urlsafe(32)
    api.token("admin")
    row = {"id": uuid4(), "digest": digest(words.encode()).digest(), "mac": digest(words.encode()).digest()}
    names = ["id", "digest", *({"mac"} & columns(api, "tokens"))]
    with api.owner.begin() as c:
        c.execute(
            text(
                f"INSERT INTO tokens (tenant_id, name, role, {', '.join(names)})"
                f" SELECT id, 'forged', 'admin', :{', :'.join(names)} FROM tenants WHERE name = 'default'"
            ),
            {name: row[name] for name in names},
        )
    assert ask(api, words).status_code == 401


def made_token(api: Any, tenant: str, role: str = "consumer") -> tuple[str, str]:
    """The id and the text of a new token that ends in a day."""
    with api.client("admin", tenant) as admin:
        answer = admin.post("/v1/tokens", json={"name": "portal", "role": role, "expires_in_days": 1})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"], answer.json()["token"]


CHANGED_TOKENS = {
    "another role": "UPDATE tokens SET role = 'admin' WHERE id = :id",
    "another tenant": "UPDATE tokens SET tenant_id = (SELECT id FROM tenants WHERE name = 'default') WHERE id = :id",
    "a later end": "UPDATE tokens SET expires_at = expires_at + interval '1 second' WHERE id = :id",
    "no end": "UPDATE tokens SET expires_at = NULL WHERE id = :id",
    "another name": "UPDATE tokens SET name = 'auditor' WHERE id = :id",
    "another id": "UPDATE tokens SET id = gen_random_uuid() WHERE id = :id",
}


@pytest.mark.parametrize("change", CHANGED_TOKENS)
def test_a_token_whose_row_was_changed_opens_nothing(api: Any, change: str) -> None:
    token_id, words = made_token(api, "changed-tokens")
    assert ask(api, words, "/v1/releases").status_code == 200
    with api.owner.begin() as c:
        assert c.execute(text(CHANGED_TOKENS[change]), {"id": token_id}).rowcount == 1
    for path in ("/v1/releases", "/v1/datasets", "/v1/tokens"):
        assert ask(api, words, path).status_code == 401


def test_a_token_that_was_given_the_row_of_an_administrator_opens_nothing(api: Any) -> None:
    """The digest of one token and everything else of another, including its code."""
    token_id, words = made_token(api, "exchanged-tokens")
    admin_id, admin = made_token(api, "exchanged-tokens", "admin")
    assert ask(api, admin, "/v1/tokens").status_code == 200
    with api.owner.begin() as c:
        digest = c.execute(text("SELECT digest FROM tokens WHERE id = :id"), {"id": token_id}).scalar_one()
        c.execute(text("DELETE FROM tokens WHERE id = :id"), {"id": token_id})
        c.execute(text("UPDATE tokens SET digest = :digest WHERE id = :id"), {"digest": digest, "id": admin_id})
    assert ask(api, words, "/v1/tokens").status_code == 401


# --- releases and reports --------------------------------------------------------------------------------------------

READING = ("", "/data", "/report", "/report.html")


def answers(api: Any, release_id: str, tenant: str = "default", role: str | None = "steward") -> dict[str, int]:
    """The answers to every way to read a release."""
    with api.client(role, tenant) as client:
        found = {path: client.get(f"/v1/releases/{release_id}{path}").status_code for path in READING}
        part = client.get(f"/v1/releases/{release_id}/data", headers={"Range": "bytes=0-3"})
    return found | {"a part": part.status_code}


def test_a_release_that_was_given_the_file_of_another_is_not_served(api: Any) -> None:
    """Blob, digest and size together: each artifact fits its blob, but neither belongs to its release."""
    weak, strong = (api.publish(content, tenant="swapped") for content in (b"age\n20\n21\n", b"age\n2*\n2*\n"))
    with api.owner.begin() as c:
        exchanged = c.execute(
            text(
                "UPDATE artifacts a SET blob_id = b.blob_id, sha256 = b.sha256, size = b.size FROM artifacts b"
                " WHERE a.release_id = :one AND b.release_id = :two OR a.release_id = :two AND b.release_id = :one"
            ),
            {"one": weak.release_id, "two": strong.release_id},
        )
        assert exchanged.rowcount == 2
    for release in (weak, strong):
        assert answers(api, release.release_id, "swapped") == dict.fromkeys([*READING, "a part"], 500)


def test_a_release_that_was_made_public_behind_our_back_is_not_served(api: Any) -> None:
    made = api.publish(tenant="not-public")
    assert set(answers(api, made.release_id, role=None).values()) == {404}
    with api.owner.begin() as c:
        c.execute(text("UPDATE releases SET audience = 'public' WHERE id = :id"), {"id": made.release_id})
    assert set(answers(api, made.release_id, role=None).values()) == {500}
    assert set(answers(api, made.release_id, "another-tenant").values()) == {500}


def test_a_withdrawn_release_that_was_brought_back_is_not_served(api: Any) -> None:
    made = api.publish(tenant="brought-back")
    with api.client("steward", "brought-back") as steward:
        assert steward.post(f"/v1/releases/{made.release_id}/withdraw", json={"reason": "wrong"}).status_code == 200
        assert steward.get(f"/v1/releases/{made.release_id}/data").status_code == 410
    with api.owner.begin() as c:
        statement = "UPDATE releases SET withdrawn_at = NULL, withdrawn_reason = NULL WHERE id = :id"
        c.execute(text(statement), {"id": made.release_id})
    assert answers(api, made.release_id, "brought-back") == dict.fromkeys([*READING, "a part"], 500)


def test_a_release_moved_to_another_tenant_is_not_served(api: Any) -> None:
    made = api.publish(tenant="robbed-of-a-release")
    api.token("steward", "thief-of-a-release")
    with api.owner.begin() as c:
        for table in ("releases WHERE id", "reports WHERE release_id"):
            name, _, place = table.partition(" WHERE ")
            thief = "(SELECT id FROM tenants WHERE name = 'thief-of-a-release')"
            statement = f"UPDATE {name} SET tenant_id = {thief} WHERE {place} = :id"
            assert c.execute(text(statement), {"id": made.release_id}).rowcount == 1
    assert set(answers(api, made.release_id, "thief-of-a-release").values()) == {500}
    assert set(answers(api, made.release_id, "robbed-of-a-release").values()) == {404}


def test_an_edited_report_is_shown_to_nobody(api: Any) -> None:
    made = api.publish(tenant="edited")
    with api.owner.begin() as c:
        edited = c.execute(
            text(
                "UPDATE reports SET achieved_k = 50, risk = 0.02,"
                " content = jsonb_set(content, '{guarantees,0,achieved,k}', '50') WHERE release_id = :id"
            ),
            {"id": made.release_id},
        )
        assert edited.rowcount == 1
    for role in ("steward", "auditor", "consumer"):
        found = answers(api, made.release_id, "edited", role)
        assert (found["/report"], found["/report.html"]) == (500, 500)
    with api.client("auditor", "edited") as auditor:
        assert auditor.get(f"/v1/jobs/{made.job_id}/report").status_code == 500
        assert auditor.get("/v1/reports").json()["items"] == []
        assert made.job_id not in auditor.get("/v1/reports?format=csv&min_k=50").text


def test_the_report_of_another_job_is_not_shown_as_a_releases_own(api: Any) -> None:
    made, better = (api.publish(tenant="exchanged-reports") for _ in range(2))
    with api.owner.begin() as c:
        c.execute(text("DELETE FROM reports WHERE job_id = :id"), {"id": made.job_id})
        statement = text("UPDATE reports SET job_id = :id WHERE job_id = :other")
        c.execute(statement, {"id": made.job_id, "other": better.job_id})
    assert answers(api, made.release_id, "exchanged-reports")["/report"] == 500


def test_an_answer_that_was_changed_is_not_given_again(api: Any) -> None:
    """Otherwise a client that repeats a request would get a resource that it did not create."""
    key, body = {"Idempotency-Key": "forged-answer"}, {"name": "portal", "role": "consumer"}
    with api.client("admin", "forged-answers") as admin:
        first = admin.post("/v1/tokens", json=body, headers=key).json()
        # The text of a token is said once: a repeated answer is the first one without it.
        assert admin.post("/v1/tokens", json=body, headers=key).json() == first | {"token": None}
        with api.owner.begin() as c:
            statement = (
                "UPDATE idempotency SET body = jsonb_set(body, '{role}', '\"admin\"') WHERE key = 'forged-answer'"
            )
            assert c.execute(text(statement)).rowcount == 1
        assert admin.post("/v1/tokens", json=body, headers=key).status_code == 500
