"""Columns as questions look at them: whole numbers, made by the declarations alone.

A number or date is its multiple of the step, moved to the nearest bound if it lies beyond; a text is the place of its
key. What becomes of one cell never depends on another row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.questions.declarations import Declarations, DeclaredColumn
from antifaz.tables.coded import Coded
from antifaz.tables.domains import number_in
from antifaz.tables.folding import fold, fold_codes
from antifaz.tables.readings import read_number
from antifaz.tables.table import ValueType

MISSING = -(2**31)
"""What stands for a cell that is missing, no value of the type, or none of the keys."""
Cells = NDArray[np.int32]


@dataclass(frozen=True)
class AskedTable:
    """The declared columns of a table, ready to be asked about."""

    n: int
    cells: Mapping[str, Cells]
    texts: Mapping[str, Sequence[str]]
    """Of text without declared keys: what the cells stand for."""
    persons: NDArray[np.int32] | None
    """For every row the number of its person; None if every row is a person's only one."""

    @property
    def nbytes(self) -> int:
        """How much memory it takes, about."""
        texts = sum(len(text) + 60 for each in self.texts.values() for text in each)
        arrays = [*self.cells.values(), *([] if self.persons is None else [self.persons])]
        return texts + sum(array.nbytes for array in arrays)


def prepare(columns: Sequence[Coded], n: int, declared: Declarations) -> AskedTable:
    """What questions may look at; all other columns are left out."""
    cells: dict[str, Cells] = {}
    texts: dict[str, Sequence[str]] = {}
    persons = None
    for column in columns:
        if column.name == declared.privacy_unit:
            # Spellings of one person are one person, and rows without a person are one person's: never too many count.
            persons = fold_codes(column.values.tolist())[column.codes].astype(np.int32)
        stated = declared.columns.get(column.name)
        if stated is None:
            continue
        if stated.is_measured or stated.all_keys is not None:
            places = _measured(stated, column.values) if stated.is_measured else _keyed(stated, column.values)
        else:
            texts[column.name] = [str(text) for text in column.values]
            places = np.where([text == "" for text in column.values], MISSING, np.arange(len(column.values)))
        cells[column.name] = places.astype(np.int32)[column.codes]
    return AskedTable(n, cells, texts, persons)


def _measured(stated: DeclaredColumn, values: NDArray[np.object_]) -> NDArray[np.int64]:
    read = _date_in if stated.type == "date" else number_in
    numbers = np.array([read(str(text)) for text in values], dtype=np.float64)
    low, high = stated.limits
    units = np.rint(np.clip(numbers / float(stated.unit), low, high))
    return np.where(np.isnan(numbers), MISSING, np.nan_to_num(units)).astype(np.int64)


def _date_in(text: str) -> float:
    number = read_number(ValueType.DATE, text.strip())
    return np.nan if number is None else number


def _keyed(stated: DeclaredColumn, values: NDArray[np.object_]) -> NDArray[np.int64]:
    places = {fold(key): place for place, key in enumerate(stated.all_keys or ())}
    others = MISSING if stated.other is None else places[fold(stated.other)]
    return np.array([places.get(fold(str(text)), others) for text in values], dtype=np.int64)
