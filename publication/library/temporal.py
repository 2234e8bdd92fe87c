"""Temporal graphs in memory: edges with a time, from networkx, frames or arrays, cut into snapshots like files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antifaz.errors import InvalidDataset
from antifaz.kinds.temporal import TemporalDataset
from antifaz.temporal.snapshots import Snapshots
from formats.core.faults import Fault
from formats.core.raw import RawColumn, RawSnapshots, RawTable, encode_texts
from formats.graphs.edgelist import Ends
from formats.graphs.nodes import merge_nodes
from formats.graphs.temporal_edgelist import snapshots_of, windows_of
from formats.tables.parquet import read_arrow
from publication.library.datasets import LIMITS, arrow_of, node_columns, read_in_memory, text_of
from publication.library.networks import to_multigraph

Window = str | Mapping[str, int]


@dataclass(frozen=True)
class TemporalGraph:
    """People as nodes and their relations over time as edges, cut into snapshots over one set of nodes."""

    dataset: TemporalDataset
    nodes: Sequence[Any]
    """The original nodes, in the order of the engine's numbers."""
    self_loops: int = 0
    """Number of edges from a node to itself, which were left out."""
    repeated: int = 0
    """Number of repeated edges within a snapshot, which were left out."""

    @classmethod
    def from_networkx(
        cls, network: Any, *, time: str = "time", window: Window = "snapshot", empty_windows: str = "drop"
    ) -> "TemporalGraph":
        """Make a temporal graph from a networkx graph or multigraph in which every edge has a time attribute. The
        attributes of nodes and the other attributes of edges are kept."""
        numbers = {node: number for number, node in enumerate(network.nodes)}
        rows = list(network.edges(data=True))
        if any(time not in about for *_, about in rows):
            raise InvalidDataset("no_time", "an edge has no time", column=time)
        names = dict.fromkeys(str(name) for *_, about in rows for name in about if name != time)
        known = {name: [about.get(name) for *_, about in rows] for name in names}
        ends = [np.array([numbers[row[side]] for row in rows], dtype=np.int64) for side in (0, 1)]
        times = [_moment(about[time]) for *_, about in rows]

        def read() -> RawSnapshots:
            ids = np.array([str(number) for number in numbers.values()], dtype=object)
            raw = _cut(ids, ends, times, known, window, empty_windows, network.is_directed())
            return replace(raw, node_columns=node_columns(network))

        return cls._of(read_in_memory(read), list(network.nodes))

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        *,
        source: str = "source",
        target: str = "target",
        time: str = "time",
        window: Window = "snapshot",
        empty_windows: str = "drop",
        directed: bool = False,
        nodes: Any = None,
    ) -> "TemporalGraph":
        """Make a temporal graph from a data frame with a row for every edge; its other columns are attributes of edges.
        ``nodes`` is a frame whose first column has the ids of nodes and whose other columns are their attributes."""
        missing = [name for name in (source, target, time) if name not in frame.columns]
        if missing:
            raise InvalidDataset("missing_column", "the frame has no such column", column=missing[0])
        others = [name for name in frame.columns if name not in (source, target, time)]
        known = {str(name): frame[name].tolist() for name in others}
        ends = [[str(value) for value in frame[name].tolist()] for name in (source, target)]
        times = _moments(frame[time])
        return cls._of_rows(ends, times, known, window, empty_windows, directed, nodes)

    @classmethod
    def from_arrays(
        cls,
        sources: Any,
        targets: Any,
        times: Any,
        *,
        window: Window = "snapshot",
        empty_windows: str = "drop",
        directed: bool = False,
    ) -> "TemporalGraph":
        """Make a temporal graph from three arrays of equal length: the ends of every edge and its time."""
        ends = [[str(value) for value in np.asarray(each).tolist()] for each in (sources, targets)]
        return cls._of_rows(ends, _moments(times), {}, window, empty_windows, directed, None)

    @classmethod
    def _of_rows(
        cls,
        ends: Sequence[Sequence[str]],
        times: Sequence[str],
        known: Mapping[str, Sequence[Any]],
        window: Window,
        empty_windows: str,
        directed: bool,
        nodes: Any,
    ) -> "TemporalGraph":
        if len({len(ends[0]), len(ends[1]), len(times)}) > 1:
            raise InvalidDataset("ragged", "sources, targets and times differ in length")

        def read() -> RawSnapshots:
            both = encode_texts(None, [*ends[0], *ends[1]], LIMITS)
            codes = np.split(both.codes.astype(np.int64), 2)
            raw = _cut(both.values, codes, times, known, window, empty_windows, directed)
            if nodes is None:
                return raw
            return merge_nodes(raw, read_arrow(arrow_of(nodes), LIMITS))

        raw = read_in_memory(read)
        return cls._of(raw, raw.ids.tolist())

    @classmethod
    def _of(cls, raw: RawSnapshots, nodes: Sequence[Any]) -> "TemporalGraph":
        snapshots = Snapshots.from_rows(raw.n, raw.sources, raw.targets, raw.times, raw.labels, raw.directed)
        columns = () if raw.node_columns is None else tuple(raw.node_columns.columns)
        edges = () if raw.edge_columns is None else tuple(raw.edge_columns.columns)
        dataset = TemporalDataset(columns, raw.n, snapshots=snapshots, edges=edges)
        return cls(dataset, nodes, raw.self_loops, raw.repeated)

    def to_networkx(self) -> Any:
        """The structure as a networkx multigraph with the original node names. An edge's key and its `snapshot` are the
        number of its snapshot; the graph's `snapshots` list the beginning of each."""
        return to_multigraph(self.dataset.snapshots, names=self.nodes)

    @property
    def columns(self) -> list[str]:
        """Names of the nodes' attributes; a policy gives a role to each."""
        return [column.name for column in self.dataset.columns]

    @property
    def snapshots(self) -> Sequence[str]:
        """Beginning of the window of every snapshot, or its number."""
        return self.dataset.snapshots.labels

    def __len__(self) -> int:
        return self.dataset.n


def _cut(
    ids: Any,
    ends: Sequence[Any],
    times: Sequence[str],
    known: Mapping[str, Sequence[Any]],
    window: Window,
    empty_windows: str,
    directed: bool,
) -> RawSnapshots:
    """Edges by snapshot; self-loops and repeated edges are removed and counted."""
    if not len(times):
        raise Fault("no_records", "there are no edges")
    moments = encode_texts("time", list(times), LIMITS)
    windows = windows_of(moments, {"window": window, "empty_windows": empty_windows})
    columns = [_column(name, values) for name, values in known.items()]
    attributes = RawTable(list(known), columns, len(times)) if known else None
    everything = RawTable([*known, "time"], [*columns, moments], len(times))
    read = Ends(ends[0], ends[1], ids, len(known) + 1, everything)
    return snapshots_of(read, windows, attributes, directed, strict=False)


def _column(name: str, values: Sequence[Any]) -> RawColumn:
    return encode_texts(name, [text_of(value, name) for value in values], LIMITS)


def _moments(times: Any) -> list[str]:
    """Times as texts; numpy times are in UTC."""
    values = np.asarray(times)
    if values.dtype.kind == "M":
        return [str(moment) for moment in values.astype("datetime64[s]")]
    return [_moment(value) for value in values.tolist()]


def _moment(value: Any) -> str:
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
