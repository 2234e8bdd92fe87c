"""python -m bench.mistakes [--only WORDS] [--page docs/mutants.md]: make each mistake in a copy and run its test.

The product is copied once; each mistake is written into the copy, the one test that is named for it is run there, and
the line is restored. A mistake is noticed if pytest reports that the test failed, and the same test passes in the copy
without the mistake. A test that fails anyway, or that cannot be collected, counts as not tried. The exit status is 1
if a mistake was not noticed.
"""

import argparse
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

from bench.mistakes.listed import MISTAKES, ROOT, Mistake

NOTICED, UNNOTICED, UNTRIED = "noticed", "NOT noticed", "not tried"
BEGIN, END = "<!-- mistakes -->", "<!-- end of mistakes -->"
_LEFT_BEHIND = shutil.ignore_patterns(".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".numba_cache")
_PASSED, _FAILED = 0, 1
_NEVER, _BROKEN = -1, 100
_PATIENCE = 900.0
_OURS = (
    "antifaz",
    "verifier",
    "api_schemas",
    "formats",
    "storage",
    "service",
    "workers",
    "migrations",
    "stack",
    "publication",
    "handbook",
    "bench",
    "tests",
)
_OF_OTHERS = (
    "celery",
    "cryptography.hazmat.primitives.asymmetric.x25519",
    "fastapi",
    "httpx",
    "kombu",
    "networkx",
    "numba",
    "numpy",
    "psycopg",
    "pyarrow.compute",
    "pyarrow.csv",
    "pyarrow.parquet",
    "pydantic",
    "redis",
    "scipy.stats",
    "sqlalchemy.dialects.postgresql",
    "uvicorn",
)
"""Modules that take long to load and contain no mistake."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.mistakes", description=__doc__)
    parser.add_argument("--only", default="", help="words of the mistakes' names or tests")
    parser.add_argument("--page", type=Path, help="the page into which the table is written")
    options = parser.parse_args()
    for module in _OF_OTHERS:
        importlib.import_module(module)
    chosen = [each for each in MISTAKES if options.only in each.name + each.test]
    with tempfile.TemporaryDirectory(prefix="mistakes-") as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(ROOT, copy, ignore=_LEFT_BEHIND, symlinks=True)
        copy.parent.chmod(0o755)
        outcomes = [(each, _tried(each, copy)) for each in chosen]
    if options.page:
        write_page(options.page, outcomes)
    return int(any(outcome != NOTICED for _, outcome in outcomes))


def _tried(each: Mistake, copy: Path) -> str:
    path = copy / each.file
    right = path.read_text()
    if right.count(each.old) != 1 or not _passes(each.test, copy):
        print(f"{UNTRIED:12} {each.name}: {each.test}", flush=True)
        return UNTRIED
    path.write_text(right.replace(each.old, each.new))
    try:
        status = _run(each.test, copy)
    finally:
        path.write_text(right)
    outcome = {_FAILED: NOTICED, _PASSED: UNNOTICED}.get(status, UNTRIED)
    print(f"{outcome:12} {each.name}: {each.test}", flush=True)
    return outcome


@cache
def _passes(test: str, copy: Path) -> bool:
    """Whether a test passes in the unchanged copy: one that fails anyway would seem to notice everything."""
    return _run(test, copy) == _PASSED


def _run(test: str, copy: Path) -> int:
    """The exit status of pytest in a child; a test that does not end notices nothing."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            _become(test, copy)
        finally:
            os._exit(_BROKEN)  # in every case: the child must not remove the parent's folder
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _NEVER


def _become(test: str, copy: Path) -> None:
    """Run the test with the modules of the copy; third-party modules are already loaded, which saves much time."""
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy)
    # Cached bytecode is used as long as a file's time (in seconds) and size are the same, and a mistake may keep both.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True
    os.environ.pop("NUMBA_CACHE_DIR", None)
    sys.path.insert(0, str(copy))
    for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
        del sys.modules[name]
    importlib.invalidate_caches()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    loaded = "ignore::pytest.PytestAssertRewriteWarning"
    status = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-W", loaded, "-m", "not long", test])
    os._exit(int(status))


def write_page(page: Path, outcomes: list[tuple[Mistake, str]]) -> None:
    """Write the table between its two marks; mistakes that were not tried in this run are marked so."""
    found = {each.name: outcome for each, outcome in outcomes}
    rows = [f"| {each.name} | `{each.file}` | `{each.test}` | {found.get(each.name, UNTRIED)} |" for each in MISTAKES]
    table = "\n".join(["| mistake | in | test | outcome |", "| --- | --- | --- | --- |", *rows])
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
