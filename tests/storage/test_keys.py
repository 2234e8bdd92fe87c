"""Key files: made once, whole, and private."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from storage.errors import BadKeyFile
from storage.keys import ensure_keys, load_private_key, load_public_key, load_release_key


def test_makes_a_pair_and_a_release_key(tmp_path: Path) -> None:
    ensure_keys(tmp_path / "keys")
    private = load_private_key(tmp_path / "keys" / "worker.key")
    public = load_public_key(tmp_path / "keys" / "worker.pub")
    assert private.public_key().public_bytes_raw() == public.public_bytes_raw()
    assert len(load_release_key(tmp_path / "keys" / "release.key")) == 32


def test_private_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    ensure_keys(tmp_path)
    for name in ("worker.key", "release.key"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_never_replaces_a_key_and_leaves_no_draft(tmp_path: Path) -> None:
    ensure_keys(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    ensure_keys(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert sorted(before) == ["release.key", "worker.key", "worker.pub"]


def test_processes_that_race_end_up_with_one_pair(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ensure_keys(tmp_path), range(16)))
    private, public = load_private_key(tmp_path / "worker.key"), load_public_key(tmp_path / "worker.pub")
    assert private.public_key().public_bytes_raw() == public.public_bytes_raw()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["release.key", "worker.key", "worker.pub"]


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
