"""Preview: what a hierarchy would do to a column of a stored dataset, before a policy uses it.

antifaz preview DATASET diagnosis icd10
antifaz preview DATASET zip '{"kind": "postal_codes", "country": "ES"}'

Counts are bands, and fewer than ten labels are "<10": no value and no exact small count is shown.
"""

import argparse
import json
from typing import Any

from antifaz_client import Client
from antifaz_client.terminal.connection import DONE, FAILED, Misused, add_connection_arguments, run_command
from antifaz_client.terminal.output import print_columns, print_json, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("dataset", help="id of the dataset")
    parser.add_argument("column", help="name of the column")
    parser.add_argument("hierarchy", help="the kind of hierarchy, or the hierarchy as JSON")
    add_connection_arguments(parser)


def main(arguments: argparse.Namespace) -> int:
    """Print the labels of each level and the rows they cover."""
    return run_command(_preview, arguments)


def _preview(client: Client, arguments: argparse.Namespace) -> int:
    found = client.preview(arguments.dataset, arguments.column, _stated(arguments.hierarchy))
    if arguments.json:
        print_json(found)
    elif found["status"] == "preview":
        shape = found["shape"]
        levels = enumerate(zip(shape["groups"], shape["rows_per_label"], strict=True))
        heads = ("level", "labels", "how many labels cover how many rows")
        print_columns(heads, ((level, groups, _counts(rows)) for level, (groups, rows) in levels))
    else:
        problem = found.get("problem") or {}
        rows = f" (first in row {problem['row']})" if problem.get("row") else ""
        say(f"column {arguments.column}: {problem.get('detail', 'the hierarchy could not be created')}{rows}")
    return DONE if found["status"] == "preview" else FAILED


def _stated(text: str) -> Any:
    if not text.lstrip().startswith("{"):
        return {"kind": text}
    try:
        return json.loads(text)
    except ValueError as error:
        raise Misused(f"the hierarchy is not JSON: {error}") from None


def _counts(rows: dict[str, Any]) -> str:
    return ", ".join(f"{labels} × {size}" for size, labels in rows.items())
