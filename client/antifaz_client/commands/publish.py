"""Publish a file: upload it with its policy, follow the job, save the release and its report.

The default policy is the one that `antifaz init` wrote next to the file. With --trial nothing is published.
"""

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import Any

from antifaz_client import Client, Release
from antifaz_client.commands.report import print_report
from antifaz_client.terminal.connection import (
    DONE,
    Misused,
    add_connection_arguments,
    data_of,
    progress_of,
    run_command,
)
from antifaz_client.terminal.output import print_json, settings
from antifaz_client.terminal.uploads import add_upload_arguments, metadata_of, policy_beside


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("file", type=Path, nargs="?", help="the data: a table, a graph or a temporal graph")
    parser.add_argument("policy", type=Path, nargs="?", help="the policy, as JSON; comments are allowed")
    parser.add_argument("--trial", action="store_true", help="do everything except publish, and print the report")
    parser.add_argument("--to", type=Path, default=Path(), help="folder for the release (default: here)")
    add_upload_arguments(parser)
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Upload, follow, save."""
    return run_command(publish, arguments)


def publish(client: Client, arguments: argparse.Namespace) -> int:
    """Return 0 if a release was published and saved, or a trial assessed."""
    policy = _policy(arguments)
    data = data_of(client, arguments)
    stated = {} if arguments.dataset else metadata_of(arguments)
    common: dict[str, Any] = {"name": arguments.name, "nodes": arguments.nodes, "progress": progress_of(arguments)}
    if arguments.trial:
        return _try(client, data, policy, common | stated, arguments)
    return _save(client.publish(data, policy, **common, **stated), arguments)


def _policy(arguments: argparse.Namespace) -> Path:
    """The given policy; with a stored dataset, the only given file is the policy."""
    if arguments.dataset and arguments.policy is None:
        arguments.file, arguments.policy = None, arguments.file
    if arguments.policy is None and arguments.file is not None and policy_beside(arguments.file).is_file():
        arguments.policy = policy_beside(arguments.file)
    if arguments.policy is None:
        raise Misused("give a policy, or create one with `antifaz init`")
    for path in (arguments.file, arguments.policy):
        if path is not None and not path.is_file():
            raise FileNotFoundError(f"file not found: {path}")
    return Path(arguments.policy)


def _try(client: Client, data: Any, policy: Path, stated: dict[str, Any], arguments: argparse.Namespace) -> int:
    job = client.trial(data, policy, **stated)
    report = job.report()
    if arguments.json:
        print_json(report)
    else:
        print_report(report)
    return DONE


def _save_dictionary(dictionary: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Save the meaning of columns and labels next to the data, for programs and for a spreadsheet."""
    if not dictionary:
        return []
    whole, sheet = folder / "dictionary.json", folder / "dictionary.csv"
    whole.write_text(json.dumps(dictionary, indent=2, ensure_ascii=False), encoding="utf-8")
    with sheet.open("w", encoding="utf-8-sig", newline="") as lines:
        writer = csv.DictWriter(lines, list(dictionary[0]), lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows({name: _guarded(cell) for name, cell in column.items()} for column in dictionary)
    return [whole, sheet]


def _guarded(cell: Any) -> Any:
    """A text that no spreadsheet runs as a formula: uploaders choose the names of columns."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _save(release: Release, arguments: argparse.Namespace) -> int:
    for path in release.save(arguments.to):
        print(f"saved {path} ({path.stat().st_size:,} bytes)", file=sys.stderr)
    for path in _save_dictionary(release.document.get("dictionary") or [], arguments.to):
        print(f"saved {path}", file=sys.stderr)
    report = arguments.to / "report.json"
    report.write_text(json.dumps(release.report(), indent=2, ensure_ascii=False), encoding="utf-8")
    print(f"saved {report}", file=sys.stderr)
    for guarantee in release.guarantees:
        print(f"verified {guarantee['model']}: {settings(guarantee['achieved'])}", file=sys.stderr)
    if arguments.json:
        print_json(release.document)
    else:
        print(release.id)
    return DONE
