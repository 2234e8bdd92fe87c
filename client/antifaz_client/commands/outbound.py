"""Webhooks and portals: where the service sends events and releases."""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from antifaz_client import Client
from antifaz_client.terminal.connection import DONE, Misused, add_connection_arguments, run_command
from antifaz_client.terminal.output import print_columns, print_json

_EVENTS = ("job.released", "job.refused", "job.failed", "publication.failed", "audit.broken")
"""The events of a webhook unless others are given."""
_KEY = "ANTIFAZ_PORTAL_KEY"
_OF_A_WEBHOOK = ("id", "url", "events", "failing_since", "disabled_at")
_OF_A_PORTAL = ("id", "kind", "name", "url", "collection")
_OF_A_PUBLICATION = ("id", "portal", "mode", "state", "reason", "url")
Action = Callable[[Client, argparse.Namespace], Any]


def _webhook_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    create = actions.add_parser("create", help="send events to an address; its secret is shown once")
    create.add_argument("address", metavar="URL")
    create.add_argument("--event", action="append", help=f"repeat for several (default: {', '.join(_EVENTS)})")
    listing = actions.add_parser("list", help="list the webhooks")
    named = [
        actions.add_parser(name, help=summary)
        for name, summary in (
            ("rotate", "create a new secret; for a day the old one also signs"),
            ("test", "send a test event"),
            ("delete", "forget one"),
        )
    ]
    for action in named:
        action.add_argument("id")
    for action in (create, listing, *named):
        add_connection_arguments(action)


def _portal_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    create = actions.add_parser("create", help=f"register a portal; its key is read from the variable {_KEY}")
    create.add_argument("kind", choices=("ckan", "dataverse", "invenio"))
    create.add_argument("name")
    create.add_argument("address", metavar="URL")
    create.add_argument("--collection", help="CKAN: the organization; Dataverse: the alias of the collection")
    listing = actions.add_parser("list", help="list the portals")
    delete = actions.add_parser("delete", help="remove a portal on which no release is left")
    delete.add_argument("id")
    send = actions.add_parser("publish", help="send a public release to a portal")
    send.add_argument("release")
    send.add_argument("portal")
    send.add_argument("--upload", action="store_true", help="copies instead of links; they may outlive a withdrawal")
    send.add_argument("--irrevocable", action="store_true", help="for InvenioRDM and Zenodo: it cannot be undone")
    shown = actions.add_parser("publications", help="list the portals of a release")
    shown.add_argument("release")
    for action in (create, listing, delete, send, shown):
        add_connection_arguments(action)


def _create_portal(client: Client, arguments: argparse.Namespace) -> Any:
    key = os.environ.get(_KEY)
    if not key:
        # On a command line it would appear in the shell's history and in the list of processes.
        raise Misused(f"put the portal's key into the variable {_KEY}")
    return client.create_portal(arguments.kind, arguments.name, arguments.address, key, arguments.collection)


def _publish(client: Client, arguments: argparse.Namespace) -> Any:
    return client.publish_on(arguments.release, arguments.portal, arguments.upload, arguments.irrevocable)


def _command(
    summary: str,
    add_arguments: Callable[[argparse.ArgumentParser], None],
    actions: Mapping[str, Action],
    columns: Mapping[str, Sequence[str]],
) -> SimpleNamespace:
    """A command with actions, each of which returns a document, a list of documents or nothing."""

    def run(client: Client, arguments: argparse.Namespace) -> int:
        found = actions[arguments.action](client, arguments)
        if found is None:
            return DONE
        if arguments.json:
            print_json(found)
        elif isinstance(found, list):
            heads = columns.get(arguments.action, columns["list"])
            print_columns(heads, ([_plain(item.get(head)) for head in heads] for item in found))
        else:
            print_columns(("member", "value"), ((name, _plain(value)) for name, value in found.items()))
        return DONE

    def main(arguments: argparse.Namespace) -> int:
        return run_command(run, arguments)

    return SimpleNamespace(__doc__=summary, add_arguments=add_arguments, main=main)


def _plain(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


webhooks = _command(
    "Webhooks: addresses that are notified when jobs end and releases change (admins only).",
    _webhook_arguments,
    {
        "create": lambda client, arguments: client.create_webhook(arguments.address, arguments.event or _EVENTS),
        "list": lambda client, arguments: client.webhooks(),
        "rotate": lambda client, arguments: client.rotate_webhook(arguments.id),
        "test": lambda client, arguments: client.test_webhook(arguments.id),
        "delete": lambda client, arguments: client.delete_webhook(arguments.id),
    },
    {"list": _OF_A_WEBHOOK},
)
portals = _command(
    "Portals: public releases are sent there, and removed when they are withdrawn.",
    _portal_arguments,
    {
        "create": _create_portal,
        "list": lambda client, arguments: client.portals(),
        "delete": lambda client, arguments: client.delete_portal(arguments.id),
        "publish": _publish,
        "publications": lambda client, arguments: client.publications(arguments.release),
    },
    {"list": _OF_A_PORTAL, "publications": _OF_A_PUBLICATION},
)
