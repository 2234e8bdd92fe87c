"""The folder of compiled kernels belongs to one state of their source."""

from pathlib import Path

import pytest

from stack import kernels


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    source = tmp_path / "antifaz" / "kernels"
    source.mkdir(parents=True)
    (source / "loops.py").write_text("one = 1\n")
    monkeypatch.setattr(kernels, "ROOT", tmp_path)
    monkeypatch.setattr(kernels, "CACHE", tmp_path / "cache")
    return source


def test_the_same_source_finds_its_folder_again(checkout):
    first = kernels.cache_folder()
    (first / "code").write_text("compiled")
    assert kernels.cache_folder() == first
    assert (first / "code").exists()


def test_a_changed_source_gets_a_new_folder_and_the_old_one_goes(checkout):
    first = kernels.cache_folder()
    (checkout / "loops.py").write_text("one = 2\n")
    assert kernels.cache_folder() != first
    assert not first.exists()
