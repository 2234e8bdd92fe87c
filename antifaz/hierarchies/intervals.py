"""Intervals: put numbers into wider and wider bins.

Domain generalization of numbers as in Sweeney, "Achieving k-Anonymity Privacy Protection Using Generalization and
Suppression", IJUFKS 2002.

Either the bins start at an origin and their width doubles from level to level, or each level gives its own bounds,
which must be among those of the level below. A bound belongs to the bin that starts there. Bins of whole numbers are
written closed (`[20, 24]`), others half-open (`[20, 25)`), so a label always contains its values.

Guarantees: levels nest.
"""

import re
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from antifaz.arrays import distinct
from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.hierarchies.placement import place_values, refuse_unplaced
from antifaz.part import Examples

MOST_LEVELS = 64
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


class Intervals(Hierarchy):
    """Generalize numbers to bins that double in width or follow given bounds."""

    examples: ClassVar[Examples] = ({"width": 5, "levels": 4},)

    kind: Literal["intervals"] = "intervals"
    width: float | None = Field(default=None, gt=0)
    """Width of the bins at the first level; it doubles at each further level."""
    origin: float = 0.0
    """Number at which a bin starts, at every level."""
    levels: int | None = Field(default=None, ge=1, le=MOST_LEVELS)
    """Number of levels of bins below the root; by default until one bin contains all values."""
    bounds: list[list[float]] | None = Field(default=None, min_length=1, max_length=MOST_LEVELS)
    """Ascending bounds between bins for each level, finest level first; instead of a width."""

    @model_validator(mode="after")
    def _agree(self) -> "Intervals":
        if (self.width is None) == (self.bounds is None):
            raise ValueError("give either width or bounds")
        for level in self.bounds or []:
            if not level or any(first >= second for first, second in pairwise(level)):
                raise ValueError("the bounds of a level must rise")
        for finer, coarser in pairwise(self.bounds or []):
            if not set(coarser) <= set(finer):
                raise ValueError("the bounds of a level must be among those of the level below it")
        return self

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every number, or raise `InvalidDataset` if the column has other values."""
        others = [place for place, value in enumerate(values) if value and not NUMBER.fullmatch(value)]
        if numbers is None:
            others = others or list(range(len(values)))
        refuse_unplaced(column, others, "distinct values are not numbers, which intervals need")
        if numbers is None:
            numbers = np.zeros(0)  # a column without values
        known = np.nan_to_num(numbers, nan=float(np.nanmin(numbers, initial=np.inf)))
        return place_values(values, [label_bins(known, edges) for edges in self._edges(known)])

    def _edges(self, known: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """For each level, the bounds between bins within the range of the numbers."""
        if self.bounds is not None:
            return [np.array(level) for level in self.bounds]
        width = float(self.width or 1.0)
        edges: list[NDArray[np.float64]] = []
        low, high = known.min(initial=np.inf), known.max(initial=-np.inf)
        while len(known) and len(edges) < (self.levels or MOST_LEVELS):
            first, last = np.floor((low - self.origin) / width), np.floor((high - self.origin) / width)
            if first == last and self.levels is None:
                break
            starts = distinct(np.floor((known - self.origin) / width))
            edges.append(self.origin + width * distinct(np.concatenate([starts, starts + 1])))
            if first == -1 and last == 0 and self.levels is None:
                break  # the two bins next to the origin never merge, however wide they grow
            width *= 2
        return edges


def label_bins(known: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.object_]:
    """The label of the bin of every number."""
    whole = bool(np.all(known == np.floor(known)) and np.all(edges == np.floor(edges)))
    texts = [f"< {_plain(edges[0])}"]
    for low, high in pairwise(edges.tolist()):
        texts.append(f"[{_plain(low)}, {_plain(high - 1)}]" if whole else f"[{_plain(low)}, {_plain(high)})")
    texts.append(f">= {_plain(edges[-1])}")
    return np.array(texts, dtype=object)[np.searchsorted(edges, known, side="right")]


def _plain(number: float) -> str:
    text = repr(float(number))
    return text.removesuffix(".0")
