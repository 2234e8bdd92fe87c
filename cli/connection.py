"""The connection of a command to the service, and what its errors and its exit status say.

Exit statuses: 0 it was done; 1 the service answered with a problem, the job failed, or a file cannot be read;
2 the release was refused; 3 what was downloaded is not what was verified, or a guarantee does not hold; 4 no answer;
64 the command was used wrongly.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from antifaz_client import Client, Corrupt, Failed, Problem, Refused, Unreachable

from cli.output import say

DONE, FAILED, REFUSED, NOT_VERIFIED, NO_ANSWER, MISUSED = 0, 1, 2, 3, 4, 64
Run = Callable[[Client, argparse.Namespace], int]


class Misused(Exception):
    """The arguments do not go together; the text says how they would."""


def add_connection_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the service is, who asks, and how the answer is printed."""
    parser.add_argument("--url", help="address of the service (or the variable ANTIFAZ_URL; default 127.0.0.1:8000)")
    parser.add_argument("--token", help="access token (or the variable ANTIFAZ_TOKEN)")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def run_command(run: Run, arguments: argparse.Namespace) -> int:
    """Run a command; what goes wrong becomes a message for a person and an exit status for a program."""
    try:
        if not (arguments.token or os.environ.get("ANTIFAZ_TOKEN")):
            say("no token: only public releases can be read; give --token or set ANTIFAZ_TOKEN")
        with Client(arguments.url, arguments.token) as client:
            return run(client, arguments)
    except Misused as misuse:
        say(str(misuse))
        return MISUSED
    except Refused as refusal:
        say(str(refusal))
        _save_report(refusal, arguments)
        return REFUSED
    except (Problem, Failed) as failure:
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
    """The report of a refusal says why, in figures: it is kept where the release would have been."""
    if refusal.report is None:
        return
    folder = Path(getattr(arguments, "to", None) or ".")
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"refused-{refusal.job_id}.json"
    place.write_text(json.dumps(refusal.report, indent=2, ensure_ascii=False), encoding="utf-8")
    print(f"saved {place}", file=sys.stderr)


def progress_of(arguments: argparse.Namespace) -> bool | None:
    """Shown to a person, and not beside JSON."""
    return False if arguments.json else None


def data_of(client: Client, arguments: argparse.Namespace) -> Any:
    """What a command works on: the dataset that is named, or the file."""
    if arguments.dataset:
        return client.dataset(arguments.dataset)
    if arguments.file is None:
        raise Misused("give a file, or --dataset with the id of a stored one")
    return arguments.file
