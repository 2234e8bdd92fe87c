"""Measure the parts one after another, and write the page."""

import argparse
import multiprocessing
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.load.answers import busy, get, latency, polling, post
from bench.load.memory import memory
from bench.load.overload import overload
from bench.load.rig import Bench
from bench.load.soak import soak
from bench.page import Section, merged, rendered
from bench.stack import running_stack

PAGE = Path(__file__).resolve().parents[1] / "RESULTS-load.md"
PREFACE = """
Written by `python -m bench.load`, which documents how everything is measured; each section by the run that it names. A
ratio compares the API with a bare FastAPI application (hello), both one process of uvicorn on the same machine,
measured in turns: the median of the rounds counts. A part during which hello itself varied by more than 30 % is void.
Limits on requests are those of production unless a section states that they are off: they are off only if something
else is measured.
"""
PARTS: dict[str, Callable[[Bench], Section]] = {
    part.__name__: part for part in (get, post, latency, polling, busy, overload, memory, soak)
}


def command(chosen: argparse.Namespace) -> str:
    """The command that repeats this run."""
    words = ["python -m bench.load", "--only", ",".join(chosen.only)]
    words += ["--rounds", str(chosen.rounds), "--seconds", f"{chosen.seconds:g}"]
    return " ".join([*words, *(["--soak-minutes", f"{chosen.soak_minutes:g}"] if chosen.soak_minutes else [])])


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The parts to measure, and for how long."""
    parser = argparse.ArgumentParser(prog="bench.load", description="Measure how much load the service can handle.")
    parser.add_argument("--only", type=_parts, default=[part for part in PARTS if part != "soak"], metavar="PART,PART")
    parser.add_argument("--rounds", type=int, default=6, help="number of rounds of two measurements in turns")
    parser.add_argument("--seconds", type=float, default=5.0, help="duration of each measurement")
    parser.add_argument("--soak-minutes", type=float, default=0.0, help="minutes of half load, as the last part")
    parser.add_argument("--page", type=Path, default=PAGE, help="page to write the results to")
    chosen = parser.parse_args(given)
    if chosen.soak_minutes > 0 and "soak" not in chosen.only:
        chosen.only.append("soak")
    if "soak" in chosen.only and chosen.soak_minutes <= 0:
        parser.error("a soak needs --soak-minutes")
    return chosen


def _parts(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise argparse.ArgumentTypeError(f"parts are {', '.join(PARTS)}")
    return [part for part in PARTS if part in names]


def main(given: Sequence[str] | None = None) -> None:
    """Measure the parts, and write the page after each: an interrupted run loses at most one part."""
    chosen = arguments(given)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    context = multiprocessing.get_context("spawn")
    with running_stack() as stack, ProcessPoolExecutor(1, mp_context=context) as generator:
        bench = Bench(stack, generator, chosen.rounds, chosen.seconds, chosen.soak_minutes, command(chosen))
        for part in chosen.only:
            print(f"measuring {part}", flush=True)
            section = PARTS[part](bench)
            print(section.text(), flush=True)
            earlier = chosen.page.read_text() if chosen.page.exists() else ""
            chosen.page.write_text(rendered("Load", PREFACE, merged(earlier, [section], list(PARTS))))


if __name__ == "__main__":
    main()
