"""Degrees over time as published: utility of `temporal_k_degree` with `havel_hakimi`, next to the published figures.

    python -m bench.temporal_rebuilt

The published runs count self-loops: their mean density of Enron by month is that of data with loops, and a window with
only loops is a snapshot. An upload loses its loops. Both variants are measured: the same degrees, medians and graphs,
with loops counted in the in-degrees and in the union of the edge Jaccard, or left out of both.
The data folder is next to the checkout; missing files are skipped.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import Infeasible
from antifaz.temporal.snapshots import Snapshots
from antifaz.temporal.strategies.havel_hakimi import recurring_rows, with_rows
from antifaz.watch import unwatched
from bench.results import write_section
from bench.snapshots import CASES, loops
from publication.generator import cryptographic_generator

Integers = NDArray[np.int64]

LEVELS = range(2, 8)
RUNS = 20
MEASURES = ("edge Jaccard %", "mean density", "empty snapshots")
PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    "edge Jaccard %": {
        "sparrow": (15.1,),
        "voles": (0,) * 6,
        "ant": (28.9, 29.3, 29.5, 30.2, 29.1, 29.4),
        "Enron week": (0.08, 0.04, 0.04, 0.04, 0.04, 0.04),
        "Enron month": (0.32, 0.23, 0.25, 0.24, 0.23, 0.22),
    },
    "mean density": {
        "ant": (0.4111, 0.4143, 0.4086, 0.4213, 0.4080, 0.4061),
        "Enron month": (0.0061, 0.0039, 0.0043, 0.0038, 0.0038, 0.0039),
    },
    "empty snapshots": {
        "voles": (61,) * 6,
        "Enron day": (422, 718, 749, 833, 829, 858),
        "Enron week": (53, 100, 111, 117, 133, 131),
        "CollegeMsg day": (141, 193, 192, 193, 193, 193),
        "CollegeMsg week": (13, 29, 29, 29, 29, 29),
    },
}
"""Means of five runs each, for k = 2, 3, …"""


def main() -> None:
    """Measure every case in both variants, next to the published figures."""
    rng = cryptographic_generator()
    rows: list[tuple[object, ...]] = []
    for case in CASES.values():
        if not case.path.exists():
            continue
        snapshots, own = case.read(), loops(case)
        for counted in (True, False) if own.any() else (False,):
            name = f"{case.name}{', loops counted' if counted else ''}"
            for k in LEVELS:
                if k <= len(snapshots):
                    rows.append((name, k, *_cells(case.name, k, snapshots, own if counted else 0 * own, rng)))
    write_section(
        "Temporal graphs: rebuilt as published",
        "python -m bench.temporal_rebuilt",
        f"`temporal_k_degree` with `havel_hakimi`: mean and, in brackets, standard deviation of {RUNS} runs; then the "
        "published mean of five runs, and its distance in standard errors of a mean of five. Two empty snapshots "
        "count as equal; empty snapshots include those that are empty in the original.",
        ("data", "k", *(cell for measure in MEASURES for cell in (measure, "published"))),
        rows,
    )


def _cells(name: str, k: int, snapshots: Snapshots, own: Integers, rng: np.random.Generator) -> Iterator[str]:
    """Each measure with its published figures."""
    figures = list(_runs(k, snapshots, own, rng))
    if not figures:
        yield from ("refused", "") * len(MEASURES)
        return
    for measure, values, form in zip(MEASURES, zip(*figures, strict=True), (".2f", ".5f", ".1f"), strict=True):
        mean, spread = float(np.mean(values)), float(np.std(values, ddof=1))
        yield f"{mean:{form}} ({spread:{form}})"
        figure = dict(enumerate(PUBLISHED[measure].get(name, ()), LEVELS[0])).get(k)
        yield "" if figure is None else f"{figure:g}{_distance(figure - mean, spread)}"


def _distance(difference: float, spread: float) -> str:
    """The difference of two means in standard errors: one of five runs and ours."""
    error = spread * np.sqrt(1 / 5 + 1 / RUNS)
    return f" ({difference / error:+.1f})" if error > 0 else ""


def _runs(k: int, snapshots: Snapshots, own: Integers, rng: np.random.Generator) -> Iterator[tuple[float, ...]]:
    """Edge Jaccard, density and empty snapshots of every run that is not refused."""
    degrees = (snapshots.in_degrees if snapshots.directed else snapshots.degrees) + own
    pairs = snapshots.n * (snapshots.n - 1) / (1 if snapshots.directed else 2)
    for _ in range(RUNS):
        try:
            rows = recurring_rows(degrees, k, rng, unwatched).degrees
        except Infeasible:
            continue
        released = with_rows(snapshots, rows, rng, unwatched)
        sizes = np.diff(released.starts)
        kept = 100 * _jaccards(snapshots, released, own.sum(axis=1)).mean()
        yield kept, float((sizes / pairs).mean()), float((sizes == 0).sum())


def _jaccards(before: Snapshots, after: Snapshots, own: Integers) -> NDArray[np.float64]:
    """The edge Jaccard of every snapshot, including self-loops of the original; 1 if both are empty."""
    both = ((before.keys_at(t), after.keys_at(t)) for t in range(len(before)))
    kept = np.array([len(np.intersect1d(*keys, assume_unique=True)) for keys in both])
    union = np.diff(before.starts) + np.diff(after.starts) + own - kept
    return np.where(union > 0, kept / np.maximum(union, 1), 1.0)


if __name__ == "__main__":
    main()
