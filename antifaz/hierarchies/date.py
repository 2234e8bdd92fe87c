"""Date: day, month, year, decade.

The date hierarchy of Sweeney, "Achieving k-Anonymity Privacy Protection Using Generalization and Suppression", IJUFKS
2002, with decades above years.

A calendar date generalizes to its month (`1984-05`), its year (`1984`), its decade (`1980s`) and `*`. Times of day are
dropped from the month level on.

Guarantees: levels nest.
"""

import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.hierarchies.placement import place_values, refuse_unplaced

DAY = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


class Date(Hierarchy):
    """Generalize dates from day to month, year and decade."""

    kind: Literal["date"] = "date"

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every date, or raise `InvalidDataset` if the column has other values."""
        others = [place for place, value in enumerate(values) if value and not DAY.fullmatch(value)]
        refuse_unplaced(column, others, "distinct values are not dates written as YYYY-MM-DD")
        levels = [
            [value[:7] for value in values],
            [value[:4] for value in values],
            [value[:3] + "0s" for value in values],
        ]
        return place_values(values, [np.array(level, dtype=object) for level in levels])
