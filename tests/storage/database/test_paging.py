"""Paging: newest first, stable while rows are added, with cursors that cannot be forged."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, insert

from storage.database.paging import (
    CURSOR,
    NUMBER_CURSOR,
    BadCursor,
    decode_cursor,
    decode_number,
    encode_cursor,
    encode_number,
)
from storage.orm import Token
from storage.tenancy.tokens import list_tokens


@given(st.datetimes(timezones=st.just(UTC)), st.uuids())
@settings(deadline=None)
def test_a_cursor_comes_back_as_it_was(at: datetime, identity: UUID) -> None:
    assert decode_cursor(encode_cursor((at, identity))) == (at, identity)


@given(st.integers(-(2**63), 2**63 - 1))
@settings(deadline=None, max_examples=50)
def test_a_number_comes_back_as_it_was(number: int) -> None:
    assert decode_number(encode_number(number)) == number


@given(st.text(max_size=60))
@settings(deadline=None, max_examples=2 * settings().max_examples)
def test_nonsense_is_a_bad_cursor_and_nothing_worse(text: str) -> None:
    for decode in (decode_cursor, decode_number):
        try:
            decode(text)  # type: ignore[operator]
        except BadCursor:
            continue


@pytest.mark.parametrize("text", ["", "x", "AAAA", "é", "=" * 8, "A" * 32 + "!", encode_number(1)])
def test_malformed_cursors_are_refused(text: str) -> None:
    with pytest.raises(BadCursor):
        decode_cursor(text)


def test_a_time_before_every_calendar_is_refused() -> None:
    with pytest.raises(BadCursor):
        decode_cursor("g" + "A" * 31)


@given(st.from_regex(CURSOR, fullmatch=True), st.from_regex(NUMBER_CURSOR, fullmatch=True))
@settings(deadline=None, max_examples=2 * settings().max_examples)
def test_whatever_looks_like_a_cursor_is_one(cursor: str, numbered: str) -> None:
    assert decode_cursor(cursor)[0] >= datetime(1970, 1, 1, tzinfo=UTC)
    assert decode_number(numbered) >= 0


@given(st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC)), st.uuids(), st.integers(0, 2**58 - 1))
@settings(deadline=None)
def test_every_cursor_looks_like_one(at: datetime, identity: UUID, number: int) -> None:
    assert re.search(CURSOR, encode_cursor((at, identity)))
    assert re.search(NUMBER_CURSOR, encode_number(number))


def test_a_time_after_all_times_points_to_the_beginning(c: Connection, tenant_id: UUID) -> None:
    add(c, tenant_id, "only", datetime(2030, 1, 1, tzinfo=UTC))
    assert [token.name for token in list_tokens(c, tenant_id, 3, "A" + "_" * 31).items] == ["only"]


def add(c: Connection, tenant_id: UUID, name: str, at: Any) -> None:
    values = {"id": uuid4(), "tenant_id": tenant_id, "name": name, "role": "steward"}
    values |= {"digest": uuid4().bytes, "mac": bytes(32)}
    c.execute(insert(Token).values(**values, created_at=at))


def test_pages_neither_repeat_nor_skip_while_rows_come_in(c: Connection, tenant_id: UUID) -> None:
    start = datetime(2030, 1, 1, tzinfo=UTC)
    for number in range(10):
        add(c, tenant_id, f"old {number}", start + timedelta(seconds=number // 3))
    seen, cursor = [], None
    while True:
        page = list_tokens(c, tenant_id, 3, cursor)
        seen += [token.name for token in page.items]
        add(c, tenant_id, "new", start + timedelta(days=1))
        cursor = page.next_cursor
        if cursor is None:
            break
    assert len(seen) == 10
    assert set(seen) == {f"old {number}" for number in range(10)}


def test_a_list_starts_with_the_newest(c: Connection, tenant_id: UUID) -> None:
    for days in (2, 0, 1):
        add(c, tenant_id, str(days), func.now() - timedelta(days=days))
    assert [token.name for token in list_tokens(c, tenant_id, 10).items] == ["0", "1", "2"]


@pytest.mark.parametrize(("rows", "limit", "more"), [(0, 1, False), (1, 1, False), (2, 1, True), (3, 3, False)])
def test_a_next_cursor_means_that_there_is_more(
    c: Connection, tenant_id: UUID, rows: int, limit: int, more: bool
) -> None:
    for number in range(rows):
        add(c, tenant_id, str(number), func.now())
    assert (list_tokens(c, tenant_id, limit).next_cursor is not None) is more
