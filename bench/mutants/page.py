"""Page: docs/mutants.md, where each run replaces its own section: figures per file, the survivors, the mistakes."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.mutants.engine import KILLED, SURVIVED, TIMED_OUT, UNTESTED, UNTRIED, Fate
from bench.mutants.mistakes import Mistake
from bench.mutants.operators import Mutant

_OUTCOMES = {KILLED: "noticed", SURVIVED: "NOT noticed", UNTRIED: "not tried"}


@dataclass(frozen=True)
class Row:
    """A mutant, its fate, and the reason if it may survive."""

    mutant: Mutant
    fate: Fate
    reason: str


def reason_of(mutant: Mutant) -> str:
    """Why a mutant may survive, as reasons.toml states it by the mutant's name; empty if there is no reason."""
    return stated_reasons().get(mutant.name, "")


@cache
def stated_reasons() -> dict[str, str]:
    stated = tomllib.loads(Path(__file__).with_name("reasons.toml").read_text("utf-8"))
    return {name: reason["why"] for reason in stated["reason"] for name in reason["mutants"]}


def write_part(path: Path, title: str, command: str, rows: Sequence[Row]) -> None:
    """Write the figures and survivors of a part."""
    survivors = ("", f"### Survivors of {title[0].lower()}{title[1:]}", "", *_survivors(rows))
    _write(path, title, [f"By `{command}`.", *_lists(rows), *survivors])


def write_mistakes(path: Path, mistakes: Iterable[Mistake], found: Mapping[str, Mapping[str, str]]) -> None:
    """Write the table of mistakes; tests that did not run this time keep what the page says."""
    known = outcomes_on(path)
    lines = ["By `python -m bench.mutants --part mistakes`.", "", "| mistake | in | test | outcome |"]
    lines.append("| --- | --- | --- | --- |")
    for each in mistakes:
        files = ", ".join(f"`{file}`" for file in dict.fromkeys(file for file, _, _ in each.changes))
        for test in each.tests:
            outcome = found.get(each.name, {}).get(test)
            shown = _OUTCOMES[outcome] if outcome else known.get((each.name, test), _OUTCOMES[UNTRIED])
            lines.append(f"| {each.name} | {files} | `{test}` | {shown} |")
    _write(path, "Mistakes", lines)


def outcomes_on(path: Path) -> dict[tuple[str, str], str]:
    """What the page says of each mistake and test."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([^|]+)` \| ([^|]+) \|$", path.read_text("utf-8"), re.MULTILINE)
    return {(name, test): shown for name, test, shown in rows}


def _write(path: Path, title: str, lines: Sequence[str]) -> None:
    """Replace a section of the page, or add it at the end."""
    page = path.read_text("utf-8")
    section = "\n".join([f"## {title}", "", *lines, ""])
    found = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    page = found.sub(lambda _: section + "\n", page) if found.search(page) else f"{page.rstrip()}\n\n{section}"
    path.write_text(page.rstrip() + "\n", "utf-8")


def _lists(rows: Sequence[Row]) -> Iterator[str]:
    """Files of which all, some and no mutants were tried."""
    by_file: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_file[row.mutant.file].append(row)
    untried = {file: sum(row.fate.outcome == UNTRIED for row in own) for file, own in by_file.items()}
    whole = [file for file in by_file if not untried[file]]
    some = [file for file in by_file if 0 < untried[file] < len(by_file[file])]
    none = [file for file in by_file if untried[file] == len(by_file[file])]
    for title, files in (("Tried whole", whole), ("Tried in part", some)):
        if files:
            yield from ("", f"### {title}", "")
            yield from _figures({file: by_file[file] for file in files})
    if none:
        yield from ("", "### Not tried", "")
        yield ", ".join(f"`{file}` ({len(by_file[file])})" for file in none) + "."


def _figures(by_file: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    yield "| file | mutants | tried | killed | timed out | survived | untested | with a reason | killed | or reasoned |"
    yield "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |"
    for file, own in by_file.items():
        yield f"| `{file}` | {_figures_of(own)} |"
    if len(by_file) > 1:
        yield f"| all | {_figures_of([row for own in by_file.values() for row in own])} |"


def _figures_of(rows: Sequence[Row]) -> str:
    outcomes = Counter(row.fate.outcome for row in rows)
    tried = outcomes.total() - outcomes[UNTRIED]
    reasoned = sum(row.fate.outcome in (SURVIVED, UNTESTED) and bool(row.reason) for row in rows)
    killed = outcomes[KILLED] + outcomes[TIMED_OUT]
    counts = [len(rows), tried, *(outcomes[end] for end in (KILLED, TIMED_OUT, SURVIVED, UNTESTED)), reasoned]
    return " | ".join([*map(str, counts), f"{killed / tried:.1%}", f"{(killed + reasoned) / tried:.1%}"])


def _survivors(rows: Sequence[Row]) -> Iterator[str]:
    """Survivors, grouped by their reason."""
    by_reason: dict[str, list[Mutant]] = defaultdict(list)
    for row in rows:
        if row.fate.outcome in (SURVIVED, UNTESTED):
            by_reason[row.reason or "**No reason yet.**"].append(row.mutant)
    if not by_reason:
        yield "None."
    for reason, mutants in sorted(by_reason.items(), key=lambda item: (item[1][0].file, item[1][0].line)):
        yield f"- {reason}"
        for mutant in sorted(mutants, key=lambda mutant: (mutant.file, mutant.line)):
            yield f"  - `{mutant.file}:{mutant.line}` {_code(mutant.before)} → {_code(mutant.after)}"


def _code(text: str) -> str:
    """Code between marks that it does not contain."""
    if text == "removed":
        return text
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"
