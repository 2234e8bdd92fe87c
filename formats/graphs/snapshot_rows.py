"""Rows of temporal graphs: how releases represent the times of edges.

The csv has a row for every edge of every snapshot; so does node-link JSON, as a multigraph. GraphML has an edge for
every run of consecutive snapshots in which a pair is joined, with the first and the last of them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from formats.core.cells import Cells, node_cells
from formats.core.format import Series
from formats.graphs.graphml import write_graphml
from formats.graphs.node_link import write_node_link
from formats.graphs.rows import ends_of
from formats.tables.csv_writer import render_csv

SNAPSHOT, FIRST, LAST, BEGIN = "snapshot", "first", "last", "begin"


@dataclass(frozen=True)
class _Runs:
    """Pairs that may be listed several times, for the writers of graphs."""

    n: int
    directed: bool
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]

    @property
    def m(self) -> int:
        return len(self.sources)


def begin_cells(labels: Sequence[str]) -> Cells:
    """Beginning of the window of every snapshot, or its number."""
    return Cells(BEGIN, np.arange(len(labels)), pa.array(list(labels), pa.large_string()), None, False)


def _write_csv(series: Series, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    return render_csv([*ends_of(series), _numbers(SNAPSHOT, series.times, len(series)), *edges])


def _write_node_link(series: Series, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    times = _numbers(SNAPSHOT, series.times, len(series))
    return write_node_link(series, attributes, [times, *edges] if series.m else (), repeated=True)


def _write_graphml(series: Series, attributes: Sequence[Cells], edges: Sequence[Cells]) -> Iterator[bytes]:
    if edges:
        # Attributes belong to an edge of one snapshot: no runs.
        runs, first, last = _Runs(series.n, series.directed, series.sources, series.targets), series.times, series.times
    else:
        runs, first, last = _runs(series)
    times = [_numbers(name, numbers, len(series)) for name, numbers in ((FIRST, first), (LAST, last))]
    return write_graphml(runs, attributes, [*times, *edges] if runs.m else ())


def _runs(series: Series) -> tuple[_Runs, NDArray[np.int64], NDArray[np.int64]]:
    """Every pair with each run of consecutive snapshots in which it is joined."""
    keys, times = series.sources * np.int64(series.n) + series.targets, series.times
    order = np.lexsort((times, keys))
    keys, times = keys[order], times[order]
    begins = np.ones(len(keys), dtype=bool)
    begins[1:] = (keys[1:] != keys[:-1]) | (times[1:] != times[:-1] + 1)
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(keys))[: len(first)] - 1
    runs = _Runs(series.n, series.directed, keys[first] // max(series.n, 1), keys[first] % max(series.n, 1))
    return runs, times[first], times[last]


def _numbers(name: str, numbers: NDArray[np.int64], length: int) -> Cells:
    return Cells(name, numbers, node_cells("", length).labels, "integer", True)


SNAPSHOT_WRITERS: dict[str, Callable[[Series, Sequence[Cells], Sequence[Cells]], Iterator[bytes]]] = {
    "csv": _write_csv,
    "graphml": _write_graphml,
    "node-link": _write_node_link,
}
"""Writers by name of the format."""
