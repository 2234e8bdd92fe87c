"""Publishing temporal graphs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.kinds.temporal import CheckedSnapshots, ReleasedSnapshots, TemporalDataset
from antifaz.policy.temporal import TemporalPolicy
from antifaz.tables.table import Role
from antifaz.temporal.snapshots import Snapshots
from formats.core.format import GraphReading
from formats.core.limits import Limits
from formats.core.raw import RawSnapshots
from formats.graphs.nodes import merge_nodes
from formats.graphs.temporal_edgelist import refuse_many_cells
from formats.reading import read_snapshots, read_table
from formats.writing import render_nodes, render_snapshots, render_windows
from publication.costs import Cost, public_parameters
from publication.dialects import dialect_of
from publication.digests import digest_of_pairs
from publication.evidence import of_edges, of_mechanism, of_nodes, of_records, pair_evidence
from publication.kinds.kind import Publisher, Reading, Rendered, columns_of, unnamed_of
from publication.source import Source
from publication.versions import Marks


class TemporalPublisher(Publisher[TemporalDataset, TemporalPolicy, CheckedSnapshots, ReleasedSnapshots]):
    """What publishing does to temporal graphs."""

    def read(self, source: Source, limits: Limits, policy: TemporalPolicy | None) -> Reading[TemporalDataset]:
        """The snapshots and their nodes, with the columns of the edges if the policy uses any of them."""
        details, with_edges = source.details, policy is not None and policy.edge_attributes != "drop"
        reading = GraphReading(limits, details.get("directed"), details.get("strict", False), with_edges)
        raw = read_snapshots(source.file(), source.format, details, reading)
        if source.nodes is not None:
            about = details["nodes"]
            raw = merge_nodes(raw, read_table(source.nodes(), about["format"], about, limits))
            refuse_many_cells(raw.n, len(raw.labels))
        dialect = dialect_of(details.get("nodes", {}))
        columns, edges = columns_of(raw.node_columns), columns_of(raw.edge_columns)
        unnamed = unnamed_of(raw.node_columns)
        dataset = TemporalDataset(columns, raw.n, dialect, unnamed=unnamed, snapshots=_snapshots(raw), edges=edges)
        return Reading(dataset, _intake(raw), digest_of_pairs(raw.ids, raw.sources, raw.targets))

    def render(self, policy: TemporalPolicy, protected: ReleasedSnapshots) -> Rendered:
        """The snapshots in every format, the list of the nodes, and the list of the snapshots."""
        released = protected.structure.snapshots
        # Not every format can hold the attributes of edges; csv can.
        always = ("csv",) if protected.edges else ()
        for form in dict.fromkeys((*policy.formats, *always)):
            yield form, "graph", render_snapshots(released, form, protected.columns, protected.edges)
        for form in ("csv", "parquet"):
            yield form, "nodes", render_nodes(released.n, protected.columns, form)
        for form in ("csv", "parquet"):
            yield form, "snapshots", render_windows(released.labels, form)

    def sealed_map(
        self,
        document: Mapping[str, Any],
        policy: TemporalPolicy,
        checked: CheckedSnapshots,
        protected: ReleasedSnapshots,
        marks: Marks | None,
    ) -> dict[str, NDArray[Any]]:
        """For every released node, the original node."""
        return {"origin": protected.structure.origin}

    def evidence(
        self, checked: CheckedSnapshots, protected: ReleasedSnapshots, policy: TemporalPolicy, cost: Cost | None = None
    ) -> dict[str, Any]:
        """The mechanisms, the evidence on the nodes, and the symmetries that were found in each snapshot."""
        known = of_mechanism(protected)
        mechanism = public_parameters(protected).get("edge_local_dp")
        if mechanism is not None:
            known["pairs"] = pair_evidence(mechanism, cost)
        if checked.nodes is not None:
            known |= of_records(checked.nodes)
        known |= of_nodes(checked, protected.nodes, policy)
        known |= of_edges(checked.snapshots, protected.structure.origin, policy)
        if protected.structure.witnesses:
            known["automorphisms"] = protected.structure.witnesses
        return known

    def adds_up(self, before: Mapping[str, str], now: Mapping[str, Role], models: tuple[set[str], set[str]]) -> bool:
        """Neither release has classes of nodes."""
        return Role.QUASI_IDENTIFIER not in {*before.values(), *now.values()}


def _snapshots(raw: RawSnapshots) -> Snapshots:
    """The snapshots over all nodes, including those that appear only in the list of nodes."""
    keys = raw.sources * np.int64(raw.n) + raw.targets
    starts = np.searchsorted(raw.times, np.arange(len(raw.labels) + 1)).astype(np.int64)
    return Snapshots(raw.n, keys, starts, raw.directed, raw.labels)


def _intake(raw: RawSnapshots) -> dict[str, Any]:
    """The numbers of dropped edges, in total and by snapshot."""
    return {
        "self_loops_dropped": raw.self_loops,
        "repeated_edges_dropped": raw.repeated,
        "self_loops_by_snapshot": raw.self_loops_by_snapshot.tolist(),
        "repeated_edges_by_snapshot": raw.repeated_by_snapshot.tolist(),
    }
