"""Arguments of commands that upload: metadata that the file itself does not have."""

import argparse
from pathlib import Path
from typing import Any


def add_upload_arguments(parser: argparse.ArgumentParser) -> None:
    """The dataset and its metadata."""
    parser.add_argument("--dataset", help="id of a stored dataset to use instead of a file")
    parser.add_argument("--name", help="name of the dataset (default: the file's name without its ending)")
    parser.add_argument(
        "--kind", choices=("table", "graph", "temporal_graph"), help="kind of data (default: the policy's)"
    )
    parser.add_argument("--nodes", type=Path, help="for graphs: a table of nodes and their attributes")
    parser.add_argument("--directed", action="store_true", help="for graphs: edges have a direction")
    parser.add_argument("--window", help="for temporal graphs: hour, day, week, month, year, snapshot, or seconds")
    parser.add_argument("--empty-windows", choices=("drop", "keep"), help="for temporal graphs: windows without edges")
    parser.add_argument("--columns", help="for temporal graphs: the columns, such as source,target,weight,time")
    parser.add_argument("--format", help="format of the file, if its name does not show it")
    parser.add_argument("--budget", type=float, help="total epsilon of all differentially private releases")
    parser.add_argument("--supersedes", help="id of the dataset of which this is a newer version")


def metadata_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The metadata of an upload that the arguments state."""
    window = arguments.window
    stated = {
        "kind": arguments.kind,
        "directed": arguments.directed or None,
        "window": {"seconds": int(window)} if window and window.isdigit() else window,
        "empty_windows": arguments.empty_windows,
        "columns": [name.strip() for name in arguments.columns.split(",")] if arguments.columns else None,
        "format": arguments.format,
        "budget": None if arguments.budget is None else {"epsilon": arguments.budget},
        "supersedes": arguments.supersedes,
    }
    return {name: value for name, value in stated.items() if value is not None}


def policy_beside(file: Path) -> Path:
    """The file to which `antifaz init` writes the policy and in which `antifaz publish` looks for it."""
    return file.with_name(f"{file.name.split('.')[0]}.policy.jsonc")
