"""Mistakes made by hand: wrong lines of the product, each with the tests that must notice it, in mistakes.toml."""

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.mutants.engine import KILLED, SURVIVED, UNTRIED, Copy, Fate


@dataclass(frozen=True)
class Mistake:
    """One mistake; a bug that takes several wrong lines has as many entries of one name."""

    name: str
    changes: tuple[tuple[str, str, str], ...]
    """File, right text, wrong text: the right one occurs exactly once in its file."""
    tests: tuple[str, ...]
    """Each of them must fail."""

    def texts(self, root: Path) -> dict[str, str]:
        """The changed files; none if a line is not there any more."""
        found: dict[str, str] = {}
        for file, right, wrong in self.changes:
            text = found.get(file) or (root / file).read_text("utf-8")
            if text.count(right) != 1 or right == wrong:
                return {}
            found[file] = text.replace(right, wrong)
        return found


def listed() -> list[Mistake]:
    """The table."""
    entries = defaultdict(list)
    for entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["mistake"]:
        entries[entry["name"]].append(entry)
    return [
        Mistake(name, tuple((each["file"], each["right"], each["wrong"]) for each in own), tuple(own[0]["tests"]))
        for name, own in entries.items()
    ]


def outcomes(mistake: Mistake, copy: Copy) -> Iterator[tuple[str, str]]:
    """Each test of a mistake, and whether it noticed the mistake."""
    texts = mistake.texts(copy.root)
    for test in mistake.tests:
        fate = copy.fate(texts, [test]) if texts else Fate(UNTRIED)
        # One that cannot be collected has noticed nothing, and neither has one that does not end.
        known = fate.outcome == SURVIVED or (fate.outcome == KILLED and fate.test)
        yield test, fate.outcome if known else UNTRIED
