"""Writing workbooks of Office Open XML (ISO/IEC 29500): one sheet, its cells numbers or texts, and nothing else.

Texts stand in their cells, where no program runs them as formulas. There are no styles, no properties of a document and
no names of people or programs, and every member has the same time: the same release gives the same bytes.
A character that XML does not have is written as `_x0007_`, and so is a text that looks like that.
"""

import zipfile
from collections.abc import Iterator, Sequence
from io import RawIOBase
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from formats.cells import Cells, glue, joined_rows, replaced, rewritten

_DIGITS = 15
"""Digits of a number that spreadsheets keep."""
_TIME = (1980, 1, 1, 0, 0, 0)
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEETS}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_SHEETS}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="data" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
_SHEET = "xl/worksheets/sheet1.xml"
_ODD = "[\x00-\x08\x0b\x0c\x0e-\x1f\r\ufffe\uffff]|_x[0-9A-Fa-f]{4}_"


class _Pieces(RawIOBase):
    """Takes what is written, and hands it out piece by piece: an archive is never held whole."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._held.append(bytes(piece))
        return len(piece)

    def taken(self) -> bytes:
        """What came since the last time."""
        content = b"".join(self._held)
        self._held.clear()
        return content


def render_xlsx(columns: Sequence[Cells]) -> Iterator[bytes]:
    """A workbook with a header and rows."""
    pieces = _Pieces()
    with zipfile.ZipFile(pieces, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _PARTS.items():
            archive.writestr(_member(name), content)
        with archive.open(_member(_SHEET), "w") as sheet:
            for rows in _rows(columns):
                sheet.write(rows)
                yield pieces.taken()
    yield pieces.taken()


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _TIME)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _rows(columns: Sequence[Cells]) -> Iterator[bytes]:
    """The sheet: one row a line."""
    yield f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>\n'.encode()
    names = _texts(pa.array([cells.name for cells in columns], pa.large_string()))
    yield f"<row>{''.join(names.to_pylist())}</row>\n".encode()
    written = [cells.with_labels(_written(cells)) for cells in columns]
    if written:
        written[0] = written[0].with_labels(glue("<row>", written[0].labels))
        written[-1] = written[-1].with_labels(glue(written[-1].labels, "</row>\n"))
        yield from joined_rows(written, "")
    yield b"</sheetData></worksheet>"


def _written(cells: Cells) -> Any:
    """Every label as a cell: empty, a number, or a text."""
    blank = pc.equal(cells.labels, "")
    if is_number(cells):
        return pc.if_else(blank, "<c/>", glue("<c><v>", cells.labels, "</v></c>"))
    return pc.if_else(blank, "<c/>", _texts(cells.labels))


def is_number(cells: Cells) -> bool:
    """Whether a column is one of numbers of which a spreadsheet changes no digit; else its numbers are texts."""
    if cells.number is None:
        return False
    digits = pc.replace_substring_regex(cells.labels, "[eE].*|[^0-9]", "")
    return not pc.any(pc.greater(pc.utf8_length(digits), _DIGITS)).as_py()


def _texts(labels: Any) -> Any:
    escaped = replaced(labels, [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")])
    plain = rewritten(escaped, _ODD, _without_odd)
    # A row is a line of the sheet, so that a break within a cell is written as its number.
    return glue('<c t="inlineStr"><is><t xml:space="preserve">', replaced(plain, [("\n", "&#10;")]), "</t></is></c>")


def _without_odd(text: str) -> str:
    pieces = []
    for place, letter in enumerate(text):
        odd = letter in "\r\ufffe\uffff" or (letter < " " and letter not in "\t\n")
        looks = letter == "_" and text[place + 1 : place + 2] == "x" and text[place + 6 : place + 7] == "_"
        pieces.append(f"_x{ord(letter):04X}_" if odd or looks else letter)
    return "".join(pieces)
