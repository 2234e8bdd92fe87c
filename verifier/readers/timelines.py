"""Timelines: the content of a released temporal graph, as input of its guarantees."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.verdict.verdict import Missing

_NONE: NDArray[np.int64] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Timeline:
    """The edges of all snapshots; every artifact shows the same ones."""

    n: int
    """Nodes 0…n-1, the same in every snapshot."""
    length: int
    """Snapshots 0…length-1; some may have no edges."""
    directed: bool
    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    times: NDArray[np.int64]
    """The snapshot of every edge, in ascending order; within one, edges are sorted by their ends."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """The edges of snapshot t are those from ``starts[t]`` to ``starts[t + 1]``."""
        return np.searchsorted(self.times, np.arange(self.length + 1)).astype(np.int64)

    def pairs(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Sources and targets of the edges of every snapshot, in order."""
        starts = self.starts.tolist()
        for begin, end in pairwise(starts):
            yield self.sources[begin:end], self.targets[begin:end]


@dataclass(frozen=True)
class TemporalEvidence:
    """Input for verifying a guarantee of temporal graphs."""

    policy: Mapping[str, Any]
    timeline: Timeline = field(default_factory=lambda: Timeline(0, 0, False, _NONE, _NONE, _NONE))
    flaw: str = Missing("there is no temporal graph")
    """Why no guarantee of temporal graphs can hold, whatever the readable artifacts show."""
    sealed_map: Mapping[str, Any] | None = None
