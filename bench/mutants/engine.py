"""Engine: change the source of the product in a copy of it, run tests there, and tell whether they notice.

Each run is a forked child that loads our modules from the copy; those of others are loaded before, which saves most of
the time. What a test starts in processes of its own sees the change too.
"""

import importlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

KILLED, TIMED_OUT, SURVIVED, UNTESTED = "killed", "timed out", "survived", "untested"
UNTRIED = "not tried"
PATIENCE = 900.0
"""Seconds after which tests without a limit of their own count as endless."""

_PASSED, _FAILED = 0, 1
_MEMORY = 6 << 30
_LEFT_BEHIND = shutil.ignore_patterns(".git", ".venv", ".*_cache", "build")
_OF_OTHERS = (
    "celery",
    "cryptography.hazmat.primitives.asymmetric.x25519",
    "fastapi",
    "httpx",
    "kombu",
    "networkx",
    "numba",
    "pandas",
    "psycopg",
    "pyarrow.compute",
    "pyarrow.csv",
    "pyarrow.parquet",
    "redis",
    "requests",
    "schemathesis",
    "scipy.stats",
    "sqlalchemy.dialects.postgresql",
    "uvicorn",
    "valkey",
)
"""Modules that take long to load."""


@dataclass(frozen=True)
class Fate:
    """The outcome of a change."""

    outcome: str
    test: str = ""
    """The test that failed; empty if the changed code could not even be loaded."""


@dataclass(frozen=True)
class Run:
    """What pytest reported."""

    status: int | None
    """None if it did not end in time."""
    failed: str = ""
    """The first test that failed."""


@contextmanager
def copy_of(root: Path) -> Iterator["Copy"]:
    """A temporary copy of a project, without what can be made again."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        Path(folder).chmod(0o755)
        # Numba reads this when it is loaded: kernels are compiled for the place where they are.
        os.environ["NUMBA_CACHE_DIR"] = str(Path(folder) / "kernels")
        for module in _OF_OTHERS:
            importlib.import_module(module)
        shutil.copytree(root, Path(folder) / "tree", ignore=_LEFT_BEHIND, symlinks=True)
        yield Copy(Path(folder) / "tree")


class Copy:
    """A copy of the project, which holds at most one change at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._ours = {path.parent.name for path in root.glob("*/__init__.py")}
        self.passing: dict[str, bool] = {}
        """Tests that were run without a change, and whether they passed."""

    def fate(self, texts: Mapping[str, str], tests: Sequence[str], patience: float = PATIENCE) -> Fate:
        """Give files another text and run tests until one fails; it must pass without the change."""
        before = {file: (self.root / file).read_text("utf-8") for file in texts}
        self._write(texts)
        try:
            run = self.run(tests, patience)
        finally:
            self._write(before)
        if run.status is None:
            return Fate(TIMED_OUT)
        if run.status == _PASSED:
            return Fate(SURVIVED)
        if run.status == _FAILED and not self._passes(run.failed):
            return Fate(UNTRIED, run.failed)
        return Fate(KILLED, run.failed)

    def _write(self, texts: Mapping[str, str]) -> None:
        for file, text in texts.items():
            (self.root / file).write_text(text, "utf-8")

    def _passes(self, test: str) -> bool:
        """A test that fails anyway would seem to notice everything."""
        if test not in self.passing:
            self.passing[test] = self.run([test], PATIENCE).status == _PASSED
        return self.passing[test]

    def run(self, tests: Sequence[str], patience: float, *plugins: object) -> Run:
        """Run tests in a child, with all that they start."""
        sys.stdout.flush()
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                self._become(tests, writer, plugins)
            finally:
                os._exit(0)  # in every case: the child must not remove the parent's folder
        os.close(writer)
        ended, _, _ = select.select([reader], [], [], patience)
        answer = os.read(reader, 1 << 16) if ended else b""
        os.close(reader)
        if not answer:
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return Run(*json.loads(answer)) if answer else Run(None)

    def _become(self, tests: Sequence[str], writer: int, plugins: Sequence[object]) -> None:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        os.chdir(self.root)
        os.environ["PYTHONPATH"] = str(self.root)
        # Bytecode is used as long as a file's time (in seconds) and size are the same, and a change may keep both.
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(self.root))
        for name in [name for name in sys.modules if name.partition(".")[0] in self._ours]:
            del sys.modules[name]
        importlib.invalidate_caches()
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        noted = _Noted()
        options = ["-q", "-x", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        status = pytest.main([*options, *tests], plugins=[noted, *plugins])
        os.write(writer, json.dumps([int(status), noted.failed]).encode())


class _Noted:
    """Notes the test that failed."""

    failed = ""

    def pytest_configure(self) -> None:
        """A property that fails need not find its smallest example."""
        settings.register_profile(
            "mutants",
            max_examples=30,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid
