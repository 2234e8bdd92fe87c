"""Geo grid: generalize coordinates to coarser and coarser cells of a grid.

Spatial cloaking by a grid after Gruteser and Grunwald, "Anonymous Usage of Location-Based Services Through Spatial and
Temporal Cloaking", MobiSys 2003.

The globe is divided into cells with a side in degrees, counted from 90° south and 180° west; at each further level a
cell is a whole number of smaller cells wide and high. A column has latitudes, longitudes, or places written as a pair.
A label gives the bounds of its cell, half-open, so that it always contains its values.

Guarantees: levels nest.
"""

import re
from decimal import Decimal
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.hierarchies.placement import place_values, refuse_unplaced
from antifaz.part import Examples

MOST_LEVELS = 40
NUMBER = r"-?[0-9]{1,3}(?:\.[0-9]+)?"
SINGLE = re.compile(NUMBER)
PAIR = re.compile(rf"\(?({NUMBER})\s*[,; ]\s*({NUMBER})\)?")
REACH = {"latitude": 90, "longitude": 180}

Degrees = tuple[Decimal, ...]


class GeoGrid(Hierarchy):
    """Generalize latitudes, longitudes or pairs of them to the cells of coarser and coarser grids."""

    examples: ClassVar[Examples] = ({"cell": 0.01, "factor": 4},)

    kind: Literal["geo_grid"] = "geo_grid"
    axis: Literal["pair", "latitude", "longitude"] = "pair"
    """Content of a value: a latitude, a longitude, or both as in `41.38, 2.17`."""
    cell: float = Field(default=0.01, ge=1e-6, le=90)
    """Side of the smallest cells, in degrees (0.01 is about a kilometer)."""
    factor: int = Field(default=2, ge=2, le=100)
    """Factor by which the side of cells grows from level to level."""
    levels: int | None = Field(default=None, ge=1, le=MOST_LEVELS)
    """Number of grids below the root; by default until one cell contains all values."""

    def resolve(self, column: str, values: NDArray[np.object_], numbers: NDArray[np.float64] | None) -> Generalization:
        """Place every coordinate, or raise `InvalidDataset` if the column has other values."""
        axes = ("latitude", "longitude") if self.axis == "pair" else (self.axis,)
        places = [_read(str(value), axes) for value in values]
        others = [number for number, value in enumerate(values) if value and places[number] is None]
        refuse_unplaced(column, others, "distinct values are not coordinates of the stated axis")
        return place_values(values, self._grids(places, axes))

    def _grids(self, places: list[Degrees | None], axes: tuple[str, ...]) -> list[NDArray[np.object_]]:
        """For each level, the label of every place's cell."""
        known = [place for place in places if place is not None]
        side = Decimal(repr(self.cell))
        grids: list[NDArray[np.object_]] = []
        while known and len(grids) < (self.levels or MOST_LEVELS):
            cells = [_cell(place, axes, side) for place in known]
            if self.levels is None and (len(set(cells)) == 1 or side > 360):
                break
            labels = iter(_label(cell, axes, side) for cell in cells)
            grids.append(np.array(["" if place is None else next(labels) for place in places], dtype=object))
            side *= self.factor
        return grids


def _read(text: str, axes: tuple[str, ...]) -> Degrees | None:
    """The coordinates of a place, or None if the text has no valid ones."""
    found = (SINGLE if len(axes) == 1 else PAIR).fullmatch(text)
    if found is None:
        return None
    degrees = tuple(Decimal(part) for part in (found.groups() or (text,)))
    within = all(abs(degree) <= REACH[axis] for degree, axis in zip(degrees, axes, strict=True))
    return degrees if within else None


def _cell(place: Degrees, axes: tuple[str, ...], side: Decimal) -> tuple[int, ...]:
    """The number of the cell along each axis; decimals divide exactly, so that cells nest."""
    return tuple(int((degree + REACH[axis]) // side) for degree, axis in zip(place, axes, strict=True))


def _label(cell: tuple[int, ...], axes: tuple[str, ...], side: Decimal) -> str:
    return " x ".join(
        f"[{_plain(number * side - REACH[axis])}, {_plain((number + 1) * side - REACH[axis])})"
        for number, axis in zip(cell, axes, strict=True)
    )


def _plain(degrees: Decimal) -> str:
    text = format(degrees, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
