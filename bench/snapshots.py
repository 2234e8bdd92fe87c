"""Snapshots: the published temporal graphs next to the checkout, cut into windows."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from antifaz.temporal.snapshots import Snapshots
from bench.graphs import DATA

SECONDS = {"hour": 3600, "day": 86400, "week": 7 * 86400}
MONDAY = 4 * 86400
"""The first Monday after the Unix epoch, which was a Thursday."""


@dataclass(frozen=True)
class TemporalCase:
    """A file, and how it is cut."""

    name: str
    file: str
    window: str = "snapshot"
    directed: bool = False

    @property
    def path(self) -> Path:
        return DATA / self.file

    def read(self, directed: bool | None = None) -> Snapshots:
        """Cut the file into windows; windows without an edge are dropped."""
        return read_snapshots(self.path, self.window, self.directed if directed is None else directed)


CASES = {
    case.name: case
    for case in (
        TemporalCase("sparrow", "aves-sparrow/aves-sparrow-social.edges"),
        TemporalCase("voles", "mammalia-voles-rob/mammalia-voles-rob-trapping.edges"),
        TemporalCase("ant", "insecta-ant-colony5/insecta-ant-colony5.edges"),
        TemporalCase("Enron day", "ia-enron-employees/ia-enron-employees.edges", "day", True),
        TemporalCase("Enron week", "ia-enron-employees/ia-enron-employees.edges", "week", True),
        TemporalCase("Enron month", "ia-enron-employees/ia-enron-employees.edges", "month", True),
        TemporalCase("CollegeMsg day", "collegemsg/CollegeMsg.txt", "day", True),
        TemporalCase("CollegeMsg week", "collegemsg/CollegeMsg.txt", "week", True),
        TemporalCase("CollegeMsg month", "collegemsg/CollegeMsg.txt", "month", True),
    )
}


def read_snapshots(path: Path, window: str, directed: bool) -> Snapshots:
    """Rows ``u v [w] t`` of a file, separated by blanks or commas, as snapshots over all nodes that occur."""
    n, ends, times, labels = _rows(path, window)
    return Snapshots.from_rows(n, ends[:, 0], ends[:, 1], times, labels, directed)


def _rows(path: Path, window: str) -> tuple[int, NDArray[np.int64], NDArray[np.int64], list[str]]:
    """The number of nodes, both ends and the snapshot of every row, and the windows."""
    lines = [line.replace(",", " ") for line in path.read_text().splitlines() if line[:1] not in "#%" and line]
    rows = np.array([[line.split()[place] for place in (0, 1, -1)] for line in lines]).astype(np.int64)
    nodes, ends = np.unique(rows[:, :2], return_inverse=True)
    windows, times = np.unique(_window(rows[:, 2], window), return_inverse=True)
    return len(nodes), ends.reshape(-1, 2), times.ravel(), [str(each) for each in windows]


def _window(moments: np.ndarray, window: str) -> np.ndarray:
    if window == "snapshot":
        return moments
    if window in ("month", "year"):
        return moments.astype("datetime64[s]").astype(f"datetime64[{window[0].upper()}]").astype(np.int64)
    return (moments - (MONDAY if window == "week" else 0)) // SECONDS[window]
