"""Office Open XML workbooks (xlsx): one sheet as a table.

ISO/IEC 29500. Formulas are not computed: a cell has the value that was stored when the file was saved. Numbers with a
date format are dates. Links to other files are never followed, and comments, drawings and macros are never read.
"""

import re
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import partial

from formats.core.faults import Fault
from formats.core.format import TableFormat
from formats.core.limits import Limits
from formats.core.package import SIGNATURE, Attributes, Enough, Package, attribute, unreadable, whole
from formats.tables.sheet import LOOK_BYTES, Cell, Sheet, choose_sheet
from formats.tables.workbook import reading, sniffing
from formats.tables.xlsx_writer import render_xlsx

_WORKBOOK = "xl/workbook.xml"
_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_MOST_COLUMNS = 16_384
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_DATED = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""Numbers of the built-in date and time formats."""
_NOT_SHOWN = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')


def recognize(head: bytes) -> bool:
    """Whether a file begins like an xlsx workbook."""
    return head.startswith(SIGNATURE) and (b"xl/" in head or b"[Content_Types].xml" in head)


def _sheet(content: bytes, stated: str | None, limits: Limits, most: int | None) -> tuple[str, Sheet]:
    """The name of the chosen sheet, and its rows."""
    package = Package(content, limits, None if most is None else LOOK_BYTES)
    book = _Workbook(package)
    place = choose_sheet(book.names, book.hidden, stated)
    texts = _shared_texts(package)
    sheet = Sheet(partial(_text, texts=texts, dated=_dated_styles(package), since_1904=book.since_1904), limits, most)
    try:
        _Rows(sheet, limits).walk(package, book.part(place))
    except Enough:
        if most is None or sheet.rows < most:
            raise
    return book.names[place], sheet


class _Workbook:
    """The sheets of a workbook, and the date from which it counts days."""

    def __init__(self, package: Package) -> None:
        self.names: list[str] = []
        self.hidden: list[bool] = []
        self.since_1904 = False
        self._references: list[str] = []
        self._parts: dict[str, str] = {}
        self._folder = "xl/"
        package.parse(_WORKBOOK, self._note)
        if "xl/_rels/workbook.xml.rels" in package:
            package.parse("xl/_rels/workbook.xml.rels", self._note_part)

    def _note(self, tag: str, attributes: Attributes) -> None:
        if tag == "sheet":
            self.names.append(attributes.get("name", ""))
            self.hidden.append(attributes.get("state", "visible") != "visible")
            self._references.append(attribute({k: v for k, v in attributes.items() if ":" in k}, "id") or "")
        # Workbooks of old Macs count days from 1904: the same number would be a date four years earlier.
        elif tag == "workbookPr":
            self.since_1904 = attributes.get("date1904", "0") in ("1", "true")

    def _note_part(self, tag: str, attributes: Attributes) -> None:
        # A sheet in another file, or at an address, is never fetched.
        if tag == "Relationship" and attributes.get("TargetMode") != "External":
            self._parts[attributes.get("Id", "")] = attributes.get("Target", "")

    def part(self, place: int) -> str:
        """The member that holds a sheet."""
        target = self._parts.get(self._references[place], f"worksheets/sheet{place + 1}.xml")
        return target.removeprefix("/") if target.startswith("/") else self._folder + target


def _dated_styles(package: Package) -> frozenset[str]:
    """Styles that display numbers as dates or times."""
    if "xl/styles.xml" not in package:
        return frozenset()
    codes: dict[str, str] = {}
    styles: list[str] = []
    inside = [False]

    def start(tag: str, attributes: Attributes) -> None:
        if tag == "numFmt":
            codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif tag == "cellXfs":
            inside[0] = True
        # Cells count through `cellXfs` alone; the same element elsewhere describes named styles.
        elif tag == "xf" and inside[0]:
            styles.append(attributes.get("numFmtId", "0"))

    def end(tag: str) -> None:
        if tag == "cellXfs":
            inside[0] = False

    package.parse("xl/styles.xml", start, end)
    return frozenset(str(place) for place, number in enumerate(styles) if _is_dated(number, codes.get(number)))


def _is_dated(number: str, code: str | None) -> bool:
    if code is None:
        return whole(number) in _DATED
    # Letters in quotes, brackets or after a backslash are text or colors: the d of "red" does not make a date.
    shown = _NOT_SHOWN.sub("", code.split(";")[0]).lower()
    return any(letter in shown for letter in "dmyhs") and "general" not in shown


def _shared_texts(package: Package) -> list[str]:
    """The texts that cells refer to by number, without phonetic hints."""
    if "xl/sharedStrings.xml" not in package:
        return []
    texts: list[str] = []
    parts: list[str] = []
    state = {"text": False, "aside": False}

    def start(tag: str, _: Attributes) -> None:
        if tag == "si":
            parts.clear()
        elif tag == "rPh":
            state["aside"] = True
        state["text"] = tag == "t" and not state["aside"]

    def end(tag: str) -> None:
        if tag == "si":
            texts.append(_unescaped("".join(parts)))
        elif tag == "rPh":
            state["aside"] = False
        state["text"] = False

    package.parse("xl/sharedStrings.xml", start, end, lambda text: parts.append(text) if state["text"] else None)
    return texts


class _Rows:
    """Walks through a sheet and collects its rows."""

    def __init__(self, sheet: Sheet, limits: Limits) -> None:
        self._sheet = sheet
        self._limits = limits
        self._row: list[Cell] = []
        self._kind = self._style = ""
        self._place = -1
        self._parts: list[str] = []
        self._hears = self._computed = self._aside = False

    def walk(self, package: Package, part: str) -> None:
        package.parse(part, self._start, self._end, self._text)

    def _start(self, tag: str, attributes: Attributes) -> None:
        if tag == "c":
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "0")
            self._place = self._column(attributes.get("r"))
            self._computed = False
            self._parts.clear()
        elif tag == "row":
            self._row, self._place = [], -1
        elif tag == "f":
            self._computed = True
        elif tag == "rPh":
            self._aside = True
        self._hears = tag in ("v", "t") and not self._aside

    def _column(self, place: str | None) -> int:
        """The column of a cell: the next one, unless the cell has a reference."""
        if place is None:
            return self._place + 1
        found = _PLACE.fullmatch(place)
        number = 0
        for letter in found[1] if found else ():
            number = 26 * number + ord(letter) - 64
        if not self._place < number - 1 < _MOST_COLUMNS:
            raise unreadable()
        return number - 1

    def _text(self, text: str) -> None:
        if self._hears:
            self._parts.append(text)

    def _end(self, tag: str) -> None:
        if tag == "c":
            self._keep("".join(self._parts))
        elif tag == "row":
            self._sheet.add(self._row)
        elif tag == "rPh":
            self._aside = False
        self._hears = False

    def _keep(self, text: str) -> None:
        if not text:
            if self._computed and self._kind != "str":
                row = self._sheet.next_row
                detail = f"row {row} has a formula without a stored value; open the workbook, recalculate and save it"
                raise Fault("formula", detail, row=row)
            return
        if self._place >= self._limits.max_columns:
            raise Fault("too_many_columns", f"the file has more than {self._limits.max_columns} columns")
        # Empty cells are not in the file: the reference of the next one tells how many were left out.
        self._row += [None] * (self._place - len(self._row))
        self._row.append((self._kind, self._style if self._kind == "n" else "", text))


def _text(cell: Cell, texts: list[str], dated: frozenset[str], since_1904: bool) -> str:
    """What a cell shows."""
    assert isinstance(cell, tuple)
    kind, style, text = cell
    match kind:
        case "s":
            place = whole(text.strip())
            if place is None or place >= len(texts):
                raise unreadable()
            return str(texts[place])
        case "n":
            return _moment(text, since_1904) if style in dated else number_text(text)
        case "b":
            return "true" if text.strip() == "1" else "false"
        case "d":
            return str(text).removesuffix("T00:00:00")
        case "inlineStr" | "str":
            return _unescaped(text)
        case _:
            return str(text)


def number_text(text: str) -> str:
    """A number in the fewest digits that represent it, without an exponent; other texts are unchanged."""
    try:
        # Files store 0.1 as 0.10000000000000001: the shortest digits that give the same float are what was typed.
        shortest = Decimal(repr(float(text)))
    except (ValueError, OverflowError, InvalidOperation):
        return text
    if not shortest.is_finite():
        return text
    plain = format(shortest, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return "0" if plain in ("-0", "") else plain


def _moment(text: str, since_1904: bool) -> str:
    """Convert a number of days to a date, with a time of day if it has a fraction; a fraction alone is a time."""
    try:
        days = float(text)
    except ValueError:
        return text
    if not 0 <= days < 2_958_466:
        return number_text(text)
    seconds = round(days % 1 * 86_400)
    if since_1904:
        first = datetime(1904, 1, 1)
    else:
        # Early spreadsheet programs treated 1900 as a leap year; the format keeps this.
        first = datetime(1899, 12, 30) if days >= 60 else datetime(1899, 12, 31)
    moment = first + timedelta(days=int(days), seconds=seconds)
    if days < 1 and not since_1904:
        return moment.time().isoformat()
    return moment.date().isoformat() if moment.time() == datetime.min.time() else moment.isoformat()


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(_character, text) if "_x" in text else text


def _character(found: re.Match[str]) -> str:
    """A character by its number; half of a surrogate pair is not a character and stays unchanged."""
    point = int(found[1], 16)
    return found[0] if 0xD800 <= point < 0xE000 else chr(point)


XLSX = TableFormat(
    name="xlsx",
    endings=("xlsx", "xlsm"),
    recognize=recognize,
    media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    suffix="xlsx",
    sniff=sniffing("xlsx", _sheet),
    read=reading(_sheet),
    write=render_xlsx,
    most_rows=1_048_575,
    longest_cell=32_767,
)
