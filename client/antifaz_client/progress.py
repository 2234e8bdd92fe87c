"""Progress: passed to a function, or shown as one line that is overwritten."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO


@dataclass(frozen=True)
class Stage:
    """The current stage and its progress."""

    name: str
    """`upload`, a stage or the end of a job, or `download`."""
    fraction: float


Report = Callable[[Stage], Any]


class Line:
    """One line of a terminal or a notebook."""

    _WIDTH = 30

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last = ""

    def __call__(self, stage: Stage) -> None:
        done = round(self._WIDTH * min(max(stage.fraction, 0.0), 1.0))
        line = f"{stage.name:10} [{'#' * done}{'.' * (self._WIDTH - done)}] {stage.fraction:4.0%}"
        if line != self._last:
            self._stream.write(f"\r{line}")
            self._stream.flush()
            self._last = line

    def end(self) -> None:
        """Finish the line."""
        if self._last:
            self._stream.write("\n")
            self._stream.flush()
            self._last = ""


def silent(stage: Stage) -> None:
    """Ignore the stage."""


def watched(wish: "bool | Report | None") -> Report:
    """The function that gets every stage: the given one, none, or a line if a person can see it."""
    if callable(wish):
        return wish
    seen = sys.stderr.isatty() or _in_notebook()
    return Line(sys.stderr) if wish or (wish is None and seen) else silent


def end(report: Report) -> None:
    """Finish the progress line, if there is one."""
    if isinstance(report, Line):
        report.end()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and "IPKernelApp" in getattr(running, "config", {})


def counted(report: Report, name: str, total: int | None) -> Callable[[int], None]:
    """A function that takes the sizes of pieces and reports the share of the total."""
    done = 0

    def moved(size: int) -> None:
        nonlocal done
        done += size
        if total:
            report(Stage(name, min(done / total, 1.0)))

    return moved
