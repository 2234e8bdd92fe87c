"""Results: the page of figures, each section written by the command that measured it.

python -m bench.results            every section; takes half an hour
python -m bench.results growth     one of them
"""

import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "RESULTS.md"

HEAD = """# Figures

Every section is written by the command that it names. CPU seconds are those of one process. Seconds of different runs
and machines are not comparable; ratios within one section are.

A section that names no command is of an experiment whose question is answered: its figures stay, and the commit that it
names has the code.
"""


def main() -> None:
    """Measure the named sections, or all."""
    from bench import (
        dp_tables,
        graph_methods,
        growth,
        house,
        peers,
        questions,
        table_methods,
        tables,
        temporal_measures,
        typing,
        verification,
    )

    sections: dict[str, Callable[[], None]] = {
        "house": house.measure_all,
        "tables": tables.main,
        "table_methods": table_methods.main,
        "typing": typing.main,
        "growth": growth.main,
        "verification": verification.main,
        "graph_methods": graph_methods.main,
        "peers": peers.main,
        "dp_tables": dp_tables.main,
        "questions": questions.main,
        "temporal_measures": temporal_measures.main,
    }
    for name in sys.argv[1:] or sections:
        sections[name]()


def write_section(
    title: str, command: str, introduction: str, header: Sequence[str], rows: Sequence[Sequence[object]]
) -> None:
    """Write a table into the page, replacing the section of the same title, and print it."""
    lines = [f"## {title}", "", f"`{command}` on {_machine()}. {introduction}", ""]
    lines += [_row(header), _row("---" for _ in header), *(_row(row) for row in rows), ""]
    section = "\n".join(lines)
    page = PAGE.read_text() if PAGE.exists() else HEAD
    found = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    page = found.sub(lambda _: section + "\n", page) if found.search(page) else f"{page.rstrip()}\n\n{section}"
    PAGE.write_text(page.rstrip() + "\n")
    print(section)


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _machine() -> str:
    load = os.getloadavg()[0]
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, load average {load:.1f} at the end"


if __name__ == "__main__":
    main()
