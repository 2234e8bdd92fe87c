"""python -m verifier POLICY.json FILE... [--directed]: check downloaded files.
python -m verifier --chain events.jsonl [--key HEX] [--head head.json]: check an exported audit trail.
python -m verifier BUNDLE.zip [--key HEX]: check a signed bundle, with its signature and digests.

The name of a file determines its format and its part of the release: ``*.csv``, ``*.parquet`` and ``*.jsonl`` are
tables, ``nodes.*`` is a node table, ``edges.csv`` an edge list; ``*.graphml``, ``*.gml`` and ``*.json`` are graphs.
``sample_1.edges.csv``, ``sample_1.graphml`` and ``sample_1_nodes.csv`` are a graph that was drawn from supernodes. Of a
temporal graph, ``graph.csv`` has the edges and ``snapshots.*`` is the table of snapshots. If values or edges were drawn
at random, pass the public report of the release, which states the chances: ``--mechanism report.json``.

The verdict is printed as JSON. The exit status is 0 if it holds, 1 if it does not, 2 if the command is used wrongly or
the policy is not one JSON object with each key once, and 3 if the verifier cannot tell: the policy is a report, or a
part of the release, a sealed map or a mechanism that it needs was not given.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from verifier.bundles import verify_bundle
from verifier.chain import UnreadableTrail, verify_chain
from verifier.check import verify
from verifier.mechanisms import public_mechanism
from verifier.verdict import Artifact

_FORMATS = {
    ".csv": "csv",
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".xlsx": "xlsx",
    ".graphml": "graphml",
    ".gml": "gml",
    ".json": "node-link",
}
_TABLE_FORMATS = ("csv", "parquet", "jsonl", "xlsx")
_CANNOT_TELL = 3
_PARTS = ("graph", "nodes", "snapshots")
_SAMPLE = re.compile(r"sample_[0-9]+", re.ASCII)


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else list(arguments)
    if "--chain" in given:
        return _check_chain(given)
    return _check_bundle(given) if any(name.endswith(".zip") for name in given) else _check_release(given)


def _check_chain(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m verifier", description="Recompute an exported audit trail.")
    parser.add_argument("--chain", type=Path, required=True, help="the trail from /v1/audit-events?format=jsonl")
    parser.add_argument("--key", type=str.lower, help="the only public key to accept, in hexadecimal")
    parser.add_argument("--head", type=Path, help="JSON with an earlier signed head, which the trail must contain")
    options = parser.parse_args(arguments)
    try:
        kept = _document(options.head) if options.head else None
        with options.chain.open(encoding="utf-8") as lines:
            verdict = verify_chain(lines, options.key, kept)
    except (OSError, ValueError) as error:
        parser.error(str(error) if isinstance(error, UnreadableTrail) else "a file cannot be read")
    print(json.dumps(asdict(verdict), indent=2, ensure_ascii=False))
    return 0 if verdict.intact else 1


def _check_bundle(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m verifier", description="Check a signed bundle of a release.")
    parser.add_argument("bundle", type=Path, help="the bundle from /v1/releases/{id}/bundle.zip")
    parser.add_argument("--key", type=str.lower, help="the only public key to accept, in hexadecimal")
    options = parser.parse_args(arguments)
    if not options.bundle.is_file():
        parser.error("a file cannot be read")
    found = verify_bundle(options.bundle, options.key)
    print(json.dumps(asdict(found), indent=2, ensure_ascii=False))
    if found.holds:
        return 0
    return _CANNOT_TELL if found.cannot_tell and not found.reasons else 1


def _check_release(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m verifier", description="Re-check the guarantees of a release.")
    parser.add_argument("policy", type=Path, help="the policy as JSON")
    parser.add_argument("files", type=Path, nargs="+", help="the files of the release")
    parser.add_argument("--directed", action="store_true", help="the graph is directed")
    parser.add_argument("--mechanism", type=Path, help="the public report, for guarantees by mechanism")
    parser.add_argument("--sealed-map", type=Path, help="JSON with the person of every row, if persons are counted")
    options = parser.parse_args(arguments)
    try:
        policy = _document(options.policy)
        sealed_map = _document(options.sealed_map) if options.sealed_map else {}
        if options.mechanism:
            sealed_map |= public_mechanism(_document(options.mechanism))
        artifacts = [_artifact(path, parser) for path in options.files]
    except (OSError, ValueError):
        parser.error("a file cannot be read, or the policy is not a JSON object with each key once")
    verdict = verify(policy, artifacts, sealed_map or None, options.directed)
    printed = {"holds": verdict.holds, "cannot_tell": verdict.cannot_tell, **asdict(verdict)}
    print(json.dumps(printed, indent=2, ensure_ascii=False))
    if verdict.holds:
        return 0
    return _CANNOT_TELL if verdict.cannot_tell else 1


def _document(path: Path) -> dict[str, Any]:
    """Read a JSON object without repeated keys: parsers disagree about which one counts."""
    document = json.loads(path.read_text("utf-8"), object_pairs_hook=_once)
    if not isinstance(document, dict):
        raise ValueError
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _artifact(path: Path, parser: argparse.ArgumentParser) -> Artifact:
    format_ = _FORMATS.get(path.suffix)
    if format_ is None:
        parser.error(f"{path.name}: the format is not known from the name")
    sample = _SAMPLE.match(path.name)
    if path.name == "edges.csv" or path.name.endswith(".edges.csv"):
        return Artifact("edgelist", sample[0] if sample else "graph", path.read_bytes())
    if format_ not in _TABLE_FORMATS:
        return Artifact(format_, sample[0] if sample else "graph", path.read_bytes())
    is_named = path.stem in _PARTS or (sample is not None and path.stem.endswith("_nodes"))
    return Artifact(format_, path.stem if is_named else "table", path.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
