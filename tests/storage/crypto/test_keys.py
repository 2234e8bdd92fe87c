"""Key files: created once, complete, and private."""

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.crypto.authenticity import each_key
from storage.crypto.keys import (
    ensure_keys,
    load_audit_keys,
    load_private_key,
    load_public_key,
    load_release_key,
    load_token_key,
)
from storage.errors import BadKeyFile

FILES = [
    *("audit.key", "audit.pub", "courier.key", "courier.pub", "release.key", "token.key", "worker.key", "worker.pub"),
]


def test_makes_a_pair_and_the_keys_of_releases_and_tokens(tmp_path: Path) -> None:
    ensure_keys(tmp_path / "keys")
    private = load_private_key(tmp_path / "keys" / "worker.key")
    public = load_public_key(tmp_path / "keys" / "worker.pub")
    assert private.public_key().public_bytes_raw() == public.public_bytes_raw()
    assert len(load_release_key(tmp_path / "keys" / "release.key")) == 32
    assert len(load_token_key(tmp_path / "keys" / "token.key")) == 32
    assert (tmp_path / "keys" / "token.key").read_bytes() != (tmp_path / "keys" / "release.key").read_bytes()


@pytest.mark.parametrize("load", [load_release_key, load_token_key])
def test_a_file_may_hold_several_keys_but_no_part_of_one(tmp_path: Path, load: Callable[[Path], bytes]) -> None:
    file = tmp_path / "some.key"
    file.write_bytes(b"n" * 32 + b"o" * 32)
    assert each_key(load(file)) == (b"n" * 32, b"o" * 32)
    for size in (0, 31, 33, 63):
        file.write_bytes(b"x" * size)
        with pytest.raises(BadKeyFile):
            load(file)


def test_the_key_of_audit_heads_may_be_several_and_its_public_half_follows(tmp_path: Path) -> None:
    ensure_keys(tmp_path / "old")
    ensure_keys(tmp_path)
    both = (tmp_path / "audit.key").read_bytes() + (tmp_path / "old" / "audit.key").read_bytes()
    newest = load_audit_keys(tmp_path / "audit.key")[0].public_key()
    (tmp_path / "audit.key").write_bytes(both)
    (tmp_path / "audit.pub").unlink()
    ensure_keys(tmp_path)
    new, old = load_audit_keys(tmp_path / "audit.key")
    assert new.public_key() == newest != old.public_key()
    assert (tmp_path / "audit.pub").read_bytes().count(b"BEGIN PUBLIC KEY") == 2
    for wrong in ("release.key", "worker.key", "audit.pub"):
        with pytest.raises(BadKeyFile):
            load_audit_keys(tmp_path / wrong)


def test_private_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    ensure_keys(tmp_path)
    for name in ("worker.key", "release.key", "token.key", "audit.key"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_never_replaces_a_key_and_leaves_no_draft(tmp_path: Path) -> None:
    ensure_keys(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    ensure_keys(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert sorted(before) == FILES


def test_processes_that_race_end_up_with_one_pair(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ensure_keys(tmp_path), range(16)))
    private, public = load_private_key(tmp_path / "worker.key"), load_public_key(tmp_path / "worker.pub")
    assert private.public_key().public_bytes_raw() == public.public_bytes_raw()
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES


def test_a_lost_public_half_is_made_again(tmp_path: Path) -> None:
    ensure_keys(tmp_path)
    before = (tmp_path / "worker.pub").read_bytes()
    (tmp_path / "worker.pub").unlink()
    ensure_keys(tmp_path)
    assert (tmp_path / "worker.pub").read_bytes() == before


def test_does_not_make_a_pair_beside_a_lonely_public_key(tmp_path: Path) -> None:
    ensure_keys(tmp_path)
    (tmp_path / "worker.key").unlink()
    with pytest.raises(BadKeyFile):
        ensure_keys(tmp_path)
    assert not (tmp_path / "worker.key").exists()


def test_files_that_hold_something_else_are_refused(tmp_path: Path) -> None:
    ensure_keys(tmp_path)
    (tmp_path / "worker.pub").write_bytes(b"nonsense")
    (tmp_path / "short.key").write_bytes(b"x" * 31)
    with pytest.raises(BadKeyFile):
        load_public_key(tmp_path / "worker.pub")
    with pytest.raises(BadKeyFile):
        load_private_key(tmp_path / "release.key")
    with pytest.raises(BadKeyFile):
        load_release_key(tmp_path / "short.key")
