"""Against: this checkout and another one, both running, measured in turns.

A machine's speed varies by a third within minutes, so two runs one after the other show little. Here both stacks run at
the same time, one of them idle while the other is measured, and each round compares a second or two of both.

    python -m bench.load.against ../before              reads and submissions, sixteen rounds each
    python -m bench.load.against ../before --only post --rounds 30
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

HERE = Path(__file__).resolve().parents[2]
PARTS = ("get", "post")


class Checkout:
    """A checkout with a running stack."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        interpreter = str(folder / ".venv" / "bin" / "python")
        kernels = subprocess.run([interpreter, "-m", "stack.kernels"], cwd=folder, capture_output=True, text=True)
        known = {"NUMBA_CACHE_DIR": kernels.stdout.strip()} if kernels.returncode == 0 else {}
        self._process = subprocess.Popen(
            [interpreter, str(Path(__file__).with_name("loaded.py"))],
            cwd=folder,
            env=os.environ | known,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        self._answer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def rate(self, what: str, seconds: float) -> float:
        """Answers per second."""
        assert self._process.stdin is not None
        print(what, seconds, file=self._process.stdin, flush=True)
        return float(self._answer())

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                return json.loads(line)
            except ValueError:
                print(line, end="", file=sys.stderr)
        raise RuntimeError(f"the stack of {self.folder.name} has ended")


def in_turns(checkouts: Sequence[Checkout], what: str, rounds: int, seconds: float) -> list[list[float]]:
    """The rates of each checkout, round by round; the order alternates."""
    rates: list[list[float]] = [[] for _ in checkouts]
    for each in checkouts:
        each.rate(what, seconds)
    for number in range(rounds):
        turns = list(zip(checkouts, rates, strict=True))
        for checkout, seen in turns if number % 2 else reversed(turns):
            seen.append(checkout.rate(what, seconds))
    return rates


def verdict(what: str, before: Sequence[float], now: Sequence[float]) -> str:
    """The comparison of the two, with the standard error of the mean of the rounds' ratios."""
    ratios = [ours / theirs for ours, theirs in zip(now, before, strict=True)]
    error = statistics.stdev(ratios) / len(ratios) ** 0.5
    return (
        f"{what}: {statistics.mean(before):.0f} -> {statistics.mean(now):.0f} a second, "
        f"{statistics.mean(ratios):.3f} +- {error:.3f} times, load {os.getloadavg()[0]:.1f}"
    )


def main(given: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.load.against", description="Compare two checkouts under load.")
    parser.add_argument("other", type=Path, help="another checkout, with its environment installed")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS)
    parser.add_argument("--rounds", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=1.5, help="duration of each round")
    chosen = parser.parse_args(given)
    with ExitStack() as both:
        other, this = (both.enter_context(Checkout(folder)) for folder in (chosen.other.resolve(), HERE))
        for what in chosen.only:
            before, now = in_turns([other, this], what, chosen.rounds, chosen.seconds)
            print(verdict(what, before, now), flush=True)


if __name__ == "__main__":
    main()
