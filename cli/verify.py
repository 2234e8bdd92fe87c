"""Verify a release: download it, compare every file with its digest, and verify its guarantees again on this machine.

A bundle (*.zip) is verified offline.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from antifaz_client import Client

from cli.connection import DONE, FAILED, NOT_VERIFIED, add_connection_arguments, run_command
from cli.output import say

_CANNOT_TELL = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("release", help="id of a release, or the path of a bundle")
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Return 0 if the digests match and every guarantee holds."""
    bundle = Path(arguments.release)
    if bundle.suffix == ".zip":
        return _judge([str(bundle)])
    return run_command(_verify, arguments)


def _verify(client: Client, arguments: argparse.Namespace) -> int:
    release = client.release(arguments.release)
    report = release.report()
    with tempfile.TemporaryDirectory(prefix="antifaz-verify-") as place:
        folder = Path(place)
        files = release.save(folder)
        (folder / "policy").write_text(json.dumps(report["policy"]), encoding="utf-8")
        (folder / "report").write_text(json.dumps(report), encoding="utf-8")
        say(f"{len(files)} file(s) match the digests of the release")
        directed = ["--directed"] if release.shape.get("directed") else []
        return _judge([str(folder / "policy"), *map(str, files), "--mechanism", str(folder / "report"), *directed])


def _judge(arguments: list[str]) -> int:
    """Run the verifier as a separate process, as an auditor would; its verdict goes to standard output."""
    status = subprocess.run([sys.executable, "-m", "verifier", *arguments], check=False).returncode
    if status == _CANNOT_TELL:
        say("the verifier cannot decide from public files; the report shows the evidence of each guarantee")
    return {0: DONE, 1: NOT_VERIFIED, _CANNOT_TELL: NOT_VERIFIED}.get(status, FAILED)
