"""Evidence: the content of a release, as far as guarantees are judged by it.

Every artifact must satisfy every guarantee by itself. An artifact that could not be read, or that lacks what the
guarantee is about, satisfies nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.models import Classes, smallest_class
from verifier.readers.cells import Cells, class_of_rows
from verifier.readers.columns import quasi_identifiers
from verifier.readers.networks import Network
from verifier.verdict.folding import folded_codes
from verifier.verdict.verdict import Missing


@dataclass(frozen=True)
class Evidence:
    """The content of the release."""

    policy: Mapping[str, Any]
    tables: Sequence[Cells] = ()
    flaw: str = Missing("there is no table")
    """Why no guarantee of tables can hold, whatever the readable tables show."""
    networks: Sequence[Network] = ()
    n: int = 0
    graph_flaw: str = Missing("there is no graph")
    """Why no guarantee of graphs can hold, whatever the readable graphs show."""
    directed: bool = False
    sealed_map: Mapping[str, Any] | None = None

    @cached_property
    def classes(self) -> list[Classes | None]:
        """The equivalence classes of every table, or None if a quasi-identifier is missing."""
        return [_classes_of(cells, quasi_identifiers(self.policy)) for cells in self.tables]

    @property
    def counted_by(self) -> str:
        """Evidence of a finding that counts people: the bytes contain the rows, but not whose they are."""
        return "bytes+sealed_map" if self.policy.get("privacy_unit") else "bytes"

    def persons(self) -> NDArray[np.int64] | None:
        """The number of the person of every row, if the policy names a privacy unit and the sealed map states it."""
        return _units(self.sealed_map) if self.policy.get("privacy_unit") else None

    def smallest(self) -> tuple[int, str]:
        """Size of the smallest class of any table, in rows, or in persons if the policy names a privacy unit; and why
        it cannot be determined, if so."""
        by_person = bool(self.policy.get("privacy_unit"))
        sizes = [_smallest(classes, self.sealed_map, by_person) for classes in self.classes]
        flaw = next((size for size in sizes if isinstance(size, str)), "")
        return min((size for size in sizes if isinstance(size, int)), default=0), flaw


def _classes_of(cells: Cells, names: Sequence[str]) -> Classes | None:
    if not set(names) <= set(cells.names):
        return None
    columns = ((column.codes, len(column.texts)) for column in map(cells.column, names))
    return Classes(*class_of_rows(columns, cells.rows))


def _smallest(classes: Classes | None, sealed_map: Mapping[str, Any] | None, by_person: bool) -> int | str:
    """The size of the smallest class, or why it cannot be determined."""
    if classes is None:
        return "a quasi-identifier is missing"
    if not by_person:
        return smallest_class(classes, None)
    units = _units(sealed_map)
    if units is None:
        return Missing("there is no sealed map that says which rows belong to one person")
    if len(units) != len(classes.of_row):
        return "the sealed map and the release have different numbers of rows"
    return smallest_class(classes, units)


def _units(sealed_map: Mapping[str, Any] | None) -> NDArray[np.int64] | None:
    units = np.asarray((sealed_map or {}).get("units", ()))
    if units.ndim != 1 or not units.size or units.dtype.kind not in "iu":
        return None
    texts = (sealed_map or {}).get("unit_texts")
    if texts is None:
        return units.astype(np.int64)
    if units.min() < 0 or units.max() >= len(texts):
        return None
    return folded_codes(texts)[units.astype(np.int64)]


def k_flaw(k: object) -> str:
    """Why this is no k to verify; empty if it is."""
    return "" if isinstance(k, int) and not isinstance(k, bool) and k >= 2 else "k is not a whole number above 1"
