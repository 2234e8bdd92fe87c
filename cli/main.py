"""`antifaz`: starts the embedded stack, publishes a file, manages tokens."""

import argparse
import sys
from collections.abc import Sequence

from cli import publish, tokens, up


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0 when it did what it was asked for."""
    parser = argparse.ArgumentParser(prog="antifaz", description="Publish data about people without exposing them.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, module, summary in (
        ("up", up, "start everything on this machine"),
        ("publish", publish, "upload a file with a policy, follow the job and save the release"),
        ("tokens", tokens, "create, list and revoke tokens"),
    ):
        command = commands.add_parser(name, help=summary, description=module.__doc__)
        module.add_arguments(command)
        command.set_defaults(run=module.main)
    chosen = parser.parse_args(arguments)
    return int(chosen.run(chosen))


if __name__ == "__main__":
    sys.exit(main())
