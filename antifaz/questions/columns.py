"""Columns as questions read them: whole numbers that depend on the declarations alone.

A number or date becomes a multiple of the step, clipped to the bounds; a text becomes the index of its key. The result
for one cell never depends on another row.

Rows of one person are contiguous, in an order drawn at random once. The first of them that meet a question's conditions
are a random choice, and finding them needs neither sorting nor randomness. The order of one person's rows never depends
on another person. A question about rows chosen in advance is as private as one about rows chosen for it: for every
order of all rows, adding or removing one person changes only that person's counted rows.

A table can be packed column by column, so that a question reads only the columns that it needs. The width of the packed
cells follows from the declarations, not from the data.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from antifaz.questions.declarations import Declarations, DeclaredColumn
from antifaz.tables.classes.coded import Coded
from antifaz.tables.reading.domains import number_in
from antifaz.tables.reading.readings import read_number
from antifaz.tables.texts.folding import fold, fold_codes
from antifaz.tables.texts.value_types import ValueType

MISSING = -(2**31)
"""Code of a cell that is missing, has another type, or is none of the keys."""
Cells = NDArray[np.int32]


@dataclass(frozen=True)
class AskedTable:
    """The declared columns of a table, ready for questions."""

    n: int
    cells: Mapping[str, Cells]
    texts: Mapping[str, Sequence[str]]
    """For text without declared keys: the text of each code."""
    firsts: NDArray[np.int64] | None
    """Index of the first row of each person; None if every row is a different person."""


def prepare(columns: Sequence[Coded], n: int, declared: Declarations, rng: np.random.Generator) -> AskedTable:
    """Return the columns that questions may use; all others are left out."""
    cells: dict[str, Cells] = {}
    texts: dict[str, Sequence[str]] = {}
    order, firsts = np.arange(n), None
    if declared.privacy_unit is not None:
        order, firsts = _by_person(columns, n, declared.privacy_unit, rng)
    for column in columns:
        stated = declared.columns.get(column.name)
        if stated is None:
            continue
        if stated.is_measured or stated.all_keys is not None:
            places = _measured(stated, column.values) if stated.is_measured else _keyed(stated, column.values)
        else:
            texts[column.name] = [str(text) for text in column.values]
            places = np.where([text == "" for text in column.values], MISSING, np.arange(len(column.values)))
        cells[column.name] = places.astype(np.int32)[column.codes[order]]
    return AskedTable(n, cells, texts, firsts)


def _by_person(
    columns: Sequence[Coded], n: int, unit: str, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all rows, grouped by person in random order, and the index of each person's first row."""
    # Spellings of one person are one person, and all rows without a person are one person: never too many rows count.
    persons = np.zeros(n, dtype=np.int64)
    for column in columns:
        if column.name == unit:
            persons = fold_codes(column.values.tolist())[column.codes].astype(np.int64)
    order = np.lexsort((rng.random(n), persons))
    return order, np.flatnonzero(np.diff(persons[order], prepend=-1))


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


def packed(table: AskedTable, declared: Declarations) -> Iterator[bytes]:
    """Yield the parts of a table as bytes, in the order of `_parts_of`; empty for a column that the table lacks."""
    for kind, name in _parts_of(declared):
        if kind == "rows":
            yield str(table.n).encode()
        elif kind == "persons":
            yield b"" if table.firsts is None else _marked(table.firsts, table.n)
        elif name not in table.cells:
            yield b""
        elif kind == "texts":
            yield json.dumps(table.texts[name]).encode()
        else:
            low, form = _form(declared.columns[name])
            cells = table.cells[name].astype(np.int64)
            yield np.where(cells == MISSING, 0, cells - low + 1).astype(form).tobytes()


def _marked(firsts: NDArray[np.int64], n: int) -> bytes:
    """Return one bit for each row, so that the size does not reveal the number of people."""
    marks = np.zeros(n, dtype=np.bool_)
    marks[firsts] = True
    return np.packbits(marks).tobytes()


def unpacked(declared: Declarations, read: Callable[[int], bytes]) -> AskedTable:
    """Return the packed table; each part is read on first use. ``read`` returns the part at an index."""
    places = {part: place for place, part in enumerate(_parts_of(declared))}

    def cells(name: str) -> Cells:
        low, form = _form(declared.columns[name])
        numbers = np.frombuffer(read(places["cells", name]), form).astype(np.int32)
        return np.where(numbers == 0, np.int32(MISSING), numbers + np.int32(low - 1))

    def texts(name: str) -> Sequence[str]:
        found: list[str] = json.loads(read(places["texts", name]))
        return found

    n, firsts = int(read(places["rows", ""])), None
    if declared.privacy_unit is not None:
        firsts = np.flatnonzero(np.unpackbits(np.frombuffer(read(places["persons", ""]), np.uint8), count=n))
    by_keys = [name for kind, name in places if kind == "texts"]
    return AskedTable(n, _Read(list(declared.columns), cells), _Read(by_keys, texts), firsts)


def _parts_of(declared: Declarations) -> list[tuple[str, str]]:
    names = sorted(declared.columns)
    open_texts = [name for name in names if _is_open(declared.columns[name])]
    columns = [("cells", name) for name in names] + [("texts", name) for name in open_texts]
    return [("rows", ""), *columns, ("persons", "")]


def _is_open(column: DeclaredColumn) -> bool:
    """Whether it is text without declared keys."""
    return not column.is_measured and column.all_keys is None


def _form(column: DeclaredColumn) -> tuple[int, str]:
    """Return the lowest number of a column and the type its numbers are packed in; 0 means a missing cell."""
    if _is_open(column):
        return 0, "<u4"
    low, high = column.limits if column.is_measured else (0, len(column.all_keys or ()) - 1)
    return low, next(form for form, most in _FORMS.items() if high - low + 1 <= most)


_FORMS = {"u1": 2**8 - 1, "<u2": 2**16 - 1, "<u4": 2**32 - 1}

Part = TypeVar("Part")


class _Read(Mapping[str, Part]):
    """Parts of a table by name, each read once, on first use."""

    def __init__(self, names: Sequence[str], read: Callable[[str], Part]) -> None:
        self._reads = {name: partial(read, name) for name in names}
        self._found: dict[str, Part] = {}

    def __getitem__(self, name: str) -> Part:
        if name not in self._found:
            self._found[name] = self._reads[name]()
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._reads)

    def __len__(self) -> int:
        return len(self._reads)
