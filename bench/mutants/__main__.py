"""Try mutants and mistakes, write their sections of docs/mutants.md, and fail if too many survive without a reason."""

import argparse
import fcntl
import json
import random
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from bench.mutants.coverage import Coverage
from bench.mutants.engine import KILLED, PATIENCE, SURVIVED, UNTESTED, UNTRIED, Copy, Fate, copy_of
from bench.mutants.mistakes import listed, outcomes
from bench.mutants.operators import Mutant, mutants_of
from bench.mutants.page import Row, reason_of, write_mistakes, write_part
from bench.mutants.parts import PARTS, Part

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "mutants.json"
PAGE = ROOT / "docs" / "mutants.md"
GOAL = 0.95
MISTAKES = "mistakes"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description="Try mutants and mistakes.")
    parser.add_argument("--part", choices=[*PARTS, MISTAKES], action="append", help="only this part")
    parser.add_argument("--only", default="", help="only mutants whose file, or mistakes whose tests, contain this")
    parser.add_argument("--sample", type=int, help="only this many mutants of each part, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the drawing and of the order")
    parser.add_argument("--again", action="store_true", help="only those that were tried and not killed")
    parser.add_argument("--budget", type=float, default=60.0, help="maximum seconds of tests for each mutant")
    options = parser.parse_args()
    with copy_of(ROOT) as copy:
        good = [
            _try_mistakes(copy, options.only) if name == MISTAKES else _try_part(copy, PARTS[name], options)
            for name in options.part or [*PARTS, MISTAKES]
        ]
    return 0 if all(good) else 1


def _try_mistakes(copy: Copy, words: str) -> bool:
    """Whether all mistakes were noticed."""
    found = {}
    for mistake in listed():
        if any(words in test for test in mistake.tests):
            found[mistake.name] = dict(outcomes(mistake, copy))
            for test, outcome in found[mistake.name].items():
                print(f"{outcome:9} {mistake.name}: {test}", flush=True)
    write_mistakes(PAGE, listed(), found)
    return all(outcome == KILLED for tests in found.values() for outcome in tests.values())


def _try_part(copy: Copy, part: Part, options: argparse.Namespace) -> bool:
    """Whether enough mutants were killed, and all others have a reason."""
    mutants = [mutant for file, functions in part.files(ROOT) for mutant in mutants_of(ROOT, file, functions)]
    _try_mutants(copy, part, _chosen(mutants, options), options.budget)
    fates = _last_fates()
    rows = [Row(mutant, fates.get(mutant.name, Fate(UNTRIED)), reason_of(mutant)) for mutant in mutants]
    drawn = f" --sample {options.sample} --seed {options.seed}" if options.sample else ""
    write_part(PAGE, part.title, f"python -m bench.mutants --part {part.name}{drawn}", rows)
    tried = [row for row in rows if row.fate.outcome != UNTRIED]
    alive = [row for row in tried if row.fate.outcome in (SURVIVED, UNTESTED)]
    share = 1 - len(alive) / max(len(tried), 1)
    print(f"{part.title}: {len(tried)} of {len(rows)} mutants tried, {len(alive)} alive, {share:.1%} killed")
    return share >= GOAL and all(row.reason for row in alive)


def _chosen(mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    """In random order, so that an interrupted run has tried a fair sample."""
    chosen = [mutant for mutant in mutants if options.only in mutant.file]
    random.Random(options.seed).shuffle(chosen)
    chosen = chosen[: options.sample]
    if options.again:
        last = _last_fates()
        chosen = [mutant for mutant in chosen if mutant.name in last and last[mutant.name].outcome != KILLED]
    return chosen


def _try_mutants(copy: Copy, part: Part, chosen: list[Mutant], budget: float) -> None:
    files, counts, fresh = {mutant.file for mutant in chosen}, Counter[str](), dict[str, Fate]()
    coverage = Coverage(copy, files, part.tests, part.quick, budget)
    print(f"{len(coverage.seconds)} tests, {sum(coverage.seconds.values()):.0f} s with their lines traced", flush=True)
    for number, mutant in enumerate(chosen, 1):
        tests = coverage.tests_of(mutant)
        patience = PATIENCE / 10 + 20 * sum(coverage.seconds[test] for test in tests)
        fate = copy.fate({mutant.file: mutant.changed()}, tests, patience) if tests else Fate(UNTESTED)
        coverage.note(mutant, fate.test)
        counts[fate.outcome] += 1
        fresh[mutant.name] = fate
        if fate.outcome != KILLED:
            print(f"{fate.outcome}: {mutant.file}:{mutant.line} {mutant.before} → {mutant.after}", flush=True)
        if number % 25 == 0 or number == len(chosen):
            print(f"{dict(counts)} of {len(chosen)}", flush=True)
            _save(fresh)


def _last_fates() -> dict[str, Fate]:
    if not RESULTS.exists():
        return {}
    return {name: Fate(**fate) for name, fate in json.loads(RESULTS.read_text("utf-8")).items()}


def _save(fresh: dict[str, Fate]) -> None:
    """Add fates to those of other runs, some of which may be running at the same time."""
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fates = {name: asdict(fate) for name, fate in sorted((_last_fates() | fresh).items())}
        RESULTS.write_text(json.dumps(fates, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
