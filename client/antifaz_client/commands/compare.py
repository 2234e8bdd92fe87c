"""Compare policies on one dataset: several files, or one file with varied settings. Only --release releases data.

antifaz compare patients.csv loose.json strict.json
antifaz compare patients.csv policy.json --vary /guarantees/0/k=2,5,10 --repeats 5
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antifaz_client import Client, Comparison
from antifaz_client.commands.report import QUESTIONS
from antifaz_client.terminal.connection import (
    DONE,
    Misused,
    add_connection_arguments,
    data_of,
    progress_of,
    run_command,
)
from antifaz_client.terminal.output import print_columns, print_json, say
from antifaz_client.terminal.uploads import add_upload_arguments, metadata_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("files", type=Path, nargs="+", help="the data (unless --dataset is given), then the policies")
    parser.add_argument(
        "--vary", action="append", default=[], metavar="POINTER=VALUES", help="values to try, separated by commas"
    )
    parser.add_argument("--repeats", type=int, default=1, help="number of runs of each policy")
    parser.add_argument("--csv", type=Path, help="save the rows as CSV")
    parser.add_argument("--plot", type=Path, help="save a plot of identity risk against loss as SVG")
    parser.add_argument("--release", metavar="NAME", help="afterwards, run this policy as an ordinary job")
    add_upload_arguments(parser)
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Try the policies and print their figures."""
    return run_command(_compare, arguments)


def _compare(client: Client, arguments: argparse.Namespace) -> int:
    arguments.file, policies = (
        (None, arguments.files) if arguments.dataset else (arguments.files[0], arguments.files[1:])
    )
    tried = _tried(policies, arguments.vary)
    data = data_of(client, arguments)
    stated = {} if arguments.dataset else metadata_of(arguments)
    common: dict[str, Any] = {"name": arguments.name, "nodes": arguments.nodes, "progress": progress_of(arguments)}
    comparison = client.compare(data, **tried, repeats=arguments.repeats, **common, **stated)
    _save(comparison, arguments)
    if arguments.json:
        print_json(comparison.document)
    else:
        heads = ("name", "runs", "refused", *QUESTIONS, "loss", "dominated")
        print_columns(heads, ([_cell(row, head) for head in heads] for row in comparison.rows))
        say(f"comparison {comparison.id} of dataset {comparison.dataset_id}")
    if arguments.release:
        print(comparison.release(arguments.release, progress=progress_of(arguments)).id)
    return DONE


def _cell(row: Mapping[str, Any], head: str) -> Any:
    """A figure of a row; for a question, the rate of its answer."""
    return ((row.get("answers") or {}).get(head) or {}).get("rate") if head in QUESTIONS else row[head]


def _tried(policies: list[Path], vary: list[str]) -> dict[str, Any]:
    if not policies:
        raise Misused("give at least one policy after the file")
    for path in policies:
        if not path.is_file():
            raise FileNotFoundError(f"file not found: {path}")
    if not vary:
        names = {path.name.split(".")[0]: path for path in policies}
        if len(names) < len(policies):
            raise Misused("policy file names must be different")
        return {"policies": names}
    if len(policies) > 1:
        raise Misused("--vary takes exactly one policy")
    return {"policies": policies[0], "vary": dict(_varied(each) for each in vary)}


def _varied(text: str) -> tuple[str, list[Any]]:
    pointer, found, values = text.partition("=")
    if not found or not pointer.startswith("/"):
        raise Misused(f"--vary needs a pointer and values, such as /guarantees/0/k=2,5,10; not {text}")
    return pointer, [_value(each) for each in values.split(",")]


def _value(text: str) -> Any:
    """A number or a boolean in JSON; otherwise the text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) else text


def _save(comparison: Comparison, arguments: argparse.Namespace) -> None:
    if arguments.csv:
        arguments.csv.write_text(comparison.to_csv(), encoding="utf-8")
    if arguments.plot:
        arguments.plot.write_text(comparison.plot(), encoding="utf-8")
