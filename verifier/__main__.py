"""python -m verifier POLICY.json FILE... [--directed]: check downloaded files.
python -m verifier --chain events.jsonl [--key KEY] [--head head.json]: check an exported audit trail.
python -m verifier BUNDLE.zip [FILE...] [--key KEY]: check a signed bundle, with its signature and digests.

The name of a file determines its format and its part of the release: ``*.csv``, ``*.parquet`` and ``*.jsonl`` are
tables, ``nodes.*`` is a node table, ``edges.csv`` an edge list; ``*.graphml``, ``*.gml`` and ``*.json`` are graphs.
``sample_1.edges.csv``, ``sample_1.graphml`` and ``sample_1_nodes.csv`` are a graph that was drawn from supernodes. Of a
temporal graph, ``graph.csv`` has the edges and ``snapshots.*`` is the table of snapshots. If values or edges were drawn
at random, pass the public report of the release, which states the chances: ``--mechanism report.json``.

A signature proves something only if its key is known: ``--key`` is a public key in hexadecimal, or the file that a
service publishes at ``/.well-known/antifaz-keys.json``; repeat it for several. The bundle of an auditor has no files of
the release: those that were received otherwise can be given, and are recognized by their digests.

The verdict is printed as JSON. The exit status is 0 if it holds, 1 if it does not, 2 if the command is used wrongly or
an input cannot be read or is not what it should be, 3 if the verifier cannot tell (the policy is a report, or a file of
the release, a sealed map or a mechanism that it needs was not given), and 4 if everything fits, but the signer is not
known.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

from verifier.bundles import CANNOT_TELL, HOLDS, verify_bundle
from verifier.chain import UnreadableTrail, verify_chain
from verifier.check import verify
from verifier.mechanisms.settings import public_mechanism
from verifier.verdict.documents import read_object
from verifier.verdict.keys import SIGNER_UNKNOWN, known_keys
from verifier.verdict.verdict import Artifact

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
_UNUSABLE, _CANNOT_TELL, _SIGNER_UNKNOWN = 2, 3, 4
_PARTS = ("graph", "nodes", "snapshots")
_SAMPLE = re.compile(r"sample_[0-9]+", re.ASCII)


def main(arguments: Sequence[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if "--chain" in given:
            return _check_chain(given)
        return _check_bundle(given) if any(name.endswith(".zip") for name in given) else _check_release(given)
    except Exception as error:  # noqa: BLE001 - no input may end in a traceback, which some would read as a verdict
        # The text of the error could repeat a cell.
        reason = f"the input is not what it should be and cannot be judged ({type(error).__name__})"
        print(f"python -m verifier: error: {reason}", file=sys.stderr)
        return _UNUSABLE


def _parser(description: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(prog="python -m verifier", description=description)


def _add_keys(parser: argparse.ArgumentParser) -> None:
    text = "a public key to accept, in hexadecimal, or the file that the service publishes; repeat it for several"
    parser.add_argument("--key", action="append", default=[], help=text)


def _check_chain(arguments: Sequence[str]) -> int:
    parser = _parser("Recompute an exported audit trail.")
    parser.add_argument("--chain", type=Path, required=True, help="the trail from /v1/audit-events?format=jsonl")
    _add_keys(parser)
    parser.add_argument("--head", type=Path, help="JSON with an earlier signed head, which the trail must contain")
    options = parser.parse_args(arguments)
    try:
        kept = read_object(options.head) if options.head else None
        with options.chain.open("rb") as lines:
            verdict = verify_chain(lines, known_keys(options.key), kept)
    except (OSError, ValueError) as error:
        _unusable(parser, error, isinstance(error, UnreadableTrail))
    print(json.dumps(asdict(verdict), indent=2, ensure_ascii=False))
    return {"intact": 0, SIGNER_UNKNOWN: _SIGNER_UNKNOWN}.get(verdict.status, 1)


def _check_bundle(arguments: Sequence[str]) -> int:
    parser = _parser("Check a signed bundle of a release.")
    parser.add_argument("bundle", type=Path, help="the bundle from /v1/releases/{id}/bundle.zip")
    parser.add_argument("files", type=Path, nargs="*", help="files of the release that the bundle does not contain")
    _add_keys(parser)
    options = parser.parse_args(arguments)
    if not options.bundle.is_file():
        parser.error("a file cannot be read")
    try:
        keys = known_keys(options.key)
        given = {str(path): path.read_bytes() for path in options.files}
    except (OSError, ValueError) as error:
        _unusable(parser, error)
    found = verify_bundle(options.bundle, keys, given)
    print(json.dumps({"holds": found.holds, **asdict(found)}, indent=2, ensure_ascii=False))
    return {HOLDS: 0, CANNOT_TELL: _CANNOT_TELL, SIGNER_UNKNOWN: _SIGNER_UNKNOWN}.get(found.status, 1)


def _unusable(parser: argparse.ArgumentParser, error: Exception, explained: bool = False) -> NoReturn:
    unread = isinstance(error, OSError)
    parser.error(str(error) if explained else "a file cannot be read" if unread else f"an input is {error}")


def _check_release(arguments: Sequence[str]) -> int:
    parser = _parser("Re-check the guarantees of a release.")
    parser.add_argument("policy", type=Path, help="the policy as JSON")
    parser.add_argument("files", type=Path, nargs="+", help="the files of the release")
    parser.add_argument("--directed", action="store_true", help="the graph is directed")
    parser.add_argument("--mechanism", type=Path, help="the public report, for guarantees by mechanism")
    parser.add_argument("--sealed-map", type=Path, help="JSON with the person of every row, if persons are counted")
    options = parser.parse_args(arguments)
    try:
        policy = read_object(options.policy)
        sealed_map = read_object(options.sealed_map) if options.sealed_map else {}
        if options.mechanism:
            sealed_map |= public_mechanism(read_object(options.mechanism))
        artifacts = [_artifact(path, parser) for path in options.files]
    except (OSError, ValueError):
        parser.error("a file cannot be read, or the policy is not a JSON object with each key once")
    verdict = verify(policy, artifacts, sealed_map or None, options.directed)
    printed = {"holds": verdict.holds, "cannot_tell": verdict.cannot_tell, **asdict(verdict)}
    print(json.dumps(printed, indent=2, ensure_ascii=False))
    if verdict.holds:
        return 0
    return _CANNOT_TELL if verdict.cannot_tell else 1


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
