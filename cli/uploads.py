"""Arguments of commands that upload: what is said about a file that it does not say itself."""

import argparse
from pathlib import Path
from typing import Any


def add_upload_arguments(parser: argparse.ArgumentParser) -> None:
    """The file or dataset, and what is said of it."""
    parser.add_argument("--dataset", help="id of a stored dataset, instead of a file")
    parser.add_argument("--name", help="name of the dataset (default: the file's name without its ending)")
    parser.add_argument(
        "--kind", choices=("table", "graph", "temporal_graph"), help="kind of data (default: the policy's)"
    )
    parser.add_argument("--nodes", type=Path, help="for graphs: a table of nodes and their attributes")
    parser.add_argument("--directed", action="store_true", help="for graphs: edges have a direction")
    parser.add_argument("--window", help="for temporal graphs: hour, day, week, month, year, snapshot, or seconds")
    parser.add_argument("--empty-windows", choices=("drop", "keep"), help="for temporal graphs: windows without edges")
    parser.add_argument("--columns", help="for temporal graphs: the columns, such as source,target,weight,time")
    parser.add_argument("--format", help="format of the file, where its name does not say")
    parser.add_argument("--budget", type=float, help="the epsilon that differentially private releases may cost")
    parser.add_argument("--supersedes", help="id of the dataset that this one is a newer version of")


def metadata_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The metadata of an upload, as far as the arguments say them."""
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
    """Where `antifaz init` writes the policy of a file, and where `antifaz publish` looks for it."""
    return file.with_name(f"{file.name.split('.')[0]}.policy.jsonc")
