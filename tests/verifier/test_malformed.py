"""`python -m verifier` on inputs that are not what they should be: a documented status and a line, no traceback."""

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from verifier.__main__ import main
from verifier.verdict.documents import object_in

CHECKOUT = Path(__file__).resolve().parents[2]
TABLE: dict[str, Any] = {
    "kind": "table",
    "attributes": {
        "q": {"role": "quasi_identifier", "type": "integer", "recoding": "range"},
        "s": {"role": "sensitive", "hierarchy": {"kind": "mask"}},
    },
    "guarantees": [
        {"model": "k_anonymity", "k": 2},
        {"model": "l_diversity", "variant": "entropy", "l": 2, "attribute": "s"},
        {"model": "t_closeness", "t": 0.9, "attribute": "s"},
        {"model": "local_differential_privacy", "epsilon": 1.0},
    ],
    "method": {"name": "mondrian"},
    "gate": {"max_suppressed": 0.5},
    "labels": {"ranges": "[20, 29]"},
    "csv": {"delimiter": ","},
}
GRAPH: dict[str, Any] = {
    "kind": "graph",
    "attributes": {"club": {"role": "insensitive"}},
    "guarantees": [{"model": "k_degree_anonymity", "k": 2}, {"model": "edge_local_dp", "epsilon": 2.0}],
    "method": {"name": "k_degree"},
}
REPORT: dict[str, Any] = {
    "mechanism": {
        "randomized_response": {"s": {"keep": "0.5", "values": ["a", "b"]}},
        "edge_local_dp": {"rate": "1/3", "keep": "2/3", "density": "0.1", "epsilon_structure": "2"},
        "dp_marginals": {"draws": [{"of": "count", "scale": "1"}]},
    }
}
ODD: list[Any] = [
    *(None, True, [], {}, "", -1, 0, 10**400, 1e308, 2**63, "1e999999999", "9" * 5_000, "1/0", "NaN"),
    *([[]], {"a": {}}, "\ud800", [1, "a", None], {"k": {"k": []}}),
]
BROKEN = {
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "deep and closed": b'{"a":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    "within the parser's limit": b'{"a":' * 500 + b"1" + b"}" * 500,
    "a number without an end": b'{"k": ' + b"9" * 100_000 + b"}",
    "a power without an end": b'{"k": 1e' + b"9" * 1_000 + b"}",
    "no number": b'{"k": NaN}',
    "infinity": b'{"k": -Infinity}',
    "no text": b"\xff\xfe\x00",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "nothing": b"",
    "zeros": b"\x00" * 1_000,
    "half": b'{"kind": "table", ',
    "a list": b"[]",
    "twice": b'{"kind": "table", "kind": "table"}',
    "half a character": b'{"kind": "\\ud800"}',
    "an empty object": b"{}",
}
ENDINGS = ("csv", "parquet", "jsonl", "xlsx", "graphml", "gml", "json", "edges.csv")


def run(*words: Path | str) -> int:
    try:
        return main([str(word) for word in words])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.fixture
def good(tmp_path: Path) -> dict[str, Path]:
    """Inputs that fit."""
    contents = {
        "policy.json": json.dumps({"kind": "table", "attributes": {"q": {"role": "quasi_identifier"}}}).encode(),
        "table.csv": b"q\na\na\n",
        "chain.jsonl": b"",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return {name: tmp_path / name for name in contents}


def spoiled(folder: Path, name: str, how: str) -> Path:
    path = folder / name
    if how == "a folder":
        path.mkdir()
    elif how != "absent":
        path.write_bytes(BROKEN[how])
    return path


@pytest.mark.parametrize("how", [*BROKEN, "a folder", "absent"])
def test_no_document_ends_in_a_traceback_or_a_success(
    tmp_path: Path, good: dict[str, Path], how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = spoiled(tmp_path, "bad.json", how)
    archive = spoiled(tmp_path, "bad.zip", how)
    policy, table, chain = good.values()
    uses = (
        ([bad, table], (1, 2)),
        ([policy, table, "--mechanism", bad], (0, 2)),
        ([policy, table, "--sealed-map", bad], (0, 2)),
        (["--chain", bad], (1, 2)),
        (["--chain", chain, "--head", bad], (2,)),
        (["--chain", chain, "--key", bad], (2,)),
        ([archive], (1, 2)),
        ([archive, "--key", bad], (2,)),
    )
    for words, allowed in uses:
        status = run(*words)
        shown = capsys.readouterr()
        assert status in allowed, (words, shown.err)
        assert "Traceback" not in shown.err
        if status == 2:
            assert shown.out == ""
            assert shown.err.splitlines()[-1].startswith("python -m verifier: error: ")


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("ending", ENDINGS)
def test_no_file_of_a_release_ends_in_a_traceback_or_a_success(tmp_path: Path, how: str, ending: str) -> None:
    for document in (TABLE, GRAPH):
        (tmp_path / "policy.json").write_text(json.dumps(document))
        bad = tmp_path / f"bad.{ending}"
        bad.write_bytes(BROKEN[how])
        assert run(tmp_path / "policy.json", bad) in (1, 3)


def places(document: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values in a document."""
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in inner:
        yield (*above, key)
        yield from places(value, (*above, key))


def changed(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    made = copy.deepcopy(document)
    at = made
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    return made


@pytest.mark.parametrize("part", ["table policy", "graph policy", "report"])
def test_any_value_at_any_place_is_answered(tmp_path: Path, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every place once with a value drawn from the odd ones; the draw is fixed."""
    drawn = random.Random(7)
    (tmp_path / "table.csv").write_text("q,s\n" + '"[20, 29]",a\n"[20, 29]",b\n' * 3)
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,2\n0,2\n")
    (tmp_path / "nodes.csv").write_text("node,club\n0,a\n1,a\n2,b\n")
    files = ["edges.csv", "nodes.csv"] if part == "graph policy" else ["table.csv"]
    document = {"table policy": TABLE, "graph policy": GRAPH, "report": REPORT}[part]
    for place in places(document):
        for value in drawn.sample(ODD, 4):
            odd = changed(document, place, value)
            policy, report = (TABLE, odd) if part == "report" else (odd, REPORT)
            (tmp_path / "policy.json").write_text(json.dumps(policy))
            (tmp_path / "report.json").write_text(json.dumps(report))
            words = [tmp_path / "policy.json", *(tmp_path / name for name in files)]
            status = run(*words, "--mechanism", tmp_path / "report.json")
            shown = capsys.readouterr()
            nothing = place == ("guarantees",) and value in ([], None)
            assert status in ((0,) if nothing else (1, 2, 3)), (place, value)
            assert (status == 2) == (shown.out == "")
            assert "Traceback" not in shown.err


def test_the_process_itself_says_one_line(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_bytes(BROKEN["deep lists"])
    (tmp_path / "t.csv").write_text("q\na\na\n")
    command = [sys.executable, "-m", "verifier", str(tmp_path / "deep.json"), str(tmp_path / "t.csv")]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(errors) == 1


def test_a_document_of_usual_depth_is_read() -> None:
    deep = json.dumps({"a": [[[[[[[[[[{"b": 1}]]]]]]]]]]})
    assert object_in(deep) == json.loads(deep)
