"""Rank swapping: exchange each value with another whose rank is close.

Moore, "Controlled Data-Swapping Techniques for Masking Public Use Microdata Sets", U.S. Bureau of the Census, 1996.

Records are ranked by one attribute, equal values in random order. From the lowest rank on, each record without a
partner exchanges its value with a random other record without a partner whose rank is at most p percent of the records
away. Every attribute is swapped by itself: its distribution stays exactly the same, and its association with other
attributes weakens as p grows.

Guarantees: none. Every shown value is a real value of the table, but no record is certain to have its own.
Preserves: the distribution of every attribute.
Cost: O(n log n) for each attribute.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.kernels.tables.swap import pair_ranks
from antifaz.part import Examples
from antifaz.tables.masking.masking import (
    Masking,
    chosen_attributes,
    is_any,
    is_measured,
    release_changed,
    write_column,
)
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, ProtectedTable, ReleasedColumn, Table
from antifaz.watch import Watch


class RankSwapping(Masking):
    """Swap values with others of nearby rank."""

    gives: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Examples] = ({"percent": 10, "attributes": ["age"]},)

    name: Literal["rank_swapping"] = "rank_swapping"
    percent: float = Field(default=5.0, gt=0, le=100)
    """Largest distance of two swapped ranks, in percent of the records; at least one rank."""
    attributes: list[str] | None = None
    """Attributes that are swapped; by default the quasi-identifiers with numbers or dates. Texts are ranked in the
    order that the policy states, else by character code."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Swap every chosen attribute by itself."""
        fits = is_measured if self.attributes is None else is_any
        chosen = chosen_attributes(table, self.attributes, fits, "any type")
        changed, moved = {}, {}
        for done, attribute in enumerate(chosen):
            watch(0.9 * done / len(chosen))
            swapped = _swap(attribute.column.codes, attribute.column.missing, self.percent, rng)
            changed[attribute.name] = _write(attribute, swapped, self.percent)
            moved[attribute.name] = float(np.mean(swapped != attribute.column.codes))
        account = {"method": self.name, "percent": self.percent, "cells_changed": moved}
        return release_changed(table, changed, None, account)


def _swap(codes: NDArray[np.int32], missing: int, percent: float, rng: np.random.Generator) -> NDArray[np.int32]:
    """The codes after the exchange; missing values stay where they are."""
    known = np.flatnonzero(codes != missing)
    order = known[np.lexsort((rng.random(len(known)), codes[known]))]
    partners = pair_ranks(rng.random(len(known)), _reach(len(known), percent))
    swapped = codes.copy()
    swapped[order] = codes[order[partners]]
    return swapped


def _write(attribute: Attribute, codes: NDArray[np.int32], percent: float) -> ReleasedColumn:
    meaning = "a value of another record with a nearby rank"
    return write_column(attribute, codes, attribute.column.values, meaning, spans=_within_reach(attribute, percent))


def _within_reach(attribute: Attribute, percent: float) -> NDArray[np.float64] | None:
    """For every value, the lowest and highest number of a record that may have been swapped with it."""
    column = attribute.column
    if column.numbers is None:
        return None
    cells = np.sort(column.numbers[column.codes])
    known = cells[~np.isnan(cells)]
    spans = np.full((len(column.values), 2), np.nan)
    if len(known):
        reach = _reach(len(known), percent)
        first = np.searchsorted(known, column.numbers, side="left") - reach
        last = np.searchsorted(known, column.numbers, side="right") - 1 + reach
        spans = np.stack([known[np.maximum(first, 0)], known[np.minimum(last, len(known) - 1)]], axis=1)
        spans[np.isnan(column.numbers)] = np.nan
    return spans


def _reach(records: int, percent: float) -> int:
    """The largest distance of two swapped ranks."""
    return max(1, int(records * percent / 100))
