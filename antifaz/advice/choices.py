"""Choices: the cost of several values of k, tried on the table itself with the policy's method."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from antifaz import catalogue
from antifaz.advice.linkage import chosen_rows
from antifaz.arrays import distinct
from antifaz.errors import AntifazError
from antifaz.policy.model import Policy
from antifaz.tables.classes.classes import released_crowds
from antifaz.tables.parts import TableMethod, TableUtility
from antifaz.tables.table import Attribute, ProtectedTable, Table
from antifaz.watch import Watch, unwatched

CANDIDATES = (2, 3, 5, 10, 20, 50, 100)
LARGEST = 100_000
"""Number of rows above which fewer values of k are tried."""
MOST_TRIED = 200_000
"""Largest number of rows on which choices are tried, spread evenly over the file: more rows would take longer, and a
larger table loses less."""
USUAL = 5
"""The k of most published tables about people."""


def persons_in(table: Table) -> int:
    """The number of people in a table: distinct persons if it has a privacy unit, else records."""
    return table.n if table.unit is None else len(distinct(table.unit))


def try_choices(table: Table, policy: Policy, rng: np.random.Generator, watch: Watch) -> list[dict[str, Any]]:
    """For some values of k, the highest risk of a person and the information lost; for a large table, on some rows."""
    rows, table = table.n, _sample_rows(table)
    persons = persons_in(table)
    candidates = [k for k in CANDIDATES if k == 2 or 4 * k <= persons]
    if rows > LARGEST:
        candidates = [k for k in candidates if k in (USUAL, 20, 100)]
    choices = []
    for place, k in enumerate(candidates):
        watch(place / len(candidates))
        choice = _try(table, policy, k, rng, watch)
        if choice is not None:
            choices.append(choice)
    return choices


def _sample_rows(table: Table) -> Table:
    """Some rows of a large table, with the values that occur in them."""
    if table.n <= MOST_TRIED:
        return table
    rows = chosen_rows(table.n, MOST_TRIED)
    unit = None if table.unit is None else table.unit[rows]
    return Table(tuple(_cut_attribute(attribute, rows) for attribute in table.attributes), len(rows), unit)


def _cut_attribute(attribute: Attribute, rows: NDArray[np.int64]) -> Attribute:
    column, hierarchy = attribute.column, attribute.generalization
    used, codes = np.unique(column.codes[rows], return_inverse=True)
    numbers = None if column.numbers is None else column.numbers[used]
    column = replace(column, codes=codes.astype(np.int32), values=column.values[used], numbers=numbers)
    return replace(
        attribute, column=column, generalization=None if hierarchy is None else hierarchy.cut(used.astype(np.int64))
    )


def _try(table: Table, policy: Policy, k: int, rng: np.random.Generator, watch: Watch) -> dict[str, Any] | None:
    guarantees = [g if g.wire_name() != "k_anonymity" else g.model_copy(update={"k": k}) for g in policy.guarantees]
    method: TableMethod = policy.class_method().model_copy(update={"effort": "fast"})
    try:
        released = method.apply(table, guarantees, rng, lambda _: watch(0.5))
    except AntifazError:
        return None
    return {"k": k, "risk": round(_risk(released), 4), "loss": round(_loss(table, released, rng), 4)}


def _risk(released: ProtectedTable) -> float:
    """The probability of picking the right person from the smallest class."""
    return 1.0 / max(1.0, float(released_crowds(released).min(initial=len(released.records))))


def _loss(table: Table, released: ProtectedTable, rng: np.random.Generator) -> float:
    measure = cast(TableUtility, catalogue.part("utility", "table", "ncp")())
    return float(measure.measure(table, released, rng, unwatched)["value"])


def usual_k(persons: int) -> int:
    """A k that suits the number of people: small files cannot afford a large one."""
    return USUAL if persons >= 10 * USUAL else 3 if persons >= 15 else 2


def better_k(choices: Sequence[dict[str, Any]], persons: int, k: int) -> int:
    """A higher k if it costs a large file almost nothing."""
    losses = {choice["k"]: choice["loss"] for choice in choices}
    if persons < 10_000 or k not in losses or 10 not in losses:
        return k
    return 10 if losses[10] - losses[k] <= 0.05 else k
