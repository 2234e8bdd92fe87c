"""Synthetic tables under differential privacy: their distance from Adult, and how well a classifier learns from them.

    python -m bench.dp_tables [RUNS]

Eighty percent of the rows are released by the model `dp_marginals` of `synthetic`, at delta = 1e-9. Distances are total
variation distances of marginals to the released rows, the mean over all marginals of one, two and three columns. A
gradient-boosted classifier of salary-class is trained on the release and tested on the held-out rows; this
needs scikit-learn, which is not one of our dependencies.
"""

import csv
import resource
import sys
import time
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from antifaz.noise import largest_rho
from antifaz.tables.synthetic.marginals import Spending, learn
from antifaz.watch import unwatched
from bench.graphs import DATA
from bench.results import write_section
from publication.generator import cryptographic_generator

FILE = DATA.parent / "tables" / "adult" / "adult.csv"
EPSILONS = (0.1, 1.0, 10.0)
DELTA = 1e-9
TARGET = "salary-class"
PEERS = (
    ("0.1", "AIM (mbi), one run", ".0407", ".1048", ".1826", ".806", ".821", 207, 1833),
    ("0.1", "MST (mbi), five runs", ".0635", ".1555", ".2561", ".747", ".761", 18, 865),
    ("1", "AIM (mbi), one run", ".0094", ".0388", ".0871", ".828", ".869", 538, 3379),
    ("1", "MST (mbi), one run", ".0090", ".0536", ".1155", ".750", ".787", 36, 1261),
    ("10", "AIM (mbi), one run", ".0029", ".0181", ".0523", ".832", ".883", 613, 3409),
    ("10", "MST (mbi), five runs", ".0011", ".0419", ".1012", ".747", ".777", 34, 1085),
)
"""Third-party implementations, with the same split. At 0.1 and 10 after their papers, over mbi 2.0: AIM with
models of at most 80 MB, 150 steps of its estimate in each round and 1,000 at the end, since more take too long."""
HEADER = ("epsilon", "release", "1-way", "2-way", "3-way", "accuracy", "AUC", "CPU s", "MB")
Codes = NDArray[np.int64]


def main() -> None:
    """Write the section."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdecimal() else 5
    names, sizes, codes = _adult()
    order = np.random.default_rng(0).permutation(len(codes))
    taught, tested = codes[order[: int(0.8 * len(codes))]], codes[order[int(0.8 * len(codes)) :]]
    rows: list[tuple[object, ...]] = [
        ("", "the rows themselves", 0, 0, 0, *_shown(_learned(names, taught, tested)), "", "")
    ]
    for epsilon in EPSILONS:
        rows += [peer for peer in PEERS if float(peer[0]) == epsilon]
        figures = np.array([_run(names, sizes, taught, tested, epsilon) for _ in range(runs)], dtype=np.float64)
        mean, spread = figures.mean(axis=0), figures.std(axis=0)
        shown = [f"{mean[place]:.4f} ± {spread[place]:.4f}" for place in range(5)]
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        rows.append((epsilon, f"dp_marginals, {runs} runs", *shown, f"{mean[5]:.1f}", memory))
    introduction = "Adult, 80 % of 30,162 rows, nine columns, delta = 1e-9; mean and deviation over the runs."
    write_section(
        "Synthetic tables under differential privacy", "python -m bench.dp_tables", introduction, HEADER, rows
    )


def _adult() -> tuple[list[str], list[int], Codes]:
    """Names, numbers of values and codes of every column; ages in their order."""
    with FILE.open() as file:
        names, *rows = csv.reader(file, delimiter=";")
    columns = [[row[place] for row in rows] for place in range(len(names))]
    values = [sorted(set(column), key=lambda text: (text.zfill(3), text)) for column in columns]
    places = [{value: place for place, value in enumerate(known)} for known in values]
    codes = [[known[cell] for cell in column] for known, column in zip(places, columns, strict=True)]
    return names, [len(known) for known in values], np.array(codes, dtype=np.int64).T.copy()


def _run(names: list[str], sizes: list[int], taught: Codes, tested: Codes, epsilon: float) -> list[float]:
    """Distances, accuracy, area under the curve and CPU seconds of one release."""
    rng, start = cryptographic_generator(), time.process_time()
    spending = Spending("zcdp", 1, largest_rho(epsilon, DELTA))
    columns, ordered = [taught[:, place] for place in range(len(names))], [name == "age" for name in names]
    model = learn(columns, sizes, ordered, spending, rng, unwatched)
    made = model.sample(model.total, rng, unwatched)
    spent = time.process_time() - start
    return [*(_distance(taught, made, sizes, width) for width in (1, 2, 3)), *_learned(names, made, tested), spent]


def _distance(one: Codes, other: Codes, sizes: list[int], width: int) -> float:
    """The mean total variation distance of all marginals of a number of columns."""
    found = []
    for chosen in combinations(range(len(sizes)), width):
        shape = [sizes[place] for place in chosen]
        shares = [
            np.bincount(np.ravel_multi_index(tuple(codes[:, chosen].T), shape), minlength=int(np.prod(shape)))
            / len(codes)
            for codes in (one, other)
        ]
        found.append(np.abs(shares[0] - shares[1]).sum() / 2)
    return float(np.mean(found))


def _learned(names: list[str], made: Codes, tested: Codes) -> tuple[float, float]:
    """Accuracy and area under the curve of a classifier; NaN if scikit-learn is not installed."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.metrics import roc_auc_score
    except ImportError:
        return float("nan"), float("nan")
    target = names.index(TARGET)
    others = [place for place in range(len(names)) if place != target]
    model = HistGradientBoostingClassifier(random_state=0).fit(made[:, others], made[:, target])
    chances = model.predict_proba(tested[:, others])[:, 1]
    return float((model.predict(tested[:, others]) == tested[:, target]).mean()), float(
        roc_auc_score(tested[:, target], chances)
    )


def _shown(figures: tuple[float, float]) -> list[str]:
    return [f"{figure:.4f}" for figure in figures]


if __name__ == "__main__":
    main()
