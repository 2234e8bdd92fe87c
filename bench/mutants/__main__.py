"""Try every mutant, write docs/mutants.md, and fail if too many survive or one survives without a reason."""

import argparse
import fcntl
import json
import random
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from bench.mutants.operators import Mutant, mutants_of
from bench.mutants.page import UNTRIED, Row, write_page
from bench.mutants.parts import PARTS, Part
from bench.mutants.reasons import reason_of
from bench.mutants.runner import KILLED, SURVIVED, UNTESTED, Fate, judge

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "mutants.json"
GOAL = 0.95


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description="Try every mutant.")
    parser.add_argument("--part", choices=list(PARTS), action="append", help="only this part")
    parser.add_argument("--only", action="append", help="only mutants of this file")
    parser.add_argument("--again", action="store_true", help="only those that were not killed the last time")
    parser.add_argument("--examples", type=int, default=30, help="maximum number of examples of each property")
    parser.add_argument("--budget", type=float, default=60.0, help="maximum seconds of tests for each mutant")
    parser.add_argument("--jobs", type=int, default=1, help="number of mutants tried at a time")
    parser.add_argument("--page", action="store_true", help="try none, and write the page from stored results")
    options = parser.parse_args()
    for name in () if options.page else options.part or PARTS:
        _try_part(PARTS[name], options)
    fates = _last_fates()
    rows = [_row(part, mutant, fates) for part in PARTS.values() for mutant in _all_mutants(part)]
    write_page(ROOT / "docs" / "mutants.md", rows)
    alive = [row for row in rows if row.fate.outcome in (SURVIVED, UNTESTED)]
    for row in alive:
        if not row.reason:
            print(f"no reason: {row.mutant.file}:{row.mutant.line} {row.mutant.before} → {row.mutant.after}")
    tried = [row for row in rows if row.fate.outcome != UNTRIED]
    share = 1 - len(alive) / max(len(tried), 1)
    print(f"{len(tried)} of {len(rows)} mutants tried, {len(alive)} alive, {share:.1%} killed")
    return 0 if tried == rows and share >= GOAL and all(row.reason for row in alive) else 1


def _all_mutants(part: Part) -> list[Mutant]:
    return [mutant for file, functions in part.files(ROOT) for mutant in mutants_of(ROOT, file, functions)]


def _try_part(part: Part, options: argparse.Namespace) -> None:
    chosen = [mutant for mutant in _all_mutants(part) if not options.only or mutant.file in options.only]
    if options.again:
        last = _last_fates()
        chosen = [m for m in chosen if m.name not in last or last[m.name].outcome in (SURVIVED, UNTESTED)]
    # In random order, so that an interrupted run has tried a fair sample.
    random.Random(0).shuffle(chosen)
    if options.again:
        chosen.sort(key=lambda mutant: mutant.name not in last)
    started, fates, fresh = time.monotonic(), Counter[str](), dict[str, Fate]()

    def tell(mutant: Mutant, fate: Fate) -> None:
        fates[fate.outcome] += 1
        fresh[mutant.name] = fate
        if fate.outcome != KILLED:
            print(f"{fate.outcome}: {mutant.file}:{mutant.line} {mutant.before} → {mutant.after}", flush=True)
        if fates.total() % 25 == 0:
            print(f"{dict(fates)} of {len(chosen)} after {time.monotonic() - started:.0f} s", flush=True)
            _save(fresh)

    if chosen:
        judge(
            ROOT,
            chosen,
            part.tests(ROOT),
            tell,
            examples=options.examples,
            quick=part.quick,
            budget=options.budget,
            jobs=options.jobs,
        )
        _save(fresh)


def _row(part: Part, mutant: Mutant, fates: dict[str, Fate]) -> Row:
    return Row(part.title, mutant, fates.get(mutant.name, Fate(UNTRIED)), reason_of(mutant))


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
