"""Reader of released workbooks (xlsx), stricter than any spreadsheet.

A release has one sheet of numbers and texts. Anything else that a workbook can contain (formulas, links, macros,
styles, properties with names and times, more sheets, hidden members) makes it unreadable here, so that the table
verified is the table that everyone sees, and nothing else is in the file.
"""

import io
import re
import zipfile
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pyarrow.csv

from verifier.readers.cells import FLOAT, INTEGER, NOTHING, TEXT, Column, encoded, is_number
from verifier.verdict.verdict import Unreadable

_SHEET = "xl/worksheets/sheet1.xml"
_SMALL = ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels")
_TIME = (1980, 1, 1, 0, 0, 0)
_LARGEST = 4 * 2**30
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_BEGIN = f'<worksheet xmlns="{_MAIN}"><sheetData>\n'.encode()
_END = b"</sheetData></worksheet>"
_DECLARED = re.compile(rb"<\?xml [^?<>]*\?>\s*")
_SEPARATOR = "\x1f"
_CELL = re.compile(
    r'<c/>|<c><v>([0-9eE.+-]+)</v></c>|<c t="inlineStr"><is><t xml:space="preserve">([^<]*)</t></is></c>'
)
_ENTITY = re.compile(r"&([^;&]*);|&")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "#10": "\n"}
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_WHOLE = re.compile(r"-?[0-9]+", re.ASCII)
_KEPT_DIGITS = 15
_ALLOWED = {
    f"{{{_MAIN}}}workbook": set(),
    f"{{{_MAIN}}}sheets": set(),
    f"{{{_MAIN}}}sheet": {"name", "sheetId", "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"},
}


def read_workbook(content: bytes | bytearray | memoryview) -> tuple[tuple[str, ...], tuple[Column, ...]]:
    """Read the names of the columns and the columns; raises `Unreadable`."""
    sheet = _members(bytes(content))
    body = sheet[_DECLARED.match(sheet).end() :] if _DECLARED.match(sheet) else sheet  # type: ignore[union-attr]
    if not body.startswith(_BEGIN) or not body.endswith(_END):
        raise Unreadable("a sheet with more than rows")
    header, _, rows = body[len(_BEGIN) : -len(_END)].partition(b"\n")
    names = _names(header)
    return names, _columns(rows, len(names))


def _members(content: bytes) -> bytes:
    """The sheet of an archive that contains only a plain workbook."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            listed = archive.infolist()
            _refuse_more(archive, listed, content)
            for name in _SMALL:
                _refuse_foreign(name, archive.read(name))
            return archive.read(_SHEET)
    except (zipfile.BadZipFile, KeyError, RuntimeError, ValueError, EOFError, NotImplementedError, OSError):
        raise Unreadable("not a workbook") from None


def _refuse_more(archive: zipfile.ZipFile, listed: list[zipfile.ZipInfo], content: bytes) -> None:
    if [member.filename for member in listed] != [*_SMALL, _SHEET]:
        raise Unreadable("a workbook with other parts than one sheet")
    for member in listed:
        if member.date_time != _TIME or member.extra or member.comment or member.flag_bits & 1:
            raise Unreadable("a member of the workbook says when or how it was made")
        if member.file_size > _LARGEST:
            raise Unreadable("a sheet that is too large")
    if archive.comment or listed[0].header_offset != 0 or not content.startswith(b"PK\x03\x04"):
        raise Unreadable("the workbook has bytes outside its members")


def _refuse_foreign(name: str, content: bytes) -> None:
    """Refuse a workbook whose parts do more than attach one sheet."""
    if b"<!" in content:
        raise Unreadable("a document type in the workbook")
    try:
        tree = ElementTree.fromstring(content)  # noqa: S314 - without a document type, nothing expands
    except ElementTree.ParseError:
        raise Unreadable("a part of the workbook is not XML") from None
    if name == "xl/workbook.xml":
        strange = [e for e in tree.iter() if e.tag not in _ALLOWED or set(e.attrib) - _ALLOWED[e.tag] or (e.text or "")]
        if strange or len(list(tree.iter(f"{{{_MAIN}}}sheet"))) != 1:
            raise Unreadable("the workbook says more than that it has one sheet")
    elif name.endswith(".rels"):
        if len(tree) != 1 or tree[0].get("TargetMode") is not None or len(tree[0].attrib) != 3:
            raise Unreadable("the workbook refers to something else")
    elif len(tree) != 3:
        raise Unreadable("the workbook has parts of other types")


def _names(header: bytes) -> tuple[str, ...]:
    try:
        row = header.decode()
    except UnicodeDecodeError:
        raise Unreadable("not UTF-8") from None
    if not row.startswith("<row>") or not row.endswith("</row>"):
        raise Unreadable("no header")
    cells = [_decoded(cell) for cell in row[5:-6].replace("><c", f">{_SEPARATOR}<c").split(_SEPARATOR)]
    if any(kind != TEXT for kind, _ in cells):
        raise Unreadable("a column without a name")
    return tuple(text for _, text in cells)


def _columns(rows: bytes, width: int) -> tuple[Column, ...]:
    """Rows are lines of consecutive cells; each distinct cell is decoded once."""
    if not rows:
        return tuple(Column(np.empty(0, np.int64), [], "") for _ in range(width))
    if _SEPARATOR.encode() in rows or b"\r" in rows or not rows.endswith(b"</row>\n"):
        raise Unreadable("a sheet with more than rows")
    cut = rows.replace(b"><c", b">" + _SEPARATOR.encode() + b"<c")
    names = [f"c{position}" for position in range(width + 1)]
    # A row begins with its tag, which is a separate cell here.
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(cut),
            pyarrow.csv.ReadOptions(column_names=names, block_size=64 * 2**20, use_threads=False),
            pyarrow.csv.ParseOptions(delimiter=_SEPARATOR, quote_char=False, ignore_empty_lines=False),
            pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string())),
                null_values=[],
                strings_can_be_null=False,
                check_utf8=True,
            ),
        ).unify_dictionaries()
    except pa.ArrowException:
        raise Unreadable("rows of different lengths, or not UTF-8") from None
    first, *others = table.columns
    if first.chunk(0).dictionary.to_pylist() != ["<row>"]:
        raise Unreadable("a row that says more than its cells")
    return tuple(_column(column, position == width - 1) for position, column in enumerate(others))


def _column(column: object, last: bool) -> Column:
    chunks = column.chunks  # type: ignore[attr-defined]
    texts = chunks[0].dictionary.to_pylist()
    if last:
        if not all(text.endswith("</row>") for text in texts):
            raise Unreadable("a row that does not end")
        texts = [text.removesuffix("</row>") for text in texts]
    cells = [_decoded(text) for text in texts]
    codes = np.concatenate([chunk.indices.to_numpy(zero_copy_only=False) for chunk in chunks]).astype(np.int64)
    return encoded(codes, [text for _, text in cells], "".join(kind for kind, _ in cells))


def _decoded(cell: str) -> tuple[str, str]:
    """Kind and text of a cell."""
    found = _CELL.fullmatch(cell)
    if found is None:
        raise Unreadable("a cell that is neither a number nor a text")
    number, text = found.groups()
    if text is not None:
        return TEXT, _ESCAPE.sub(lambda each: chr(int(each[1], 16)), _ENTITY.sub(_character, text))
    if number is None:
        return NOTHING, ""
    if not is_number(number) or sum(map(str.isdigit, number.lower().partition("e")[0])) > _KEPT_DIGITS:
        raise Unreadable("a number of which spreadsheets drop digits")
    return (INTEGER if _WHOLE.fullmatch(number) else FLOAT), number


def _character(entity: "re.Match[str]") -> str:
    if entity[1] not in _ENTITIES:
        raise Unreadable("a reference that texts of a release do not have")
    return _ENTITIES[entity[1]]
