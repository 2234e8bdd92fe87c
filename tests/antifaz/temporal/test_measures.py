"""Every measure, risk and attack on temporal graphs: inputs are not changed, results are JSON."""

import json
from typing import Any

import numpy as np
import pytest

from antifaz import catalogue
from antifaz.errors import Cancelled
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch, unwatched
from tests.antifaz.temporal.sequences import changed, random_snapshots, released_as, snapshots_of

PARTS = [
    part
    for folder in ("utility", "risk", "attacks")
    for part in catalogue.parts(folder, "temporal_graph")
    if ".temporal." in part.__module__
]


def each_of(parts: list[Any]) -> Any:
    return pytest.mark.parametrize("part", parts, ids=lambda part: ".".join(part.__module__.split(".")[-2:]))


every_part = each_of(PARTS)
every_part_with_a_watch = each_of([part for part in PARTS if not hasattr(part, "before")])


def run(part: Any, snapshots: Snapshots, released: ProtectedSnapshots, watch: Watch = unwatched) -> Any:
    made, rng = part(), np.random.default_rng(4)
    if hasattr(made, "measure"):
        return made.measure(snapshots, released, rng, watch)
    if hasattr(made, "attempt"):
        return made.attempt(snapshots, released, rng, watch)
    return [made.before(snapshots), made.after(released)]


@every_part
@pytest.mark.parametrize("directed", [False, True])
def test_figures_are_json_and_the_input_is_left_untouched(part, directed):
    snapshots = random_snapshots(30, 6, 50, directed)
    released = changed(snapshots, 0.3)
    before = snapshots.keys.copy(), released.snapshots.keys.copy()
    found = run(part, snapshots, released)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert np.array_equal(before[0], snapshots.keys)
    assert np.array_equal(before[1], released.snapshots.keys)


@every_part
@pytest.mark.parametrize("snapshots", [snapshots_of(1, []), snapshots_of(3, [], []), snapshots_of(2, [(0, 1)])])
def test_hardly_anything_can_be_measured_too(part, snapshots):
    json.dumps(run(part, snapshots, released_as(snapshots)), allow_nan=False)


@every_part_with_a_watch
def test_the_watch_rises_and_gets_out(part):
    snapshots, seen = random_snapshots(30, 6, 50), []

    def watch(fraction: float) -> bool:
        seen.append(fraction)
        return False

    def stop(fraction: float) -> bool:
        raise Cancelled("enough")

    run(part, snapshots, changed(snapshots, 0.3), watch)
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 1
    with pytest.raises(Cancelled):
        run(part, snapshots, changed(snapshots, 0.3), stop)
