"""Coverage: which tests run each line of some files, in the test's thread and in those that it starts."""

import json
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from bench.mutants.engine import Copy
from bench.mutants.operators import Mutant

_HOURS = 4 * 3600.0


class Coverage:
    """The tests of some files, chosen for each mutant."""

    def __init__(self, copy: Copy, files: set[str], tests: Sequence[str], quick: float, budget: float) -> None:
        """Run all tests once without a change.

        Tests that take longer than ``quick`` seconds are chosen only for the file that they mirror; those of one mutant
        take ``budget`` seconds at most.
        """
        report = copy.root.with_name("coverage.json")
        run = copy.run(["-m", "not long", *tests], _HOURS, _Tracer(copy.root, files, report))
        if run.status != pytest.ExitCode.OK:
            raise RuntimeError(f"the tests fail without any change: {run}")
        touched, self.seconds = json.loads(report.read_text())
        copy.passing.update(dict.fromkeys(self.seconds, True))
        self._touched: dict[str, dict[int, set[str]]] = {
            file: {int(line): set(names) for line, names in lines.items()} for file, lines in touched.items()
        }
        self._importers = {file: set(_importers(copy.root, file, files)) for file in files}
        self._breadth = Counter(name for lines in self._touched.values() for each in lines.values() for name in each)
        self._killers: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self._quick, self._budget = quick, budget

    def note(self, mutant: Mutant, test: str) -> None:
        """What killed one mutant of a function is tried first on the next."""
        self._killers[mutant.file, mutant.function][test] += 1

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that run the mutant's lines: first those that killed its neighbors, then the most specific ones."""
        names = self._between(mutant.file, mutant.line, mutant.end_line)
        if not mutant.function:
            names = names.union(*(self._between(file, 1, 10**9) for file in self._importers[mutant.file]))
        elif not names:
            names = self._between(mutant.file, *mutant.span)
        killers, chosen, spent = self._killers[mutant.file, mutant.function], [], 0.0
        for name in sorted(names, key=lambda each: (-killers[each], self._breadth[each], self.seconds[each])):
            spent += self.seconds[name]
            if spent <= self._budget and (self.seconds[name] < self._quick or _is_mirror(name, mutant)):
                chosen.append(name)
        return chosen

    def _between(self, file: str, first: int, last: int) -> set[str]:
        lines = self._touched.get(file, {})
        return set().union(*(names for line, names in lines.items() if first <= line <= last))


def _importers(root: Path, file: str, files: set[str]) -> Iterator[str]:
    """The file itself, and those that import from it."""
    module = file.removesuffix(".py").replace("/", ".")
    for other in files:
        if other == file or f"from {module} import" in (root / other).read_text("utf-8"):
            yield other


def _is_mirror(test: str, mutant: Mutant) -> bool:
    """Whether a test is in the file that mirrors the mutant's."""
    return test.partition("::")[0].endswith(f"test_{Path(mutant.file).stem.strip('_')}.py")


class _Tracer:
    """Traces the lines of some files in every thread, while pytest runs one test after the other."""

    def __init__(self, root: Path, files: set[str], report: Path) -> None:
        self._names = {str(root / file): file for file in files}
        self._report = report
        self._test = ""
        self._seconds: dict[str, float] = {}
        self._touched: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._test, started = item.nodeid, time.process_time()
        sys.settrace(self._call)
        threading.settrace(self._call)
        result = yield
        sys.settrace(None)
        self._seconds[item.nodeid] = time.process_time() - started
        return result

    def _call(self, frame: FrameType, event: str, argument: object) -> Any:
        name = self._names.get(frame.f_code.co_filename)
        if name is None:
            return None
        lines = self._touched[name]
        lines[frame.f_lineno].add(self._test)

        def line(frame: FrameType, event: str, argument: object) -> Any:
            lines[frame.f_lineno].add(self._test)
            return line

        return line

    def pytest_sessionfinish(self) -> None:
        touched = {
            file: {line: sorted(names) for line, names in lines.items()} for file, lines in self._touched.items()
        }
        self._report.write_text(json.dumps([touched, self._seconds]))
