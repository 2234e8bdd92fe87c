"""Small workbooks for tests, written member by member, so that any member can be made invalid."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DATE_STYLE = 1


def packed(members: Mapping[str, str | bytes]) -> bytes:
    """A zip archive of these members."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            # The type of document is at its start, uncompressed.
            archive.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else None)
    return sink.getvalue()


def stored(members: Mapping[str, str | bytes]) -> bytes:
    """The same without compression: who changes its bytes changes its members."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return sink.getvalue()


def xlsx_members(rows: Sequence[Sequence[str]], sheets: Sequence[str] = ("Sheet1",)) -> dict[str, str | bytes]:
    """The members of a workbook; each cell is the inside of a ``c`` element with its attributes, such as
    ``t="b"><v>1</v>``, or a plain text. All sheets have the same rows."""
    names = "".join(f'<sheet name="{escape(n)}" sheetId="{i}" r:id="r{i}"/>' for i, n in enumerate(sheets, 1))
    targets = "".join(f'<Relationship Id="r{i}" Target="worksheets/sheet{i}.xml"/>' for i in range(1, len(sheets) + 1))
    body = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    return {
        "[Content_Types].xml": f"{_HEAD}<Types/>",
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"{_HEAD}<Relationships>{targets}</Relationships>",
        "xl/styles.xml": f'{_HEAD}<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        **{
            f"xl/worksheets/sheet{i}.xml": f'{_HEAD}<worksheet xmlns="{MAIN}"><sheetData>{body}</sheetData></worksheet>'
            for i in range(1, len(sheets) + 1)
        },
    }


def _cell(cell: str) -> str:
    return f"<c {cell}</c>" if "><" in cell else f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>'


def xlsx(rows: Sequence[Sequence[str]], **changes: str | bytes) -> bytes:
    """A workbook with some members changed: ``styles="…"`` for ``xl/styles.xml``."""
    members = xlsx_members(rows)
    for name, content in changes.items():
        members[f"xl/{name}.xml"] = content
    return packed(members)


def ods_members(body: str) -> dict[str, str | bytes]:
    """The members of an OpenDocument workbook with these tables."""
    spaces = 'xmlns:office="o" xmlns:table="t" xmlns:text="x"'
    sheet = f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"
    return {
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "content.xml": f"{_HEAD}<office:document-content {spaces}>{sheet}</office:document-content>",
    }


def ods(rows: Sequence[str], name: str = "Sheet1") -> bytes:
    """A workbook of one sheet; rows are the inside of ``table:table-row`` with their attributes, such as
    ``><table:table-cell…/>``."""
    inside = "".join(f"<table:table-row {row}</table:table-row>" for row in rows)
    return packed(ods_members(f'<table:table table:name="{name}">{inside}</table:table>'))


def ods_text(text: str, more: str = "") -> str:
    """A cell with a text."""
    return f'<table:table-cell office:value-type="string" {more}><text:p>{escape(text)}</text:p></table:table-cell>'
