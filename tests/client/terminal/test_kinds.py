"""Kinds: a list of edges or contacts is not proposed as a table of people."""

import gzip
from pathlib import Path

import pytest
from antifaz_client.terminal.kinds import GRAPHS, kind_of_file

from formats.catalogue import graph_formats, table_formats

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def of(folder: Path, name: str, text: str) -> str | None:
    """The kind of a file with this text."""
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    found = kind_of_file(path)
    return None if found is None else found.kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [("messages.csv", "temporal_graph"), ("friends.edges", "graph"), ("patients.csv", None), ("no such.csv", None)],
)
def test_the_kind_of_each_example_is_known(name: str, kind: str | None) -> None:
    found = kind_of_file(EXAMPLES / name)
    assert (None if found is None else found.kind) == kind


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.csv", "Source;Target;Weight\na;b;1\n", "graph"),
        ("a.csv", '\ufeff"from","to","date"\n', "temporal_graph"),
        ("a.tsv", "caller\tcallee\ttimestamp\n", "temporal_graph"),
        ("a.csv.gz", "source,target\na,b\n", "graph"),
        ("a.gml", "graph [\n", "graph"),
        ("a.edges", "1 2\n", "graph"),
        ("a.csv", "name,age,source\n", None),
        ("a.csv", "from,age,time\n", None),
        ("a.xlsx", "source,target\n", None),
        ("a.csv", "", None),
    ],
)
def test_names_and_endings_show_the_kind(tmp_path: Path, name: str, text: str, kind: str | None) -> None:
    assert of(tmp_path, name, text) == kind


def test_a_damaged_archive_is_left_to_the_upload(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"source,target\n" * 99)[:20])
    assert kind_of_file(tmp_path / "a.csv.gz") is None


def test_every_ending_that_only_graphs_have_is_known() -> None:
    graphs = {ending for format_ in graph_formats().values() for ending in format_.endings}
    tables = {ending for format_ in table_formats().values() for ending in format_.endings}
    assert graphs - tables - {"json"} == GRAPHS


@pytest.mark.parametrize(("times", "window"), [("timestamp", "day"), ("snapshot", "snapshot")])
def test_snapshots_are_days_unless_the_file_numbers_them(tmp_path: Path, times: str, window: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"source,target,{times}\na,b,1\n")
    found = kind_of_file(path)
    assert found is not None
    assert found.window == window
