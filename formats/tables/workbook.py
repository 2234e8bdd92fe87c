"""Workbook: sniffing and reading of any workbook format, given a function that opens one sheet."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from formats.core.format import Look, Sniffed
from formats.core.inflate import plain_bytes
from formats.core.limits import Limits
from formats.core.package import SIGNATURE, Enough, unreadable
from formats.core.raw import RawTable
from formats.tables.sheet import LOOK_ROWS, Sheet

OpenSheet = Callable[[bytes, str | None, Limits, int | None], tuple[str, Sheet]]
"""Opens the declared sheet or the default one: returns its name and its rows, up to a number of them or all."""


def sniffing(name: str, open_sheet: OpenSheet) -> Callable[[Look], Sniffed]:
    """Make the sniffer of a format: it determines the sheet and the names of its columns."""

    def sniff(look: Look) -> Sniffed:
        if not look.head.startswith(SIGNATURE):
            raise unreadable()
        stated = look.metadata.get("sheet")
        if look.complete:
            # A workbook larger than what is sniffed is left to the worker.
            with suppress(Enough):
                chosen, sheet = open_sheet(look.head, stated, look.limits, LOOK_ROWS)
                return Sniffed(name, {"decimal": ".", "sheet": chosen}, sheet.names())
        return Sniffed(name, {"decimal": ".", "sheet": stated})

    return sniff


def reading(open_sheet: OpenSheet) -> Callable[[Iterable[bytes], Mapping[str, Any], Limits], RawTable]:
    """Make the reader of a format: it reads a whole workbook as a table."""

    def read(chunks: Iterable[bytes], details: Mapping[str, Any], limits: Limits) -> RawTable:
        content = b"".join(plain_bytes(chunks, limits))
        return open_sheet(content, details.get("sheet"), limits, None)[1].table()

    return read
