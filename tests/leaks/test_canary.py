"""The scanner must find every encoding, or the tests that rely on it prove nothing."""

import csv
import io
import json

import pytest

from tests.leaks.canary import CanaryData, Flock, Scanner, disguises

TOKEN = Flock()()


@pytest.mark.parametrize("form", disguises(TOKEN))
def test_a_token_is_found_in_every_disguise(form: str) -> None:
    assert Scanner(TOKEN[:29]).find(disguises(TOKEN)[form]), form


@pytest.mark.parametrize("form", disguises(TOKEN))
def test_another_flock_is_not_taken_for_this_one(form: str) -> None:
    assert Scanner(Flock().mark).find(disguises(TOKEN)[form]) == []


def test_a_token_is_found_through_two_layers() -> None:
    inner = disguises(TOKEN)["zip"]
    assert "gzip/zip/raw" in Scanner(TOKEN[:29]).find(disguises(TOKEN)["gzip"] + _gzip(inner))


def _gzip(content: bytes) -> bytes:
    import gzip

    return gzip.compress(content)


def test_a_token_is_found_across_the_pieces_of_a_large_file_and_in_a_files_name(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("tests.leaks.canary._PIECE", 64)
    scanner = Scanner(TOKEN[:29])
    for offset in range(40, 64, 5):
        (tmp_path / "large.bin").write_bytes(b"." * offset + TOKEN.encode() + b"." * 100)
        assert scanner.find_in_folder(tmp_path) == {"large.bin": ["raw"]}
    (tmp_path / "large.bin").write_bytes(b"nothing")
    (tmp_path / f"{TOKEN}.txt").touch()
    assert scanner.find_in_folder(tmp_path) == {f"{TOKEN}.txt": ["name/raw"]}


def test_every_text_of_the_canary_data_is_a_token() -> None:
    made = CanaryData()
    table = list(csv.DictReader(io.StringIO(made.table().decode())))
    assert len(table) == made.people
    for row in table:
        assert all(made.anything.find(cell) for name, cell in row.items() if name != "age")
        assert all(made.secret.find(row[name]) for name in ("name", "account", "home"))
    for line in made.edges().decode().splitlines()[1:] + made.nodes().decode().splitlines()[1:]:
        assert all(made.anything.find(cell) for cell in line.split(","))
    for line in made.contacts().decode().splitlines()[1:]:
        assert all(made.secret.find(cell) for cell in line.split(","))
    assert made.secret.find(made.file_name("csv"))
    assert all(made.secret.find(row[0]) for row in made.hierarchy()["rows"])
    assert made.secret.find(json.dumps(made.table_policy()))
