"""Degree trajectory: an attacker finds people by their known numbers of contacts at several times.

Rossi, Musolesi and Torsello, "On the k-Anonymization of Time-Varying and Multi-Layer Social Graphs", ICWSM 2015; the
candidate sets after Hay et al., VLDB 2008.

The attacker knows every person's degree (directed: both degrees) in all snapshots, or in a stated number of random
ones, takes the released nodes with the same degrees there as candidates and guesses one of them. A changed degree
misleads the attacker: the target may not be among its candidates. With fewer snapshots known, the rate is the mean over
several random choices of them.

Guarantees: none, it measures.
Cost: O(m log m) for each choice of snapshots.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.knowledge.candidates import mean
from antifaz.part import Question, Story
from antifaz.temporal.parts import TemporalAttack
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.trajectories import number_trajectories
from antifaz.watch import Watch

CHOICES = 10
"""Number of random choices of the snapshots that the attacker knows."""


class DegreeTrajectory(TemporalAttack):
    """Re-identify nodes by their original degrees in all or some snapshots."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "how many contacts each person has at several times"
    learns: ClassVar[str] = "which node is whom"
    guesses: ClassVar[str] = "picking any released node"
    always: ClassVar[bool] = True
    story: ClassVar[Story] = Story(
        "someone who knows how many contacts everyone had at each of {snapshots_known} times",
        "finds {} people",
    )

    name: Literal["degree_trajectory"] = "degree_trajectory"
    known: int | None = Field(default=None, ge=1, le=1_000_000)
    """Number of random snapshots in which the attacker knows the degrees; all if left out."""

    def attempt(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Return the mean and largest probability of guessing a node correctly, compared with a guess among all
        nodes."""
        known = min(self.known or len(snapshots), len(snapshots))
        rounds = CHOICES if known < len(snapshots) else 1
        rates, highest = [], 0.0
        for number in range(rounds):
            watch(number / rounds)
            times = None if known == len(snapshots) else rng.choice(len(snapshots), known, replace=False)
            chances = _chances(snapshots, released, times)
            rates.append(mean(chances))
            highest = max(highest, float(chances.max(initial=0.0)))
        return {
            "rate": float(np.mean(rates)),
            "highest": highest,
            "baseline": 1.0 / max(1, released.snapshots.n),
            "snapshots_known": known,
            "choices_of_snapshots": rounds,
            "targets": snapshots.n,
        }


def _chances(
    snapshots: Snapshots, released: ProtectedSnapshots, times: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """Return for every original node the probability that a guess among its candidates finds it."""
    known, seen = number_trajectories([snapshots, released.snapshots], times)
    candidates = np.bincount(seen, minlength=int(known.max(initial=0)) + 1)
    chances = np.zeros(snapshots.n)
    hits = np.flatnonzero(seen == known[released.origin])
    chances[released.origin[hits]] = 1.0 / candidates[seen[hits]]
    return chances
