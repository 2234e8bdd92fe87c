"""Tables: information loss and CPU time of Mondrian on Adult, and CPU time on a million records.

The loss is computed only from the released labels, by an evaluator that shares nothing with the engine. A range loses
its width divided by the domain's, a set the share of all values that it names, a group the share of all leaves that it
covers; an exact value loses nothing. The figure is the mean over all records and quasi-identifiers.

    python -m bench.tables
"""

import csv
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from antifaz.hierarchies.levels import Levels
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.methods.mondrian import Mondrian
from antifaz.tables.reading.attributes import AttributeSettings, cast_column, resolve_attribute
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import unwatched
from bench.results import write_section

ADULT = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "tables" / "adult"
SIZES = (2, 5, 10, 50, 100)
MILLION = 1_000_000
ADULT_LIKE = (74, 2, 5, 7, 16, 41, 7, 14, 2)
"""Distinct values of each column of the large table."""
BEST_PEERS = {
    "sets": (0.0141, 0.0407, 0.0694, 0.1716, 0.2132),
    "hierarchies, age as a range": (0.0346, 0.0680, 0.0944, 0.1716, 0.2132),
    "hierarchies": (0.0346, 0.0680, 0.0944, 0.1716, 0.2132),
}
"""The smallest losses of other programs on the same table, from runs of 15 to 95 CPU seconds."""

Columns = Mapping[str, Sequence[str]]
Hierarchies = Mapping[str, Sequence[Sequence[str]]]


def main() -> None:
    """Print every figure."""
    if ADULT.exists():
        measure_adult()
    else:
        print("Adult is not next to the checkout: skipped.")
    measure_million()


def measure_adult() -> None:
    columns = read_adult()
    hierarchies = {name: read_rows(f"adult_hierarchy_{name}.csv") for name in columns}
    others = {name: rows for name, rows in hierarchies.items() if name != "age"}
    rows = []
    for title, chosen in (("sets", {}), ("hierarchies, age as a range", others), ("hierarchies", hierarchies)):
        table = build(columns, chosen)
        for method in methods(title):
            protect(table, method, SIZES[-1])
            figures = []
            for k in SIZES:
                released, seconds = protect(table, method, k)
                loss, smallest = evaluate(columns, chosen, released)
                assert smallest >= k
                figures.append(f"{loss:.4f} ({seconds:.2f})")
            rows.append((title, method.cut, method.effort, *figures))
        rows.append((title, "best peer that was measured", "", *(f"{figure:.4f}" for figure in BEST_PEERS[title])))
    header = ("labels", "cut", "effort", *(f"k = {k}" for k in SIZES))
    introduction = (
        "Loss (CPU s) of Mondrian, nine quasi-identifiers, no row left out; `loss` and `normal` are the default."
    )
    write_section("Adult", "python -m bench.tables", introduction, header, rows)


def methods(title: str) -> list[Mondrian]:
    """Every variant for sets, the default for hierarchies."""
    if title != "sets":
        return [Mondrian(), Mondrian(effort="high")]
    return [Mondrian(effort="fast"), Mondrian(), Mondrian(effort="high"), Mondrian(cut="range")]


def read_adult() -> dict[str, tuple[str, ...]]:
    header, *rows = read_rows("adult.csv")
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def read_rows(name: str) -> list[list[str]]:
    with (ADULT / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter=";"))


def build(columns: Columns, hierarchies: Hierarchies) -> Table:
    """A table of quasi-identifiers."""
    attributes = []
    for name, cells in columns.items():
        texts, codes = np.unique(np.array(cells, dtype=object), return_inverse=True)
        hierarchy = Levels(rows=[list(row) for row in hierarchies[name]]) if name in hierarchies else None
        column = cast_column(name, texts, codes.astype(np.int32))
        attributes.append(resolve_attribute(column, AttributeSettings(role="quasi_identifier"), hierarchy))
    return Table(tuple(attributes), len(next(iter(columns.values()))))


def protect(table: Table, method: Mondrian, k: int) -> tuple[ProtectedTable, float]:
    """The release, and its CPU seconds."""
    start = time.process_time()
    released = method.apply(table, [KAnonymity(k=k)], np.random.default_rng(1), unwatched)
    return released, time.process_time() - start


def evaluate(columns: Columns, hierarchies: Hierarchies, released: ProtectedTable) -> tuple[float, int]:
    """Mean loss of all cells and size of the smallest class, from the labels."""
    losses = []
    for column in released.columns:
        price = label_prices(columns[column.name], hierarchies.get(column.name, ()), column.labels)
        losses.append(float(np.array(price)[column.codes].mean()))
    rows = zip(*(column.labels[column.codes] for column in released.columns), strict=True)
    return float(np.mean(losses)), min(Counter(rows).values())


def label_prices(cells: Sequence[str], rows: Sequence[Sequence[str]], labels: Iterable[str]) -> list[float]:
    """The loss of each label of a column."""
    domain = set(cells)
    leaves: Counter[str] = Counter()
    for row in rows:
        leaves.update(set(row[1:]))
    prices = []
    for label in labels:
        if label in domain:
            prices.append(0.0)
        elif rows:
            prices.append(leaves[label] / len(rows) if leaves[label] > 1 else 0.0)
        else:
            prices.append(list_price(json.loads(label), domain))
    return prices


def list_price(members: list[float] | list[str], domain: set[str]) -> float:
    if isinstance(members[0], str):
        return len(members) / len(domain)
    numbers = [float(value) for value in domain]
    return (float(members[1]) - float(members[0])) / (max(numbers) - min(numbers))


def adult_like(rows: int, widths: Sequence[int] = ADULT_LIKE) -> Table:
    """Independent, skewed columns with the same numbers of values as Adult's."""
    rng = np.random.default_rng(7)
    attributes = []
    for number, values in enumerate(widths):
        weights = 1.0 / np.arange(1, values + 1) ** 0.8
        codes = rng.choice(values, size=rows, p=weights / weights.sum()).astype(np.int32)
        texts = [str(17 + value) if number == 0 else f"v{value:02d}" for value in range(values)]
        column = cast_column(f"a{number}", texts, codes)
        attributes.append(resolve_attribute(column, AttributeSettings(role="quasi_identifier"), None))
    return Table(tuple(attributes), rows)


def measure_million() -> None:
    """CPU time on many independent, skewed columns."""
    table = adult_like(MILLION)
    rows = []
    for method in (Mondrian(), Mondrian(cut="range")):
        for k in (5, 10):
            released, seconds = protect(table, method, k)
            losses = [c.losses[c.codes].mean() for c in released.columns if c.losses is not None]
            rows.append((method.cut, k, f"{np.mean(losses):.4f}", f"{seconds:.2f}"))
    introduction = f"Mondrian on {MILLION:,} records with {len(ADULT_LIKE)} quasi-identifiers."
    write_section("A million records", "python -m bench.tables", introduction, ("cut", "k", "loss", "CPU s"), rows)


if __name__ == "__main__":
    main()
