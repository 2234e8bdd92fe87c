"""Temporal graphs as a kind: snapshots of one set of nodes and, if the nodes have attributes, a table of these.

A graph method or guarantee applies to each snapshot separately; all snapshots are released under one numbering.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import Reason
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.kinds.edges import checked_edges, original_keys, released_edges
from antifaz.kinds.kind import Dataset, Kind, Subject
from antifaz.kinds.network import (
    CheckedNetwork,
    NetworkDataset,
    ReleasedNetwork,
    node_subjects,
    refuse_exposed,
    refuse_same_edges,
    require_noise,
    with_nodes,
)
from antifaz.kinds.nodes import by_new_names, node_attributes, protect_nodes, released_records
from antifaz.kinds.records import check_records, explain_records
from antifaz.policy.temporal import TemporalPolicy
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import ReleasedColumn
from antifaz.temporal.each_snapshot import protect_each
from antifaz.temporal.same import exposed_over_time, kept_over_time
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch, within


@dataclass(frozen=True)
class TemporalDataset(NetworkDataset):
    """A temporal graph as it was read; its columns are those of its nodes."""

    kind: ClassVar[str] = "temporal_graph"
    snapshots: Snapshots = field(kw_only=True)

    def counts(self) -> dict[str, int]:
        """Nodes, edges of all snapshots, and snapshots."""
        return {"nodes": self.snapshots.n, "edges": self.snapshots.m, "snapshots": len(self.snapshots)}

    @property
    def directed(self) -> bool:
        """Whether its edges have a direction."""
        return self.snapshots.directed


@dataclass(frozen=True)
class CheckedSnapshots(CheckedNetwork):
    """A temporal graph that fits its policy."""

    snapshots: Snapshots


@dataclass(frozen=True)
class ReleasedSnapshots(ReleasedNetwork):
    """Protected snapshots, their nodes renumbered."""

    structure: ProtectedSnapshots


class TemporalKind(Kind[TemporalDataset, TemporalPolicy, CheckedSnapshots, ReleasedSnapshots]):
    """People and who is joined with whom at which time."""

    name = "temporal_graph"
    policy = TemporalPolicy

    def check(
        self,
        dataset: TemporalDataset,
        policy: TemporalPolicy,
        hierarchies: Mapping[str, Hierarchy],
        populations: Mapping[str, Dataset],
    ) -> CheckedSnapshots:
        """Check nodes like the records of a table; guarantees check all snapshots together, each one, or the nodes."""
        nodes = check_records(dataset, policy, hierarchies, populations)
        attributes = node_attributes(None if nodes is None else nodes.table)
        snapshots = replace(dataset.snapshots, attributes=attributes)
        for guarantee in policy.guarantees:
            if isinstance(guarantee, TableGuarantee):
                if nodes is not None:
                    guarantee.admit(nodes.table)
            else:
                _admit(guarantee, snapshots)
        _admit(policy.method, snapshots)
        require_noise(policy, snapshots.n, snapshots.directed)
        edges = checked_edges(dataset.edges, dataset.dialect, policy, _pairs(snapshots) if dataset.edges else None)
        return CheckedSnapshots(snapshots, nodes=nodes, edges=edges)

    def protect(
        self,
        checked: CheckedSnapshots,
        policy: TemporalPolicy,
        rng: np.random.Generator,
        watch: Watch,
        key: bytes | None,
    ) -> ReleasedSnapshots:
        """Apply the methods to nodes and structure, then give the nodes new numbers; they have no pseudonyms."""
        snapshots, table = checked.snapshots, None if checked.nodes is None else checked.nodes.table
        # Nodes first: a refusal because of the nodes happens before any noise on the edges is drawn.
        records = released_records(table)
        recoded = None if records is None else protect_nodes(records, policy, rng, within(watch, 0.0, 0.2))
        structure = _protected(snapshots, policy, rng, within(watch, 0.2, 1.0))
        # One numbering for all snapshots: nodes can be followed over time, but not back to the original.
        released = structure.renamed(rng.permutation(snapshots.n))
        nodes = None if recoded is None else by_new_names(recoded, released.origin)
        account = with_nodes({"nodes_in": snapshots.n, "edges_in": snapshots.m, **structure.account}, nodes)
        edges, noise = _released_edges(checked, policy, released, rng)
        return ReleasedSnapshots(account | noise, released, nodes=nodes, edges=edges)

    def subjects(self, checked: CheckedSnapshots, protected: ReleasedSnapshots) -> list[Subject]:
        """The nodes, if they have quasi-identifiers, and the snapshots."""
        structure = Subject(self.name, checked.snapshots, protected.structure)
        return [*node_subjects(checked, protected.nodes), structure]

    def explain(
        self, checked: CheckedSnapshots, protected: ReleasedSnapshots, policy: TemporalPolicy
    ) -> dict[str, Any]:
        """Return what happened to the nodes' quasi-identifiers."""
        return explain_records(checked.nodes, protected.nodes, policy)

    def unchanged(
        self, checked: CheckedSnapshots, protected: ReleasedSnapshots, policy: TemporalPolicy
    ) -> list[Reason]:
        """Return a reason if the edges of all snapshots equal the original's, or too many nodes are unchanged and
        alone, and no structural guarantee was promised."""
        same = refuse_same_edges(policy, lambda: _has_same_edges(checked.snapshots, protected.structure))
        share = exposed_over_time(checked.snapshots, protected.structure)
        return same or refuse_exposed(checked, protected.nodes, policy, share)

    def kept(self, checked: CheckedSnapshots, protected: ReleasedSnapshots) -> float:
        """The share of edges that the release still has, over all snapshots."""
        return kept_over_time(checked.snapshots, protected.structure)

    def shape(self, protected: ReleasedSnapshots) -> dict[str, Any]:
        """Nodes, edges, snapshots, and whether edges have a direction."""
        released = protected.structure.snapshots
        return {"nodes": released.n, "edges": released.m, "snapshots": len(released), "directed": released.directed}


KIND = TemporalKind()


def _admit(part: Any, snapshots: Snapshots) -> None:
    """Let a guarantee or a method refuse the snapshots; a graph part checks each of them."""
    if isinstance(part, GraphGuarantee | GraphMethod):
        for graph in snapshots.graphs():
            part.admit(graph)
    else:
        part.admit(snapshots)


def _protected(
    snapshots: Snapshots, policy: TemporalPolicy, rng: np.random.Generator, watch: Watch
) -> ProtectedSnapshots:
    if isinstance(policy.method, GraphMethod):
        return protect_each(policy.method, snapshots, policy.structural(), rng, watch)
    return policy.method.apply(snapshots, policy.structural(), rng, watch)


def _released_edges(
    checked: CheckedSnapshots, policy: TemporalPolicy, released: ProtectedSnapshots, rng: np.random.Generator
) -> tuple[tuple[ReleasedColumn, ...], dict[str, Any]]:
    """Return the edges' own weights and labels, by snapshot, as the policy requests."""
    if not checked.edges:
        return (), {}
    keys, pairs = _keys_behind(released, in_order=False), _pairs(checked.snapshots)
    return released_edges(checked.edges, _timed_keys(checked.snapshots), keys, policy.edge_attributes, rng, pairs)


def _pairs(snapshots: Snapshots) -> NDArray[np.int64]:
    """Return a number for the pair of every edge, the same in all snapshots."""
    return np.unique(snapshots.keys, return_inverse=True)[1].astype(np.int64)


def _has_same_edges(snapshots: Snapshots, released: ProtectedSnapshots) -> bool:
    return np.array_equal(_keys_behind(released), _timed_keys(snapshots))


def _timed_keys(snapshots: Snapshots) -> NDArray[np.int64]:
    """Return one number for each snapshot and pair, in ascending order."""
    # Keys of pairs are below n²: snapshots come first in the order, then pairs.
    return snapshots.times * np.int64(snapshots.n) * np.int64(snapshots.n) + snapshots.keys


def _keys_behind(released: ProtectedSnapshots, in_order: bool = True) -> NDArray[np.int64]:
    """Return the same numbers for released edges, by the original nodes of their ends."""
    snapshots, origin = released.snapshots, released.origin
    keys = original_keys(origin[snapshots.sources], origin[snapshots.targets], snapshots.n, snapshots.directed)
    keys = snapshots.times * np.int64(snapshots.n) * np.int64(snapshots.n) + keys
    return np.sort(keys) if in_order else keys
