"""Runner: run the tests once with their lines traced, then one forked child for every mutant."""

import ast
import gc
import importlib
import os
import resource
import select
import signal
import sys
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

import pytest
from sqlalchemy import Engine

from bench.mutants.operators import Mutant

KILLED, TIMED_OUT, SURVIVED, UNTESTED = "killed", "timed out", "survived", "untested"

_PATIENCE = 30.0
"""Seconds that a child may take in addition to ten times the time of its tests."""
_MEMORY = 6 << 30


@dataclass(frozen=True)
class Fate:
    """The outcome of a mutant."""

    outcome: str
    test: str = ""
    """The test that failed."""


def judge(
    root: Path,
    mutants: Sequence[Mutant],
    tests: Sequence[str],
    tell: Callable[[Mutant, Fate], None],
    *,
    examples: int,
    quick: float,
    budget: float,
    jobs: int,
) -> None:
    """Find the fate of every mutant under some tests, which must pass without mutants.

    ``examples`` limits the examples of each property, ``budget`` the seconds of tests for each mutant, ``jobs`` the
    mutants tried at a time. Tests that take longer than ``quick`` seconds run only for the file that they mirror.
    """
    loop = _Loop(root, mutants, tell, examples, quick, budget, jobs)
    options = ["-p", "no:terminal", "-p", "no:cacheprovider", "--capture=sys", "-m", "not long"]
    status = pytest.main([*options, *tests], plugins=[loop])
    if loop.failed_without or status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(f"the tests fail without any mutant (status {int(status)}): {loop.failed_without}")


@dataclass(frozen=True)
class _Child:
    """A process that runs one mutant."""

    mutant: Mutant
    process: int
    reader: int
    """File descriptor of its answer."""
    deadline: float


class _Stay(pytest.Item):
    """Passed as the next item, so that pytest keeps the fixtures of the session."""

    def runtest(self) -> None:
        raise NotImplementedError


class _Loop:
    """Replaces pytest's own loop over the tests."""

    def __init__(
        self,
        root: Path,
        mutants: Sequence[Mutant],
        tell: Callable[[Mutant, Fate], None],
        examples: int,
        quick: float,
        budget: float,
        jobs: int,
    ) -> None:
        self.failed_without: list[str] = []
        self._root = root
        self._mutants = mutants
        self._examples = examples
        self._quick = quick
        self._budget = budget
        self._jobs = jobs
        self._tell = tell
        self._failed = False
        self._seconds: dict[int, float] = {}
        self._names: list[str] = []
        self._breadth: Counter[int] = Counter()
        self._touched: dict[tuple[str, int], set[int]] = defaultdict(set)
        self._killers: dict[str, Counter[int]] = defaultdict(Counter)

    def pytest_configure(self) -> None:
        """Examples are the same in every child, and never those that another mutant failed on."""
        # If it were imported earlier, pytest could not rewrite hypothesis as a plugin.
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutants",
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed = self._failed or report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        stay = _Stay.from_parent(session, name="stay")
        self._names = [item.nodeid for item in session.items]
        for item in session.items:
            _draw_fewer(item, self._examples)
        self._trace(session.items, stay)
        self._breadth.update(number for touching in self._touched.values() for number in touching)
        print(f"{len(session.items)} tests, {sum(self._seconds.values()):.0f} s with their lines traced", flush=True)
        if not self.failed_without:
            for found in gc.get_objects():
                if isinstance(found, Engine):
                    # A connection shared by parent and child would break for both.
                    found.dispose()
            gc.collect()
            gc.freeze()
            self._try_all(session.items, stay)
        return True

    def _trace(self, items: Sequence[pytest.Item], stay: _Stay) -> None:
        """Run every test and record its time and the lines of the mutated files that it runs."""
        names = {str(self._root / mutant.file): mutant.file for mutant in self._mutants}
        for number, item in enumerate(items):
            nextitem = items[number + 1] if number + 1 < len(items) else stay
            self._failed, started = False, time.process_time()
            with _traced(names, number, self._touched):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
            self._seconds[number] = time.process_time() - started
            if self._failed:
                self.failed_without.append(item.nodeid)

    def _try_all(self, items: Sequence[pytest.Item], stay: _Stay) -> None:
        """Run a limited number of children at a time until every mutant has been tried."""
        alive: dict[int, _Child] = {}
        waiting = deque(self._mutants)
        while waiting or alive:
            while waiting and len(alive) < self._jobs:
                mutant = waiting.popleft()
                chosen = self._chosen(mutant)
                if chosen:
                    child = self._fork(mutant, chosen, items, stay)
                    alive[child.reader] = child
                else:
                    self._tell(mutant, Fate(UNTESTED))
            ready, _, _ = select.select(list(alive), [], [], 1.0)
            late = [reader for reader, child in alive.items() if time.monotonic() > child.deadline]
            for reader in {*ready, *late}:
                child = alive.pop(reader)
                self._tell(child.mutant, self._bury(child, items, reader in ready))

    def _fork(self, mutant: Mutant, chosen: Sequence[int], items: Sequence[pytest.Item], stay: _Stay) -> "_Child":
        patience = _PATIENCE + 10 * sum(self._seconds[number] for number in chosen)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            self._live(mutant, [(number, items[number]) for number in chosen], stay, writer, int(patience))
        os.close(writer)
        # The main limit is on CPU time, since the machine may be busy; this one ends a child that waits forever.
        return _Child(mutant, child, reader, time.monotonic() + 20 * patience)

    def _bury(self, child: "_Child", items: Sequence[pytest.Item], answered: bool) -> Fate:
        answer = os.read(child.reader, 64).decode() if answered else ""
        os.close(child.reader)
        if not answer:
            os.kill(child.process, signal.SIGKILL)
        os.waitpid(child.process, 0)
        if not answer:
            return Fate(TIMED_OUT)
        if answer == "survived":
            return Fate(SURVIVED)
        if answer == "unusable":
            return Fate(KILLED, "on import")
        self._killers[f"{child.mutant.file}::{child.mutant.function}"][int(answer)] += 1
        return Fate(KILLED, items[int(answer)].nodeid)

    def _chosen(self, mutant: Mutant) -> list[int]:
        """The tests that run the mutant's lines: first those that killed its neighbors, then the most specific ones."""
        lines = range(mutant.line, mutant.end_line + 1)
        numbers = {number for line in lines for number in self._touched.get((mutant.file, line), ())}
        if not mutant.function or not numbers:
            first, last = (1, 10**9) if not mutant.function else _span(mutant)
            files = {mutant.file, *_users(self._root, mutant)} if not mutant.function else {mutant.file}
            numbers = {
                number
                for (file, line), touching in self._touched.items()
                if file in files and first <= line <= last
                for number in touching
            }
        numbers = {
            number for number in numbers if self._seconds[number] < self._quick or self._is_mirror(number, mutant)
        }
        killers = self._killers[f"{mutant.file}::{mutant.function}"]
        ordered = sorted(numbers, key=lambda number: (-killers[number], self._breadth[number], self._seconds[number]))
        spent = accumulate(self._seconds[number] for number in ordered)
        return [number for number, seconds in zip(ordered, spent, strict=True) if seconds <= self._budget]

    def _is_mirror(self, number: int, mutant: Mutant) -> bool:
        """Whether a test is in the file that mirrors the mutant's."""
        return self._names[number].partition("::")[0].endswith(f"test_{Path(mutant.file).stem.strip('_')}.py")

    def _live(
        self, mutant: Mutant, chosen: Sequence[tuple[int, pytest.Item]], stay: _Stay, writer: int, patience: int
    ) -> None:
        """The child process: change the function, run the tests, report the first that fails. Never returns."""
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (patience, patience))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        answer = "survived"
        try:
            try:
                _install(mutant)
            except Exception:  # noqa: BLE001 - for whatever reason, the module could not be imported
                os.write(writer, b"unusable")
                os._exit(0)
            for place, (number, item) in enumerate(chosen):
                nextitem = chosen[place + 1][1] if place + 1 < len(chosen) else stay
                self._failed = False
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
                if self._failed:
                    answer = str(number)
                    break
        except BaseException:  # noqa: BLE001 - the test's exception stopped pytest itself
            answer = str(number)
        os.write(writer, answer.encode())
        os._exit(0)


def _draw_fewer(item: pytest.Item, examples: int) -> None:
    """Limit the examples of a property."""
    name = "_hypothesis_internal_use_settings"
    function = getattr(item, "obj", None)
    stated = getattr(function, name, None)
    if stated is not None:
        setattr(function, name, type(stated)(stated, max_examples=min(stated.max_examples, examples)))


class _traced:  # noqa: N801 - reads as a phrase
    """Records which test runs each line of some files."""

    def __init__(self, names: dict[str, str], number: int, touched: dict[tuple[str, int], set[int]]) -> None:
        self._names = names
        self._number = number
        self._touched = touched

    def __enter__(self) -> None:
        sys.settrace(self._call)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: object) -> Any:
        name = self._names.get(frame.f_code.co_filename)
        if name is None:
            return None
        self._touched[name, frame.f_lineno].add(self._number)

        def line(frame: FrameType, event: str, argument: object) -> Any:
            if event == "line":
                self._touched[name, frame.f_lineno].add(self._number)
            return line

        return line


def _span(mutant: Mutant) -> tuple[int, int]:
    """First and last line of the mutant's function."""
    node = _definition(mutant)
    return node.lineno, node.end_lineno or node.lineno


def _definition(mutant: Mutant) -> ast.FunctionDef:
    node: Any = mutant.top
    for name in mutant.function.split(".")[1:]:
        node = next(child for child in node.body if getattr(child, "name", None) == name)
    if not isinstance(node, ast.FunctionDef):
        raise TypeError("not a function")
    return node


def _module_of(mutant: Mutant) -> ModuleType:
    return importlib.import_module(mutant.file.removesuffix(".py").replace("/", "."))


def _users(root: Path, mutant: Mutant) -> Iterator[str]:
    """Files whose modules contain a name that the mutant's statement defines."""
    own = vars(_module_of(mutant))
    names = [name for name in _defined(mutant.top) if name in own]
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and Path(file).is_relative_to(root) and any(vars(module).get(n) is own[n] for n in names):
            yield str(Path(file).relative_to(root))


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.ClassDef | ast.FunctionDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)]


# --- putting a mutant into the running process -----------------------------------------------------------------------


def _install(mutant: Mutant) -> None:
    """Apply the mutant to the running process."""
    module = _module_of(mutant)
    mutant.install()
    if mutant.function:
        _exchange_function(module, mutant)
    elif isinstance(mutant.top, ast.ClassDef):
        _exchange_fields(module, mutant.top)
    else:
        _define_again(module, mutant)


def _exchange_function(module: ModuleType, mutant: Mutant) -> None:
    """Give a function its changed code and defaults; every reference to the function then runs the change."""
    definition = _definition(mutant)
    definition.decorator_list = []
    code = compile(ast.Module([definition], []), str(module.__file__), "exec")
    made = dict(vars(module))
    exec(code, made)  # noqa: S102 - the file's own code, changed in one place
    new, old = made[definition.name], _function(module, mutant.function)
    if len(new.__code__.co_freevars) != len(old.__code__.co_freevars):
        raise TypeError("the change is not limited to this function")
    old.__code__ = new.__code__
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__


def _function(module: ModuleType, name: str) -> FunctionType:
    found: Any = module
    for part in name.split("."):
        found = vars(found)[part]
    for inner in ("fget", "func", "__func__"):
        found = getattr(found, inner, found)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    if not isinstance(found, FunctionType):
        raise TypeError("not a function")
    return found


def _exchange_fields(module: ModuleType, definition: ast.ClassDef) -> None:
    """Give a dataclass its changed defaults."""
    code = compile(ast.Module([definition], []), str(module.__file__), "exec")
    made = dict(vars(module))
    exec(code, made)  # noqa: S102 - the file's own code, changed in one place
    old, new = vars(module)[definition.name], made[definition.name]
    old.__init__.__defaults__, old.__init__.__kwdefaults__ = new.__init__.__defaults__, new.__init__.__kwdefaults__
    for name, value in vars(new).items():
        if not name.startswith("__") and not isinstance(value, FunctionType | property | CodeType):
            setattr(old, name, value)


def _define_again(module: ModuleType, mutant: Mutant) -> None:
    """Run a changed statement of the module and every assignment after it, which may depend on it."""
    place = mutant.tree.body.index(mutant.top)
    for statement in mutant.tree.body[place:]:
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        before = {name: vars(module).get(name) for name in _defined(statement)}
        exec(compile(ast.Module([statement], []), str(module.__file__), "exec"), vars(module))  # noqa: S102
        for name, old in before.items():
            for other in list(sys.modules.values()):
                if other is not module and isinstance(other, ModuleType) and vars(other).get(name, other) is old:
                    setattr(other, name, vars(module)[name])
