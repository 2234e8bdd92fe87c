"""Page: docs/mutants.md with figures per file and the survivors."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.mutants.operators import Mutant
from bench.mutants.runner import KILLED, SURVIVED, TIMED_OUT, UNTESTED, Fate

UNTRIED = "not tried"
_MISTAKES = "\n## Mistakes"

_HEAD = """\
# Mutants

Created by `make mutants`: the code is changed in one small place at a time, and the tests that run the changed lines
are run again. A change that no test notices is a survivor: a line that could be wrong without anyone noticing, or a
change that makes no difference.

The changes affect comparisons (also their boundary), `and`, `or`, `not`, arithmetic, constants and texts, conditions,
returned values, slices, arguments, caught errors, cases, and whole statements. Properties are tried on few examples,
and a slow test is run only for the file that it mirrors, so the true share of killed mutants is somewhat higher.

All figures in the tables are of the current code: a mutant whose line was rewritten counts as not tried until it is
tried again. There are three lists of files: tried whole, tried in part (drawn at random, and some from the top of the
file), and not tried. Most mutants of the graph checks were tried only under the tests named after their file; all
tests together can only kill more.

Findings: a graphml file declared as latin-1 was read as UTF-8, so other readers would have seen other labels than the
verified ones; such a file is now refused. Of the graph checks, 82 % of a sample of 575 mutants were killed at first.
Hardly any test had checked the reason that a verdict gives, the search for an isomorphism (a search that considered
every pair of nodes joined was not noticed), or the order in which the edges of a ball are compared.
"""

_EARLIER = """\
## Earlier figures

Killed mutants of files that were tried whole before, on code that has changed since: of `verifier/__main__.py` 98.2 %,
`cells.py` 89.2 %, `check.py` 99.8 %, `closeness.py` 92.6 %, `columns.py` 99.0 %, `exact.py` 100 %, `findings.py`
98.3 %, `joint.py` 95.1 %, `models.py` 87.6 %, `populations.py` 96.9 %, `quotes.py` 94.9 %, `sensitive.py` 97.1 %,
`tables.py` 93.3 %, `verdict.py` 100 %; of the publish step 97.3 % of 1,568 mutants. The reasons of the survivors are
in `bench/mutants/reasons.toml`, as long as their lines are unchanged.
"""


@dataclass(frozen=True)
class Row:
    """A mutant, its fate, and the reason if it may survive."""

    part: str
    mutant: Mutant
    fate: Fate
    reason: str


def write_page(path: Path, rows: Sequence[Row]) -> None:
    """Write the page again, except for the mistakes at its end, which `bench.mistakes` writes."""
    before = path.read_text("utf-8") if path.exists() else ""
    _, mark, mistakes = before.partition(_MISTAKES)
    path.write_text("".join(f"{line}\n" for line in _lines(rows)) + mark + mistakes, "utf-8")


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    yield from _HEAD.splitlines()
    for part in dict.fromkeys(row.part for row in rows):
        own = [row for row in rows if row.part == part]
        yield from ("", f"## {part}")
        yield from _lists(own)
        yield from ("", f"### Survivors of {part[0].lower()}{part[1:]}", "")
        yield from _survivors(own)
    yield from ("", *_EARLIER.splitlines())


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
