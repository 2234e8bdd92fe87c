"""Rounding: replace numbers by multiples of a base.

Hundepool, Domingo-Ferrer, Franconi, Giessing, Schulte Nordholt, Spicer and de Wolf, "Statistical Disclosure Control",
Wiley, 2012 (rounding).

Each number becomes the nearest multiple of the base, the next one below, or one of its two neighboring multiples at
random, the nearer one with the higher probability, so that means are kept in expectation. Dates are rounded to
multiples of the base in days, times in seconds.

Guarantees: none. Only the last digits are protected.
Cost: O(n) for each attribute.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.errors import InvalidPolicy
from antifaz.part import Examples
from antifaz.tables.masking.masking import (
    Masking,
    chosen_attributes,
    is_measured,
    numbers_of,
    release_changed,
    write_numbers,
)
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, ProtectedTable, Table
from antifaz.watch import Watch

Base = Annotated[float, Field(gt=0)]
_REACH = {"nearest": (0.5, 0.5), "down": (0.0, 1.0), "random": (1.0, 1.0)}
"""How far below and above a multiple the values may be that became it, in bases."""


class Rounding(Masking):
    """Round numbers and dates to multiples of a base."""

    gives: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Examples] = (
        {"base": 5, "attributes": ["age"]},
        {"base": 5, "attributes": ["age"], "mode": "down"},
        {"base": 5, "attributes": ["age"], "mode": "random"},
    )

    name: Literal["rounding"] = "rounding"
    base: Base = 10.0
    """Base of attributes for which none is stated."""
    bases: dict[str, Base] = {}
    """Base of single attributes."""
    mode: Literal["nearest", "down", "random"] = "nearest"
    """Round to the nearest multiple (halfway numbers to the even one), to the one below, or to one of the two at
    random."""
    attributes: list[str] | None = None
    """Attributes that are rounded; by default the quasi-identifiers with numbers or dates."""

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Round every chosen attribute."""
        chosen = chosen_attributes(table, self.attributes, is_measured, "numbers or dates")
        self._refuse_unknown(chosen)
        changed = {}
        for done, attribute in enumerate(chosen):
            watch(0.9 * done / len(chosen))
            base = self.bases.get(attribute.name, self.base)
            cells = numbers_of(attribute.column)[attribute.column.codes]
            rounded = self._round(cells / base, rng) * base
            meaning = f"the value rounded to a multiple of {base:g}"
            below, above = _REACH[self.mode]
            reach = below * base, above * base
            changed[attribute.name] = write_numbers(attribute, rounded, meaning, _decimals(base), reach)
        return release_changed(table, changed, None, {"method": self.name, "mode": self.mode})

    def _round(self, multiples: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        if self.mode == "nearest":
            return np.round(multiples)
        below = np.floor(multiples)
        if self.mode == "down":
            return below
        return below + (rng.random(len(multiples)) < multiples - below)

    def _refuse_unknown(self, chosen: Sequence[Attribute]) -> None:
        known = {attribute.name for attribute in chosen}
        for name in self.bases:
            if name not in known:
                pointer = "/method/bases/" + name.replace("~", "~0").replace("/", "~1")
                raise InvalidPolicy(pointer, "must name an attribute that is rounded")


def _decimals(base: float) -> int:
    """The number of decimals of the multiples of a base."""
    return len(format(Decimal(repr(base)).normalize(), "f").partition(".")[2])
