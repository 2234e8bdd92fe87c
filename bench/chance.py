"""Runs the randomized tests several times, to check the figures in docs/chance.md.

python -m bench.chance [RUNS]

takes the files of docs/chance.md with random outcomes, and prints one line for each run. If a false alarm is as rare as
1e-15, twenty runs show no more than one.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| `(tests/[\w/]+/test_\w+\.py)` \| [^|]* \| (\S+) \|", re.MULTILINE)
CLOCKS = "## What reads a clock"
RUNS, LEAST = 20, 1e-15


def drawing(page: str) -> list[str]:
    """The files of the page whose false alarms are frequent enough to be observed."""
    return [file for file, chance in ROW.findall(page.partition(CLOCKS)[0]) if float(chance) > LEAST]


def main() -> int:
    """Run the files the requested number of times; 1 if any run failed."""
    parser = argparse.ArgumentParser(prog="bench.chance", description="Run the randomized tests several times.")
    parser.add_argument("runs", nargs="?", type=int, default=RUNS)
    runs = parser.parse_args().runs
    files = drawing((ROOT / "docs" / "chance.md").read_text())
    failed = 0
    for number in range(1, runs + 1):
        command = [sys.executable, "-m", "pytest", "-q", "-m", "not long", *files]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        said = done.stdout.strip().splitlines()
        print(f"run {number} of {runs}: {said[-1] if said else 'nothing said'}", flush=True)
        if done.returncode:
            failed += 1
            print(*(line for line in said if line.startswith(("FAILED", "ERROR"))), sep="\n", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
