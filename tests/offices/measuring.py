"""Measuring: what of an original stands in the bytes of a release, whatever the columns of the release are called."""

import csv
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.offices.office import Office
from verifier import Artifact

SHORTEST = 4
"""Length of the shortest value that is recognized in a column of another name."""
_NUMBER = re.compile(r"-?\d[\d.,]*")


@dataclass(frozen=True)
class Exposed:
    """What points at people in a release."""

    ids: dict[str, tuple[int, int]]
    """For each identifying column of which values were found: their number, and that of the column."""
    names: int
    """Full names of people found anywhere, also inside of sentences."""
    totals: int
    """Rows of sums that are among the records."""
    alone: int
    """Records that are the only ones with their values in the columns that others know, in the release as in the
    original."""

    def __bool__(self) -> bool:
        """Whether a value that points at a person was released. Records that are alone are reported only."""
        return bool(self.ids or self.names or self.totals)


def exposed(office: Office, artifacts: Sequence[Artifact], read_as: str | None = None) -> Exposed:
    """Compare a release in csv with the original. If the original was taken for another encoding (``read_as``), its
    people are found by whoever takes the release for the right one."""
    files = [_read(artifact) for artifact in artifacts if artifact.format == "csv"]
    if not files:
        raise ValueError("a release is compared by its csv")
    if read_as is not None:
        files = [[[_restored(cell, read_as, office) for cell in row] for row in rows] for rows in files]
    columns: dict[str, set[str]] = {}
    for name, *cells in (column for rows in files for column in zip(*rows, strict=True)):
        columns.setdefault(name, set()).update(cells)
    shown = {name: {key for cell in cells for key in _keys(cell)} for name, cells in columns.items()}
    records = len(files[0]) - 1 if len(files) == 1 else 0
    anywhere = set().union(*shown.values())
    totals, names = _totals(office, anywhere, records), _names(office, columns.values())
    return Exposed(_ids(office, shown, anywhere), names, totals, _alone(office, files[0]) if records else 0)


def _read(artifact: Artifact) -> list[list[str]]:
    text = bytes(artifact.content).decode("utf-8-sig")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    return [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]


def _restored(cell: str, read_as: str, office: Office) -> str:
    return cell.encode(read_as, "replace").decode(office.encoding, "replace")


def _ids(office: Office, shown: dict[str, set[str]], anywhere: set[str]) -> dict[str, tuple[int, int]]:
    """Values that also stand in a column that points at nobody (a number that is someone's year of birth) prove
    nothing, and are not counted; short ones, such as the serial number 3, are counted only below their own name."""
    truth = office.truth
    people = [row for place, row in enumerate(office.rows) if place not in truth.totals]
    others = [place for place, name in enumerate(office.header) if name not in truth.identifying]
    plain = {key_of(row[place]) for row in office.rows for place in others} | {key_of(code) for code in truth.missing}
    found = {}
    for name in truth.identifying:
        place = office.header.index(name)
        values = {key_of(row[place]) for row in people if name not in truth.texts or _names(office, [[row[place]]])}
        values -= plain | {""}
        met = values & anywhere
        count = sum(len(value) >= SHORTEST or value in shown.get(name, ()) for value in met)
        if count:
            found[name] = (count, len(values))
    return found


def _names(office: Office, columns: Iterable[Iterable[str]]) -> int:
    text = "\n".join(_folded(cell) for cells in columns for cell in cells)
    return sum(_folded(name) in text for name in office.truth.named)


def _totals(office: Office, shown: set[str], records: int) -> int:
    """Rows of sums by the cells that they alone have, or by the number of records beyond that of the people's."""
    totals = [office.rows[place] for place in office.truth.totals]
    people = [row for place, row in enumerate(office.rows) if place not in office.truth.totals]
    plain = {key_of(cell) for row in people for cell in row} | {""}
    return max(sum(bool({key_of(cell) for cell in row} & shown - plain) for row in totals), records - len(people), 0)


def _alone(office: Office, rows: Sequence[Sequence[str]]) -> int:
    known = [name for name in office.truth.known if name in rows[0]]
    if not known:
        return 0
    released = _once(rows[1:], [rows[0].index(name) for name in known])
    return len(released & _once(office.rows, [office.header.index(name) for name in known]))


def _once(rows: Sequence[Sequence[str]], places: Sequence[int]) -> set[tuple[str, ...]]:
    counts = Counter(tuple(key_of(row[place]) for place in places) for row in rows)
    return {values for values, count in counts.items() if count == 1}


def _keys(cell: str) -> list[str]:
    """The values of a cell: a label may list several. Ends of ranges are not values."""
    if cell.startswith('["'):
        return [key_of(str(each)) for each in json.loads(cell)]
    return [key_of(cell)]


def key_of(cell: str) -> str:
    """A cell as a person compares it: 08032 and 8032, 1001.0 and 1001, 1 204,50 and 1204.5 are the same."""
    text = _folded(cell)
    compact = re.sub(r"\s", "", text)
    if not _NUMBER.fullmatch(compact):
        return text
    sign, digits = ("-", compact[1:]) if compact.startswith("-") else ("", compact)
    whole, mark, decimals = _parted(digits)
    decimals = decimals.rstrip("0") if mark else ""
    return sign + (re.sub(r"[.,]", "", whole).lstrip("0") or "0") + ("." + decimals if decimals else "")


def _parted(digits: str) -> tuple[str, str, str]:
    """A number before and after its decimal mark: the last one, unless it is repeated."""
    last = max(".,", key=digits.rfind)
    return digits.rpartition(last) if digits.count(last) == 1 else (digits, "", "")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()
