"""PRAM: change categories at random, by a transition matrix.

Gouweleeuw, Kooiman, Willenborg and de Wolf, "Post Randomisation for Statistical Disclosure Control: Theory and
Implementation", Journal of Official Statistics, 1998.

Each cell keeps its category or takes another one, with the probabilities in the matrix row of its category. `uniform`:
all other categories are equally likely; the matrix reveals nothing about the data, and analysts use it to correct their
figures. `invariant`: a second step, which reverses the first under the frequencies of the table, keeps the expected
frequencies unchanged, so no correction is needed; that matrix depends on the frequencies and is published only on
request.

Guarantees: none. What a reader can infer depends on the matrix and on how rare a category is.
Preserves: expected frequencies, with `invariant`.
Cost: O(n + d²) for each attribute with d categories.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.errors import Infeasible, Reason
from antifaz.part import Examples
from antifaz.tables.masking.masking import Masking, chosen_attributes, is_any, release_changed, write_column
from antifaz.tables.parts import TableGuarantee
from antifaz.tables.table import Attribute, ProtectedTable, Table
from antifaz.watch import Watch

MOST_CATEGORIES = 2000
"""Largest number of categories for an invariant matrix, whose number of cells is the square of it."""


class Pram(Masking):
    """Change categories at random by a uniform or an invariant transition matrix."""

    gives: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Examples] = ({"change": 0.2, "attributes": ["sex"]}, {"matrix": "invariant"})

    name: Literal["pram"] = "pram"
    matrix: Literal["uniform", "invariant"] = "uniform"
    """Whether all other categories are equally likely, or expected frequencies are kept."""
    change: float = Field(default=0.2, gt=0, lt=1)
    """Probability that a cell changes; with an invariant matrix, in its first step."""
    attributes: list[str] | None = None
    """Attributes that are changed; by default the quasi-identifiers with texts or truth values."""
    publish: bool = False
    """Whether the report may show an invariant matrix, from which frequencies of the original can be computed. A
    uniform matrix is always shown."""

    def waivers_needed(self) -> tuple[str, ...]:
        """An invariant matrix reveals frequencies of the original: publishing it must be a stated decision."""
        return ("pram_invariant",) if self.matrix == "invariant" and self.publish else ()

    def mask(
        self, table: Table, guarantees: Sequence[TableGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedTable:
        """Change every chosen attribute."""
        fits = _is_categorical if self.attributes is None else is_any
        chosen = chosen_attributes(table, self.attributes, fits, "any type")
        changed, matrices = {}, {}
        for done, attribute in enumerate(chosen):
            watch(0.9 * done / len(chosen))
            codes, matrices[attribute.name] = self._randomize(attribute, rng)
            meaning = "a category that may have been changed at random"
            changed[attribute.name] = write_column(attribute, codes, attribute.column.values, meaning)
        account = {"method": self.name, "matrix": self.matrix, "change": self.change}
        return release_changed(table, changed, None, {**account, "public": {"pram": matrices}})

    def _randomize(self, attribute: Attribute, rng: np.random.Generator) -> tuple[NDArray[np.int64], dict[str, Any]]:
        """The changed codes, and the public description of the matrix."""
        codes, size = attribute.column.codes, len(attribute.column.values)
        if self.matrix == "uniform":
            return change_uniformly(codes, size, self.change, rng), describe_uniform(size, self.change)
        if size > MOST_CATEGORIES:
            detail = f"column {attribute.name} has too many categories for an invariant matrix"
            raise Infeasible([Reason("categories", limit=MOST_CATEGORIES, measured=size, detail=detail)])
        matrix = invariant_matrix(np.bincount(codes, minlength=size).astype(np.float64), self.change)
        rows = [[round(float(share), 6) for share in row] for row in matrix] if self.publish else None
        described = {"kind": "invariant", "categories": size, **({} if rows is None else {"rows": rows})}
        return change_by_rows(codes, matrix, rng), described


def _is_categorical(attribute: Attribute) -> bool:
    return attribute.column.numbers is None


def describe_uniform(size: int, change: float) -> dict[str, Any]:
    """A uniform matrix in two numbers: the diagonal, and every other cell."""
    other = change / (size - 1) if size > 1 else 0.0
    return {"kind": "uniform", "categories": size, "keep": 1.0 - other * (size - 1), "other": other}


def change_uniformly(codes: NDArray[np.int32], size: int, change: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Replace each code, with the stated probability, by another one; all others are equally likely."""
    if size < 2:
        return codes.astype(np.int64)
    others = (codes + rng.integers(1, size, len(codes))) % size
    return np.where(rng.random(len(codes)) < change, others, codes).astype(np.int64)


def invariant_matrix(frequencies: NDArray[np.float64], change: float) -> NDArray[np.float64]:
    """A transition matrix that keeps the frequencies: a uniform one, followed by its reverse."""
    size = len(frequencies)
    if size < 2:
        return np.ones((size, size))
    first = np.full((size, size), change / (size - 1))
    np.fill_diagonal(first, 1.0 - change)
    joint = first * frequencies[:, None]
    reverse = (joint / joint.sum(axis=0)).T
    return np.asarray(first @ reverse)


def change_by_rows(
    codes: NDArray[np.int32], matrix: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Each code replaced by one drawn from its row of the matrix."""
    draws = rng.random(len(codes))
    order = np.argsort(codes, kind="stable")
    bounds = np.searchsorted(codes[order], np.arange(len(matrix) + 1))
    changed = np.empty(len(codes), dtype=np.int64)
    for code, row in enumerate(np.cumsum(matrix, axis=1)):
        cells = order[bounds[code] : bounds[code + 1]]
        changed[cells] = np.minimum(np.searchsorted(row, draws[cells], side="right"), len(matrix) - 1)
    return changed
