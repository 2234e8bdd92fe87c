"""`python -m verifier` as an auditor sees it: the verdict as JSON, the exit status, the help."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from verifier import Artifact, verify
from verifier.__main__ import main

Write = Callable[..., Artifact]
Draw = Callable[..., dict[str, Artifact]]
POLICY: dict[str, Any] = {
    "kind": "table",
    "attributes": {"q": {"role": "quasi_identifier"}},
    "guarantees": [{"model": "k_anonymity", "k": 2}],
}
GRAPH: dict[str, Any] = {
    "kind": "graph",
    "attributes": {},
    "guarantees": [{"model": "k_degree_anonymity", "k": 2}],
}


def save(folder: Path, name: str, content: Any) -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return str(path)


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_every_format_of_tables_is_told_by_its_ending(
    tmp_path: Path, write: Write, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    policy = save(tmp_path, "policy.json", POLICY)
    artifact = write(form, ["q"], [["a"], ["a"]])
    assert main([policy, save(tmp_path, f"table.{form}", bytes(artifact.content))]) == 0
    printed = capsys.readouterr().out
    verdict = verify(POLICY, [artifact])
    told = {"holds": True, "cannot_tell": (), **asdict(verdict)}
    assert json.loads(printed) == json.loads(json.dumps(told))
    assert printed == json.dumps(told, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_every_format_of_node_tables_is_told_by_its_name(tmp_path: Path, write: Write, draw: Draw, form: str) -> None:
    policy = save(tmp_path, "policy.json", GRAPH)
    edges = save(tmp_path, "edges.csv", bytes(draw(2, [(0, 1)])["edgelist"].content))
    nodes = write(form, ["node"], [[0], [1]], part="nodes")
    assert main([policy, edges, save(tmp_path, f"nodes.{form}", bytes(nodes.content))]) == 0
    assert main([policy, edges, save(tmp_path, f"other.{form}", bytes(nodes.content))]) == 1


def test_what_is_printed_is_plain_unicode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = save(tmp_path, "policy.json", GRAPH)
    assert main([policy, save(tmp_path, "g.gml", b"graph [ node [ id 1 ] ]")]) == 1
    printed = capsys.readouterr().out
    assert "0…n-1" in printed
    assert json.loads(printed)["holds"] is False


def test_an_error_of_use_says_which_and_prints_no_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = save(tmp_path, "policy.json", POLICY)
    table = save(tmp_path, "t.csv", b"q\na\na\n")
    unreadable = (
        "python -m verifier: error: a file cannot be read, or the policy is not a JSON object with each key once"
    )
    for arguments, why in (
        ([save(tmp_path, "broken.json", b"{"), table], unreadable),
        ([save(tmp_path, "latin.json", b"\xff"), table], unreadable),
        ([str(tmp_path / "absent.json"), table], unreadable),
        ([policy, str(tmp_path / "absent.csv")], unreadable),
        ([save(tmp_path, "list.json", b"[]"), table], unreadable),
        ([save(tmp_path, "twice.json", b'{"kind": "table", "kind": "graph"}'), table], unreadable),
        ([save(tmp_path, "deep.json", b'{"attributes": {"q": {"role": "x", "role": "y"}}}'), table], unreadable),
        ([policy, table, "--sealed-map", save(tmp_path, "map.json", b"{")], unreadable),
        (
            [policy, save(tmp_path, "t.ods", b"")],
            "python -m verifier: error: t.ods: the format is not known from the name",
        ),
    ):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2
        told = capsys.readouterr()
        assert told.err.splitlines()[-1] == why
        assert told.out == ""


def test_the_help_names_everything_that_can_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith(
        "usage: python -m verifier [-h] [--directed] [--mechanism MECHANISM] [--sealed-map SEALED_MAP] policy files"
    )
    for sentence in (
        " Re-check the guarantees of a release. ",
        " policy the policy as JSON ",
        " files the files of the release ",
        " --directed the graph is directed ",
        " --mechanism MECHANISM the public report, for guarantees by mechanism ",
        " --sealed-map SEALED_MAP JSON with the person of every row, if persons are counted",
    ):
        assert sentence in told
    assert told.endswith("if persons are counted")


def test_at_least_one_file_is_needed(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stop:
        main([save(tmp_path, "policy.json", POLICY)])
    assert stop.value.code == 2
