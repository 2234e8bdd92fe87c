"""Output: answers on the standard output, for people as columns or for programs as JSON; messages on the other one."""

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def say(text: str) -> None:
    """A message for the person at the terminal."""
    print(f"antifaz: {text}", file=sys.stderr)


def print_json(document: Any) -> None:
    """A document for a program."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def print_columns(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Rows under their heads, each column as wide as its widest cell: nothing is ever cut, for ids are to be copied."""
    cells = [[shown(cell) for cell in row] for row in rows]
    widths = [max(len(line[place]) for line in [list(heads), *cells]) for place in range(len(heads))]
    for line in [[head.upper() for head in heads], *cells]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def shown(value: Any) -> str:
    """A value in a cell."""
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def settings(document: Mapping[str, Any]) -> str:
    """Names and values on one line."""
    return ", ".join(f"{name} = {shown(value)}" for name, value in document.items())
