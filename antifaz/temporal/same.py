"""Same: which nodes of a released temporal graph are joined as in the original, and which of them are alone.

An attacker may know one snapshot or all of them. So nodes are compared in each snapshot, and over all snapshots
together, and the highest share counts.
"""

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.analysis.kept import kept_pairs
from antifaz.graphs.analysis.same import unchanged_nodes
from antifaz.graphs.structure.refinement import mixed, refine
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots


def exposed_over_time(snapshots: Snapshots, released: ProtectedSnapshots) -> float:
    """The share of nodes that are unchanged and alone in the snapshot that exposes most, or in all of them."""
    n = snapshots.n
    if not n:
        return 0.0
    always, history, highest = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.uint64), 0
    for before, shown in zip(snapshots.graphs(), released.snapshots.graphs(), strict=True):
        unchanged = unchanged_nodes(before, shown, released.origin)
        signatures = refine(shown)[-1]
        highest = max(highest, int(np.count_nonzero(unchanged & _alone(signatures))))
        always &= unchanged
        history = mixed(history) + signatures
    return max(highest, int(np.count_nonzero(always & _alone(history)))) / n


def kept_over_time(snapshots: Snapshots, released: ProtectedSnapshots) -> float:
    """The number of edges of all snapshots over that of the original, or the same of pairs that are not joined."""
    ordered = snapshots.n * (snapshots.n - 1) * len(snapshots)
    pairs = ordered if snapshots.directed else ordered // 2
    return kept_pairs(pairs, snapshots.m, pairs, released.snapshots.m)


def _alone(signatures: NDArray[np.uint64]) -> NDArray[np.bool_]:
    _, places, sizes = np.unique(signatures, return_inverse=True, return_counts=True)
    return np.asarray(sizes[places] == 1)
