"""Measures of temporal graphs: the published figures of communities and centralities, and the cost of measuring.

python -m bench.temporal_measures            every section; takes a few minutes
python -m bench.temporal_measures cores      one of them: cores, quality, noise, cost or day
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from antifaz import catalogue
from antifaz.temporal.community_quality import as_published, temporal_weights
from antifaz.temporal.guarantees.edge_local_dp import SnapshotDensity, TemporalEdgeLocalDp
from antifaz.temporal.methods.edge_local_dp import TemporalEdgeLocalNoise
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.temporal.utility.tscan import Tscan
from antifaz.watch import unwatched
from bench.results import write_section
from bench.snapshots import CASES
from bench.temporal_degrees import TARGETS, protected_and_verified
from publication.generator import cryptographic_generator

CORES = {
    "voles": (13, 5, 4, 0),
    "Enron week": (133, 100, 89, 65),
    "Enron month": (128, 102, 96, 86),
    "CollegeMsg week": (120, 31, 15, 8),
    "ant": (152, 152, 152, None),
}
"""Published numbers of weak, strong and stable cores, and of stable ones if snapshots must be consecutive."""
QUALITY: tuple[tuple[str, dict[str, Any], tuple[float | None, ...]], ...] = (
    ("voles", {"variant": "B"}, (6.33, 11.0, 6.33)),
    ("voles", {"variant": "S"}, (3.42, 17.3, 6.33)),
    ("voles", {"variant": "B", "epsilon": 0.5}, (6.33, 11.0, 6.33)),
    ("voles", {"variant": "S", "epsilon": 0.5}, (6.33, 11.0, 6.33)),
    ("voles", {"variant": "B", "epsilon": 0.8}, (None, None, None)),
    ("voles", {"variant": "B", "mu": 5}, (None, None, None)),
    ("voles", {"variant": "B", "tau": 5}, (None, None, None)),
    ("ant", {"variant": "B"}, (1, 2556.8, 1)),
    ("Enron week", {"variant": "B"}, (660, 134.9, 660)),
)
"""Published AS, AD and AC; those of Enron come from a search that misses a core."""
EPSILONS = (0.1, 2, 4, 6, 8, 10, 20)
NOISE = {
    "deltacon": (25.0, 25.1, 26.7, 33.8, 50.9, 74.9, 100),
    "betweenness_centrality": (29.9, 29.9, 34.8, 53.0, 79.0, 95.6, 100),
    "closeness_centrality": (9.9, 9.8, 13.5, 31.0, 63.8, 89.1, 100),
    "degree_centrality": (12.7, 14.3, 24.2, 51.3, 74.1, 91.3, 100),
}
"""Published percentages, means over the snapshots of Enron by week and five runs; perhaps with self-loops and another
order of ties."""


def main() -> None:
    """Measure the named sections, or all."""
    sections: dict[str, Callable[[], None]] = {
        "cores": cores,
        "quality": quality,
        "noise": noise,
        "cost": cost,
        "day": day,
    }
    for name in sys.argv[1:] or sections:
        sections[name]()


def cores() -> None:
    """Numbers of cores, with both algorithms for stable ones."""
    rows = []
    for name, published in CORES.items():
        if not CASES[name].path.exists():
            continue
        snapshots = CASES[name].read()
        found = {variant: Tscan(variant=variant).cluster(snapshots, unwatched) for variant in ("A", "B")}
        in_a_row = Tscan(consecutive=True).cluster(snapshots, unwatched).counts()["stable"]
        counts = found["A"].counts()
        same = bool((found["A"].stable == found["B"].stable).all())
        figures = counts["weak"], counts["strong"], counts["stable"], in_a_row
        exact = figures[: 4 if published[3] is not None else 3] == published[: 4 if published[3] is not None else 3]
        rows.append((name, *figures, counts["undecided"], "yes" if same else "NO", "yes" if exact else "NO"))
    write_section(
        "Temporal graphs: cores",
        "python -m bench.temporal_measures cores",
        "TSCAN with epsilon 0.2, mu 3, tau 3. The last columns show whether TSCAN-A and TSCAN-B find the same cores, "
        "and whether the numbers equal the published ones.",
        ("data", "weak", "strong", "stable", "stable in a row", "undecided", "A = B", "as published"),
        rows,
    )


def quality() -> None:
    """AS, AD and AC of the originals."""
    rows = []
    for name, parameters, published in QUALITY:
        if not CASES[name].path.exists():
            continue
        snapshots = CASES[name].read()
        found = Tscan(**parameters).cluster(snapshots, unwatched)
        figures = as_published(temporal_weights(snapshots), found.communities)
        shown = "/".join("none" if value is None else f"{value:.2f}" for value in figures.values())
        expected = "/".join("none" if value is None else f"{value:g}" for value in published)
        rows.append((name, ", ".join(f"{key} {value}" for key, value in parameters.items()), shown, expected))
    write_section(
        "Temporal graphs: quality of communities",
        "python -m bench.temporal_measures quality",
        "AS/AD/AC of the originals. The published figures of Enron come from a search that misses "
        "a core, perhaps on data with self-loops.",
        ("data", "parameters", "AS/AD/AC", "published"),
        rows,
    )


def noise() -> None:
    """Similarity under edge-local differential privacy with exact densities, on Enron by week."""
    if not CASES["Enron week"].path.exists():
        return
    snapshots = CASES["Enron week"].read()
    rng = cryptographic_generator()
    rows = []
    for place, epsilon in enumerate(EPSILONS):
        released = _noised(snapshots, epsilon, rng)
        cells = []
        for name, published in NOISE.items():
            found = catalogue.part("utility", "temporal_graph", name)().measure(  # type: ignore[attr-defined]
                snapshots, released, rng, unwatched
            )
            clear = found.get("clear_top")
            beside = "" if clear is None else f", clear {100 * clear:.1f}"
            cells.append(f"{100 * found['value']:.1f} ({published[place]}{beside})")
        rows.append((epsilon, *cells))
    write_section(
        "Temporal graphs: similarity under edge-local differential privacy",
        "python -m bench.temporal_measures noise",
        "Enron by week without self-loops, one run, in percent; in brackets the published figure (five runs, perhaps "
        "with self-loops and another order of tied nodes), and the agreement of the tops that no tie decides.",
        ("epsilon", "DeltaCon", "betweenness", "closeness", "degree"),
        rows,
    )


def cost() -> None:
    """CPU seconds of every default measure on CollegeMsg by day, and on a million contacts in a thousand snapshots."""
    rng = np.random.default_rng(1)
    inputs = {"drawn": _drawn(20_000, 1_000, 1_000_000, rng)}
    if CASES["CollegeMsg day"].path.exists():
        inputs = {"CollegeMsg day": CASES["CollegeMsg day"].read()} | inputs
    seconds = {title: _seconds(snapshots, _moved(snapshots, rng)) for title, snapshots in inputs.items()}
    names = list(next(iter(seconds.values())))
    rows = [(name, *(f"{each[name]:.2f}" for each in seconds.values())) for name in names]
    rows.append(("together", *(f"{sum(each.values()):.1f}" for each in seconds.values())))
    write_section(
        "Temporal graphs: what the default report costs",
        "python -m bench.temporal_measures cost",
        "CPU seconds of each part, on CollegeMsg by day and on 10^6 random contacts of 20,000 nodes in 1,000 "
        "snapshots, a third of the contacts redirected in the release.",
        ("part", *inputs),
        rows,
    )


def day() -> None:
    """CPU seconds of a whole job on CollegeMsg by day: the method, the bytes, the verifier, the default report."""
    case, rng = CASES["CollegeMsg day"], cryptographic_generator()
    if not case.path.exists():
        return
    rows: list[tuple[object, ...]] = []
    snapshots = case.read()
    for target, guarantee in TARGETS.items():
        found, seconds = protected_and_verified(snapshots, target, guarantee, rng)
        report = _seconds(snapshots, found.renamed(rng.permutation(snapshots.n)))
        parts = *seconds, report["tscan (utility)"], sum(report.values())
        rows.append((target, *(f"{each:.1f}" for each in (*parts, sum(seconds) + sum(report.values())))))
    write_section(
        "Temporal graphs: CollegeMsg by day with the default report",
        "python -m bench.temporal_measures day",
        "193 snapshots of 1,899 nodes, directed; `temporal_k_degree`, k = 5. CPU seconds of the method, of writing the "
        "release as csv, of the verifier on these bytes, of the default report, of TSCAN alone, and of everything.",
        ("target", "protect", "write", "verify", "TSCAN", "report", "together"),
        rows,
    )


def _noised(snapshots: Snapshots, epsilon: float, rng: np.random.Generator) -> ProtectedSnapshots:
    guarantee = TemporalEdgeLocalDp(epsilon=epsilon, density=SnapshotDensity(exact=True))
    method = TemporalEdgeLocalNoise(least_survival=0, dense="complement")
    return method.apply(snapshots, [guarantee], rng, unwatched)


def _drawn(n: int, count: int, contacts: int, rng: np.random.Generator) -> Snapshots:
    """Random contacts of nodes whose expected degrees follow a power law of the rank."""
    weights = np.cumsum((np.arange(n) + 10.0) ** -0.6)
    ends = np.searchsorted(weights, rng.random((2, contacts)) * weights[-1]).astype(np.int64)
    labels = [str(t) for t in range(count)]
    return Snapshots.from_rows(n, ends[0], ends[1], rng.integers(0, count, contacts), labels)


def _moved(snapshots: Snapshots, rng: np.random.Generator) -> ProtectedSnapshots:
    """The snapshots with a third of the contacts redirected to random nodes, and the nodes renumbered."""
    elsewhere = rng.random(snapshots.m) < 1 / 3
    targets = np.where(elsewhere, rng.integers(0, snapshots.n, snapshots.m), snapshots.targets)
    rows = snapshots.n, snapshots.sources, targets, snapshots.times
    moved = Snapshots.from_rows(*rows, snapshots.labels, snapshots.directed)
    return ProtectedSnapshots(moved, np.arange(snapshots.n, dtype=np.int64)).renamed(rng.permutation(snapshots.n))


def _seconds(snapshots: Snapshots, released: ProtectedSnapshots) -> dict[str, float]:
    """CPU seconds of every part of the default report."""
    found = {}
    for folder in ("risk", "utility", "attacks"):
        for part in catalogue.parts(folder, "temporal_graph"):
            if part.kinds[0] == "temporal_graph" and getattr(part, "default", True):
                start = time.process_time()
                _run(part(), snapshots, released)
                found[f"{part.wire_name()} ({folder})"] = time.process_time() - start
    return found


def _run(part: Any, snapshots: Snapshots, released: ProtectedSnapshots) -> None:
    rng = np.random.default_rng(2)
    if hasattr(part, "measure"):
        part.measure(snapshots, released, rng, unwatched)
    elif hasattr(part, "attempt"):
        part.attempt(snapshots, released, rng, unwatched)
    else:
        part.before(snapshots)
        part.after(released)


if __name__ == "__main__":
    main()
