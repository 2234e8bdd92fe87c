"""Locks by name."""

from typing import Any

from storage.database.locks import lock_name, try_lock_name


def test_a_name_is_held_by_one_transaction_until_its_end(worker: Any) -> None:
    with worker.main.begin() as first, worker.main.begin() as second:
        lock_name(first, "audit", "a")
        assert not try_lock_name(second, "audit", "a")
        assert try_lock_name(second, "audit", "b")
        assert try_lock_name(first, "audit", "a")
    with worker.main.begin() as third:
        assert try_lock_name(third, "audit", "a")
