"""Workbook: how a workbook of any sort is looked at and read, given how one of its sheets is opened."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from formats.format import Look, Sniffed
from formats.inflate import plain_bytes
from formats.limits import Limits
from formats.package import SIGNATURE, Enough, unreadable
from formats.raw import RawTable
from formats.sheet import LOOK_ROWS, Sheet

OpenSheet = Callable[[bytes, str | None, Limits, int | None], tuple[str, Sheet]]
"""The name of the stated sheet, or of the only one, and its rows, up to a number of them or all."""


def sniffing(name: str, open_sheet: OpenSheet) -> Callable[[Look], Sniffed]:
    """What an upload of that format is asked: which sheet, and what its columns are called."""

    def sniff(look: Look) -> Sniffed:
        if not look.head.startswith(SIGNATURE):
            raise unreadable()
        stated = look.metadata.get("sheet")
        if look.complete:
            # What is larger than an upload looks at is the worker's to read.
            with suppress(Enough):
                chosen, sheet = open_sheet(look.head, stated, look.limits, LOOK_ROWS)
                return Sniffed(name, {"decimal": ".", "sheet": chosen}, sheet.names())
        return Sniffed(name, {"decimal": ".", "sheet": stated})

    return sniff


def reading(open_sheet: OpenSheet) -> Callable[[Iterable[bytes], Mapping[str, Any], Limits], RawTable]:
    """How a whole workbook becomes a table."""

    def read(chunks: Iterable[bytes], details: Mapping[str, Any], limits: Limits) -> RawTable:
        content = b"".join(plain_bytes(chunks, limits))
        return open_sheet(content, details.get("sheet"), limits, None)[1].table()

    return read
