"""Codes of rows: unchanged by the database, different after every change, and impossible without the key."""

import json
import secrets
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, text

from storage.crypto.authenticity import is_authentic, mac_of, require_authentic
from storage.errors import Forged

KEY = secrets.token_bytes(32)
ROW = [UUID(int=7), "name", None, 3, 0.5, ["a", {"b": True}]]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(blacklist_characters="\x00", blacklist_categories=["Cs"]), max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "é", "bb", ""]), inner),
    max_leaves=8,
)


def test_a_row_is_known_by_its_code() -> None:
    require_authentic(KEY, "release", ROW, mac_of(KEY, "release", ROW))


@pytest.mark.parametrize("place", range(len(ROW)))
def test_no_value_of_a_row_can_be_changed(place: int) -> None:
    mac = mac_of(KEY, "release", ROW)
    changed = [*ROW[:place], "other", *ROW[place + 1 :]]
    with pytest.raises(Forged):
        require_authentic(KEY, "release", changed, mac)


def test_values_cannot_run_together_or_change_places() -> None:
    mac = mac_of(KEY, "release", ["ab", "c"])
    for other in (["a", "bc"], ["abc"], ["c", "ab"], ["ab", "c", None], ['ab","c']):
        assert not is_authentic(KEY, "release", other, mac)


def test_the_code_of_one_kind_of_row_is_no_code_of_another() -> None:
    assert not is_authentic(KEY, "report", ROW, mac_of(KEY, "release", ROW))


def test_every_key_checks_and_the_newest_makes_codes() -> None:
    new = secrets.token_bytes(32)
    assert is_authentic(new + KEY, "release", ROW, mac_of(KEY, "release", ROW))
    assert is_authentic(new, "release", ROW, mac_of(new + KEY, "release", ROW))
    assert not is_authentic(new, "release", ROW, mac_of(KEY, "release", ROW))


@pytest.mark.parametrize("mac", [b"", bytes(32), b"x"])
def test_nothing_is_authentic_without_a_code(mac: bytes) -> None:
    assert not is_authentic(KEY, "release", ROW, mac)


@given(content=JSON)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_row_holds_its_code_is_the_same_after_the_database(c: Connection, content: Any) -> None:
    mac = mac_of(KEY, "report", [content])
    stored = c.execute(text("SELECT CAST(:content AS jsonb)"), {"content": json.dumps(content)}).scalar_one()
    assert is_authentic(KEY, "report", [stored], mac)
    assert not is_authentic(KEY, "report", [[stored, str(uuid4())]], mac)
