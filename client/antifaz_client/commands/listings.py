"""Listings: datasets, jobs and releases, newest first, or one of them by its id. Ids are never shortened."""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from antifaz_client import Client
from antifaz_client.terminal.connection import DONE, add_connection_arguments, run_command
from antifaz_client.terminal.output import print_columns, print_json

_STATUSES = ("queued", "running", "verifying", "released", "assessed", "refused", "failed", "cancelled")


def _command(
    summary: str,
    heads: Sequence[str],
    one: Callable[[Client, str], Any],
    many: Callable[[Client, argparse.Namespace], list[Any]],
    add_more: Callable[[argparse.ArgumentParser], None],
    act: Callable[[Any, argparse.Namespace], None],
) -> SimpleNamespace:
    """A command that lists items, or shows one."""

    def add_arguments(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", help="show only this one")
        parser.add_argument("--limit", type=int, default=50, help="number of items to list (default 50)")
        add_more(parser)
        add_connection_arguments(parser)

    def run(client: Client, arguments: argparse.Namespace) -> int:
        if arguments.id is None:
            found = many(client, arguments)
            if arguments.json:
                print_json([item.document for item in found])
            else:
                print_columns(heads, ([item.document.get(head) for head in heads] for item in found))
            return DONE
        item = one(client, arguments.id)
        act(item, arguments)
        if arguments.json:
            print_json(item.document)
        else:
            print_columns(("member", "value"), ((name, _plain(value)) for name, value in item.document.items()))
        return DONE

    def main(arguments: argparse.Namespace) -> int:
        return run_command(run, arguments)

    return SimpleNamespace(__doc__=summary, add_arguments=add_arguments, main=main)


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _more_of_jobs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", choices=_STATUSES, help="only jobs in this state")
    parser.add_argument("--dataset", help="only jobs of this dataset")
    parser.add_argument("--cancel", action="store_true", help="ask the job to stop")


def _act_on_job(job: Any, arguments: argparse.Namespace) -> None:
    if arguments.cancel:
        job.cancel()


def _more_of_releases(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--to", type=Path, help="save the files of the release in this folder")


def _act_on_release(release: Any, arguments: argparse.Namespace) -> None:
    if arguments.to:
        release.save(arguments.to)


datasets = _command(
    "List datasets, or show one: its properties, never a value.",
    ("id", "name", "kind", "status", "rows", "nodes", "edges", "created_at"),
    lambda client, item_id: client.dataset(item_id),
    lambda client, arguments: client.datasets(limit=arguments.limit),
    lambda parser: None,
    lambda dataset, arguments: None,
)
jobs = _command(
    "List jobs, or show one.",
    ("id", "dataset_id", "status", "stage", "progress", "release_id", "created_at"),
    lambda client, item_id: client.job(item_id),
    lambda client, arguments: client.jobs(status=arguments.status, dataset=arguments.dataset, limit=arguments.limit),
    _more_of_jobs,
    _act_on_job,
)
releases = _command(
    "List releases, or show one and save its files.",
    ("id", "name", "kind", "audience", "created_at", "withdrawn_at"),
    lambda client, item_id: client.release(item_id),
    lambda client, arguments: client.releases(limit=arguments.limit),
    _more_of_releases,
    _act_on_release,
)
