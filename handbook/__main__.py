"""Write or check the reference pages.

python -m handbook --write     write the pages of docs/ that follow from the code, and the maps of rooms
python -m handbook --check     fail if a committed page differs
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from handbook.pages import ROOT, pages


def main(arguments: list[str] | None = None) -> int:
    """Write the pages, or name those that differ."""
    parser = argparse.ArgumentParser(prog="python -m handbook")
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--write", action="store_true")
    choice.add_argument("--check", action="store_true")
    if parser.parse_args(arguments).write:
        for path, text in pages().items():
            path.write_text(text, encoding="utf-8")
        return 0
    faults = differences(pages())
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def differences(wanted: Mapping[Path, str]) -> list[str]:
    """A line for each committed page that is out of date."""
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    return [f"{path.relative_to(ROOT)} is out of date: run make docs" for path in stale]


if __name__ == "__main__":
    sys.exit(main())
