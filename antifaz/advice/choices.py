"""Choices: what k would cost, tried on the table itself with the method that the policy names."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from antifaz import catalogue
from antifaz.arrays import distinct
from antifaz.errors import AntifazError
from antifaz.policy import Policy
from antifaz.tables.classes import released_crowds
from antifaz.tables.parts import TableMethod, TableUtility
from antifaz.tables.table import ProtectedTable, Table
from antifaz.watch import Watch, unwatched

CANDIDATES = (2, 3, 5, 10, 20, 50, 100)
LARGEST = 100_000
"""Tables with more rows than this try fewer values of k."""
USUAL = 5
"""The k of most published tables about people."""


def persons_in(table: Table) -> int:
    """How many people a table is about, as far as is known."""
    return table.n if table.unit is None else len(distinct(table.unit))


def try_choices(table: Table, policy: Policy, rng: np.random.Generator, watch: Watch) -> list[dict[str, Any]]:
    """For some values of k the highest risk of a person and the information lost."""
    persons = persons_in(table)
    candidates = [k for k in CANDIDATES if k == 2 or 4 * k <= persons]
    if table.n > LARGEST:
        candidates = [k for k in candidates if k in (USUAL, 20, 100)]
    choices = []
    for place, k in enumerate(candidates):
        watch(place / len(candidates))
        choice = _try(table, policy, k, rng, watch)
        if choice is not None:
            choices.append(choice)
    return choices


def _try(table: Table, policy: Policy, k: int, rng: np.random.Generator, watch: Watch) -> dict[str, Any] | None:
    guarantees = [g if g.wire_name() != "k_anonymity" else g.model_copy(update={"k": k}) for g in policy.guarantees]
    method: TableMethod = policy.class_method().model_copy(update={"effort": "fast"})
    try:
        released = method.apply(table, guarantees, rng, lambda _: watch(0.5))
    except AntifazError:
        return None
    return {"k": k, "risk": round(_risk(released), 4), "loss": round(_loss(table, released, rng), 4)}


def _risk(released: ProtectedTable) -> float:
    """The chance to pick the right person from the smallest class."""
    return 1.0 / max(1.0, float(released_crowds(released).min(initial=len(released.records))))


def _loss(table: Table, released: ProtectedTable, rng: np.random.Generator) -> float:
    measure = cast(TableUtility, catalogue.part("utility", "table", "ncp")())
    return float(measure.measure(table, released, rng, unwatched)["value"])


def usual_k(persons: int) -> int:
    """A k that suits the number of people: small files cannot afford much."""
    return USUAL if persons >= 10 * USUAL else 3 if persons >= 15 else 2


def better_k(choices: Sequence[dict[str, Any]], persons: int, k: int) -> int:
    """A higher k where a large file gives it nearly for free."""
    losses = {choice["k"]: choice["loss"] for choice in choices}
    if persons < 10_000 or k not in losses or 10 not in losses:
        return k
    return 10 if losses[10] - losses[k] <= 0.05 else k
