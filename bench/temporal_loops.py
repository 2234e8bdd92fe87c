"""Self-loops under edge-local differential privacy: how each treatment of them changes the published figures.

    python -m bench.temporal_loops

In Enron, 37 days and 2 weeks have only self-loops. The variants in `READINGS` differ in how they treat them. The data
folder is next to the checkout.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from antifaz.temporal.guarantees.edge_local_dp import SnapshotDensity, TemporalEdgeLocalDp
from antifaz.temporal.methods.edge_local_dp import TemporalEdgeLocalNoise
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import unwatched
from bench.published import standard_errors
from bench.results import write_section
from bench.snapshots import CASES, loops
from bench.temporal import EPSILONS, PUBLISHED, RUNS
from publication.generator import cryptographic_generator

WITH_LOOPS = {
    "day": ("5.6", "6.1", "8.0", "19.2", "49.3", "81.2", "100"),
    "week": ("4.5", "5.7", "12.2", "36.3", "69.9", "90.7", "100"),
    "month": ("3.7", "6.2", "19.4", "50.5", "79.3", "94.9", "100"),
}
"""Published for Enron with its self-loops, in percent."""
MOST_OFF = 3.0
READINGS = {
    "dropped": "loops are dropped first; a window without other rows stays empty and counts as 1",
    "left out": "the same, and such a window is no snapshot",
    "in the density": "loops are dropped, but counted in the density that the noise uses",
    "kept": "loops are counted in the density, get no noise, and are in both graphs",
}


def main() -> None:
    """Measure every window and variant next to both published rows."""
    rng = cryptographic_generator()
    rows: list[tuple[object, ...]] = []
    for window, with_loops in WITH_LOOPS.items():
        case = CASES[f"Enron {window}"]
        if not case.path.exists():
            continue
        snapshots, own = case.read(), loops(case).sum(axis=1)
        for place, epsilon in enumerate(EPSILONS):
            figures = PUBLISHED["Enron", window][place], with_loops[place]
            cells = (_cell(reading, snapshots, own, epsilon, rng, figures) for reading in READINGS)
            rows.append((window, epsilon, *cells, *figures))
    meanings = "; ".join(f"*{name}*: {meaning}" for name, meaning in READINGS.items())
    write_section(
        "Temporal graphs: self-loops under edge-local differential privacy",
        "python -m bench.temporal_loops",
        f"Enron, edge Jaccard in percent: mean and standard deviation of {RUNS} runs by variant. {meanings}. The marks "
        "show which published mean of five runs lies within three standard errors of the difference, beyond its "
        "rounding: without loops (†), with loops (‡).",
        ("window", "epsilon", *READINGS, "published without", "published with"),
        rows,
    )


def _cell(
    reading: str,
    snapshots: Snapshots,
    own: NDArray[np.int64],
    epsilon: float,
    rng: np.random.Generator,
    figures: tuple[str, str],
) -> str:
    runs = list(_runs(reading, snapshots, own, epsilon, rng))
    distances = [standard_errors(figure, runs) for figure in figures]
    marks = "".join(mark for mark, off in zip("†‡", distances, strict=True) if abs(off or 0.0) <= MOST_OFF)
    return f"{np.mean(runs):.2f} ({np.std(runs, ddof=1):.2f}) {marks}".rstrip()


def _runs(
    reading: str, snapshots: Snapshots, own: NDArray[np.int64], epsilon: float, rng: np.random.Generator
) -> Iterator[float]:
    """The mean edge Jaccard of every run, in percent."""
    sizes = np.diff(snapshots.starts)
    counted = sizes + own if reading in ("in the density", "kept") else sizes
    density = SnapshotDensity(declared=tuple((counted / (snapshots.n * (snapshots.n - 1))).tolist()))
    guarantee = TemporalEdgeLocalDp(epsilon=epsilon, density=density)
    for _ in range(RUNS):
        method = TemporalEdgeLocalNoise(least_survival=0)
        released = method.apply(snapshots, [guarantee], rng, unwatched).snapshots
        both = ((snapshots.keys_at(t), released.keys_at(t)) for t in range(len(snapshots)))
        shared = np.array([len(np.intersect1d(*keys, assume_unique=True)) for keys in both])
        union = sizes + np.diff(released.starts) - shared
        if reading == "kept":
            shared, union = shared + own, union + own
        similar = np.where(union > 0, shared / np.maximum(union, 1), 1.0)
        yield 100 * float((similar[sizes > 0] if reading == "left out" else similar).mean())


if __name__ == "__main__":
    main()
