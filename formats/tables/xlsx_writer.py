"""Writing Office Open XML workbooks (ISO/IEC 29500): one sheet of numbers and texts, and nothing else.

Texts are inline strings, which no program runs as formulas. There are no styles, no document properties and no names of
people or programs, and every member has the same time: the same release gives the same bytes.
A character that XML does not allow is written as `_x0007_`, and text that looks like such an escape is escaped too.
"""

import zipfile
from collections.abc import Iterator, Sequence
from io import RawIOBase
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from formats.core.cells import Cells, glue, joined_rows, replaced, rewritten

_DIGITS = 15
"""Number of digits that spreadsheets keep."""
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
    """Buffers the output and returns it chunk by chunk: an archive is never held as a whole."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._held.append(bytes(piece))
        return len(piece)

    def taken(self) -> bytes:
        """Return the output since the last call."""
        content = b"".join(self._held)
        self._held.clear()
        return content


def render_xlsx(columns: Sequence[Cells]) -> Iterator[bytes]:
    """Render a workbook with a header and rows."""
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
    """The sheet, with one row per line."""
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
    """Whether a spreadsheet keeps every digit of a numeric column; if not, its numbers are written as texts."""
    if cells.number is None:
        return False
    digits = pc.replace_substring_regex(cells.labels, "[eE].*|[^0-9]", "")
    return not pc.any(pc.greater(pc.utf8_length(digits), _DIGITS)).as_py()


def _texts(labels: Any) -> Any:
    escaped = replaced(labels, [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")])
    plain = rewritten(escaped, _ODD, _without_odd)
    # A row is one line of the sheet, so a line break within a cell is written as a character reference.
    return glue('<c t="inlineStr"><is><t xml:space="preserve">', replaced(plain, [("\n", "&#10;")]), "</t></is></c>")


def _without_odd(text: str) -> str:
    pieces = []
    for place, letter in enumerate(text):
        odd = letter in "\r\ufffe\uffff" or (letter < " " and letter not in "\t\n")
        looks = letter == "_" and text[place + 1 : place + 2] == "x" and text[place + 6 : place + 7] == "_"
        pieces.append(f"_x{ord(letter):04X}_" if odd or looks else letter)
    return "".join(pieces)
