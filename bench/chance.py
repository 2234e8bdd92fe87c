"""Runs of the tests that draw by chance, one after another: what docs/chance.md says of them, tried.

python -m bench.chance [RUNS]

takes the files of docs/chance.md whose outcome depends on chance, and prints one line for each run. Where a wrong
failure is as seldom as 1e-15, twenty runs say nothing that one does not say.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| `(tests/[\w/]+/test_\w+\.py)` \| [^|]* \| (\S+) \|", re.MULTILINE)
CLOCKS = "## What looks at a clock"
RUNS, LEAST = 20, 1e-15


def drawing(page: str) -> list[str]:
    """The files of the page that could ever be seen to fail wrongly."""
    return [file for file, chance in ROW.findall(page.partition(CLOCKS)[0]) if float(chance) > LEAST]


def main() -> int:
    """Run the files as often as asked; 1 if any run failed."""
    parser = argparse.ArgumentParser(prog="bench.chance", description="Run the tests that draw by chance again.")
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
