"""Degree: how many nodes share the degree that an attacker may know, in each snapshot and over all of them.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks", VLDB 2008
(vertex refinement query H1); Liu and Terzi, SIGMOD 2008 (k-degree anonymity).

The candidate set of a node in a snapshot is the set of nodes with its degree there (directed: its pair of in- and
out-degree); nodes without edges are one set. ``k`` is the smallest over all snapshots, ``unique_share`` the mean share
of nodes with a unique degree, and ``snapshots_with_unique_nodes`` the number of snapshots with such nodes.
``aggregate`` has the same figures for the graph of all pairs that are joined in some snapshot. Counts that describe the
original are withheld below ten.

Guarantees: none, it measures.
Cost: O(m log m) over all snapshots together.
"""

from typing import Any, Literal

import numpy as np

from antifaz.arrays import distinct
from antifaz.graphs.graph import Graph
from antifaz.graphs.knowledge.candidates import SMALLEST_COUNT, class_sizes, smallest, withheld
from antifaz.temporal.parts import TemporalRisk
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.trajectories import classes_by_snapshot


class Degree(TemporalRisk):
    """How many nodes share each node's degree: in every snapshot, and in the aggregate."""

    name: Literal["degree"] = "degree"

    def before(self, snapshots: Snapshots) -> dict[str, Any]:
        """Return the risk of the original under new node numbers, with small counts withheld."""
        found = _counted(snapshots)
        rare = found["unique_nodes"] < SMALLEST_COUNT
        cells = max(1, snapshots.n * len(snapshots))
        return {
            "k": withheld(found["k"]),
            "unique_share": f"<{SMALLEST_COUNT / cells:.3g}" if rare else found["unique_nodes"] / cells,
            "snapshots_with_unique_nodes": withheld(found["snapshots_with_unique_nodes"]),
            "snapshots": len(snapshots),
            "aggregate": {name: withheld(count) for name, count in _of_aggregate(snapshots.aggregate).items()},
        }

    def after(self, released: ProtectedSnapshots) -> dict[str, Any]:
        """Return the same figures for the release, in full."""
        shown = released.snapshots
        found = _counted(shown)
        return {
            "k": found["k"],
            "unique_share": found["unique_nodes"] / max(1, shown.n * len(shown)),
            "snapshots_with_unique_nodes": found["snapshots_with_unique_nodes"],
            "snapshots": len(shown),
            "aggregate": _of_aggregate(shown.aggregate),
        }


def _counted(snapshots: Snapshots) -> dict[str, int]:
    """Return the size of the smallest class, the number of unique nodes in all snapshots, and of snapshots with any."""
    times, sizes = classes_by_snapshot(snapshots)
    alone = times[sizes == 1]
    return {
        "k": smallest(sizes),
        "unique_nodes": len(alone),
        "snapshots_with_unique_nodes": len(distinct(alone)),
    }


def _of_aggregate(graph: Graph) -> dict[str, int]:
    known = graph.out_degrees * np.int64(graph.n + 1) + graph.in_degrees if graph.directed else graph.degrees
    sizes = class_sizes(known)
    return {"k": smallest(sizes), "unique_nodes": int((sizes == 1).sum())}
