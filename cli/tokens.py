"""Tokens: create, list and revoke those of your tenant (admins only)."""

import argparse

from rich.console import Console
from rich.table import Table

from cli.client import add_connection_arguments, checked, connect, report_errors

ROLES = ("steward", "consumer", "auditor", "analyst", "admin")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    actions = parser.add_subparsers(dest="action", required=True)
    create = actions.add_parser("create", help="make a token; its text is shown once")
    create.add_argument("name")
    create.add_argument("role", choices=ROLES)
    create.add_argument("--days", type=int, default=90, help="days until it expires (default 90)")
    listing = actions.add_parser("list", help="list the tokens")
    revoke = actions.add_parser("revoke", help="revoke a token at once")
    revoke.add_argument("id")
    for action in (create, listing, revoke):
        add_connection_arguments(action)


def main(arguments: argparse.Namespace) -> int:
    """0 when it was done."""
    return report_errors(_ACTIONS[arguments.action], arguments)


def _create(arguments: argparse.Namespace) -> int:
    wanted = {"name": arguments.name, "role": arguments.role, "expires_in_days": arguments.days}
    with connect(arguments) as client:
        print(checked(client.post("/v1/tokens", json=wanted))["token"])
    return 0


def _list(arguments: argparse.Namespace) -> int:
    table = Table("id", "name", "role", "expires", "revoked")
    with connect(arguments) as client:
        cursor: str | None = ""
        while cursor is not None:
            page = checked(client.get("/v1/tokens", params={"cursor": cursor} if cursor else {}))
            for token in page["items"]:
                table.add_row(
                    token["id"], token["name"], token["role"], token["expires_at"] or "-", token["revoked_at"] or "-"
                )
            cursor = page["next_cursor"]
    Console().print(table)
    return 0


def _revoke(arguments: argparse.Namespace) -> int:
    with connect(arguments) as client:
        checked(client.delete(f"/v1/tokens/{arguments.id}"))
    return 0


_ACTIONS = {"create": _create, "list": _list, "revoke": _revoke}
