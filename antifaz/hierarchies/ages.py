"""Ages: five years, ten years, stages of life.

The standard five-year groups of the United Nations, "Provisional Guidelines on Standard International Age
Classifications", 1982, combined into ten-year groups and stages of life.

An age generalizes to its five years (`[20, 24]`), its ten years (`[20, 29]`), its stage of life (0 to 9, 10 to 19,
20 to 39, 40 to 59, 60 to 79, 80 and more) and `*`. Ages from 90 on form one group, since few people are that old. Ages
with decimals are written half-open (`[20, 25)`), like intervals.

Guarantees: levels nest.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.hierarchies.hierarchy import Generalization
from antifaz.hierarchies.intervals import label_bins
from antifaz.hierarchies.listed import Listed
from antifaz.hierarchies.placement import ROOT, place_values, refuse_unplaced

OLDEST = 130
"""Upper limit of a plausible age: no one is known to have lived longer."""
_BOUNDS = (range(0, 91, 5), range(0, 91, 10), (0, 10, 20, 40, 60, 80))


class Ages(Listed):
    """Generalize ages to five years, ten years and stages of life."""

    kind: Literal["ages"] = "ages"

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every age, or raise `InvalidDataset` if the column has other values and ``otherwise`` is not set."""
        ages = _read(values) if numbers is None else numbers
        with np.errstate(invalid="ignore"):
            placed = (ages >= 0) & (ages <= OLDEST)
        if self.otherwise is None:
            refuse_unplaced(column, np.flatnonzero(~placed & (values != "")), "distinct values are not ages of people")
        known = np.where(placed, ages, 0.0)
        levels = [label_bins(known, np.array(bounds, dtype=np.float64)) for bounds in _BOUNDS]
        return place_values(values, [np.where(placed, level, ROOT) for level in levels])


def _read(values: NDArray[np.object_]) -> NDArray[np.float64]:
    """The numbers of a text column; NaN if a text is not a number."""
    return np.array([_number(str(value)) for value in values], dtype=np.float64)


def _number(text: str) -> float:
    return float(text) if text.replace(".", "", 1).isdecimal() else float("nan")
