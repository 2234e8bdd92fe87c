"""Tokens: create, list and revoke those of your tenant (admins only)."""

import argparse

from antifaz_client import Client
from antifaz_client.terminal.connection import DONE, FAILED, add_connection_arguments, run_command
from antifaz_client.terminal.output import print_columns, print_json, say

ROLES = ("steward", "consumer", "auditor", "analyst", "admin")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    actions = parser.add_subparsers(dest="action", required=True)
    create = actions.add_parser("create", help="create a token, which is shown once")
    create.add_argument("name")
    create.add_argument("role", choices=ROLES)
    create.add_argument("--days", type=int, default=90, help="days until it expires (default 90)")
    listing = actions.add_parser("list", help="list the tokens")
    revoke = actions.add_parser("revoke", help="revoke a token immediately")
    revoke.add_argument("id")
    for action in (create, listing, revoke):
        add_connection_arguments(action)


def main(arguments: argparse.Namespace) -> int:
    """Run one action."""
    return run_command({"create": _create, "list": _list, "revoke": _revoke}[arguments.action], arguments)


def _create(client: Client, arguments: argparse.Namespace) -> int:
    made = client.create_token(arguments.name, arguments.role, arguments.days)
    if arguments.json:
        print_json(made)
    elif made["token"] is None:
        # The first answer was lost on its way and the client asked again: the text is shown only once.
        say(f"the token was created, but its text was lost: revoke {made['id']} and create another")
        return FAILED
    else:
        print(made["token"])
    return DONE


def _list(client: Client, arguments: argparse.Namespace) -> int:
    tokens, heads = client.tokens(), ("id", "name", "role", "expires_at", "revoked_at")
    if arguments.json:
        print_json(tokens)
    else:
        print_columns(heads, ([token[head] for head in heads] for token in tokens))
    return DONE


def _revoke(client: Client, arguments: argparse.Namespace) -> int:
    client.revoke_token(arguments.id)
    return DONE
