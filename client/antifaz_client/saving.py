"""Saving downloads: under a plain name, and only once they are complete."""

import os
import tempfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from antifaz_client.transport.calls import DigestingSink
from antifaz_client.transport.flow import Flow

_SUFFIXES = {"edgelist": "csv", "node-link": "json"}


def file_name(artifact: Mapping[str, Any]) -> str:
    """The file name of a saved artifact; graphs sampled from a generalized one keep their part."""
    format_, part = artifact["format"], artifact["part"]
    suffix = _SUFFIXES.get(format_, format_)
    if part != "graph":
        return f"{part}.edges.csv" if format_ == "edgelist" else f"{part}.{suffix}"
    return "edges.csv" if format_ == "edgelist" else f"graph.{suffix}"


def saved(
    place: Path, download: Callable[[DigestingSink], Flow[None]], moved: Callable[[int], None] = lambda size: None
) -> Flow[None]:
    """Write to a temporary file, and rename it once it is known to be complete."""
    handle, unfinished = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield from download(DigestingSink(file, moved))
        Path(unfinished).chmod(0o644)
        Path(unfinished).replace(place)
    finally:
        Path(unfinished).unlink(missing_ok=True)


class Nowhere(BytesIO):
    """Discards bytes that are only counted and digested."""

    def write(self, piece: Any, /) -> int:
        return len(piece)
