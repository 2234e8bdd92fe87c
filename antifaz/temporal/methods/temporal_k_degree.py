"""Temporal k-degree: snapshots are changed until degrees recur among nodes and over time.

Garcia Dausà, "Data Privacy in Dynamic Graphs", 2025 (`havel_hakimi`, as published); Rossi, Musolesi and Torsello, "On
the k-Anonymization of Time-Varying and Multi-Layer Social Graphs", ICWSM 2015 (trajectories). `edit` is our own.

With the target `recurrence`, at least k snapshots with similar degrees form a group and get the same degrees, each
shared by k nodes. With `trajectory`, nodes with similar degrees over time form a group and get the same degree in every
snapshot. Then each snapshot is edited to its target degrees, with few edges added and removed. Several choices of
degrees are tried, and the one that keeps most edges is used. `havel_hakimi` builds the snapshots from scratch instead,
which keeps almost no edge of sparse data.

Guarantees: temporal_k_degree_anonymity, or degree_trajectory_anonymity with that target; checked on the result before
it is returned.
Preserves: the nodes, the number of snapshots; with `edit` all edges except those that the account counts.
Cost: O(Σ a²) for the distances, a being the nodes with edges in a snapshot, and O(edits) for each snapshot.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import model_validator

from antifaz.errors import BrokenGuarantee, Infeasible, InvalidPolicy, Reason
from antifaz.graphs.strategies.bounds import sequence_lower_bound
from antifaz.part import Examples, Part
from antifaz.temporal.degree_rows import Directions, Recurrence, smallest_trajectory
from antifaz.temporal.guarantees.temporal_k_degree_anonymity import TemporalKDegreeAnonymity
from antifaz.temporal.parts import TemporalMethod
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.strategies import havel_hakimi
from antifaz.temporal.strategies.editing import Edited, edit
from antifaz.temporal.strategies.plans import Task
from antifaz.temporal.strategies.recurrence import recurrence_bound, recurrence_tasks
from antifaz.temporal.strategies.trajectory import trajectory_bound, trajectory_tasks
from antifaz.watch import Watch, within

_TARGETS = {"recurrence": "temporal_k_degree_anonymity", "trajectory": "degree_trajectory_anonymity"}

MOST_STARTS, ALL_STARTS = 6, 120_000
"""Largest number of groupings tried, and groupings times edges in total."""


class TemporalKDegree(TemporalMethod):
    """Change snapshots until degrees are shared by k nodes, and degree sequences by k snapshots or trajectories too."""

    gives: ClassVar[tuple[str, ...]] = ("temporal_k_degree_anonymity", "degree_trajectory_anonymity")
    leaves: ClassVar[str] = "An attacker who knows more about a node than its degrees may still recognize it."

    examples: ClassVar[Examples] = ({}, {"rebuild": "havel_hakimi"}, {"target": "trajectory"})
    name: Literal["temporal_k_degree"] = "temporal_k_degree"
    rebuild: Literal["edit", "havel_hakimi"] = "edit"
    """How snapshots get their degrees: edited, with few edges added and removed (edit), or built from scratch, as
    published (havel_hakimi)."""
    target: Literal["recurrence", "trajectory"] = "recurrence"
    """What is shared: each degree sequence by k snapshots (recurrence), or each node's degrees over time by k nodes
    (trajectory)."""

    @model_validator(mode="after")
    def _rebuild_for_recurrence_alone(self) -> "TemporalKDegree":
        if self.rebuild == "havel_hakimi" and self.target == "trajectory":
            raise ValueError("havel_hakimi is only available for the target recurrence")
        return self

    def guarantees_given(self) -> tuple[str, ...]:
        """The guarantee of its target."""
        return (_TARGETS[self.target],)

    def contradictions(self, guarantees: Sequence[Part]) -> Iterable[tuple[str, str]]:
        """Yield every guarantee that needs the other target."""
        for position, guarantee in enumerate(guarantees):
            other = next((name for name, model in _TARGETS.items() if model == guarantee.wire_name()), self.target)
            if other != self.target:
                yield f"/guarantees/{position}", f"{guarantee.wire_name()} needs the target {other}"

    def apply(
        self, snapshots: Snapshots, guarantees: Sequence[Part], rng: np.random.Generator, watch: Watch
    ) -> ProtectedSnapshots:
        """Change the snapshots until every guarantee holds with the largest requested k."""
        k = self._largest_k(snapshots, guarantees)
        if self.rebuild == "havel_hakimi":
            changed, account = havel_hakimi.rebuild(snapshots, k, rng, within(watch, 0.0, 0.9))
        else:
            changed, account = self._edit(snapshots, k, guarantees, rng, within(watch, 0.0, 0.9))
        if not all(guarantee.holds(changed) for guarantee in guarantees if hasattr(guarantee, "holds")):
            raise BrokenGuarantee("temporal_k_degree returned degrees that fewer than k nodes or snapshots share")
        account |= _account(snapshots, changed)
        watch(1.0)
        return ProtectedSnapshots(changed, np.arange(snapshots.n, dtype=np.int64), account)

    def _largest_k(self, snapshots: Snapshots, guarantees: Sequence[Part]) -> int:
        """Return the k that satisfies every guarantee; raise if there is none."""
        if not guarantees:
            raise InvalidPolicy("/guarantees", "temporal_k_degree takes its k from a guarantee")
        faults = list(self.contradictions(guarantees))
        for position, guarantee in enumerate(guarantees):
            if guarantee.wire_name() not in self.gives:
                faults.append((f"/guarantees/{position}", f"temporal_k_degree does not give {guarantee.wire_name()}"))
            joint = getattr(guarantee, "directed", "separate") == "pairs"
            if self.rebuild == "havel_hakimi" and snapshots.directed and joint:
                faults.append((f"/guarantees/{position}/directed", "havel_hakimi only gives separate directions"))
        if faults:
            raise InvalidPolicy.of(faults)
        k = max(int(getattr(guarantee, "k", 0)) for guarantee in guarantees)
        self._check_size(k, snapshots)
        return k

    def _check_size(self, k: int, snapshots: Snapshots) -> None:
        """Refuse a k above the number of nodes, or of snapshots if these have to recur."""
        most = min(snapshots.n, len(snapshots)) if self.target == "recurrence" else snapshots.n
        if k > most:
            which = "nodes" if k > snapshots.n else "snapshots"
            reason = Reason(_TARGETS[self.target], limit=k, measured=most, detail=f"there are fewer than k {which}")
            raise Infeasible([reason], nearest={"k": float(most)} if most >= 2 else None)

    def _edit(
        self, snapshots: Snapshots, k: int, guarantees: Sequence[Part], rng: np.random.Generator, watch: Watch
    ) -> tuple[Snapshots, dict[str, Any]]:
        """Return the edited snapshots, with a lower bound on the edits of any method."""
        bounding, editing = within(watch, 0.0, 0.1), within(watch, 0.1, 1.0)
        if self.target == "trajectory":
            bound = trajectory_bound(snapshots, k, bounding)
            found = _best_of_groupings(snapshots, partial(trajectory_tasks, snapshots, k, rng), rng, editing)
        else:
            stated = [each for each in guarantees if isinstance(each, TemporalKDegreeAnonymity)]
            recurrence: Recurrence = "vector" if any(each.recurrence == "vector" for each in stated) else "multiset"
            directed: Directions = "pairs" if any(each.directed == "pairs" for each in stated) else "separate"
            bound = recurrence_bound(snapshots, k, recurrence, bounding)
            tasks = partial(recurrence_tasks, snapshots, k, recurrence, directed, rng)
            found = _best_of_groupings(snapshots, tasks, rng, editing)
        at_each_time = 0
        for graph in snapshots.graphs():
            watch(1.0)
            at_each_time += sequence_lower_bound(graph, k)
        account = {"snapshots_rebuilt": found.rebuilt, "edit_lower_bound": max(bound, at_each_time)}
        return found.snapshots, account


def _best_of_groupings(
    snapshots: Snapshots, tasks: Callable[[Watch], Iterable[Task]], rng: np.random.Generator, watch: Watch
) -> Edited:
    """Return the edited snapshots that keep most edges; on small data, the best of several groupings, because the
    result of a grouping is known only afterwards."""
    starts = max(1, min(MOST_STARTS, ALL_STARTS // max(snapshots.m, 1)))
    found = []
    for start in range(starts):
        seen = within(watch, start / starts, (start + 1) / starts)
        found.append(edit(snapshots, tasks(within(seen, 0.0, 0.2)), rng, within(seen, 0.2, 1.0)))
    return max(found, key=lambda each: each.score)


def _account(before: Snapshots, after: Snapshots) -> dict[str, Any]:
    """Return the number of edges added and removed, of snapshots without edges, and of nodes that share the rarest
    trajectory."""
    first, second = (each.times * np.int64(max(before.n, 1)) ** 2 + each.keys for each in (before, after))
    kept = len(np.intersect1d(first, second, assume_unique=True))
    return {
        "edges_added": after.m - kept,
        "edges_removed": before.m - kept,
        "nodes_added": 0,
        "empty_snapshots": int((np.diff(after.starts) == 0).sum()),
        "empty_snapshots_before": int((np.diff(before.starts) == 0).sum()),
        "smallest_trajectory": smallest_trajectory(after),
    }
