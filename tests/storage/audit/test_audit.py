"""The audit trail: one chain that cannot be changed or shortened unnoticed."""

import asyncio
import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, func, select, update

from storage.audit.audit import ChainState, anchor_heads, append, list_events, verify
from storage.crypto.heads import HeadSigner
from storage.database.session import async_keyring_engine, async_main_engine
from storage.orm import AuditAnchor, AuditEvent
from storage.settings import Settings
from storage.tenancy.tenants import create_tenant

GENESIS = "00" * 32
SIGNER = HeadSigner([Ed25519PrivateKey.generate()])


def add(engines: Any, tenant_id: UUID, count: int = 1) -> None:
    for number in range(count):
        with engines.main.begin() as c:
            append(c, tenant_id, "system", "test.event", f"subject:{number}", {"number": number})


def anchor(engines: Any) -> int:
    with engines.main.begin() as c, engines.keyring.begin() as kc:
        return anchor_heads(c, kc, SIGNER)


def state(engines: Any, tenant_id: UUID) -> ChainState:
    with engines.main.connect() as c, engines.keyring.connect() as kc:
        return verify(c, kc, SIGNER, tenant_id)


def test_an_empty_chain_is_intact(owner: Any, tenant_id: UUID) -> None:
    signed = SIGNER.sign(tenant_id, 0, bytes(32))
    assert state(owner, tenant_id) == ChainState(True, 0, None, GENESIS, 0, (), signed)


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
    """The counterpart, which shows the purpose of anchors."""
    add(owner, tenant_id, 5)
    with owner.main.begin() as c:
        c.execute(delete(AuditEvent).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number > 3))
    assert state(owner, tenant_id).intact


def test_a_head_is_anchored_when_it_moved(owner: Any, worker: Any, service: Any, tenant_id: UUID) -> None:
    anchor(worker)
    add(owner, tenant_id, 2)
    assert anchor(worker) == 1
    assert anchor(worker) == 0
    add(owner, tenant_id)
    assert anchor(worker) == 1
    with owner.keyring.connect() as kc:
        numbers = select(AuditAnchor.number).where(AuditAnchor.tenant_id == tenant_id).order_by(AuditAnchor.number)
        assert kc.execute(numbers).scalars().all() == [2, 3]
    assert state(owner, tenant_id) == state(service, tenant_id)
    assert state(service, tenant_id).anchored == 3


def test_long_chains_are_read_in_batches(owner: Any, tenant_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    add(owner, tenant_id, 7)
    monkeypatch.setattr("storage.audit.audit._BATCH", 3)
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
        assert verify(c, kc, SIGNER, tenant_id).intact


def test_the_service_verifies_over_its_asynchronous_connections(service_settings: Settings, tenant_id: UUID) -> None:
    async def work() -> ChainState:
        main, keyring = async_main_engine(service_settings), async_keyring_engine(service_settings)
        async with main.begin() as connection, keyring.begin() as keys:
            await connection.run_sync(append, tenant_id, "system", "test.event", "x", {})
            assert keys.sync_connection is not None
            found = await connection.run_sync(verify, keys.sync_connection, SIGNER, tenant_id)
        await main.dispose()
        await keyring.dispose()
        return found

    assert asyncio.run(work()).intact


# --- signed heads ----------------------------------------------------------------------------------------------------


def test_a_signed_head_is_checked_with_the_public_key_alone(owner: Any, tenant_id: UUID) -> None:
    add(owner, tenant_id, 3)
    head = state(owner, tenant_id).signed_head
    assert head is not None
    told = f"antifaz audit head 1\n{tenant_id}\n3\n{head.digest}\n".encode()
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(head.public_key))
    key.verify(bytes.fromhex(head.signature), told)
    with pytest.raises(InvalidSignature):
        key.verify(bytes.fromhex(head.signature), told.replace(b"\n3\n", b"\n4\n"))


def rewrite(owner: Any, tenant_id: UUID, count: int) -> None:
    """Another chain in the place of the one that was, whole in itself."""
    with owner.main.begin() as c:
        c.execute(delete(AuditEvent).where(AuditEvent.tenant_id == tenant_id))
    for number in range(count):
        with owner.main.begin() as c:
            append(c, tenant_id, "nobody", "nothing.happened", f"subject:{number}")


def forge_anchors(owner: Any, tenant_id: UUID, signer: HeadSigner | None) -> None:
    """Anchors that fit the current chain, signed with another key or with the old signatures."""
    with owner.main.connect() as c, owner.keyring.begin() as kc:
        digests = {event.number: event.digest for event in list_events(c, tenant_id, 100).items}
        for number in kc.execute(select(AuditAnchor.number).where(AuditAnchor.tenant_id == tenant_id)).scalars().all():
            values: dict[str, Any] = {"digest": digests[number]}
            if signer is not None:
                values["signature"] = bytes.fromhex(signer.sign(tenant_id, number, digests[number]).signature)
            place = (AuditAnchor.tenant_id == tenant_id, AuditAnchor.number == number)
            kc.execute(update(AuditAnchor).where(*place).values(values))


@pytest.mark.parametrize("signer", [None, HeadSigner([Ed25519PrivateKey.generate()])], ids=["old", "foreign"])
def test_a_chain_rewritten_with_its_anchors_is_noticed(
    owner: Any, worker: Any, tenant_id: UUID, signer: HeadSigner | None
) -> None:
    add(owner, tenant_id, 4)
    anchor(worker)
    rewrite(owner, tenant_id, 4)
    forge_anchors(owner, tenant_id, signer)
    found = state(owner, tenant_id)
    assert (found.intact, found.broken_at, found.signed_head) == (False, 4, None)


def test_a_broken_chain_is_not_anchored_again(owner: Any, worker: Any, tenant_id: UUID) -> None:
    anchor(worker)
    add(owner, tenant_id, 4)
    anchor(worker)
    rewrite(owner, tenant_id, 6)
    assert anchor(worker) == 0
    add(owner, tenant_id, 2)
    assert anchor(worker) == 0
    assert state(owner, tenant_id).anchored == 4


def test_a_chain_whose_anchors_are_gone_too_does_not_fit_a_head_that_was_kept(
    owner: Any, worker: Any, tenant_id: UUID
) -> None:
    add(owner, tenant_id, 4)
    anchor(worker)
    kept = state(owner, tenant_id).signed_head
    assert kept is not None
    with owner.keyring.begin() as kc:
        kc.execute(delete(AuditAnchor).where(AuditAnchor.tenant_id == tenant_id))
    rewrite(owner, tenant_id, 6)
    anchor(worker)
    with owner.main.connect() as c, owner.keyring.connect() as kc:
        found = verify(c, kc, SIGNER, tenant_id, (kept.number, bytes.fromhex(kept.digest)))
        assert (found.intact, found.broken_at, found.signed_head) == (False, 4, None)
        assert verify(c, kc, SIGNER, tenant_id).intact, "which nobody could notice without the head that was kept"


def test_a_chain_cut_below_a_head_that_was_kept_is_noticed(owner: Any, tenant_id: UUID) -> None:
    add(owner, tenant_id, 4)
    kept = state(owner, tenant_id).signed_head
    assert kept is not None
    with owner.main.begin() as c:
        c.execute(delete(AuditEvent).where(AuditEvent.tenant_id == tenant_id, AuditEvent.number > 2))
    with owner.main.connect() as c, owner.keyring.connect() as kc:
        found = verify(c, kc, SIGNER, tenant_id, (kept.number, bytes.fromhex(kept.digest)))
    assert (found.intact, found.broken_at, found.anchored) == (False, 3, 0)


def test_anchors_of_an_older_key_are_known_while_it_is_kept(owner: Any, worker: Any, tenant_id: UUID) -> None:
    old, new = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    add(owner, tenant_id, 2)
    with worker.main.begin() as c, worker.keyring.begin() as kc:
        anchor_heads(c, kc, HeadSigner([old]))
    with owner.main.connect() as c, owner.keyring.connect() as kc:
        both = verify(c, kc, HeadSigner([new, old]), tenant_id)
        assert both.intact
        assert both.signed_head is not None
        assert both.signed_head.public_key == new.public_key().public_bytes_raw().hex()
        assert verify(c, kc, HeadSigner([new]), tenant_id).broken_at == 2
    with owner.keyring.begin() as kc:
        kc.execute(delete(AuditAnchor).where(AuditAnchor.tenant_id == tenant_id))
