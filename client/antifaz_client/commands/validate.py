"""Validate a policy without running it; with --dataset, also whether it fits a stored dataset."""

import argparse
from pathlib import Path

from antifaz_client import Client
from antifaz_client.terminal.connection import DONE, add_connection_arguments, run_command
from antifaz_client.terminal.output import print_json, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("policy", type=Path, help="the policy, as JSON; comments are allowed")
    parser.add_argument("--dataset", help="id of the dataset to check it against")
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print the answer that a submission would get."""
    return run_command(_validate, arguments)


def _validate(client: Client, arguments: argparse.Namespace) -> int:
    answer = client.validate(arguments.policy, arguments.dataset)
    if arguments.json:
        print_json(answer)
        return DONE
    for warning in answer.get("warnings") or ():
        say(f"warning: {warning.get('detail', warning) if isinstance(warning, dict) else warning}")
    print("valid")
    return DONE
