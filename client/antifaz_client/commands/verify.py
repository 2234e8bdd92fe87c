"""Verify a release: download its signed bundle, check signature, digests and report, and verify the guarantees again.

The signature counts if its key is known: the key of a service is kept at first use (see docs/cli.md), or given by
--key. A bundle (*.zip) is verified offline; with --url, by the keys of that service. Auditors, who may not read data,
get digests instead of files: files that they received otherwise can be given too, and are recognized by their digests.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from antifaz_client import Client
from antifaz_client.terminal.connection import (
    DONE,
    FAILED,
    NOT_VERIFIED,
    SIGNER_UNKNOWN,
    add_connection_arguments,
    run_command,
)
from antifaz_client.terminal.known_keys import ChangedKey, UnreadableKeys, accept_keys, load_known_keys, service_of
from antifaz_client.terminal.output import say

_HOLDS, _FAILS, _CANNOT_TELL, _UNKNOWN = 0, 1, 3, 4
"""Exit statuses of the verifier."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("release", help="id of a release, or the path of a bundle")
    parser.add_argument("files", type=Path, nargs="*", help="files of the release that you have and may not download")
    parser.add_argument(
        "--key", action="append", default=[], help="a key to accept instead of the known ones; repeat it for several"
    )
    parser.add_argument("--accept-key", metavar="KEY", help="accept this new key of the service from now on")
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Return 0 if a known key signed the bundle, the digests match and every guarantee holds."""
    if find_spec("verifier") is None:
        say("the verifier is not installed: pip install 'antifaz-client[verify]'")
        return FAILED
    try:
        if Path(arguments.release).suffix != ".zip":
            return run_command(_verify_release, arguments)
        if arguments.service_url is None or arguments.key:
            return _verify_offline(arguments)
        return run_command(_verify_bundle, arguments)
    except ChangedKey as change:
        say(str(change))
        return NOT_VERIFIED
    except UnreadableKeys as damage:
        say(str(damage))
        return FAILED


def _verify_release(client: Client, arguments: argparse.Namespace) -> int:
    keys = _keys_of(client, arguments)
    release = client.release(arguments.release)
    with tempfile.TemporaryDirectory(prefix="antifaz-verify-") as place:
        bundle = release.save_bundle(Path(place) / "bundle.zip")
        # The id that was asked for, not the one in the answer: a signed bundle of another release proves nothing.
        return _judge(bundle, arguments.files, keys, arguments.release)


def _verify_bundle(client: Client, arguments: argparse.Namespace) -> int:
    return _judge(Path(arguments.release), arguments.files, _keys_of(client, arguments))


def _keys_of(client: Client, arguments: argparse.Namespace) -> list[str]:
    """The given keys, or those of the service."""
    if arguments.key:
        return list(arguments.key)
    return accept_keys(service_of(arguments.service_url), client.signing_keys(), arguments.accept_key)


def _verify_offline(arguments: argparse.Namespace) -> int:
    """Verify by the given keys, or else by the key of any service that was used before."""
    # Imported here: the other commands work without the verifier, and without numpy.
    from verifier.bundles import claimed_key

    bundle, keys = Path(arguments.release), list(arguments.key)
    if not keys and bundle.is_file():
        claimed = claimed_key(bundle)
        services = [service for service, known in load_known_keys().items() if claimed in known]
        if claimed is not None and services:
            say(f"the bundle states the key of {', '.join(services)}")
            keys = [claimed]
    return _judge(bundle, arguments.files, keys)


def _judge(bundle: Path, files: Iterable[Path], keys: Iterable[str], release_id: str | None = None) -> int:
    """Run the verifier as a separate process, as an auditor would; its verdict goes to standard output."""
    known = [word for key in keys for word in ("--key", key)]
    command = [sys.executable, "-m", "verifier", str(bundle), *map(str, files), *known]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    print(done.stdout, end="")
    if done.returncode not in (_HOLDS, _FAILS, _CANNOT_TELL, _UNKNOWN):
        return FAILED
    verdict: dict[str, Any] = json.loads(done.stdout)
    if release_id is not None and not _is_id(verdict["release_id"], release_id):
        say("the service sent the bundle of another release")
        return NOT_VERIFIED
    if done.returncode == _CANNOT_TELL:
        say(f"undecided: {'; '.join(verdict['cannot_tell'])}. Checked: {'; '.join(verdict['checked'])}")
    if done.returncode == _UNKNOWN:
        say("guarantees hold, signer unknown: anyone could have made this bundle. Give --key, or --url of the service")
    return {_HOLDS: DONE, _UNKNOWN: SIGNER_UNKNOWN}.get(done.returncode, NOT_VERIFIED)


def _is_id(stated: str | None, asked: str) -> bool:
    """Whether a bundle states the id that was asked for, in any notation that the service reads; one whose manifest
    could not be believed states none."""
    try:
        return stated is None or uuid.UUID(stated) == uuid.UUID(asked)
    except ValueError:
        return stated == asked
