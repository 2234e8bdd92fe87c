"""Guessing from all snapshots whether two people met."""

from dataclasses import replace

import numpy as np
import pytest

from antifaz.temporal.attacks.edge_presence import EdgePresence
from antifaz.temporal.guarantees.degree_trajectory_anonymity import DegreeTrajectoryAnonymity
from antifaz.temporal.guarantees.edge_local_dp import TemporalEdgeLocalDp
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import unwatched
from tests.antifaz.temporal.sequences import random_snapshots, released_as, renumbered, snapshots_of


def attempt(snapshots: Snapshots, released: ProtectedSnapshots, start: int = 0) -> dict:
    return EdgePresence().attempt(snapshots, released, np.random.default_rng(start), unwatched)


def noisy(snapshots: Snapshots, epsilon: float, start: int) -> ProtectedSnapshots:
    """Each pair of each snapshot turned with one chance, as randomized response at density one half does."""
    rng, n = np.random.default_rng(start), snapshots.n
    keep = np.exp(epsilon) / (1 + np.exp(epsilon))
    rows: list[tuple[np.ndarray, ...]] = []
    for t in range(len(snapshots)):
        joined = np.zeros((n, n), dtype=bool)
        graph = snapshots.graph(t)
        joined[graph.sources, graph.targets] = True
        ends = np.nonzero(np.triu(joined ^ (rng.random((n, n)) > keep), 1))
        rows.append((*ends, np.full(len(ends[0]), t)))
    u, v, times = (np.concatenate(each) for each in zip(*rows, strict=True))
    shown = Snapshots.from_rows(n, u, v, times, snapshots.labels)
    chances, places = {"p01": 1 - keep, "p11": keep}, [0] * len(snapshots)
    public = {"epsilon": str(epsilon), "mechanisms": [chances], "mechanism_of_snapshot": places}
    return ProtectedSnapshots(shown, np.arange(n, dtype=np.int64), {"public": {"edge_local_dp": public}})


def with_public_nodes(released: ProtectedSnapshots) -> ProtectedSnapshots:
    """A release under edge-local differential privacy: everyone knows which node is whom."""
    return replace(released, account={"public": {"edge_local_dp": {"epsilon": "20"}}})


def test_an_unchanged_release_gives_everything_away():
    snapshots = random_snapshots(40, 5, 60)
    found = attempt(snapshots, with_public_nodes(renumbered(snapshots)))
    assert (found["rate"], found["baseline"]) == (1.0, 0.5)
    assert found["bound"] == pytest.approx(1.0)
    assert found["pairs"] > 200


def test_no_one_asks_whether_two_met_where_no_one_knows_which_nodes_they_are():
    snapshots = random_snapshots(40, 5, 60)
    found = attempt(snapshots, renumbered(snapshots))
    assert (found["rate"], found["applicable"]) == (None, False)
    assert not EdgePresence().fits([DegreeTrajectoryAnonymity(k=3)])
    assert EdgePresence().fits([TemporalEdgeLocalDp(epsilon=6, density={"declared": 0.01})])


def test_an_unrelated_release_gives_nothing_away():
    """Of 200 pairs or more, guessed at random: a rate above 0.68 would be five standard deviations off."""
    snapshots = random_snapshots(40, 3, 60)
    found = attempt(snapshots, with_public_nodes(released_as(random_snapshots(40, 3, 60, start=99))))
    assert found["pairs"] >= 200
    assert 0.32 < found["rate"] < 0.68


def test_pairs_that_recur_are_found_more_often_and_never_above_the_bound():
    """One contact a day is hidden; the same contact on forty days is not."""
    pairs = [(u, u + 30) for u in range(30)]
    once, often = snapshots_of(60, *[pairs if t == 0 else [] for t in range(40)]), snapshots_of(60, *[pairs] * 40)
    rates = []
    for snapshots, occurrences in ((once, 1), (often, 40)):
        found = [attempt(snapshots, noisy(snapshots, 0.5, start), start) for start in range(10)]
        assert found[0]["bound"] == pytest.approx(1 / (1 + np.exp(-0.5 * occurrences)))
        assert found[0]["mean_occurrences"] == occurrences
        rates.append(np.mean([each["rate"] for each in found]))
        # Of 600 guesses: five standard deviations.
        assert rates[-1] <= found[0]["bound"] + 5 * 0.5 / np.sqrt(600)
    assert rates[0] < 0.7
    assert rates[1] > 0.9


def test_the_chances_of_every_snapshot_weigh_its_edges():
    """Edges of a snapshot in which nearly all are made up say little: those of the other decide."""
    snapshots = snapshots_of(20, [(u, u + 10) for u in range(10)], [])
    everyone = [(u, v) for u in range(20) for v in range(u)]
    shown = snapshots_of(20, [(u, u + 10) for u in range(10)], everyone)
    chances = [{"p01": 0.01, "p11": 0.9}, {"p01": 0.98, "p11": 0.99}]
    public = {"edge_local_dp": {"epsilon": "4.5", "mechanisms": chances, "mechanism_of_snapshot": [0, 1]}}
    released = ProtectedSnapshots(shown, np.arange(20, dtype=np.int64), {"public": public})
    assert attempt(snapshots, released)["rate"] == 1


@pytest.mark.parametrize("snapshots", [snapshots_of(1, []), snapshots_of(3, []), snapshots_of(2, [(0, 1)])])
def test_where_nothing_can_be_guessed_the_rate_is_a_guess(snapshots):
    found = attempt(snapshots, with_public_nodes(released_as(snapshots)))
    assert (found["rate"], found["pairs"]) == (0.5, 0)
