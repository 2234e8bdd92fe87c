"""The audit trail over HTTP."""

from sqlalchemy import text


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
