"""Report: the report of a release or a job, including refused jobs and trials, as text, JSON or a page."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz_client import Client, Problem

from cli.connection import DONE, Misused, add_connection_arguments, run_command
from cli.output import print_columns, print_json, settings, shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("id", help="id of a release or of a job")
    parser.add_argument("--html", type=Path, help="save the report of a release as a page")
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print or save a report."""
    return run_command(_show, arguments)


def _show(client: Client, arguments: argparse.Namespace) -> int:
    if arguments.html:
        arguments.html.write_bytes(client.release(arguments.id).report_page())
        return DONE
    report = find_report(client, arguments.id)
    if arguments.json:
        print_json(report)
    else:
        print_report(report)
    return DONE


def find_report(client: Client, item_id: str) -> dict[str, Any]:
    """The report of the release with this id or, if there is none, of the job."""
    try:
        return client.release(item_id).report()
    except Problem as problem:
        if problem.status != 404:
            raise
    try:
        return client.job(item_id).report()
    except Problem as problem:
        if problem.status != 404:
            raise
        raise Misused(f"{item_id} is neither a release nor a job with a report, or you may not see it") from None


def print_report(report: Mapping[str, Any]) -> None:
    """Print the guarantees first, then risk and utility as far as the reader may see them."""
    print(f"job {report['job_id']}  {report.get('status', '')}  release {shown(report.get('release_id'))}\n")
    rows = (
        (
            each["model"],
            settings(each.get("required") or {}),
            settings(each.get("achieved") or {}),
            "yes" if each.get("holds") else "NO",
            each.get("evidence"),
        )
        for each in report.get("guarantees") or ()
    )
    print_columns(("guarantee", "required", "achieved", "holds", "evidence"), rows)
    risk = report.get("risk") or {}
    attacks = [(each.get("name"), each.get("rate"), each.get("baseline")) for each in risk.get("attacks") or ()]
    if attacks:
        print()
        print_columns(("attack", "rate", "by guessing"), attacks)
    utility = [(name, _figure(figures)) for name, figures in (report.get("utility") or {}).items()]
    if utility:
        print()
        print_columns(("measure", "figure"), utility)
    for warning in report.get("warnings") or ():
        print(f"\nwarning: {warning.get('detail', warning) if isinstance(warning, Mapping) else warning}")


def _figure(figures: Any) -> str:
    """The simple members of a measure; lists and tables are only in the JSON."""
    if not isinstance(figures, Mapping):
        return shown(figures)
    return settings({name: value for name, value in figures.items() if isinstance(value, int | float | str)})
