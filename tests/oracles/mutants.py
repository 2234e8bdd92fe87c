"""Mutants: the verifier's source with one typical bug in it.

A mutant is killed if a contest finds that it disagrees with the definition.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEED = "5"
DISAGREES = "where the definition says"


@dataclass(frozen=True)
class Mutant:
    """One bug: texts in the verifier's files, and their replacements."""

    name: str
    contests: tuple[str, ...]
    changes: tuple[tuple[str, str, str], ...]
    """File, text, replacement."""


def mutant(name: str, contest: str, file: str, text: str, other: str) -> Mutant:
    return Mutant(name, (contest,), ((file, text, other),))


def applies(each: Mutant) -> bool:
    """Whether every text of a mutant occurs exactly once in its file."""
    return all((ROOT / "verifier" / file).read_text().count(text) == 1 for file, text, _ in each.changes)


def either(*ways: Mutant) -> Mutant:
    """One bug in a line that may be written in several ways: uses the one that exists."""
    return next((way for way in ways if applies(way)), ways[0])


def survives(each: Mutant | None, folder: Path, releases: int) -> str:
    """Run a mutant's contests on a changed copy of the verifier; returns their output if it survived."""
    shutil.copytree(ROOT / "verifier", folder / "verifier", ignore=shutil.ignore_patterns("__pycache__"))
    for file, text, other in each.changes if each else ():
        path = folder / "verifier" / file
        path.write_text(path.read_text().replace(text, other))
    told = subprocess.run(
        [sys.executable, "-m", "tests.oracles", str(releases), SEED, *(each.contests if each else ("k_anonymity",))],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if told.returncode == 1 and DISAGREES in told.stdout else told.stdout + told.stderr
