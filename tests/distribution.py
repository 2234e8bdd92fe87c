"""Distribution: which tests run in one process of a parallel run, and in which order.

Tests of a folder that shares a running stack stay together, so that the stack is started once and not once per process.
They mostly wait for processes and leases, so they start first, and files that compute use the cores meanwhile.
Such a folder is a package (it has an __init__.py) and its stack a fixture of that scope, which ends with its last test:
a stack that idles until the end of a run takes a twentieth of a core.
"""

from pathlib import Path

import pytest
from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).resolve().parents[1]
TOGETHER = ("tests/faults", "tests/system", "tests/security", "tests/browser", "tests/leaks", "tests/gate")
"""Folders with their own stack, slowest first."""
LONGEST = (
    "tests/antifaz/test_watching.py",
    "tests/fuzz/test_contract.py",
    "tests/oracles/test_agreement.py",
    "tests/service/routes/test_hierarchies.py",
    "tests/service/console/test_pages.py",
    "tests/workers/pipeline/test_pipeline_lineage.py",
    "tests/workers/pipeline/test_pipeline_noise.py",
    "tests/workers/pipeline/test_pipeline_refusals.py",
    "tests/workers/pipeline/test_pipeline.py",
    "tests/service/routes/test_permissions_matrix.py",
    "tests/workers/pipeline/test_lineage.py",
    "tests/oracles/test_metamorphic.py",
    "tests/stack/servers/test_servers.py",
)
"""Files that take ten seconds or more: started before the others, so that none runs alone at the end."""


class SharedStacks(LoadFileScheduling):
    """One unit of work per file, or per folder that shares a stack."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def unit_of(nodeid: str) -> str:
    """The folder or file whose tests run in one process."""
    file = nodeid.partition("::")[0]
    return next((folder for folder in TOGETHER if file.startswith(f"{folder}/")), file)


def order(items: list[pytest.Item]) -> None:
    """Folders that share a stack first; then the longest files; then the others in the order found."""
    units = [unit_of(item.nodeid) for item in items]
    places = {unit: number for number, unit in enumerate(TOGETHER + LONGEST)}
    ranked = sorted(range(len(items)), key=lambda number: (places.get(units[number], len(places)), number))
    items[:] = [items[number] for number in ranked]
