"""Tokens: known by a keyed digest, until they expire or are revoked."""

import hashlib
import secrets
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, func, select, text, update

from storage.orm import Tenant, Token
from storage.tenancy.tenants import create_tenant, find_tenant_by_name
from storage.tenancy.tokens import (
    ROLES,
    VALID,
    Principal,
    authenticate,
    bootstrap,
    create_token,
    install_token,
    list_tokens,
    revoke_token,
)


@pytest.mark.parametrize("role", ROLES)
def test_a_token_stands_for_its_tenant_and_role(c: Connection, tenant_id: UUID, role: str, token_key: bytes) -> None:
    record, words = create_token(c, token_key, tenant_id, "portal", role, 90)
    assert authenticate(c, token_key, words) == Principal(record.id, tenant_id, role, "portal")
    assert words.startswith("afz_")
    assert len(words) == 47


def test_the_text_of_a_token_is_kept_nowhere(c: Connection, tenant_id: UUID, token_key: bytes) -> None:
    _, words = create_token(c, token_key, tenant_id, "portal", "steward", None)
    row = c.execute(text("SELECT tokens::text FROM tokens WHERE tenant_id = :id"), {"id": tenant_id}).scalar_one()
    assert words not in row
    assert words.encode().hex() not in row


@pytest.mark.parametrize("words", ["", "afz_unknown", "\x00", "\ud800", "x" * 100_000])
def test_unknown_texts_are_nobody(c: Connection, words: str, token_key: bytes) -> None:
    assert authenticate(c, token_key, words) is None


def test_a_token_expires_by_the_databases_clock(c: Connection, tenant_id: UUID, token_key: bytes) -> None:
    record, words = create_token(c, token_key, tenant_id, "portal", "steward", 1)
    assert authenticate(c, token_key, words) is not None
    later = c.execute(select(Token.id).where(Token.id == record.id, VALID)).scalar_one_or_none()
    assert later == record.id
    c.execute(update(Token).where(Token.id == record.id).values(expires_at=func.now()))
    assert c.execute(select(Token.id).where(Token.id == record.id, VALID)).scalar_one_or_none() is None
    assert authenticate(c, token_key, words) is None


def test_a_token_lasts_as_many_days_as_it_says(c: Connection, tenant_id: UUID, token_key: bytes) -> None:
    record, _ = create_token(c, token_key, tenant_id, "portal", "steward", 90)
    assert record.expires_at is not None
    assert record.expires_at - record.created_at == timedelta(days=90)


def test_a_revoked_token_is_nobody_at_once(c: Connection, tenant_id: UUID, token_key: bytes) -> None:
    record, words = create_token(c, token_key, tenant_id, "portal", "steward", None)
    assert revoke_token(c, tenant_id, record.id)
    assert authenticate(c, token_key, words) is None
    assert revoke_token(c, tenant_id, record.id)
    assert list_tokens(c, tenant_id, 10).items[0].revoked_at is not None


def test_another_tenant_cannot_revoke_or_see_a_token(c: Connection, tenant_id: UUID, token_key: bytes) -> None:
    other = create_tenant(c, "other").id
    record, words = create_token(c, token_key, tenant_id, "portal", "steward", None)
    assert not revoke_token(c, other, record.id)
    assert not revoke_token(c, tenant_id, uuid4())
    assert authenticate(c, token_key, words) is not None
    assert list_tokens(c, other, 10).items == []


def test_a_role_that_does_not_exist_is_refused(c: Connection, tenant_id: UUID, token_key: bytes) -> None:
    with pytest.raises(ValueError, match="role"):
        create_token(c, token_key, tenant_id, "portal", "root", None)


def test_installing_the_same_text_again_finds_the_token(c: Connection, tenant_id: UUID, token_key: bytes) -> None:
    first = install_token(c, token_key, tenant_id, "first", "admin", "t" * 32)
    assert install_token(c, token_key, tenant_id, "second", "admin", "t" * 32) == first
    assert revoke_token(c, tenant_id, first.id)
    assert install_token(c, token_key, tenant_id, "third", "admin", "t" * 32).revoked_at is not None
    assert authenticate(c, token_key, "t" * 32) is None


def test_processes_that_race_to_bootstrap_make_one_tenant_and_one_token(
    service: Any, owner: Any, token_key: bytes
) -> None:
    words = "b" * 40

    def start(_: int) -> None:
        with service.main.begin() as connection:
            bootstrap(connection, token_key, words)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(start, range(6)))
    with owner.main.connect() as connection:
        default = find_tenant_by_name(connection, "default")
        principal = authenticate(connection, token_key, words)
        assert default is not None
        assert principal is not None
        assert (principal.tenant_id, principal.role) == (default.id, "admin")
        count = select(func.count()).select_from(Token).join(Tenant).where(Tenant.name == "default")
        assert connection.execute(count).scalar_one() == 1


def test_a_token_is_known_by_nothing_that_can_be_made_without_the_key(c: Connection, tenant_id: UUID) -> None:
    mine, theirs = secrets.token_bytes(32), secrets.token_bytes(32)
    record, words = create_token(c, mine, tenant_id, "portal", "steward", None)
    digest = c.execute(select(Token.digest).where(Token.id == record.id)).scalar_one()
    plain = {hashlib.new(name, words.encode()).digest() for name in ("sha256", "sha3_256", "blake2s")}
    assert digest not in plain
    assert authenticate(c, theirs, words) is None


def test_a_new_key_in_front_lets_old_tokens_live_and_its_removal_ends_them(c: Connection, tenant_id: UUID) -> None:
    old, new = secrets.token_bytes(32), secrets.token_bytes(32)
    _, made_before = create_token(c, old, tenant_id, "before", "steward", None)
    _, made_after = create_token(c, new + old, tenant_id, "after", "steward", None)
    for words in (made_before, made_after):
        assert authenticate(c, new + old, words) is not None
    assert authenticate(c, new, made_after) is not None
    assert authenticate(c, new, made_before) is None
    assert authenticate(c, old, made_after) is None


def test_a_revoked_first_token_stays_revoked_under_a_new_key(c: Connection, tenant_id: UUID) -> None:
    old, new = secrets.token_bytes(32), secrets.token_bytes(32)
    first = install_token(c, old, tenant_id, "first", "admin", "t" * 32)
    revoke_token(c, tenant_id, first.id)
    assert install_token(c, new + old, tenant_id, "first", "admin", "t" * 32).id == first.id
    assert authenticate(c, new + old, "t" * 32) is None
