"""The auditors' command."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier import Artifact
from verifier.__main__ import main

CHECKOUT = Path(__file__).resolve().parents[2]
Write = Callable[..., Artifact]
Draw = Callable[..., dict[str, Artifact]]


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.json"
    attributes = {"q": {"role": "quasi_identifier"}}
    path.write_text(
        json.dumps({"kind": "table", "attributes": attributes, "guarantees": [{"model": "k_anonymity", "k": 2}]})
    )
    return path


def save(path: Path, artifact: Artifact) -> str:
    path.write_bytes(artifact.content)
    return str(path)


def test_prints_the_verdict_and_tells_it_by_its_exit_status(tmp_path: Path, policy: Path, write: Write) -> None:
    good = save(tmp_path / "good.csv", write("csv", ["q"], [["a"], ["a"]]))
    bad = save(tmp_path / "bad.parquet", write("parquet", ["q"], [["a"], ["b"]]))
    for path, status in ((good, 0), (bad, 1)):
        command = [sys.executable, "-m", "verifier", str(policy), path]
        done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        assert done.returncode == status
        printed = json.loads(done.stdout)
        assert printed["holds"] is (status == 0)
        assert printed["findings"][0]["achieved"] == {"k": 2 - status}


def test_tells_formats_and_parts_by_the_names_of_files(
    tmp_path: Path, draw: Draw, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {"kind": "graph", "attributes": {}, "guarantees": [{"model": "k_degree_anonymity", "k": 3}]}
    graph_policy = tmp_path / "policy.json"
    graph_policy.write_text(json.dumps(document))
    names = {
        "edgelist": "edges.csv",
        "graphml": "g.graphml",
        "gml": "g.gml",
        "node-link": "g.json",
        "nodes": "nodes.csv",
    }
    for directed in (False, True):
        drawn = draw(3, [(0, 1), (1, 2), (2, 0)], directed)
        files = [save(tmp_path / names[name], artifact) for name, artifact in drawn.items()]
        files.append(save(tmp_path / "nodes.jsonl", write("jsonl", ["node"], [[0], [1], [2]])))
        assert main([str(graph_policy), *files, *(["--directed"] if directed else [])]) == 0
        assert main([str(graph_policy), *files, *([] if directed else ["--directed"])]) == 1
    assert '"nodes": 3' in capsys.readouterr().out


def test_takes_a_sealed_map(tmp_path: Path, policy: Path, write: Write) -> None:
    policy.write_text(json.dumps({**json.loads(policy.read_text()), "privacy_unit": "person"}))
    table = save(tmp_path / "t.csv", write("csv", ["q"], [["a"], ["a"]]))
    for units, status in (([1, 2], 0), ([1, 1], 1)):
        sealed = tmp_path / "map.json"
        sealed.write_text(json.dumps({"units": units}))
        assert main([str(policy), table, "--sealed-map", str(sealed)]) == status
    assert main([str(policy), table]) == 3


def test_a_file_of_an_unknown_format_or_no_file_is_an_error_of_use(tmp_path: Path, policy: Path) -> None:
    (tmp_path / "t.ods").write_bytes(b"")
    for name in ("t.ods", "absent.csv"):
        with pytest.raises(SystemExit) as stop:
            main([str(policy), str(tmp_path / name)])
        assert stop.value.code == 2


def test_files_of_a_sampled_graph_are_told_by_their_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "edges.csv": "source,target,edges\n0,1,2\n",
        "nodes.csv": "node,size,edges\n0,2,1\n1,3,2\n",
        "sample_1.edges.csv": "source,target\n0,2\n1,3\n3,4\n0,1\n2,4\n",
        "sample_1_nodes.csv": "node,supernode\n0,0\n1,1\n2,0\n3,1\n4,1\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "policy.json").write_text(json.dumps({"kind": "graph", "method": {"name": "supernodes", "samples": 1}}))
    paths = [str(tmp_path / name) for name in files]
    assert main([str(tmp_path / "policy.json"), *paths]) == 0
    assert main([str(tmp_path / "policy.json"), *paths[:2]]) == 3
    assert json.loads("[" + capsys.readouterr().out.replace("}\n{", "},{") + "]")[0]["holds"] is True
