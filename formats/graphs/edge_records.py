"""The first lines of edge lists, split into cells, with or without a header."""

import re
from collections.abc import Sequence

from formats.core import faults
from formats.core.format import Look
from formats.core.quoting import cut_quoted
from formats.core.text import first_text
from formats.tables.header import is_number

_SAMPLE = 200
END_NAMES = {
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("fromnodeid", "tonodeid"),
    ("from_node_id", "to_node_id"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id_1", "id_2"),
    ("id1", "id2"),
    ("u", "v"),
    ("head", "tail"),
    ("sender", "receiver"),
}
_DICTIONARY_AFTER_ENDS = re.compile(r"\S+\s+\S+\s+\{")


def first_records(look: Look) -> tuple[list[str], str]:
    """The lines at the beginning of a file that are neither blank nor comments, and the encoding of the file."""
    text, encoding = first_text(look)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    whole = lines if look.complete else lines[:-1]
    records = [line for line in whole if line.strip() and line.lstrip()[0] not in "#%"]
    if not records and look.complete:
        raise faults.no_records("edges")
    return records, encoding


def edge_delimiter(records: Sequence[str]) -> str:
    """The delimiter that splits most of the first lines, or a space."""
    sample = records[:_SAMPLE]
    if all(_DICTIONARY_AFTER_ENDS.match(line.strip()) for line in sample):
        return " "
    shares = {mark: sum(mark in line.strip() for line in sample) / len(sample) for mark in "\t,;"}
    best = max(shares, key=lambda mark: shares[mark])
    return best if shares[best] > 0.5 else " "


def edge_rows(records: Sequence[str], delimiter: str) -> list[list[str]]:
    """Lines split into cells, without the spaces around them."""
    if delimiter != " " and not any('"' in line for line in records):
        return [[cell.strip() for cell in line.split(delimiter)] for line in records]
    if not any('"' in line for line in records):
        return [line.split() for line in records]
    return cut_quoted(records, delimiter)


def is_edge_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is a header: it has well-known names, or is the only row without numbers."""
    first = rows[0][:2]
    if tuple(cell.lower() for cell in first) in END_NAMES:
        return True
    if len(rows) < 3 or any(map(is_number, first)):
        return False
    return all(is_number(cell) for row in rows[1:] for cell in row[:2])


def check_edges(rows: Sequence[Sequence[str]], look: Look, least: int = 2) -> None:
    """Refuse edges that lack an end or have fewer than ``least`` cells."""
    if not rows and look.complete:
        raise faults.no_records("edges")
    for number, row in enumerate(rows, start=1):
        if len(row) < least:
            raise faults.too_few_cells(number, len(row), least)
        if not (row[0] and row[1]):
            raise faults.no_end(number)
        if max(len(row[0]), len(row[1])) > look.limits.max_cell_bytes:
            raise faults.cell_too_long(look.limits.max_cell_bytes, row=number)


def check_widths(rows: Sequence[Sequence[str]], records: Sequence[str]) -> None:
    """Refuse rows of different widths, unless edges have a dictionary of attributes, which commas or spaces split."""
    for number, (row, record) in enumerate(zip(rows, records, strict=True), start=1):
        if len(row) != len(rows[0]) and "{" not in record:
            raise faults.ragged_row(number, len(row), len(rows[0]), "the first")
