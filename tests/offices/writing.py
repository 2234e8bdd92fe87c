"""Files as programs of offices write them: delimited text in old encodings, and workbooks."""

import io
import zipfile
from collections.abc import Sequence
from xml.sax.saxutils import escape

Row = Sequence[str]
_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" '
    'Target="{}"/></Relationships>'
)
_WORKBOOK = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="{}" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
_SHEET = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)


def delimited(
    rows: Sequence[Row],
    delimiter: str = ";",
    encoding: str = "utf-8",
    above: Sequence[str] = (),
    trailing: bool = False,
) -> bytes:
    """Lines that end as on Windows, with lines ``above`` the header; ``trailing`` ends every row with a delimiter."""
    lines = [*above, *(delimiter.join(_quoted(cell, delimiter) for cell in row) + delimiter * trailing for row in rows)]
    return ("\r\n".join(lines) + "\r\n").encode(encoding)


def _quoted(cell: str, delimiter: str) -> str:
    special = any(sign in cell for sign in (delimiter, '"', "\n"))
    return '"' + cell.replace('"', '""') + '"' if special else cell


def workbook(rows: Sequence[Row], sheet: str, numeric: Sequence[int] = ()) -> bytes:
    """A workbook of one sheet; the cells of the columns ``numeric`` are numbers if they look like one."""
    lines = []
    for number, row in enumerate(rows, 1):
        cells = "".join(_cell(cell, f"{_letters(place)}{number}", place in numeric) for place, cell in enumerate(row))
        lines.append(f'<row r="{number}">{cells}</row>')
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _RELATIONS.format("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": _WORKBOOK.format(escape(sheet)),
        "xl/_rels/workbook.xml.rels": _RELATIONS.format("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": _SHEET.format("".join(lines)),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            # The default date is that of today, which would make the bytes of two runs differ.
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _cell(text: str, place: str, numeric: bool) -> str:
    if not text:
        return ""
    if numeric and text.replace(".", "", 1).removeprefix("-").isdigit():
        return f'<c r="{place}"><v>{text}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _letters(place: int) -> str:
    return chr(65 + place) if place < 26 else _letters(place // 26 - 1) + chr(65 + place % 26)
