"""Columns of files, for the engine."""

from formats import RawColumn, RawTable


def encoded_columns(table: RawTable | None) -> tuple[RawColumn, ...]:
    """The columns of a file, or of a part of one that may be absent."""
    return () if table is None else tuple(table.columns)
