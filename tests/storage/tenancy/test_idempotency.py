"""Idempotency: one answer for one key, whichever process dies in between."""

import secrets
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, text, update
from sqlalchemy.exc import IntegrityError

from storage.errors import Forged
from storage.orm import Idempotency
from storage.tenancy.idempotency import Answer, Fingerprint, forget_old, lock, recall, remember
from storage.tenancy.tenants import create_tenant

KEY = secrets.token_bytes(32)
TENANT = uuid4()


def test_an_answer_is_recalled_for_its_tenant_and_key(c: Connection, tenant_id: UUID) -> None:
    assert recall(c, KEY, tenant_id, "k") is None
    remember(c, KEY, tenant_id, "k", b"mark", 202, {"Location": "/v1/jobs/1"}, {"job": {"id": "1"}})
    assert recall(c, KEY, tenant_id, "k") == Answer(b"mark", 202, {"Location": "/v1/jobs/1"}, {"job": {"id": "1"}})
    assert recall(c, KEY, tenant_id, "other") is None
    assert recall(c, KEY, create_tenant(c, "stranger").id, "k") is None


def test_a_key_is_answered_once(c: Connection, tenant_id: UUID) -> None:
    remember(c, KEY, tenant_id, "k", b"mark", 201, {}, {})
    with pytest.raises(IntegrityError):
        remember(c, KEY, tenant_id, "k", b"mark", 201, {}, {})


@pytest.mark.parametrize(
    "change",
    [
        "fingerprint = 'other'",
        "status = 200",
        """headers = '{"Location": "/v1/jobs/2"}'""",
        """body = '{"job": {"id": "2"}}'""",
        "key = 'other'",
        "tenant_id = (SELECT id FROM tenants WHERE name = 'stranger')",
    ],
)
def test_an_answer_that_was_changed_is_not_given(c: Connection, tenant_id: UUID, change: str) -> None:
    stranger = create_tenant(c, "stranger").id
    remember(c, KEY, tenant_id, "k", b"mark", 202, {"Location": "/v1/jobs/1"}, {"job": {"id": "1"}})
    c.execute(text(f"UPDATE idempotency SET {change} WHERE tenant_id = :id"), {"id": tenant_id})
    with pytest.raises(Forged):
        recall(c, KEY, stranger if "tenant_id" in change else tenant_id, "other" if "key" in change else "k")


def test_while_the_first_is_under_way_others_are_turned_away(service: Any, tenant_id: UUID) -> None:
    with service.main.begin() as first, service.main.begin() as second:
        assert lock(first, tenant_id, "k")
        assert not lock(second, tenant_id, "k")
        assert lock(second, tenant_id, "another")
        assert lock(second, uuid4(), "k")
        remember(first, KEY, tenant_id, "k", b"mark", 201, {}, {})
    with service.main.begin() as third:
        assert lock(third, tenant_id, "k")
        assert recall(third, KEY, tenant_id, "k") is not None


def test_a_process_that_dies_lets_go_of_the_key(service: Any, owner: Any, tenant_id: UUID) -> None:
    with service.main.connect() as first:
        assert lock(first, tenant_id, "k")
        remember(first, KEY, tenant_id, "k", b"mark", 201, {}, {})
        pid = first.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with owner.main.begin() as connection:
            connection.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        first.invalidate()
    with service.main.begin() as second:
        assert lock(second, tenant_id, "k")
        assert recall(second, KEY, tenant_id, "k") is None


def test_old_answers_are_forgotten(worker: Any, owner: Any, tenant_id: UUID) -> None:
    with owner.main.begin() as c:
        for key in ("old", "new"):
            remember(c, KEY, tenant_id, key, b"mark", 201, {}, {})
        aged = update(Idempotency).where(Idempotency.tenant_id == tenant_id, Idempotency.key == "old")
        c.execute(aged.values(created_at=func.now() - timedelta(hours=49)))
    with worker.main.begin() as c:
        assert forget_old(c, 48) == 1
        assert recall(c, KEY, tenant_id, "old") is None
        assert recall(c, KEY, tenant_id, "new") is not None


def mark(parts: list[tuple[str, bytes]], key: bytes = KEY, tenant_id: UUID = TENANT) -> bytes:
    fingerprint = Fingerprint(key, tenant_id)
    for name, content in parts:
        fingerprint.update(name, content)
    return fingerprint.digest()


@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=5))
@settings(deadline=None)
def test_the_pieces_in_which_a_part_arrives_do_not_matter(content: bytes, cuts: list[int]) -> None:
    borders = [0, *sorted(min(cut, len(content)) for cut in cuts), len(content)]
    pieces = [("file", content[start:stop]) for start, stop in pairwise(borders)]
    assert mark([("metadata", b"{}"), *pieces]) == mark([("metadata", b"{}"), ("file", content)])


PARTS = st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=4)), max_size=3)


@given(PARTS, PARTS)
@settings(deadline=None, max_examples=2 * settings().max_examples)
def test_different_parts_have_different_marks(first: list[tuple[str, bytes]], second: list[tuple[str, bytes]]) -> None:
    assert (mark(first) == mark(second)) == (merged(first) == merged(second))


def merged(parts: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Parts with adjacent pieces of one name put together."""
    whole: list[tuple[str, bytes]] = []
    for name, content in parts:
        if whole and whole[-1][0] == name:
            whole[-1] = (name, whole[-1][1] + content)
        else:
            whole.append((name, content))
    return whole


def test_bytes_that_move_from_one_part_to_the_next_are_noticed() -> None:
    assert mark([("a", b"xy"), ("b", b"z")]) != mark([("a", b"x"), ("b", b"yz")])


def test_a_mark_tells_nothing_without_the_key_of_the_tenant() -> None:
    parts = [("file", b"content")]
    assert mark(parts) != mark(parts, key=secrets.token_bytes(32))
    assert mark(parts) != mark(parts, tenant_id=uuid4())


def test_a_mark_may_be_taken_on_the_way() -> None:
    fingerprint = Fingerprint(KEY, TENANT).update("a", b"x")
    assert fingerprint.digest() == fingerprint.digest() == mark([("a", b"x")])
    assert fingerprint.update("a", b"y").digest() == mark([("a", b"xy")])
