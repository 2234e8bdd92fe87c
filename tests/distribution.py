"""Distribution: which tests run in one process of a parallel run, and in which order.

Tests of a folder that shares a running stack stay together, so that the stack is started once and not once per process.
They mostly wait for processes and leases, so they begin first, and the files that compute fill the cores beside them.
Such a folder is a package (it has an __init__.py) and its stack a fixture of that scope, which ends with its last test:
a stack that idles till the end of a run takes a twentieth of a core.
"""

from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).resolve().parents[1]
TOGETHER = ("tests/faults", "tests/system", "tests/security", "tests/browser", "tests/leaks", "tests/gate")
"""Folders with a stack of their own, the one that takes longest first."""


class SharedStacks(LoadFileScheduling):
    """One unit of work per file, or per folder that shares a stack."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def unit_of(nodeid: str) -> str:
    """The folder or file whose tests run in one process."""
    file = nodeid.partition("::")[0]
    return next((folder for folder in TOGETHER if file.startswith(f"{folder}/")), file)


def order(items: list[pytest.Item]) -> None:
    """Folders that share a stack first; then the files, in which order they were found."""
    units = [unit_of(item.nodeid) for item in items]
    places = {folder: number for number, folder in enumerate(TOGETHER)}
    ranked = sorted(range(len(items)), key=lambda number: (places.get(units[number], len(places)), number))
    items[:] = [items[number] for number in ranked]
