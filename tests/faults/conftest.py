"""One world for all scenarios; after each of them everything is recovered and the oracle is consulted.

With ANTIFAZ_PROOF=N every scenario runs N times and docs/proof.md is written, whatever the result.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import proof
from tests.faults.harness import EVERY_KIND, PROCESSES, World, world
from tests.faults.oracle import examine

RUNS = int(os.environ.get("ANTIFAZ_PROOF") or 0)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "proof.md"


@pytest.fixture(scope="package")
def _world() -> Iterator[World]:
    with world() as made:
        yield made


@pytest.fixture(params=range(1, max(RUNS, 1) + 1), ids=lambda number: f"run {number}")
def rig(request: pytest.FixtureRequest, _world: World) -> Iterator[World]:
    """The world in working order. After the scenario it is repaired and checked by the oracle."""
    _world.begin(EVERY_KIND if request.node.get_closest_marker("every_kind") else PROCESSES)
    yield _world
    _world.recover()
    examine(_world)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write the page after every scenario: a run that is interrupted shows how far it came.

    If several processes share the scenarios, the one that collects their reports writes the page.
    """
    if RUNS and "PYTEST_XDIST_WORKER" not in os.environ and proof.note(report) and report.when == "teardown":
        PAGE.write_text(proof.render(RUNS))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The whole matrix once, then the whole matrix again."""
    places = [number for number, item in enumerate(items) if _is_scenario(item)]
    for place in places:
        proof.describe(items[place], place)
    ordered = sorted((items[n] for n in places), key=lambda item: proof.run_of(item.nodeid))
    for place, item in zip(places, ordered, strict=True):
        items[place] = item


def _is_scenario(item: pytest.Item) -> bool:
    return "rig" in getattr(item, "fixturenames", ()) and item.path.stem in proof.SECTIONS
