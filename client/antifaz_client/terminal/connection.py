"""The connection of a command to the service, its error messages and its exit status.

Exit statuses: 0 success; 1 the service answered with a problem, the answer is not one of the service, the job failed,
or a file cannot be read; 2 the release was refused; 3 a download differs from the verified files, a guarantee does not
hold or cannot be decided, or the key of the service has changed; 4 no answer; 5 guarantees hold, but the signer is not
known; 64 wrong arguments.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from antifaz_client import Client, Corrupt, Failed, Problem, Refused, Unexpected, Unreachable
from antifaz_client.terminal.output import say

DONE, FAILED, REFUSED, NOT_VERIFIED, NO_ANSWER, SIGNER_UNKNOWN, MISUSED = 0, 1, 2, 3, 4, 5, 64
Run = Callable[[Client, argparse.Namespace], int]


class Misused(Exception):
    """Wrong arguments; the message explains the right ones."""


def add_connection_arguments(parser: argparse.ArgumentParser) -> None:
    """The address, the token and the output format.

    Address and token have names that no argument of a command has, so that none can take their place: an argument that
    did would send the token to another address.
    """
    parser.add_argument(
        "--url",
        dest="service_url",
        metavar="URL",
        help="address of the service (or the variable ANTIFAZ_URL; default 127.0.0.1:8000)",
    )
    parser.add_argument(
        "--token", dest="service_token", metavar="TOKEN", help="access token (or the variable ANTIFAZ_TOKEN)"
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run_command(run: Run, arguments: argparse.Namespace) -> int:
    """Run a command; errors become a message for people and an exit status for programs."""
    try:
        given = arguments.service_token
        if not (os.environ.get("ANTIFAZ_TOKEN") if given is None else given):
            say("no token: only public releases can be read; give --token or set ANTIFAZ_TOKEN")
        with Client(arguments.service_url, arguments.service_token) as client:
            return run(client, arguments)
    except Misused as misuse:
        say(str(misuse))
        return MISUSED
    except Refused as refusal:
        say(str(refusal))
        _save_report(refusal, arguments)
        return REFUSED
    except (Problem, Failed, Unexpected) as failure:
        say(str(failure))
        return FAILED
    except Corrupt as corruption:
        say(f"the download is corrupt: {corruption}")
        return NOT_VERIFIED
    except Unreachable as silence:
        say(str(silence))
        return NO_ANSWER
    except (OSError, ValueError, LookupError, TypeError) as error:
        say(str(error))
        return FAILED


def _save_report(refusal: Refused, arguments: argparse.Namespace) -> None:
    """Save the report of a refusal, which has the figures behind it, in the folder of the release."""
    if refusal.report is None:
        return
    folder = Path(getattr(arguments, "to", None) or ".")
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"refused-{refusal.job_id}.json"
    place.write_text(json.dumps(refusal.report, indent=2, ensure_ascii=False), encoding="utf-8")
    print(f"saved {place}", file=sys.stderr)


def progress_of(arguments: argparse.Namespace) -> bool | None:
    """Progress is shown to people, but not along with JSON."""
    return False if arguments.json else None


def data_of(client: Client, arguments: argparse.Namespace) -> Any:
    """The data of a command: the given dataset or the file."""
    if arguments.dataset:
        return client.dataset(arguments.dataset)
    if arguments.file is None:
        raise Misused("give a file, or --dataset with the id of a stored dataset")
    return arguments.file
