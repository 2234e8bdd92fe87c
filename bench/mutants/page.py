"""Page: docs/mutants.md, figures per file and what survived."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.mutants.operators import Mutant
from bench.mutants.runner import KILLED, SURVIVED, TIMED_OUT, UNTESTED, Fate

UNTRIED = "not tried"
_MISTAKES = "\n## Mistakes"

_HEAD = """\
# Mutants

Made by `make mutants`: the code is changed in one small place at a time, and the tests that run the changed lines are
run again. A change that no test notices is a survivor: a line that could be wrong without anybody seeing it, or a
change that makes no difference.

Changed are comparisons (also their boundary), `and`, `or`, `not`, arithmetic, constants and texts, conditions,
returned values, slices, arguments, caught errors, cases, and whole statements. Properties are tried on few examples,
and a slow test is run only for the file that it mirrors, so the true share of killed mutants is rather higher.

What mutants brought to light: a graphml file that calls itself latin-1 was read as UTF-8, so that other readers would
have seen other labels than those that were judged; it is refused now.
"""


@dataclass(frozen=True)
class Row:
    """A mutant, what became of it, and why that may be."""

    part: str
    mutant: Mutant
    fate: Fate
    reason: str


def write_page(path: Path, rows: Sequence[Row]) -> None:
    """Write the page again, but for the mistakes at its end, which `bench.mistakes` writes."""
    before = path.read_text("utf-8") if path.exists() else ""
    _, mark, mistakes = before.partition(_MISTAKES)
    path.write_text("".join(f"{line}\n" for line in _lines(rows)) + mark + mistakes, "utf-8")


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    yield from _HEAD.splitlines()
    for part in dict.fromkeys(row.part for row in rows):
        own = [row for row in rows if row.part == part]
        yield from ("", f"## {part}", "")
        yield from _figures(own)
        yield from ("", f"### Survivors of {part[0].lower()}{part[1:]}", "")
        yield from _survivors(own)


def _figures(rows: Sequence[Row]) -> Iterator[str]:
    yield "| file | mutants | killed | timed out | survived | untested | not tried | share |"
    yield "| --- | --: | --: | --: | --: | --: | --: | --: |"
    for file in [*dict.fromkeys(row.mutant.file for row in rows), "all"]:
        outcomes = Counter(row.fate.outcome for row in rows if file in (row.mutant.file, "all"))
        counts = [
            outcomes.total(),
            *(outcomes[end] for end in (KILLED, TIMED_OUT, SURVIVED, UNTESTED, UNTRIED)),
        ]
        name = f"`{file}`" if file != "all" else "all"
        yield f"| {name} | {' | '.join(map(str, counts))} | {_share(outcomes)} |"


def _share(outcomes: Counter[str]) -> str:
    tried = outcomes.total() - outcomes[UNTRIED]
    return f"{(outcomes[KILLED] + outcomes[TIMED_OUT]) / tried:.1%}" if tried else "–"


def _survivors(rows: Sequence[Row]) -> Iterator[str]:
    """Survivors by their reason, those with one reason together."""
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
    """Code between marks that it does not hold itself."""
    if text == "removed":
        return text
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"
