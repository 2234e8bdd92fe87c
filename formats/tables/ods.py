"""OpenDocument workbooks (ods): one sheet as a table.

OASIS OpenDocument 1.3, part 3. A row or a cell may have a repeat count, so a small file can contain a large sheet:
repetitions are counted before they are expanded. Comments are not read, and links to other files are never followed.
"""

import re

from formats.core import faults
from formats.core.format import TableFormat
from formats.core.limits import Limits
from formats.core.package import SIGNATURE, Attributes, Enough, Package, attribute, whole
from formats.tables.sheet import LOOK_BYTES, Cell, Sheet, choose_sheet
from formats.tables.workbook import reading, sniffing
from formats.tables.xlsx import number_text

_CONTENT = "content.xml"
_MIMETYPE = b"application/vnd.oasis.opendocument.spreadsheet"
_DURATION = re.compile(r"PT([0-9]{1,4})H([0-9]{1,2})M([0-9]{1,2})(?:[.,][0-9]+)?S")
_MOST_SPACES = 1_000


def _recognize(head: bytes) -> bool:
    return head.startswith(SIGNATURE) and _MIMETYPE in head[:200]


def _sheet(content: bytes, stated: str | None, limits: Limits, most: int | None) -> tuple[str, Sheet]:
    wanted = None if most is None else LOOK_BYTES
    names = _names(Package(content, limits, wanted))
    place = choose_sheet(names, [False] * len(names), stated)
    rows = _Rows(Sheet(str, limits, most), place, limits)
    try:
        Package(content, limits, wanted).parse(_CONTENT, rows.start, rows.end, rows.text)
    except Enough:
        if most is None or rows.sheet.rows < most:
            raise
    return names[place], rows.sheet


def _names(package: Package) -> list[str]:
    names: list[str] = []
    depth = [0]

    def start(tag: str, attributes: Attributes) -> None:
        if tag == "table":
            depth[0] += 1
            if depth[0] == 1:
                names.append(attribute(attributes, "name") or "")

    def end(tag: str) -> None:
        depth[0] -= tag == "table"

    package.parse(_CONTENT, start, end)
    return names


class _Rows:
    """Walks through a document and collects the rows of one sheet."""

    def __init__(self, sheet: Sheet, place: int, limits: Limits) -> None:
        self.sheet = sheet
        self._limits = limits
        self._before = place
        self._depth = 0
        self._row: list[Cell] = []
        self._blank = 0
        self._times = self._repeated = 1
        self._about: Attributes = {}
        self._paragraphs: list[str] = []
        self._aside = 0
        self._inside = self._hears = False

    def start(self, tag: str, attributes: Attributes) -> None:
        """The beginning of an element."""
        if tag == "table":
            self._depth += 1
            self._inside = self._depth == 1 and self._before == 0
            self._before -= self._depth == 1
        if not self._inside:
            return
        if tag in ("annotation", "shapes", "frame"):
            self._aside += 1
        elif tag == "table-row":
            self._row, self._blank = [], 0
            self._times = whole(attribute(attributes, "number-rows-repeated"), 1) or 1
        elif tag in ("table-cell", "covered-table-cell"):
            self._about, self._paragraphs = dict(attributes), []
            self._repeated = whole(attribute(attributes, "number-columns-repeated"), 1) or 1
        elif not self._aside:
            self._mark(tag, attributes)

    def _mark(self, tag: str, attributes: Attributes) -> None:
        if tag == "p":
            self._paragraphs.append("")
            self._hears = True
        elif self._hears and tag == "s":
            self.text(" " * (whole(attribute(attributes, "c"), 1, _MOST_SPACES) or 1))
        elif self._hears and tag in ("tab", "line-break"):
            self.text("\t" if tag == "tab" else "\n")

    def text(self, text: str) -> None:
        """Text of a paragraph."""
        if self._hears and not self._aside and self._paragraphs:
            self._paragraphs[-1] += text

    def end(self, tag: str) -> None:
        """The end of an element."""
        if tag == "table":
            self._inside = self._inside and self._depth != 1
            self._depth -= 1
        if not self._inside:
            return
        if tag in ("annotation", "shapes", "frame"):
            self._aside = max(self._aside - 1, 0)
        elif tag == "p" and not self._aside:
            self._hears = False
        elif tag in ("table-cell", "covered-table-cell"):
            self._keep(_value(self._about, "\n".join(self._paragraphs)))
        elif tag == "table-row":
            self.sheet.add(self._row, self._times)

    def _keep(self, cell: str) -> None:
        """Keep a cell. Blank cells are only counted, because a row often ends with thousands of them."""
        if not cell:
            self._blank += self._repeated
            return
        if len(self._row) + self._blank + self._repeated > self._limits.max_columns:
            raise faults.too_many_columns(self._limits.max_columns)
        self._row += [None] * self._blank + [cell] * self._repeated
        self._blank = 0


def _value(about: Attributes, shown: str) -> str:
    """The value of a cell according to its type, or else the text that it shows."""
    match attribute(about, "value-type"):
        case "float" | "currency" | "percentage":
            return number_text(attribute(about, "value") or shown)
        case "date":
            return (attribute(about, "date-value") or shown).removesuffix("T00:00:00")
        case "boolean":
            return attribute(about, "boolean-value") or shown
        case "time":
            return _time(attribute(about, "time-value") or shown)
        case _:
            return attribute(about, "string-value") or shown


def _time(text: str) -> str:
    found = _DURATION.fullmatch(text)
    return text if found is None else ":".join(f"{int(part):02}" for part in found.groups())


ODS = TableFormat(
    name="ods",
    endings=("ods",),
    recognize=_recognize,
    sniff=sniffing("ods", _sheet),
    read=reading(_sheet),
)
