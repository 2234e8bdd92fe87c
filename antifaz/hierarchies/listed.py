"""Listed: the common base of hierarchies whose levels come from a public list instead of a steward's own."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.hierarchies.placement import ROOT, place_values, refuse_unplaced


class Listed(Hierarchy):
    """A hierarchy that knows a place for the values of a public list."""

    otherwise: Literal["*"] | None = None
    """Label of a value that is not on the list: `*`, as for a missing value. By default such a value is an error."""

    def place(self, text: str) -> tuple[str, ...] | None:
        """The labels above a value and below the root, lowest first, or None if it is not on the list."""
        raise NotImplementedError

    def height(self) -> int:
        """The number of levels above the values and below the root."""
        raise NotImplementedError

    def described(self) -> str:
        """What values must be, for the error message if some are not."""
        raise NotImplementedError

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every value, or raise `InvalidDataset` if some are not on the list and ``otherwise`` is not set."""
        found = [self.place(str(value)) if value else None for value in values]
        if self.otherwise is None:
            lost = [
                place for place, (value, labels) in enumerate(zip(values, found, strict=True)) if value and not labels
            ]
            refuse_unplaced(column, lost, f"distinct values are not {self.described()}")
        hidden = (ROOT,) * self.height()
        return place_values(values, [np.array(level, dtype=object) for level in self._columns(found, hidden)])

    def _columns(self, found: list[tuple[str, ...] | None], hidden: tuple[str, ...]) -> list[list[str]]:
        return [[(labels or hidden)[level] for labels in found] for level in range(self.height())]
