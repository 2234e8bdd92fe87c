"""The audit trail: one line, and no way to change or shorten it unseen."""

import asyncio
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, func, select, update

from storage.audit import ChainState, anchor_heads, append, list_events, verify
from storage.orm import AuditAnchor, AuditEvent
from storage.session import async_keyring_engine, async_main_engine
from storage.settings import Settings
from storage.tenants import create_tenant

GENESIS = "00" * 32


def add(engines: Any, tenant_id: UUID, count: int = 1) -> None:
    for number in range(count):
        with engines.main.begin() as c:
            append(c, tenant_id, "system", "test.event", f"subject:{number}", {"number": number})


def anchor(engines: Any) -> int:
    with engines.main.begin() as c, engines.keyring.begin() as kc:
        return anchor_heads(c, kc)


def state(engines: Any, tenant_id: UUID) -> ChainState:
    with engines.main.connect() as c, engines.keyring.connect() as kc:
        return verify(c, kc, tenant_id)


def test_an_empty_chain_is_intact(owner: Any, tenant_id: UUID) -> None:
    assert state(owner, tenant_id) == ChainState(True, 0, None, GENESIS, 0)


def test_events_are_listed_newest_first_and_chained(service: Any, tenant_id: UUID) -> None:
    add(service, tenant_id, 3)
    with service.main.connect() as c:
        events = list_events(c, tenant_id, 10).items
    assert [event.number for event in events] == [3, 2, 1]
    assert events[-1].previous.hex() == GENESIS
    assert [event.previous for event in events[:-1]] == [event.digest for event in events[1:]]
    found = state(service, tenant_id)
    assert (found.intact, found.events, found.head) == (True, 3, events[0].digest.hex())


def test_the_digest_can_be_recomputed_from_what_the_api_shows(service: Any, tenant_id: UUID) -> None:
    add(service, tenant_id)
    with service.main.connect() as c:
        event = list_events(c, tenant_id, 1).items[0]
    at = event.at.astimezone(UTC).isoformat(timespec="microseconds")
    shown = [str(tenant_id), 1, at, "system", "test.event", "subject:0", {"number": 0}, GENESIS]
    text = json.dumps(shown, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == event.digest.hex()


def test_fifty_appends_at_once_make_one_line(service: Any, worker: Any, tenant_id: UUID) -> None:
    def run(number: int) -> None:
        engines = service if number % 2 else worker
        with engines.main.begin() as c:
            append(c, tenant_id, f"token:{number}", "test.event", "x", {})

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(run, range(50)))
    found = state(service, tenant_id)
    assert (found.intact, found.events, found.broken_at) == (True, 50, None)
    with service.main.connect() as c:
        events = list_events(c, tenant_id, 100).items
    assert [event.number for event in events] == list(range(50, 0, -1))
    assert len({event.actor for event in events}) == 50


def test_an_event_is_rolled_back_with_what_it_tells_of(service: Any, tenant_id: UUID) -> None:
    with service.main.connect() as c:
        append(c, tenant_id, "system", "test.event", "x", {})
        c.rollback()
    assert state(service, tenant_id).events == 0


def test_chains_of_tenants_are_separate(c: Connection, owner: Any, tenant_id: UUID) -> None:
    other = create_tenant(c, "other").id
    for tenant in (tenant_id, other, tenant_id):
        append(c, tenant, "system", "test.event", "x")
    assert [event.number for event in list_events(c, other, 10).items] == [1]
    assert [event.number for event in list_events(c, tenant_id, 10).items] == [2, 1]


def tampered(**values: Any) -> Any:
    return lambda tenant_id, number: (
        update(AuditEvent).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number == number).values(**values)
    )


def removed(tenant_id: UUID, number: int) -> Any:
    return delete(AuditEvent).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number == number)


@pytest.mark.parametrize(
    "change",
    [
        tampered(actor="token:innocent"),
        tampered(action="nothing.happened"),
        tampered(subject="another"),
        tampered(details={"number": 99}),
        tampered(at=func.now() - timedelta(days=1)),
        tampered(digest=bytes(32)),
        tampered(previous=bytes(32)),
        removed,
    ],
    ids=["actor", "action", "subject", "details", "time", "digest", "previous", "removed"],
)
def test_a_changed_row_is_named(owner: Any, tenant_id: UUID, change: Any) -> None:
    add(owner, tenant_id, 20)
    with owner.main.begin() as c:
        c.execute(change(tenant_id, 17))
    found = state(owner, tenant_id)
    assert (found.intact, found.broken_at) == (False, 17)


def test_a_row_put_before_the_first_is_noticed(owner: Any, tenant_id: UUID) -> None:
    add(owner, tenant_id, 2)
    with owner.main.begin() as c:
        c.execute(update(AuditEvent).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number == 1).values(number=0))
    assert state(owner, tenant_id).broken_at == 0


def test_a_chain_cut_at_its_end_is_noticed_through_its_anchor(owner: Any, worker: Any, tenant_id: UUID) -> None:
    add(owner, tenant_id, 10)
    assert anchor(worker) >= 1
    with owner.main.begin() as c:
        c.execute(delete(AuditEvent).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number > 7))
    found = state(owner, tenant_id)
    assert (found.intact, found.broken_at, found.events, found.anchored) == (False, 8, 7, 10)


def test_a_chain_that_grows_again_after_a_cut_is_noticed(owner: Any, worker: Any, tenant_id: UUID) -> None:
    add(owner, tenant_id, 5)
    anchor(worker)
    with owner.main.begin() as c:
        c.execute(delete(AuditEvent).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number > 3))
    add(owner, tenant_id, 4)
    anchor(worker)
    found = state(owner, tenant_id)
    assert (found.intact, found.broken_at) == (False, 5)


def test_a_chain_rewritten_from_the_start_is_noticed(owner: Any, worker: Any, tenant_id: UUID) -> None:
    add(owner, tenant_id, 4)
    anchor(worker)
    with owner.main.begin() as c:
        c.execute(delete(AuditEvent).where(AuditEvent.tenant_id == tenant_id))
    add(owner, tenant_id, 4)
    assert state(owner, tenant_id).broken_at == 4


def test_without_an_anchor_a_cut_would_go_unseen(owner: Any, tenant_id: UUID) -> None:
    """The counterpart that shows what anchors are for."""
    add(owner, tenant_id, 5)
    with owner.main.begin() as c:
        c.execute(delete(AuditEvent).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number > 3))
    assert state(owner, tenant_id).intact


def test_a_head_is_anchored_when_it_moved(owner: Any, worker: Any, tenant_id: UUID) -> None:
    anchor(worker)
    add(owner, tenant_id, 2)
    assert anchor(worker) == 1
    assert anchor(worker) == 0
    add(owner, tenant_id)
    assert anchor(worker) == 1
    with owner.keyring.connect() as kc:
        numbers = select(AuditAnchor.number).where(AuditAnchor.tenant_id == tenant_id).order_by(AuditAnchor.number)
        assert kc.execute(numbers).scalars().all() == [2, 3]
    assert state(owner, tenant_id) == state(worker, tenant_id)
    assert state(worker, tenant_id).anchored == 3


def test_long_chains_are_read_in_batches(owner: Any, tenant_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    add(owner, tenant_id, 7)
    monkeypatch.setattr("storage.audit._BATCH", 3)
    assert state(owner, tenant_id).events == 7


def test_events_are_found_by_actor_action_and_time(c: Connection, tenant_id: UUID) -> None:
    append(c, tenant_id, "token:a", "dataset.upload", "1")
    append(c, tenant_id, "token:b", "job.submit", "2")
    append(c, tenant_id, "token:a", "job.submit", "3")
    first = list_events(c, tenant_id, 10).items[-1]

    def subjects(**conditions: Any) -> list[str]:
        return [event.subject for event in list_events(c, tenant_id, 10, **conditions).items]

    assert subjects(actor="token:a") == ["3", "1"]
    assert subjects(action="job.submit") == ["3", "2"]
    assert subjects(actor="token:a", action="job.submit") == ["3"]
    assert subjects(since=first.at + timedelta(microseconds=1)) == ["3", "2"]
    assert subjects(since=first.at + timedelta(days=1)) == []


def test_events_are_paged(c: Connection, tenant_id: UUID) -> None:
    for number in range(5):
        append(c, tenant_id, "system", "test.event", str(number))
    seen, cursor = [], None
    while True:
        page = list_events(c, tenant_id, 2, cursor)
        seen += [event.subject for event in page.items]
        append(c, tenant_id, "system", "test.event", "later")
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ["4", "3", "2", "1", "0"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(blacklist_characters="\x00", blacklist_categories=["Cs"]), max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "é", "bb", ""]), inner),
    max_leaves=8,
)


@given(details=st.dictionaries(st.sampled_from(["x", "y", "ä"]), JSON, max_size=3))
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_details_hold_the_chain_verifies(c: Connection, owner: Any, details: dict[str, Any]) -> None:
    tenant_id = create_tenant(c, uuid4().hex).id
    append(c, tenant_id, "système", "test.event", "ÿ", details)
    append(c, tenant_id, "system", "test.event", "x", {"id": uuid4()})
    with owner.keyring.connect() as kc:
        assert verify(c, kc, tenant_id).intact


def test_the_service_verifies_over_its_asynchronous_connections(service_settings: Settings, tenant_id: UUID) -> None:
    async def work() -> ChainState:
        main, keyring = async_main_engine(service_settings), async_keyring_engine(service_settings)
        async with main.begin() as connection, keyring.begin() as keys:
            await connection.run_sync(append, tenant_id, "system", "test.event", "x", {})
            assert keys.sync_connection is not None
            found = await connection.run_sync(verify, keys.sync_connection, tenant_id)
        await main.dispose()
        await keyring.dispose()
        return found

    assert asyncio.run(work()).intact
