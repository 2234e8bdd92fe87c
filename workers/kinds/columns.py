"""Columns as files have them, for the engine."""

from antifaz.kinds.kind import Encoded
from formats import RawTable


def encoded_columns(table: RawTable | None) -> tuple[Encoded, ...]:
    """The columns of a file, or of a part of one that may be absent."""
    if table is None:
        return ()
    return tuple(Encoded(name, c.codes, c.values) for name, c in zip(table.names, table.columns, strict=True))
