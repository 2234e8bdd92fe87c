"""`antifaz`: gives access to the API from a terminal and, beside the service, starts all of it on one machine."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NoReturn, TypeVar

from antifaz_client.commands import (
    ask,
    compare,
    completion,
    init,
    listings,
    outbound,
    preview,
    publish,
    report,
    tokens,
    validate,
    verify,
)
from antifaz_client.terminal.connection import MISUSED

_COMMANDS: tuple[tuple[str, Any, str], ...] = (
    ("init", init, "propose a policy for a file, with a reason for each column"),
    ("preview", preview, "show what a hierarchy would do to a column"),
    ("validate", validate, "check a policy without running it"),
    ("publish", publish, "upload a file with a policy, follow the job and save the release"),
    ("compare", compare, "try several policies on one dataset"),
    ("ask", ask, "ask about a table under differential privacy, or how accurate the answer would be"),
    ("datasets", listings.datasets, "list datasets, or show one"),
    ("jobs", listings.jobs, "list jobs, or show one"),
    ("releases", listings.releases, "list releases, or show one and save its files"),
    ("report", report, "print the report of a release or a job"),
    ("verify", verify, "check a release against its digests and verify its guarantees again"),
    ("tokens", tokens, "create, list and revoke tokens"),
    ("webhooks", outbound.webhooks, "create, list, rotate, test and delete webhooks"),
    ("portals", outbound.portals, "register, list and delete portals; send releases there"),
    ("completion", completion, "print a script that completes commands in a shell"),
)


def _commands() -> tuple[tuple[str, Any, str], ...]:
    """All commands. `up` comes with the service: who has the client alone has no stack to start."""
    if find_spec("stack") is None:
        return _COMMANDS
    return ("up", import_module("stack.up"), "start everything on this machine"), *_COMMANDS


_A = TypeVar("_A", bound=argparse.Action)


class _Parser(argparse.ArgumentParser):
    """Wrong arguments have their own exit status: 2 is a refusal."""

    def _add_action(self, action: _A) -> _A:
        # argparse lets two arguments share a name, and the last one given wins: a webhook's address was once taken
        # for that of the service.
        if any(action.dest == other.dest != argparse.SUPPRESS for other in self._actions):
            raise ValueError(f"{self.prog}: two arguments are called {action.dest}")
        return super()._add_action(action)

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(MISUSED, f"{self.prog}: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    parser = _Parser(prog="antifaz", description="Publish data about people without exposing them.")
    parser.add_argument("--version", action="version", version=f"antifaz {version('antifaz-client')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module, summary in _commands():
        command = commands.add_parser(
            name, help=summary, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        module.add_arguments(command)
        command.set_defaults(run=module.main)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0 on success."""
    chosen = build_parser().parse_args(arguments)
    try:
        return int(chosen.run(chosen))
    except BrokenPipeError:
        # The reader of our output has closed it; writing again would only raise another error.
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
