"""Temporal graphs to measure on: the published ones, read from the data folder beside the checkout."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from antifaz.temporal.snapshots import Snapshots
from bench.graphs import DATA

FILES = {
    "sparrow": ("aves-sparrow/aves-sparrow-social.edges", False),
    "voles": ("mammalia-voles-rob/mammalia-voles-rob-trapping.edges", False),
    "ant": ("insecta-ant-colony5/insecta-ant-colony5.edges", False),
    "enron": ("ia-enron-employees/ia-enron-employees.edges", True),
    "collegemsg": ("collegemsg/CollegeMsg.txt", True),
}
"""Where each is, and whether its contacts have a direction."""


def read_snapshots(name: str, window: str = "snapshot", data: Path = DATA) -> Snapshots:
    """One of the published sequences, with the windows that have a row; the time is the last column."""
    path, directed = FILES[name]
    rows = np.loadtxt(data / path, comments=("#", "%"))
    names, ends = np.unique(rows[:, :2].astype(np.int64), return_inverse=True)
    ends = ends.reshape(-1, 2)
    windows, times = np.unique(_windows(rows[:, -1].astype(np.int64), window), return_inverse=True)
    labels = [str(each) for each in windows]
    return Snapshots.from_rows(len(names), ends[:, 0], ends[:, 1], times, labels, directed)


def _windows(times: NDArray[np.int64], window: str) -> NDArray[np.int64]:
    """A number for the window of every time: weeks begin on Mondays, and all is in UTC."""
    moments = times.astype("datetime64[s]")
    if window == "snapshot":
        return times
    if window == "week":
        # The first of January 1970 was a Thursday.
        return (moments.astype("datetime64[D]").astype(np.int64) + 3) // 7
    unit = {"hour": "h", "day": "D", "month": "M", "year": "Y"}[window]
    return moments.astype(f"datetime64[{unit}]").astype(np.int64)
