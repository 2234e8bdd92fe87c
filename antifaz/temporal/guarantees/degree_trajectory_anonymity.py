"""Degree trajectory anonymity: every node shares its degrees in all snapshots with k - 1 others.

Rossi, Musolesi and Torsello, "On the k-Anonymization of Time-Varying and Multi-Layer Social Graphs", ICWSM 2015.

The trajectory of a node is its degree in the first snapshot, in the second, and so on; in a directed graph the pair of
its degrees. An attacker who knows the number of a person's contacts in all snapshots finds at least k nodes that fit.
It follows that in every snapshot at least k nodes share each degree.

Guarantees: each candidate set of a query by degrees at any times has k nodes or more.
Cost: O(T·n).
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.graphs.parts import refuse_few_nodes
from antifaz.part import Examples
from antifaz.temporal.degree_rows import smallest_trajectory
from antifaz.temporal.parts import TemporalGuarantee
from antifaz.temporal.snapshots import Snapshots


class DegreeTrajectoryAnonymity(TemporalGuarantee):
    """Every node has the same degree in every snapshot as at least k - 1 others."""

    assumes: ClassVar[str] = (
        "The attacker knows the degree of a node in every snapshot (both degrees if directed), nothing else."
    )
    examples: ClassVar[Examples] = ({"k": 3},)

    model: Literal["degree_trajectory_anonymity"] = "degree_trajectory_anonymity"
    k: int = Field(ge=2)
    """The smallest number of nodes that may share a trajectory of degrees."""

    def admit(self, snapshots: Snapshots) -> None:
        """Refuse snapshots of fewer than k nodes."""
        refuse_few_nodes(self.k, snapshots.n, kind="temporal graph")

    def holds(self, snapshots: Snapshots) -> bool:
        """Whether at least k nodes share every trajectory."""
        return snapshots.n == 0 or smallest_trajectory(snapshots) >= self.k
