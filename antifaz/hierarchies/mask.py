"""Mask: redact the characters of a code one by one.

Sweeney, "k-Anonymity: A Model for Protecting Privacy", IJUFKS 2002, generalizes postal codes in this way.

At each level one more character is replaced by a star: 13053, 1305*, 130**, … In the end the whole value is `*`. Values
of different lengths share no label before that, since a masked value still shows its length.

Guarantees: levels nest.
"""

from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.hierarchies.placement import place_values
from antifaz.part import Examples

MOST_LEVELS = 24


class Mask(Hierarchy):
    """Generalize a code by redacting its characters from one end."""

    examples: ClassVar[Examples] = ({"steps": [1, 2, 5]},)

    kind: Literal["mask"] = "mask"
    direction: Literal["right", "left"] = "right"
    """The end from which characters are redacted."""
    character: str = Field(default="*", min_length=1, max_length=1)
    """Replacement of a redacted character."""
    steps: list[int] | None = Field(default=None, min_length=1)
    """Number of characters redacted at each level, ascending; by default one more per level."""

    @field_validator("steps")
    @classmethod
    def _rise(cls, steps: list[int] | None) -> list[int] | None:
        if steps and (steps[0] < 1 or any(first >= second for first, second in pairwise(steps))):
            raise ValueError("steps must be positive and rise")
        return steps

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every value: any text can be masked."""
        longest = max((len(value) for value in values), default=0)
        steps = self.steps or _even_steps(longest)
        levels = [self._redact(values, count) for count in steps if count < longest]
        return place_values(values, levels)

    def _redact(self, values: NDArray[np.object_], count: int) -> NDArray[np.object_]:
        if self.direction == "right":
            masked = [value[:-count] + self.character * min(count, len(value)) for value in values]
        else:
            masked = [self.character * min(count, len(value)) + value[count:] for value in values]
        return np.array(masked, dtype=object)


def _even_steps(longest: int) -> list[int]:
    """One character per level, or more if a value is very long."""
    stride = max(1, -(-longest // MOST_LEVELS))
    return list(range(stride, longest, stride))
