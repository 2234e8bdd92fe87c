"""TSCAN: whether lasting communities stay the same.

Qin, Li, Wang, Yuan and Yu, "Mining Stable Communities in Temporal Networks by Density-Based Clustering", IEEE
Transactions on Big Data 2022; as used by Garcia Dausà, "Privacy in dynamic graphs", 2025.

Two joined nodes are similar in a snapshot if they share enough neighbors, and lastingly similar if this holds in at
least tau snapshots. Cores have at least mu lastingly similar neighbors: at any times (weak), mu of them in the same
snapshot for tau snapshots (strong, TSCAN-S), or the same mu in the same tau snapshots (stable, TSCAN-B and TSCAN-A; A
prunes first and finds the same cores). Communities consist of connected cores and the nodes that are lastingly similar
to them, and may overlap. The value is the agreement of the communities of original and release, person by person: the
Jaccard indices of their best one-to-one matching, divided by the larger number of communities. The quality of both is
also reported, as published (AS, AD, AC) and by the cuts found inside. Directions are ignored.

Guarantees: none, it measures.
Cost: O(m^1.5) for the similarities of a snapshot; at most 4·10^6 steps for the stable cores, the undecided are counted.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from antifaz.temporal.community_quality import activity, agreement, as_published, cohesion, temporal_weights
from antifaz.temporal.comparison import by_person, points
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.tscan import (
    Flags,
    Integers,
    Similar,
    communities,
    consecutive_cores,
    stable_cores,
    strong_cores,
    weak_cores,
)
from antifaz.watch import Watch, within

DRAWN = 8
"""Number of communities, the largest first, whose activity over time is reported."""


@dataclass(frozen=True)
class Clustering:
    """The cores and communities of a temporal graph."""

    weak: Flags
    strong: Flags
    stable: Flags
    undecided: Flags
    communities: list[Integers]

    def counts(self) -> dict[str, int]:
        """Return the number of cores of each kind."""
        return {
            "weak": int(self.weak.sum()),
            "strong": int(self.strong.sum()),
            "stable": int(self.stable.sum()),
            "undecided": int(self.undecided.sum()),
        }


class Tscan(TemporalUtility):
    """Agreement of lasting communities, and their quality before and after."""

    name: Literal["tscan"] = "tscan"
    variant: Literal["A", "B", "S"] = "A"
    """Cores that form communities: stable ones (A, or B without pruning, with the same result) or strong ones (S)."""
    epsilon: float = Field(default=0.2, gt=0, le=1)
    """Smallest similarity at which two nodes count as similar in a snapshot."""
    mu: int = Field(default=3, ge=1, le=1000)
    """Number of similar neighbors that a core needs."""
    tau: int = Field(default=3, ge=1, le=1000)
    """Number of snapshots in which the similarity must hold."""
    consecutive: bool = False
    """Whether the snapshots of a stable core must be consecutive."""

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Find the communities of both and compare them."""
        person = by_person(released)
        both = {"original": snapshots, "released": person}
        found = {
            "original": self.cluster(snapshots, within(watch, 0.0, 0.4)),
            "released": self.cluster(person, within(watch, 0.4, 0.8)),
        }
        quality, times = {}, {}
        for place, (side, clustering) in enumerate(found.items()):
            part = within(watch, 0.8 + 0.1 * place, 0.9 + 0.1 * place)
            weights = temporal_weights(both[side])
            cuts = cohesion(weights, clustering.communities, rng, part)
            quality[side] = {"as_published": as_published(weights, clustering.communities), "ours": cuts}
            times[side] = [points(share) for share in activity(both[side], clustering.communities[:DRAWN])]
        one, other = found["original"].communities, found["released"].communities
        return {
            "value": agreement(one, other, snapshots.n),
            "parameters": self.model_dump(exclude={"name"}),
            "cores": {side: clustering.counts() for side, clustering in found.items()},
            "communities": {"original": len(one), "released": len(other)},
            "quality": quality,
            "over_time": times,
        }

    def cluster(self, snapshots: Snapshots, watch: Watch) -> Clustering:
        """Return the cores and communities of one temporal graph."""
        lasting = Similar.of(snapshots, self.epsilon, within(watch, 0.0, 0.7)).lasting(self.tau)
        weak, strong = weak_cores(lasting, self.mu), strong_cores(lasting, self.mu, self.tau)
        undecided = np.zeros(snapshots.n, dtype=np.bool_)
        if self.consecutive:
            stable = consecutive_cores(lasting, self.mu, self.tau)
        else:
            prune = self.variant != "B"
            stable, undecided = stable_cores(lasting, self.mu, self.tau, prune, within(watch, 0.7, 1.0))
        cores = strong if self.variant == "S" else stable
        return Clustering(weak, strong, stable, undecided, communities(lasting, cores))
