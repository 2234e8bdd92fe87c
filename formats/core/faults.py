"""Faults: why a file is refused, in messages that the upload and the workers share.

A fault names a rule, a place and counts; it never repeats a cell, an id or a label.
"""

from collections.abc import Sequence

from api_schemas.strict_json import BadJson

_JSON_RULES = {"depth": "json_depth", "syntax": "malformed_json"}


class Fault(Exception):
    """A file, or the metadata of its upload, breaks a rule."""

    def __init__(
        self,
        rule: str,
        detail: str,
        *,
        status: int = 422,
        pointer: str | None = None,
        column: str | None = None,
        row: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.rule = rule
        """Short snake_case name of the rule, such as ``ragged_row``."""
        self.detail = detail
        self.status = status
        """HTTP status of an upload that is refused for this reason."""
        self.pointer = pointer
        """JSON pointer into the metadata, if the metadata is wrong; None if the file is."""
        self.column = column
        self.row = row
        """Number of the record; the first record is 1."""
        self.faults: tuple[Fault, ...] = (self,)
        """All faults found in the same pass."""

    @classmethod
    def of(cls, faults: Sequence["Fault"]) -> "Fault":
        """Combine several faults into the first one, which lists the others."""
        first = faults[0]
        first.faults = tuple(faults)
        return first


def _place(line: int | None, row: int | None) -> str:
    return f"line {line}" if line is not None else f"row {row}" if row is not None else "the file"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# --- sizes -----------------------------------------------------------------------------------------------------------


def too_large(limit: int) -> Fault:
    return Fault("too_large", f"the file is larger than {limit} bytes", status=413)


def decompression_bomb(ratio: int) -> Fault:
    return Fault("decompression_bomb", f"the file grows more than {ratio} times when decompressed", status=413)


def too_many_columns(limit: int) -> Fault:
    return Fault("too_many_columns", f"the file has more than {limit} columns")


def too_many_rows(limit: int, noun: str = "rows") -> Fault:
    return Fault("too_many_rows", f"the file has more than {limit} {noun}")


def cell_too_long(limit: int, *, column: str | None = None, row: int | None = None) -> Fault:
    return Fault("cell_too_long", f"a cell is longer than {limit} bytes", column=column, row=row)


def row_too_long(limit: int) -> Fault:
    return Fault("row_too_long", f"a row is longer than {limit} bytes, or a quote in it does not end")


# --- text ------------------------------------------------------------------------------------------------------------


def empty_file() -> Fault:
    return Fault("empty_file", "the file is empty")


def foreign(what: str, remedy: str) -> Fault:
    remedy = remedy.replace("state ", "state the format ")
    return Fault("wrong_format", f"the file is {what} and not delimited text; {remedy}")


def wrong_delimiter(stated: str, seems: str) -> Fault:
    detail = f"only one column was found: the given delimiter is {stated!r}, but the file seems to use {seems!r}"
    return Fault("delimiter", detail, pointer="/metadata/delimiter")


def wide_encoding() -> Fault:
    remedy = 'state "encoding": "utf-16" in its dialect, or save it as UTF-8'
    return Fault("encoding", f"the file is in UTF-16 or UTF-32; {remedy}")


def not_encoded(encoding: str, *, line: int | None = None, row: int | None = None) -> Fault:
    return Fault("encoding", f"{_place(line, row)} is not valid {encoding.upper()}, the encoding of the file", row=row)


def uncertain_encoding(candidates: Sequence[str]) -> Fault:
    detail = (
        f"the encoding of the file is not certain; state the encoding: it may be {', '.join(candidates)} or another"
    )
    return Fault("encoding", detail, pointer="/metadata/encoding")


def nul_character(*, line: int | None = None, column: str | None = None, row: int | None = None) -> Fault:
    return Fault("nul_bytes", f"{_place(line, row)} has a NUL character", column=column, row=row)


def open_quote(row: int | None) -> Fault:
    return Fault("quoting", f"{_place(None, row)} has a quote that does not end", row=row)


def stray_quote(row: int | None) -> Fault:
    return Fault("quoting", f"{_place(None, row)} has a quote inside a cell that is not quoted", row=row)


# --- records ---------------------------------------------------------------------------------------------------------


def no_records(noun: str = "records") -> Fault:
    return Fault("no_records", f"the file has no {noun}")


def no_columns() -> Fault:
    return Fault("no_columns", "the file has no columns")


def ragged_row(row: int, cells: int, expected: int, of: str = "the header", count: int = 1) -> Fault:
    others = "" if count < 2 else f"; {_count(count, 'row')} of the file are not as long as {of}"
    return Fault("ragged_row", f"row {row} has {_count(cells, 'cell')}; {of} has {expected}{others}", row=row)


def unnamed_column(position: int, rows: int) -> Fault:
    verb = "has" if rows == 1 else "have"
    detail = f"column {position} has no name, but {_count(rows, 'row')} {verb} a value there"
    return Fault("empty_column_name", detail)


def different_keys(row: int) -> Fault:
    return Fault("different_keys", f"row {row} does not have the same members as the first row", row=row)


def nested_value(row: int) -> Fault:
    return Fault("nested_value", f"row {row} has a list or an object as a value", row=row)


def unsupported_type(column: str | None = None) -> Fault:
    return Fault("unsupported_type", "a column is nested or has an unsupported type", column=column)


# --- JSON ------------------------------------------------------------------------------------------------------------


def bad_json(error: BadJson, row: int | None = None) -> Fault:
    joint = " " if error.detail.startswith(("is ", "starts ")) else ": "
    return Fault(_JSON_RULES.get(error.rule, error.rule), f"{_place(None, row)}{joint}{error.detail}", row=row)


def not_an_object(row: int | None = None) -> Fault:
    return Fault("malformed_json", f"{_place(None, row)} is not a JSON object", row=row)


# --- graphs ----------------------------------------------------------------------------------------------------------


def too_few_cells(row: int, cells: int, expected: int) -> Fault:
    return ragged_row(row, cells, expected, "an edge")


def no_end(row: int) -> Fault:
    return Fault("empty_id", f"edge {row} has no source or no target", row=row)


def only_self_loops(count: int) -> Fault:
    return Fault("only_self_loops", f"no edge is left: all {_count(count, 'edge')} are self-loops, which are dropped")


def no_id(row: int) -> Fault:
    return Fault("empty_id", f"node {row} has no id", row=row)


def duplicate_node(row: int | None = None) -> Fault:
    return Fault("duplicate_node", "two nodes have the same id", row=row)


def duplicate_attribute() -> Fault:
    return Fault("duplicate_column", "two attributes of nodes have the same name")


def unknown_node(row: int) -> Fault:
    return Fault("unknown_node", f"edge {row} names a node that the file does not list", row=row)


def undeclared_attribute() -> Fault:
    return Fault("unknown_key", "a node has an attribute that the file does not declare")


def second_graph() -> Fault:
    return Fault("nested_graph", "the file has more than one graph")
