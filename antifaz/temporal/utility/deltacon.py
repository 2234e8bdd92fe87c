"""DeltaCon: similarity of the nodes' influence on each other in both graphs, snapshot by snapshot.

Koutra, Vogelstein and Faloutsos, "DeltaCon: A Principled Massive-Graph Similarity Function", SDM 2013.

The affinity of two nodes adds up the walks between them, with longer walks weighing less: S = [I + e²D - eA]^-1, where
e is 1 divided by one plus the largest degree of the graph (in plus out if directed; directions are kept). d is the root
Euclidean distance of both graphs' affinities, and a snapshot's value 1 / (1 + d). The form is ``exact`` if every
measured snapshot has at most 2,000 nodes with edges; otherwise it is ``grouped`` for all, which compares the affinities
to ten random groups of nodes and gives larger values: only values of the same form are comparable. The value is the
mean over the snapshots; if measuring all costs too much, over random ones, with its standard error.

Guarantees: none, it measures.
Cost: O(n³) for each snapshot, n being its nodes with edges; snapshots are sampled above 4·10^10 steps.
"""

from typing import Any, Literal

import numpy as np

from antifaz.graphs.analysis.affinity import EXACT, as_similarity, exact_distance, grouped_distance
from antifaz.temporal.comparison import affordable, both_at, busy_nodes, by_person, over_snapshots
from antifaz.temporal.parts import TemporalUtility
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch, within

AFFORDABLE = 4e10
"""Limit of multiplications for the inversion of all matrices."""
GROUPS = 10
"""Number of random groups in the grouped form."""
GROUPED_COST = 4_000.0
"""Steps of the grouped form for each edge and node: ten groups, up to a hundred iterations."""


class Deltacon(TemporalUtility):
    """Similarity of the nodes' mutual affinities: the mean over the snapshots."""

    name: Literal["deltacon"] = "deltacon"

    def measure(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Compare the affinities in every snapshot."""
        watch(0.0)
        person = by_person(released)
        nodes = np.maximum(busy_nodes(snapshots), busy_nodes(person)).astype(np.float64)
        # Each graph has at most this many nodes, and both together at most twice as many.
        form = "exact" if min(snapshots.n, 2 * nodes.max(initial=0.0)) <= EXACT else "grouped"
        edges = np.diff(snapshots.starts) + np.diff(person.starts)
        costs = 2 * nodes**3 if form == "exact" else GROUPED_COST * (edges + 2 * nodes)
        chosen = affordable(costs, AFFORDABLE, rng)
        values = []
        for done, t in enumerate(chosen.tolist()):
            part = within(watch, done / len(chosen), (done + 1) / len(chosen))
            one, other, _ = both_at(snapshots, person, t)
            if form == "exact":
                distance = exact_distance(one, other, part)
            else:
                distance = grouped_distance(one, other, GROUPS, rng, part)
            values.append(as_similarity(distance)["value"])
        found = over_snapshots(values, chosen, len(snapshots))
        return found | {
            "exact": found["exact"] and form == "exact",
            "form": form,
            "directions": "ignored" if form == "grouped" else "kept" if snapshots.directed else "none",
        }
