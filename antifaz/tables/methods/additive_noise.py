"""Additive noise: add a random normal number to every value.

Kim, "A Method for Limiting Disclosure in Microdata Based on Random Noise and Transformation", Proceedings of the
Section on Survey Research Methods, American Statistical Association, 1986; Brand, "Microdata Protection Through Noise
Addition", Inference Control in Statistical Databases, 2002.

Independent noise N(0, p·sigma) is added to each value of an attribute with standard deviation sigma. `correlated` noise
has p² times the covariance matrix of the attributes instead, so that their correlations do not change. Integers stay
integers, decimals keep their number of places, and a result outside stated bounds is moved to the nearest bound.

Guarantees: none. Readers know the deviation of the noise, and no bound on what they can infer is claimed.
Preserves: means; with `correlated` also correlations.
Cost: O(n q), with correlation O(n q²).
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

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

MARGIN = 1.96
"""Deviations of the noise within which 95 % of the true values are."""


class AdditiveNoise(Masking):
    """Add normal noise, in proportion to each attribute's deviation, to numbers and dates."""

    gives: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Examples] = ({"amount": 0.2, "attributes": ["age"], "bounds": {"age": [0, 110]}},)

    name: Literal["additive_noise"] = "additive_noise"
    amount: float = Field(default=0.1, gt=0, le=100)
    """Standard deviation of the noise, as a multiple of that of the attribute."""
    correlated: bool = False
    """Whether the noise has the same correlations as the attributes."""
    attributes: list[str] | None = None
    """Attributes that get noise; by default the quasi-identifiers with numbers or dates."""
    bounds: dict[str, tuple[float, float]] = {}
    """Lowest and highest number that an attribute may show."""

    @field_validator("bounds")
    @classmethod
    def _rise(cls, bounds: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        if any(low > high for low, high in bounds.values()):
            raise ValueError("the lower bound must come first")
        return bounds

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Add noise to every chosen attribute."""
        chosen = chosen_attributes(table, self.attributes, is_measured, "numbers or dates")
        _refuse_unknown(self.bounds, chosen)
        cells = [numbers_of(attribute.column)[attribute.column.codes] for attribute in chosen]
        noise = self._draw(np.stack(cells, axis=1), rng) if cells else np.zeros((table.n, 0))
        deviations = _deviations(np.stack(cells, axis=1)) if cells else np.zeros(0)
        changed = {}
        for index, attribute in enumerate(chosen):
            watch(0.9 * (index + 1) / len(chosen))
            low, high = self.bounds.get(attribute.name, (-np.inf, np.inf))
            numbers = np.clip(cells[index] + noise[:, index], low, high)
            meaning, reach = "the value with random noise added", MARGIN * self.amount * deviations[index]
            changed[attribute.name] = write_numbers(attribute, numbers, meaning, reach=(reach, reach))
        account = {"method": self.name, "amount": self.amount, "correlated": self.correlated}
        return release_changed(table, changed, None, account)

    def _draw(self, cells: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """Noise for every cell."""
        normal = rng.standard_normal(cells.shape)
        complete = cells[~np.isnan(cells).any(axis=1)]
        if self.correlated and len(complete) > 1:
            covariance = np.atleast_2d(np.cov(complete, rowvar=False))
            strengths, axes = np.linalg.eigh(covariance)
            return np.asarray(self.amount * normal @ (axes * np.sqrt(np.maximum(strengths, 0.0))).T)
        return np.asarray(self.amount * normal * _deviations(cells))


def _deviations(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """The deviation of every column, without missing values."""
    found = [column[~np.isnan(column)] for column in cells.T]
    return np.array([known.std() if len(known) else 0.0 for known in found])


def _refuse_unknown(bounds: Mapping[str, object], chosen: Sequence[Attribute]) -> None:
    known = {attribute.name for attribute in chosen}
    for name in bounds:
        if name not in known:
            pointer = "/method/bounds/" + name.replace("~", "~0").replace("/", "~1")
            raise InvalidPolicy(pointer, "must name an attribute that gets noise")
