"""Division: records cut into classes, as the kernels do it step by step."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.spans import Space
from antifaz.kernels.tables.conditions import Conditions
from antifaz.kernels.tables.loss_cuts import KNOWN, MOST_NOTES, NOTED_COSTS, Settings, cut_by_loss
from antifaz.watch import Watch

LEAST_NOTES = 1 << 12
"""Room for notes about a part of a small table."""
LARGEST_STEP = 2_000_000
"""Approximate number of records of one attribute that are read between two calls of the watch."""
USUAL_WORK = 160
"""Attributes times words of a class's span; up to this, a record counts as one unit of work."""
SAMPLED_ABOVE = 40_000
"""Larger parts are priced on a sample of their records."""


@dataclass
class Division:
    """A division in progress: parts on a stack, and the class of each row of the matrix.

    The division owns the matrix and the order of its records, and reorders them.
    """

    matrix: NDArray[np.int32]
    order: NDArray[np.int64]
    labels: NDArray[np.int64]
    stack: NDArray[np.int64]
    state: NDArray[np.int64]
    largest: int
    """Size of the largest part."""

    @classmethod
    def of(
        cls, matrix: NDArray[np.int32], order: NDArray[np.int64], bounds: NDArray[np.int64] | None = None
    ) -> "Division":
        """All records in one part, or in the parts between bounds, each divided separately."""
        records = len(order)
        if bounds is None:
            bounds = np.array([0, records], dtype=np.int64)
        parts = len(bounds) - 1
        stack = np.zeros((records + parts + 1, 2), dtype=np.int64)
        stack[:parts, 0], stack[:parts, 1] = bounds[-2::-1], bounds[:0:-1]
        state = np.array([parts, 0, 0, 0, 0, 0, 0, 0], dtype=np.int64)
        largest = int(np.diff(bounds).max(initial=0))
        return cls(matrix, order, np.full(records, -1, dtype=np.int64), stack, state, largest)

    @property
    def unfinished(self) -> bool:
        return bool(self.state[0] > 0)

    @property
    def fraction(self) -> float:
        return float(self.state[2] / max(len(self.order), 1))

    @property
    def classes(self) -> int:
        return int(self.state[1])

    def by_record(self) -> NDArray[np.int64]:
        """The class of every record, in the order of the table."""
        labels = np.empty(len(self.order), dtype=np.int64)
        labels[self.order] = self.labels
        return labels

    def cut(self, space: Space, conditions: Conditions, price: float, candidates: int, watch: Watch) -> bool:
        """Finish the division by loss; once the watch reports that time is up, without look-ahead and setting aside."""
        hurried = False
        # Pricing one attribute of a record reads what its class covers on all attributes.
        work = max(1, self.matrix.shape[1] * span_words(space) // USUAL_WORK)
        step = max(LARGEST_STEP // work, 1)
        # Questions about a part take time if it is large or wide: other tables do not need the room.
        questions = self.largest * max(self.matrix.shape[1] // 8, 1) // 4
        notes = np.empty(NOTED_COSTS + min(max(questions, LEAST_NOTES), MOST_NOTES))
        notes[:NOTED_COSTS] = np.nan
        while self.unfinished:
            if watch(self.fraction) and not hurried:
                hurried = True
                # What is known about a part that was begun does not hold without look-ahead and setting aside.
                self.state[KNOWN], notes[:NOTED_COSTS] = 0, np.nan
            cut_by_loss(
                Settings(1 if hurried else candidates, SAMPLED_ABOVE, step, self.largest),
                0.0 if hurried else price,
                space,
                conditions,
                self.matrix,
                self.order,
                self.labels,
                self.stack,
                self.state,
                notes,
            )
        return hurried


def span_words(space: Space) -> int:
    """The number of words that describe what a class covers."""
    return int(2 * len(space.scales) + space.words[-1])
