"""Trajectory: how many nodes share the degrees that a person has through all snapshots.

Rossi, Musolesi and Torsello, "On the k-Anonymization of Time-Varying and Multi-Layer Social Graphs", ICWSM 2015.

The trajectory of a node is its degree in every snapshot, one after the other (directed: its pair of degrees). ``k`` is
the smallest number of nodes that share one: an attacker who follows a person through all snapshots finds at least that
many candidates. A release in which every snapshot has anonymous degrees can still show a unique trajectory, so this is
always reported. Counts that describe the original are withheld below ten.

Guarantees: none, it measures.
Cost: O(m log m) over all snapshots together.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.knowledge.candidates import class_sizes, shares, smallest, withheld, withheld_shares
from antifaz.temporal.parts import TemporalRisk
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.trajectories import number_trajectories


class Trajectory(TemporalRisk):
    """How many nodes share each node's degrees in all snapshots: the smallest number, and the share of unique ones."""

    name: Literal["trajectory"] = "trajectory"

    def before(self, snapshots: Snapshots) -> dict[str, Any]:
        """Return the risk of the original under new node numbers, with small counts withheld."""
        sizes = _sizes(snapshots)
        binned = withheld_shares(sizes)
        return {"k": withheld(smallest(sizes)), "unique_share": binned["1"], "shares": binned}

    def after(self, released: ProtectedSnapshots) -> dict[str, Any]:
        """Return the same figures for the release, in full."""
        sizes = _sizes(released.snapshots)
        binned = shares(sizes)
        return {"k": smallest(sizes), "unique_share": binned["1"], "shares": binned}


def _sizes(snapshots: Snapshots) -> NDArray[np.int64]:
    return class_sizes(number_trajectories([snapshots])[0])
