"""Output: answers go to standard output, as columns or as JSON; messages go to standard error."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def say(text: str) -> None:
    """Print a message for the user."""
    print(f"antifaz: {text}", file=sys.stderr)


def print_json(document: Any) -> None:
    """Print a document for a program."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def print_columns(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows under their heads. Nothing is ever shortened, so that ids can be copied."""
    cells = [[shown(cell) for cell in row] for row in rows]
    widths = [max(len(line[place]) for line in [list(heads), *cells]) for place in range(len(heads))]
    for line in [[head.upper() for head in heads], *cells]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def shown(value: Any) -> str:
    """The text of a value in a cell."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def settings(document: Mapping[str, Any]) -> str:
    """Names and values on one line."""
    return ", ".join(f"{name} = {shown(value)}" for name, value in document.items())
