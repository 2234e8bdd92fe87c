"""Top and bottom coding: cut off the tails of numbers.

Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer and de Wolf, "Statistical Disclosure Control",
Wiley, 2012 (top and bottom coding).

Values above an upper bound show that bound, and values below a lower bound show that one: extreme ages or incomes,
which few people have, are no longer distinguished. Bounds are stated, or chosen so that a stated share of the records
is beyond each. Dates are bounded in the same way.

Guarantees: none. Only the tails are protected.
Cost: O(n) for each attribute.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, model_validator

from antifaz.described import Described
from antifaz.errors import InvalidPolicy
from antifaz.part import Examples
from antifaz.tables.masking.masking import (
    Masking,
    chosen_attributes,
    is_measured,
    number_writer,
    numbers_of,
    release_changed,
    write_column,
)
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, Column, ProtectedTable, ReleasedColumn, Table
from antifaz.watch import Watch


class Tails(Described):
    """Bounds of the tails of one attribute."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    bottom: float | None = None
    """Lower values show this one (dates: days since 1970, times: seconds)."""
    top: float | None = None
    """Higher values show this one."""

    @model_validator(mode="after")
    def _rise(self) -> "Tails":
        if self.bottom is not None and self.top is not None and self.bottom > self.top:
            raise ValueError("the bottom must not be above the top")
        return self


class TopBottomCoding(Masking):
    """Cut off the lowest and highest values of numbers and dates."""

    gives: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Examples] = ({"bounds": {"age": {"bottom": 18, "top": 85}}},)

    name: Literal["top_bottom_coding"] = "top_bottom_coding"
    share: float = Field(default=0.05, gt=0, lt=0.5)
    """Share of records in each tail of an attribute without stated bounds."""
    attributes: list[str] | None = None
    """Attributes that are cut; by default the quasi-identifiers with numbers or dates."""
    bounds: dict[str, Tails] = {}
    """Bounds of an attribute's tails, instead of a share."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Cut the tails of every chosen attribute."""
        chosen = chosen_attributes(table, self.attributes, is_measured, "numbers or dates")
        self._refuse_unknown(chosen)
        changed, cut, wanted = {}, {}, 0
        for done, attribute in enumerate(chosen):
            watch(0.9 * done / len(chosen))
            low, high = self._bounds(attribute.column)
            changed[attribute.name], cut[attribute.name] = _cut(attribute, low, high)
            wanted += 0 if attribute.name in self.bounds else 2 * int(self.share * _known(attribute.column))
        reached = round(table.n * sum(share for name, share in cut.items() if name not in self.bounds))
        # Cells that equal a bound need no change, so some fewer are normal; far fewer mean that the tails are not cut.
        short = {"short": {"of": "cells", "wanted": wanted, "reached": reached}} if 2 * reached < wanted else {}
        return release_changed(table, changed, None, {"method": self.name, "share_cut": cut, **short})

    def _refuse_unknown(self, chosen: Sequence[Attribute]) -> None:
        known = {attribute.name for attribute in chosen}
        for name in self.bounds:
            if name not in known:
                pointer = "/method/bounds/" + name.replace("~", "~0").replace("/", "~1")
                raise InvalidPolicy(pointer, "must name an attribute that is cut")

    def _bounds(self, column: Column) -> tuple[float, float]:
        stated = self.bounds.get(column.name)
        if stated is not None:
            return -np.inf if stated.bottom is None else stated.bottom, np.inf if stated.top is None else stated.top
        cells = np.sort(numbers_of(column)[column.codes])
        known = cells[~np.isnan(cells)]
        if not len(known):
            return -np.inf, np.inf
        beyond = int(self.share * len(known))
        return float(known[beyond]), float(known[len(known) - 1 - beyond])


def _known(column: Column) -> int:
    return int(np.count_nonzero(column.codes != column.missing))


def _cut(attribute: Attribute, low: float, high: float) -> tuple[ReleasedColumn, float]:
    """The column between its bounds, and the share of records that changed."""
    column = attribute.column
    numbers = numbers_of(column)
    clipped = np.clip(numbers, low, high)
    moved: NDArray[np.bool_] = (clipped != numbers) & ~np.isnan(numbers)
    write = number_writer(column.type)
    texts = column.values.copy()
    for code in np.flatnonzero(moved):
        texts[code] = write(float(clipped[code]))
    ends = np.stack([np.fmin(clipped, numbers), np.fmax(clipped, numbers)], axis=1)
    spans = np.where(moved[:, None], ends, np.nan)
    meaning = "the value, or the bound if the value is beyond it"
    released = write_column(attribute, column.codes, texts, meaning, spans=spans)
    return released, float(np.mean(moved[column.codes]))
