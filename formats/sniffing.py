"""Sniffing: examines the first megabyte of an upload before anything is stored.

The format is the declared one, else that of the file name's ending, else the one that the content looks like. Its
sniffer detects the dialect and immediately refuses files that no worker could read.
"""

from collections.abc import Mapping
from typing import Any

from formats.catalogue import graph_formats, table_formats, temporal_formats
from formats.core import faults
from formats.core.faults import Fault
from formats.core.format import Format, Look, Sniffed
from formats.core.limits import Limits
from formats.core.text import BYTE_ORDER_MARK
from formats.extending.extensions import formats_of_uploads

_COMPRESSED_ENDINGS = ("gz", "gzip", "zst", "zstd")
_Known = Mapping[str, Format]


def sniff(
    kind: str, metadata: Mapping[str, Any], file_name: str | None, head: bytes, complete: bool, limits: Limits
) -> Sniffed:
    """Detect the format of a file from its decompressed beginning, or raise `Fault`; ``complete`` if this is the whole
    file."""
    if not head.removeprefix(BYTE_ORDER_MARK).strip():
        raise faults.empty_file()
    known = _known(kind)
    found = _stated(known, metadata) or _named(known, file_name) or _recognized(known, head)
    if kind not in found.kinds:
        detail = f"the format does not support {kind.replace('_', ' ')}s"
        raise Fault("unknown_format", detail, pointer="/metadata/format")
    return found.sniff(Look(kind, metadata, head, complete, limits))


def _known(kind: str) -> _Known:
    """The formats that an upload of this kind may name, including graph formats that cannot hold temporal graphs."""
    if kind == "temporal_graph":
        return {**graph_formats(), **temporal_formats()}
    return {**(table_formats() if kind == "table" else graph_formats()), **formats_of_uploads(kind)}


def _stated(known: _Known, metadata: Mapping[str, Any]) -> Format | None:
    name = metadata.get("format")
    if name is None:
        return None
    if name not in known:
        raise Fault("unknown_format", "the format does not fit this kind of dataset", pointer="/metadata/format")
    return known[name]


def _named(known: _Known, file_name: str | None) -> Format | None:
    ending = _ending(file_name)
    return next((found for found in known.values() if ending in found.endings), None)


def _ending(file_name: str | None) -> str:
    words = (file_name or "").lower().split(".")
    while len(words) > 1 and words[-1] in _COMPRESSED_ENDINGS:
        words.pop()
    return words[-1] if len(words) > 1 else ""


def _recognized(known: _Known, head: bytes) -> Format:
    fallback = next(found for found in known.values() if found.fallback)
    return next((found for found in known.values() if found.recognize(head)), fallback)
