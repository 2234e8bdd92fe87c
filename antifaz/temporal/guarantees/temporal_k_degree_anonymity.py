"""Temporal k-degree anonymity: degrees are shared by k nodes, and degree sequences by k snapshots.

Garcia Dausà, "Data Privacy in Dynamic Graphs", 2025; after Rossi, Musolesi and Torsello, "On the k-Anonymization of
Time-Varying and Multi-Layer Social Graphs", ICWSM 2015.

There are two conditions. In every snapshot at least k nodes share each degree. And at least k snapshots share each
degree sequence, so that an attacker who knows all degrees at one moment cannot find that moment: node by node
(`vector`), or as a multiset (`multiset`), against an attacker who does not know whose degree is whose. In a directed
graph the attacker knows pairs of degrees; `separate` checks in-degrees and out-degrees separately, as published, and
does not cover pairs.

Guarantees: k candidates for a node of known degree at one moment, and k moments for a known degree sequence; nothing
against an attacker who follows one node through several snapshots.
Cost: O(T·n log n).
"""

from typing import ClassVar, Literal

from pydantic import Field

from antifaz.graphs.parts import refuse_few_nodes
from antifaz.part import Examples
from antifaz.temporal.degree_rows import Directions, Recurrence, degree_matrices, fewest_recurring, fewest_sharing
from antifaz.temporal.parts import TemporalGuarantee
from antifaz.temporal.snapshots import Snapshots


class TemporalKDegreeAnonymity(TemporalGuarantee):
    """In every snapshot each degree is shared by at least k nodes, and each degree sequence by at least k snapshots."""

    assumes: ClassVar[str] = (
        "The attacker knows the degree of a node at one time, or all degrees at one time, and follows no one over time."
    )
    examples: ClassVar[Examples] = ({"k": 3}, {"k": 3, "recurrence": "multiset"}, {"k": 3, "directed": "separate"})

    model: Literal["temporal_k_degree_anonymity"] = "temporal_k_degree_anonymity"
    k: int = Field(ge=2)
    """The smallest number of nodes that may share a degree, and of snapshots that may share a degree sequence."""
    recurrence: Recurrence = "vector"
    """What must recur in k snapshots: the degree of every node (vector), or how often each degree occurs (multiset)."""
    directed: Directions = "pairs"
    """In directed graphs: whether nodes share the pair of their degrees (pairs), or in-degrees and out-degrees
    separately (separate, as published; pairs may then be unique)."""

    def admit(self, snapshots: Snapshots) -> None:
        """Refuse snapshots with fewer than k nodes; if there are too few snapshots, the method refuses with the nearest
        k."""
        refuse_few_nodes(self.k, snapshots.n, kind="temporal graph")

    def holds(self, snapshots: Snapshots) -> bool:
        """Whether both conditions hold; without nodes or snapshots they always do."""
        if not snapshots.n or not len(snapshots):
            return True
        return all(
            fewest_sharing(matrix) >= self.k and fewest_recurring(matrix, self.recurrence) >= self.k
            for matrix in degree_matrices(snapshots, self.directed)
        )
