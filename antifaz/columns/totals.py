"""Totals: rows that sum others up, as spreadsheets and printed lists have them, and that are no people.

Such a row usually says so in a cell ("Total", "Zwischensumme", "Итого", "合計") and leaves much of the rest empty.
Published as a person it would disclose the sums of all, or of a small group.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.columns.names import fold
from antifaz.tables.table import Column
from antifaz.tables.texts.value_types import ValueType

USUAL = 0.1
"""Largest share of empty cells of a column that people usually have."""
BARE = 0.6
"""Smallest share of empty cells, of these columns, of a row that is no person's, whatever it says."""
EMPTY = 1 / 3
"""Smallest share of empty cells of a row of totals."""
MOST = 200_000
"""Largest number of distinct values of a column that are read: words for totals stand beside names of groups."""
OTHERS = 0.02
"""Largest share of the rows that may be left out together with the totals."""
_WORDS = frozenset(
    fold(word)
    for word in (
        "total totals totale totali totaux totaal subtotal subtotales totales summe gesamt gesamtsumme insgesamt"
        " zwischensumme suma sumy razem ogółem łącznie celkem součet spolu összesen mindösszesen toplam σύνολο σύνολα"
        " итого всего общо yhteensä summa delsumma ukupno somme soma 合計 小計 総計 計"
    ).split()
)
_WORD = re.compile(r"[^\W\d_]+")


def rows_of_totals(columns: Sequence[Column]) -> NDArray[np.bool_]:
    """The rows that say that they are totals, and have cells for little else."""
    if not columns:
        return np.zeros(0, dtype=np.bool_)
    said = np.zeros(len(columns[0].codes), dtype=np.bool_)
    for column in columns:
        # Only texts have words: a column with such a cell is none of numbers or dates.
        if column.type is ValueType.TEXT and len(column.values) <= MOST:
            said |= np.array([_says_total(str(value)) for value in column.values], dtype=np.bool_)[column.codes]
    named: NDArray[np.bool_] = said & (_count_empty(columns, len(said)) > EMPTY * len(columns))
    return named | _bare_rows(columns, said)


def _count_empty(columns: Sequence[Column], rows: int) -> NDArray[np.int64]:
    empty = np.zeros(rows, dtype=np.int64)
    for column in columns:
        empty += column.codes == column.missing
    return empty


def _bare_rows(columns: Sequence[Column], said: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The few rows that lack most of what people have, whatever they say."""
    if said.all():
        return said
    usual = [column for column in columns if np.mean(column.codes[~said] == column.missing) < USUAL]
    bare = _count_empty(usual, len(said)) > BARE * len(usual)
    return bare if np.count_nonzero(bare) <= OTHERS * len(bare) + 1 else np.zeros_like(said)


def columns_without(totals: NDArray[np.bool_], columns: Sequence[Column]) -> list[str] | None:
    """The columns whose empty cells leave the totals out, and hardly any other row; None if there are none."""
    chosen, left = [], totals.copy()
    while left.any():
        best = max(columns, key=lambda column: _use(column.codes == column.missing, left, totals), default=None)
        if best is None or _use(best.codes == best.missing, left, totals) <= 0:
            return None
        chosen.append(best.name)
        left &= best.codes != best.missing
    return chosen


def _use(empty: NDArray[np.bool_], left: NDArray[np.bool_], totals: NDArray[np.bool_]) -> float:
    """How many of the remaining totals are left out, less a part for other rows; 0 if too many others are."""
    others = int(np.count_nonzero(empty & ~totals))
    if others > OTHERS * len(empty):
        return 0.0
    return int(np.count_nonzero(empty & left)) - others / len(empty)


def _says_total(text: str) -> bool:
    # The second word as well: "Grand Total", "Sub-total", "Genel toplam".
    return not _WORDS.isdisjoint(fold(word) for word in _WORD.findall(text[:60])[:2])
