"""Report: the report of a release or a job, including refused jobs and trials, as text, JSON or a page."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz_client import Client, Problem
from antifaz_client.terminal.connection import DONE, Misused, add_connection_arguments, run_command
from antifaz_client.terminal.output import print_columns, print_json, settings, shown

QUESTIONS = ("identity", "attribute", "membership")
"""What an attacker wants to know: who is it, what do they have, are they in it?"""


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
    answers = [(asked, *_answer(risk["answers"].get(asked))) for asked in QUESTIONS] if risk.get("answers") else []
    if answers:
        print()
        print_columns(("question", "answered by", "rate", "by guessing", "most exposed"), answers)
    attacks = [
        (each.get("name"), each.get("question"), each.get("rate"), each.get("baseline"))
        for each in risk.get("attacks") or ()
    ]
    if attacks:
        print()
        print_columns(("attack", "question", "rate", "by guessing"), attacks)
    utility = [(name, _figure(figures)) for name, figures in (report.get("utility") or {}).items()]
    if utility:
        print()
        print_columns(("measure", "figure"), utility)
    for warning in report.get("warnings") or ():
        print(f"\nwarning: {warning.get('detail', warning) if isinstance(warning, Mapping) else warning}")


def _answer(answer: Mapping[str, Any] | None) -> tuple[Any, ...]:
    """The attack that answers a question, with its figures; the bound of a guarantee if nothing was measured."""
    if answer is None:
        return "not measured", None, None, None
    if answer.get("rate") is None:
        return f"{answer.get('bounded_by')}: at most {shown(answer.get('bound'))}", None, None, None
    return answer.get("name"), answer["rate"], answer.get("baseline"), answer.get("highest")


def _figure(figures: Any) -> str:
    """The simple members of a measure; lists and tables are only in the JSON."""
    if not isinstance(figures, Mapping):
        return shown(figures)
    return settings({name: value for name, value in figures.items() if isinstance(value, int | float | str)})
