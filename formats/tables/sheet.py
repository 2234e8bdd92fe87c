"""Sheet: builds a table from the rows of a workbook's sheet.

The first row that is neither blank nor a title names the columns; blank rows are left out. A cell is stored as a code
for its content in the file, and each distinct content is converted to text once.
"""

from array import array
from collections.abc import Callable, Hashable, Sequence

import numpy as np
import pyarrow as pa

from formats.core import faults
from formats.core.faults import Fault
from formats.core.limits import Limits
from formats.core.names import Header
from formats.core.package import Enough
from formats.core.raw import RawTable, check_rows, clean_column, refuse_unnamed
from formats.core.titles import MOST_ROWS_OF_TITLES, count_titles
from formats.tables.header import checked_header, refuse_data_as_header

Cell = Hashable
"""Content of one cell in the file; None if it is blank."""
_SHOWN = 200


class Sheet:
    """Collects the rows of a sheet."""

    def __init__(self, write: Callable[[Cell], str], limits: Limits, most: int | None = None) -> None:
        self._write = write
        """Converts a cell to its text."""
        self._limits = limits
        self._most = most
        """Number of rows after which `Enough` is raised; None to read all."""
        self._above: list[Sequence[Cell]] = []
        """The first rows, until there are enough to see which of them are titles."""
        self._header: Header | None = None
        self._codes: list[array[int]] = []
        self._cells: list[dict[Cell, int]] = []
        self._ragged: list[tuple[int, int]] = []
        self._unfolded = 0
        self.rows = 0

    def add(self, cells: Sequence[Cell], times: int = 1) -> None:
        """Add one row, or several equal ones; cells that are not given are blank."""
        width = len(cells)
        while width and cells[width - 1] is None:
            width -= 1
        if not width:
            return
        while self._header is None and times:
            self._above.append(cells[:width])
            times -= 1
            if len(self._above) == MOST_ROWS_OF_TITLES:
                self._begin()
        if times:
            self._add(cells[:width], times)
        if self._most is not None and self.rows >= self._most:
            raise Enough

    @property
    def next_row(self) -> int:
        """Number of the record that is added next."""
        return self.rows + max(len(self._above), 1)

    def _begin(self) -> None:
        """Take the header and the records from the first rows."""
        widest = max(map(len, self._above))
        texts = [[self._text(cell).strip() for cell in row] + [""] * (widest - len(row)) for row in self._above]
        first, *records = self._above[count_titles(texts) :]
        self._above = []
        names = [self._text(cell) for cell in first]
        self._header = checked_header(names, self._limits)
        self._codes = [array("i") for _ in names]
        self._cells = [{} for _ in names]
        for cells in records:
            self._add(cells, 1)

    def _text(self, cell: Cell) -> str:
        return "" if cell is None else self._write(cell)

    def _add(self, cells: Sequence[Cell], times: int) -> None:
        if len(cells) > len(self._codes):
            self._ragged.append((self.rows + 1, len(cells)))
        if self.rows + times > self._limits.max_rows:
            raise faults.too_many_rows(self._limits.max_rows)
        self._unfolded += times * len(self._codes)
        if self._unfolded > self._limits.max_bytes:
            raise faults.too_large(self._limits.max_bytes)
        self.rows += times
        given = len(cells)
        for place, (codes, known) in enumerate(zip(self._codes, self._cells, strict=True)):
            cell = cells[place] if place < given else None
            code = known.setdefault(cell, len(known))
            if times == 1:
                codes.append(code)
            else:
                codes.extend(array("i", [code]) * times)

    def names(self) -> list[str]:
        """The names of the columns, checked against the first rows."""
        header = self._complete()
        if not self.rows:
            raise faults.no_records()
        self._refuse_unnamed(header)
        shown = [[self._text(cell) for cell in known] for known in self._cells]
        rows = range(min(self.rows, _SHOWN))
        places = header.places
        first = [[shown[place][self._codes[place][row]] for place in places] for row in rows]
        refuse_data_as_header(header.names, first)
        return header.names

    def table(self) -> RawTable:
        """The columns."""
        header = self._complete()
        check_rows(self.rows, self._limits)
        self._refuse_unnamed(header)
        columns = []
        unfolded = 0
        for name, place in zip(header.names, header.places, strict=True):
            codes, known = self._codes[place], self._cells[place]
            texts = pa.array([self._text(cell) for cell in known], pa.string())
            merged = texts.dictionary_encode()
            places = merged.indices.to_numpy(zero_copy_only=False)
            column = clean_column(name, places[np.frombuffer(codes, np.int32)], merged.dictionary, self._limits)
            lengths = np.array([len(text) for text in column.values], dtype=np.int64)
            unfolded += int(np.bincount(column.codes, minlength=len(lengths)) @ lengths)
            if unfolded > self._limits.max_bytes:
                raise faults.too_large(self._limits.max_bytes)
            columns.append(column)
        return RawTable(header.names, columns, self.rows, tuple(place + 1 for place in header.unnamed))

    def _complete(self) -> Header:
        """The header, once all rows were added."""
        if self._above:
            self._begin()
        if self._header is None:
            raise faults.empty_file()
        self._refuse_ragged()
        return self._header

    def _refuse_ragged(self) -> None:
        if self._ragged:
            raise faults.ragged_row(*self._ragged[0], len(self._codes), count=len(self._ragged))

    def _refuse_unnamed(self, header: Header) -> None:
        for place in header.unnamed:
            texts = [self._text(cell) for cell in self._cells[place]]
            refuse_unnamed(place, np.frombuffer(self._codes[place], np.int32), texts)


LOOK_ROWS = 50
LOOK_BYTES = 16 << 20
"""How much of a workbook is read during an upload."""


def choose_sheet(names: Sequence[str], hidden: Sequence[bool], stated: str | None) -> int:
    """Position of the declared sheet, or else of the first visible one."""
    if not names:
        raise faults.empty_file()
    if stated is None:
        return next((place for place, is_hidden in enumerate(hidden) if not is_hidden), 0)
    if stated in names:
        return list(names).index(stated)
    folded = [name.strip().casefold() for name in names]
    if stated.strip().casefold() in folded:
        return folded.index(stated.strip().casefold())
    count = f"the workbook has {len(names)} sheet{'s' if len(names) > 1 else ''}"
    raise Fault("unknown_sheet", f"there is no such sheet; {count}", pointer="/metadata/sheet")
