"""The audit trail over HTTP."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, text

from storage.audit.audit import anchor_heads
from storage.orm import AuditAnchor
from verifier.__main__ import main


def test_what_was_done_is_listed_newest_first_and_the_chain_verifies(api):
    published = api.publish(tenant="trail")
    with api.client("steward", "trail") as steward:
        steward.post(f"/v1/releases/{published.release_id}/withdraw", json={"reason": "wrong"})
        steward.delete(f"/v1/datasets/{published.dataset_id}")
    with api.client("auditor", "trail") as auditor:
        events = auditor.get("/v1/audit-events").json()["items"]
        actions = [event["action"] for event in events if not event["action"].startswith("token.")]
        assert actions == ["dataset.delete", "release.withdraw", "job.submit", "dataset.upload"]
        assert all(event["actor"].startswith("token:") for event in events)
        numbers = [event["number"] for event in events]
        assert numbers == sorted(numbers, reverse=True)
        state = auditor.get("/v1/audit-events/verify").json()
        assert state["intact"] is True
        assert state["events"] == len(events)
        assert state["head"] == events[0]["digest"]

        def listed(**query: str) -> list[str]:
            return [event["action"] for event in auditor.get("/v1/audit-events", params=query).json()["items"]]

        assert listed(action="release.withdraw") == ["release.withdraw"]
        steward_name = next(event["actor"] for event in events if event["action"] == "dataset.delete")
        assert listed(actor=steward_name) == actions
        assert listed(actor="nobody") == listed(since="2999-01-01T00:00:00Z") == []
        page = auditor.get("/v1/audit-events", params={"limit": 1}).json()
        second = auditor.get("/v1/audit-events", params={"limit": 1, "cursor": page["next_cursor"]}).json()
        assert second["items"][0]["number"] == page["items"][0]["number"] - 1


def test_an_edited_event_is_named(api):
    api.upload(tenant="edited")
    with api.owner.begin() as connection:
        connection.execute(
            text(
                "UPDATE audit_events SET actor = 'somebody else' WHERE number = 2 "
                "AND tenant_id = (SELECT id FROM tenants WHERE name = 'edited')"
            )
        )
    with api.client("auditor", "edited") as auditor:
        state = auditor.get("/v1/audit-events/verify").json()
    assert state["intact"] is False
    assert state["broken_at"] == 2


# --- downloads, names, and the trail outside -----------------------------------------------------------------------


def events(api: Any, tenant: str, **query: str) -> list[dict[str, Any]]:
    with api.client("auditor", tenant) as auditor:
        return list(auditor.get("/v1/audit-events", params={"limit": 200, **query}).json()["items"])


def test_a_download_is_an_event_and_looking_at_the_headers_is_none(api):
    release = f"/v1/releases/{api.publish(tenant='downloads').release_id}"
    with api.client("consumer", "downloads") as consumer:
        assert consumer.head(f"{release}/data").status_code == 200
        whole = consumer.get(f"{release}/data")
        assert consumer.get(f"{release}/data", headers={"If-None-Match": whole.headers["ETag"]}).status_code == 304
        assert consumer.get(f"{release}/data", headers={"Range": "bytes=0-9"}).status_code == 206
        assert consumer.get(f"{release}/data", params={"format": "gml"}).status_code == 404
    found = events(api, "downloads", action="release.download")
    assert [event["details"] for event in found] == [
        {"format": "csv", "part": "table", "bytes": [0, 10]},
        {"format": "csv", "part": "table"},
    ]
    assert {event["subject"] for event in found} == {release.removeprefix("/v1/releases/")}
    assert {event["actor"].partition(":")[0] for event in found} == {"token"}


def test_a_download_of_a_public_release_from_outside_the_tenant_is_by_the_public(api):
    published = api.publish(tenant="opened")
    release = f"/v1/releases/{published.release_id}"
    api.open_to_all(published, "opened")
    with api.client("steward", "opened") as steward:
        steward.get(f"{release}/data")
    with api.client("consumer", "elsewhere") as stranger:
        assert stranger.get(f"{release}/data").status_code == 200
    with api.client(None) as nobody:
        assert nobody.get(f"{release}/data").status_code == 200
    actors = [event["actor"].partition(":")[0] for event in events(api, "opened", action="release.download")]
    assert actors == ["public", "public", "token"]
    assert events(api, "elsewhere", action="release.download") == []


def test_an_event_names_the_token_that_acted(api):
    api.upload(tenant="named")
    with api.client("admin", "named") as admin:
        names = {f"token:{token['id']}": token["name"] for token in admin.get("/v1/tokens").json()["items"]}
    found = [event for event in events(api, "named") if event["action"] == "dataset.upload"]
    assert [event["actor_name"] for event in found] == [names[event["actor"]] for event in found]
    assert found


def exported(api: Any, tenant: str, folder: Path) -> Path:
    with api.client("auditor", tenant) as auditor:
        answer = auditor.get("/v1/audit-events", params={"format": "jsonl"})
    assert answer.headers["content-type"].startswith("application/jsonl")
    file = folder / "events.jsonl"
    file.write_bytes(answer.content)
    return file


def test_the_whole_trail_can_be_checked_outside(api, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("storage.audit.audit._BATCH", 2)
    api.publish(tenant="outside")
    file = exported(api, "outside", tmp_path)
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line["number"] for line in lines if line["line"] == "event"] == list(range(1, len(lines)))
    assert len(lines) > 4
    assert main(["--chain", str(file), "--key", lines[-1]["public_key"]]) == 0
    assert json.loads(capsys.readouterr().out)["events"] == len(lines) - 1
    assert [line["digest"] for line in lines[:-1]] == [event["digest"] for event in reversed(events(api, "outside"))]


@pytest.mark.parametrize(
    ("tenant", "harm"),
    [
        ("changed-row", "UPDATE audit_events SET actor = 'token:innocent' WHERE number = 2 AND tenant_id = {tenant}"),
        ("removed-row", "DELETE FROM audit_events WHERE number = 2 AND tenant_id = {tenant}"),
    ],
)
def test_a_trail_that_was_changed_in_the_database_is_exported_without_a_signature(api, tmp_path, capsys, tenant, harm):
    api.publish(tenant=tenant)
    with api.owner.begin() as connection:
        connection.execute(text(harm.format(tenant=f"(SELECT id FROM tenants WHERE name = '{tenant}')")))
    file = exported(api, tenant, tmp_path)
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[-1])["signature"] is None
    assert main(["--chain", str(file)]) == 1
    assert json.loads(capsys.readouterr().out)["broken_at"] == 2


def test_an_anchor_that_was_not_made_by_us_is_noticed_outside(api, tmp_path, capsys):
    api.publish(tenant="anchored")
    with api.worker.begin() as connection, api.worker_keyring.begin() as keys:
        anchor_heads(connection, keys, api.head_signer)
    file = exported(api, "anchored", tmp_path)
    head = json.loads(file.read_text(encoding="utf-8").splitlines()[-1])
    # A key that is known from elsewhere: the file could name any.
    tenant_id, ours = head["tenant_id"], ["--key", api.head_signer.public_keys[0]]
    assert main(["--chain", str(file), *ours]) == 0
    assert json.loads(capsys.readouterr().out)["anchors"] == 1
    with api.worker_keyring.begin() as keys:
        forged = {"tenant_id": tenant_id, "number": 2, "digest": bytes(32), "signature": bytes(64)}
        keys.execute(insert(AuditAnchor).values(forged))
    assert main(["--chain", str(exported(api, "anchored", tmp_path)), *ours]) == 1
    assert json.loads(capsys.readouterr().out)["broken_at"] == 2


def test_jsonl_is_the_whole_trail_and_takes_no_filter(api):
    with api.client("auditor") as auditor:
        answer = auditor.get("/v1/audit-events", params={"format": "jsonl", "limit": "5"})
    assert answer.status_code == 422
