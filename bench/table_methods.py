"""Table methods: losses and CPU seconds of the methods other than Mondrian.

python -m bench.table_methods
"""

import math
import time
from collections.abc import Sequence

import numpy as np

from antifaz.kernels.tables.microaggregate import group_around
from antifaz.tables.classes.classes import released_classes
from antifaz.tables.guarantees.k_anonymity import KAnonymity
from antifaz.tables.methods.additive_noise import AdditiveNoise
from antifaz.tables.methods.datafly import Datafly
from antifaz.tables.methods.microaggregation import Microaggregation
from antifaz.tables.methods.mu_argus import MuArgus
from antifaz.tables.methods.optimal import Optimal
from antifaz.tables.methods.pram import Pram
from antifaz.tables.methods.rank_swapping import RankSwapping
from antifaz.tables.methods.synthetic import Synthetic
from antifaz.tables.parts import TableGuarantee, TableMethod
from antifaz.tables.reading.attributes import AttributeSettings, cast_column, resolve_attribute
from antifaz.tables.table import ProtectedTable, Table
from bench.results import write_section
from bench.tables import ADULT, ADULT_LIKE, MILLION, SIZES, adult_like, build, read_adult, read_rows

BUDGET = 10.0
"""CPU seconds for a search whose lattice is too large to list."""
NOTES: list[tuple[str, str]] = []


def main() -> None:
    """Print every figure."""
    warm_up()
    if ADULT.exists():
        measure_adult()
    else:
        note("Adult is not next to the checkout: skipped.")
    measure_wide()
    measure_datafly()
    measure_microaggregation()
    measure_others()
    introduction = "Losses by the program's own account; a row that is left out loses everything."
    write_section("Other methods", "python -m bench.table_methods", introduction, ("what", "figures"), NOTES)


def note(line: str) -> None:
    """Keep one line for the page: the name of the measurement, and its figures after the first colon."""
    what, _, figures = line.partition(": ")
    NOTES.append((what, figures))


def warm_up() -> None:
    """Compile the kernels, so that their first call is not measured."""
    small = adult_like(500)
    for method in (Optimal(), Datafly(), Microaggregation(), Microaggregation(variant="univariate", size=2)):
        guarantees = [] if getattr(method, "size", None) else [KAnonymity(k=2)]
        run(small, method, *guarantees)
    run(small, RankSwapping())


def run(
    table: Table, method: TableMethod, *guarantees: TableGuarantee, budget: float = math.inf
) -> tuple[ProtectedTable, float]:
    """The release, and its CPU seconds; a method that can stop early stops after the budget."""
    start = time.process_time()
    released = method.apply(table, guarantees, np.random.default_rng(1), lambda _: time.process_time() - start > budget)
    return released, time.process_time() - start


def loss_of(table: Table, released: ProtectedTable) -> float:
    """Mean loss of all cells; a record that is left out loses everything."""
    missing = table.n - len(released.records)
    lost = [float(c.losses[c.codes].sum()) + missing for c in released.columns if c.losses is not None]
    return float(np.mean(lost)) / table.n


def measure_adult() -> None:
    columns = read_adult()
    table = build(columns, {name: read_rows(f"adult_hierarchy_{name}.csv") for name in columns})
    methods = [Optimal(), Optimal(suppression=0.04), Optimal(suppression=0.1), Datafly(), Datafly(suppression=0.04)]
    for k in SIZES:
        for method in methods:
            released, seconds = run(table, method, KAnonymity(k=k))
            about = f"{method.wire_name()}, suppression {getattr(method, 'suppression', None)}"
            looks = f", {released.account['looks']} looks" if "looks" in released.account else ""
            left_out = table.n - len(released.records)
            note(
                f"Adult k={k:<4} {about}: loss {loss_of(table, released):.4f}, "
                f"left out {left_out}{looks}, CPU {seconds:.2f} s"
            )
    released, seconds = run(table, Optimal(search="incognito", suppression=0.04), KAnonymity(k=10))
    note(f"Adult k=10   incognito, 4 %: {released.account['minimal']} minimal choices, CPU {seconds:.2f} s")
    released, seconds = run(table, MuArgus())
    note(f"Adult mu_argus: {sum(released.account['cells_suppressed'].values())} cells hidden, CPU {seconds:.2f} s")


def measure_wide() -> None:
    """`optimal` if the lattice is too large to list: the best choice found, and the lower bound of any choice."""
    for width in (11, 15):
        table = adult_like(30_162, (*ADULT_LIKE, 12, 9, 30, 6, 20, 4)[:width])
        for share in (0.0, 0.04):
            released, seconds = run(table, Optimal(suppression=share), KAnonymity(k=5), budget=BUDGET)
            account = released.account
            note(
                f"{width} quasi-identifiers, optimal, suppression {share}: lattice {account['lattice']:,}, loss "
                f"{account['loss']:.4f}, bound {account['bound']:.4f}, {account['looks']} looks, CPU {seconds:.2f} s"
            )


def measure_datafly() -> None:
    table = adult_like(MILLION)
    for share in (None, 0.01):
        released, seconds = run(table, Datafly(suppression=share), KAnonymity(k=10))
        note(f"{MILLION} x 9 datafly, suppression {share}: loss {loss_of(table, released):.4f}, CPU {seconds:.2f} s")


def decimals(cells: np.ndarray) -> Table:
    """A table of numbers, each column by its distinct values."""
    attributes = []
    for index, column in enumerate(np.round(cells, 4).T):
        distinct, codes = np.unique(column, return_inverse=True)
        typed = cast_column(f"x{index}", [repr(value) for value in distinct.tolist()], codes.astype(np.int32), None)
        attributes.append(resolve_attribute(typed, AttributeSettings(role="quasi_identifier"), None))
    return Table(tuple(attributes), len(cells))


def measure_microaggregation() -> None:
    rng = np.random.default_rng(1)
    one = decimals(rng.normal(size=(MILLION, 1)))
    for k in (3, 10):
        _, seconds = run(one, Microaggregation(variant="univariate"), KAnonymity(k=k))
        note(f"{MILLION} univariate microaggregation k={k}: CPU {seconds:.2f} s")
    for rows in (30_000, 100_000):
        cells = rng.normal(size=(rows, 5)) @ rng.normal(size=(5, 5)) + rng.integers(0, 4, size=(rows, 1))
        standard = np.ascontiguousarray((cells - cells.mean(axis=0)) / cells.std(axis=0))
        released, seconds = run(decimals(standard), Microaggregation(), KAnonymity(k=5))
        loss = squared_error(standard, released_classes(released)[0])
        start = time.process_time()
        exact = np.full(rows, -1, dtype=np.int64)
        nothing = np.zeros((rows, 0), dtype=np.int32)
        group_around(standard, nothing, np.zeros(0), np.arange(rows), 5, 0, 0, exact)
        best, slow = squared_error(standard, exact), time.process_time() - start
        note(
            f"{rows} x 5 microaggregation k=5: loss {100 * loss:.2f} %, CPU {seconds:.2f} s; "
            f"exact MDAV {100 * best:.2f} %, {slow:.2f} s; {100 * (loss / best - 1):.1f} % more"
        )


def squared_error(cells: np.ndarray, labels: np.ndarray) -> float:
    """The squared error within groups as a share of the total."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sums, sizes = np.add.reduceat(cells[order], starts), np.diff([*starts, len(labels)])
    return float(1.0 - (sums**2 / sizes[:, None]).sum() / (cells**2).sum())


def measure_others() -> None:
    table = adult_like(MILLION)
    methods: Sequence[TableMethod] = [RankSwapping(), AdditiveNoise(), Pram(), Pram(matrix="invariant"), Synthetic()]
    for method in methods:
        _, seconds = run(table, method)
        note(f"{MILLION} x 9 {method!r}: CPU {seconds:.2f} s")


if __name__ == "__main__":
    main()
