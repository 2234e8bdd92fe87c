"""Snapshot linkage: an attacker links the nodes of two snapshots that are numbered independently.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks", VLDB 2008
(the queries H1 and H2).

Separate node numbers in each snapshot hide who is who from one snapshot to the next. For a node of the earlier
snapshot, the attacker takes the similar nodes of the later one as candidates (the same degree; the same degrees of its
neighbors) and guesses one of them. Releases of Antifaz use one numbering for all snapshots: readers can follow nodes by
their numbers, and there is nothing to link. The attack then reports that it is not applicable; with ``independent`` it
measures what separate numbers would hide, which is no risk of this release.

Guarantees: none, it measures.
Cost: O((n + m) log n) of two snapshots.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.graph import ProtectedGraph
from antifaz.graphs.knowledge.candidates import chances, mean
from antifaz.graphs.structure.refinement import refine
from antifaz.part import Question, Story
from antifaz.temporal.parts import TemporalAttack
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch

ONE_NUMBERING = "all snapshots of the release have the same node numbers, which link them without any attack"
SEPARATE = "every snapshot has its own node numbers; those of this release have the same"


class SnapshotLinkage(TemporalAttack):
    """Link the nodes of two snapshots by their structure."""

    default: ClassVar[bool] = False

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "how many contacts a node of one snapshot has, and its neighbors"
    learns: ClassVar[str] = "which node of another snapshot is the same person"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who compares two snapshots",
        "links {} people",
    )

    name: Literal["snapshot_linkage"] = "snapshot_linkage"
    independent: bool = False
    """Whether to measure what could be linked if every snapshot had its own node numbers."""
    first: int = Field(default=0, ge=0)
    """The earlier snapshot, counted from 0; the last one if there are fewer."""
    second: int = Field(default=1, ge=0)
    """The later snapshot, counted from 0; the last one if there are fewer."""

    def attempt(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Return the share of nodes with edges in the earlier snapshot that are found in the later one."""
        watch(0.0)
        shown = released.snapshots
        if not self.independent or not len(shown):
            return {"rate": None, "baseline": 1.0 / max(1, shown.n), "applicable": False, "detail": ONE_NUMBERING}
        one, other = (shown.graph(min(number, len(shown) - 1)) for number in (self.first, self.second))
        known, seen = refine(one, 2), refine(other, 2)
        itself = ProtectedGraph(other, np.arange(shown.n, dtype=np.int64))
        busy = one.degrees > 0
        found = {f"H{depth}": mean(chances(known[depth], seen[depth], itself)[busy]) for depth in (1, 2)}
        return {
            "rate": max(found.values()),
            "baseline": 1.0 / max(1, shown.n),
            "applicable": True,
            "supposes": SEPARATE,
            "by_query": found,
            "targets": int(busy.sum()),
        }
