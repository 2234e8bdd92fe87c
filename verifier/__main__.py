"""python -m verifier POLICY.json FILE... [--directed]: an auditor's check of downloaded files.

Formats and parts follow the files' names: ``*.csv``, ``*.parquet`` and ``*.jsonl`` are tables, ``nodes.*`` is a node
table, ``edges.csv`` an edge list; ``*.graphml``, ``*.gml`` and ``*.json`` are graphs. ``sample_1.edges.csv``,
``sample_1.graphml`` and ``sample_1_nodes.csv`` are a graph that was drawn from supernodes. The verdict is printed as
JSON; the exit status is 0 where it holds and 1 where it does not.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from verifier.check import verify
from verifier.verdict import Artifact

_FORMATS = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".graphml": "graphml",
    ".gml": "gml",
    ".json": "node-link",
}
_TABLE_FORMATS = ("csv", "parquet", "jsonl")
_SAMPLE = re.compile(r"sample_[0-9]+", re.ASCII)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m verifier", description="Re-check the guarantees of a release.")
    parser.add_argument("policy", type=Path, help="the policy as JSON")
    parser.add_argument("files", type=Path, nargs="+", help="the files of the release")
    parser.add_argument("--directed", action="store_true", help="the graph is directed")
    parser.add_argument("--sealed-map", type=Path, help="JSON with the person of every row, where persons are counted")
    options = parser.parse_args(arguments)
    try:
        policy = json.loads(options.policy.read_text("utf-8"))
        sealed_map = json.loads(options.sealed_map.read_text("utf-8")) if options.sealed_map else None
        artifacts = [_artifact(path, parser) for path in options.files]
    except (OSError, ValueError):
        parser.error("a file cannot be read, or the policy is not JSON")
    verdict = verify(policy, artifacts, sealed_map, options.directed)
    print(json.dumps({"holds": verdict.holds, **asdict(verdict)}, indent=2, ensure_ascii=False))
    return 0 if verdict.holds else 1


def _artifact(path: Path, parser: argparse.ArgumentParser) -> Artifact:
    format_ = _FORMATS.get(path.suffix)
    if format_ is None:
        parser.error(f"{path.name}: the format cannot be told from the name")
    sample = _SAMPLE.match(path.name)
    if path.name == "edges.csv" or path.name.endswith(".edges.csv"):
        return Artifact("edgelist", sample[0] if sample else "graph", path.read_bytes())
    if format_ not in _TABLE_FORMATS:
        return Artifact(format_, sample[0] if sample else "graph", path.read_bytes())
    is_nodes = path.stem == "nodes" or (sample is not None and path.stem.endswith("_nodes"))
    return Artifact(format_, path.stem if is_nodes else "table", path.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
