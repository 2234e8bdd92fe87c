"""Kinds: what kind of data a file holds, as far as its name and its first line show it.

The service decides what it accepts; this only spares a user from proposing a policy for a table of people where each
line joins two of them.
"""

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

GRAPHS = frozenset({"gml", "graphml", "gexf", "net", "paj", "edges", "edgelist", "el"})
"""Endings of files that are graphs, whatever they hold."""
_ENDS = (
    ({"source", "src", "from", "sender", "von", "de", "origen", "caller", "person_a"},
     {"target", "dst", "to", "receiver", "recipient", "nach", "para", "destino", "callee", "person_b"}),
)  # fmt: skip
_TIMES = frozenset({"time", "timestamp", "date", "datetime", "day", "week", "month", "year", "snapshot", "t", "ts"})
_BREAKS = re.compile(r"[,;\t|]")
_LONGEST = 4096


@dataclass(frozen=True)
class Found:
    """The kind of a file that is no table, and what shows it."""

    kind: str
    reason: str
    window: str | None = None
    """For a temporal graph: what a snapshot usually is."""


def kind_of_file(file: Path) -> Found | None:
    """A graph or temporal graph; None if nothing shows that a file is no table."""
    endings = [ending.removeprefix(".").lower() for ending in file.suffixes]
    packed = endings[-1:] == ["gz"]
    ending = ([each for each in endings if each != "gz"] or [""])[-1]
    names = _first_names(file, packed) if ending in ("csv", "tsv", "txt", "edges", "edgelist", "el") else []
    joined = any(not firsts.isdisjoint(names) and not seconds.isdisjoint(names) for firsts, seconds in _ENDS)
    if (joined or ending in GRAPHS) and not _TIMES.isdisjoint(names):
        window = "snapshot" if "snapshot" in names else "day"
        return Found("temporal_graph", "each line joins two ends at a time", window)
    if joined:
        return Found("graph", "each line joins two ends")
    return Found("graph", f"its name ends in .{ending}") if ending in GRAPHS else None


def _first_names(file: Path, packed: bool) -> list[str]:
    try:
        with gzip.open(file, "rb") if packed else file.open("rb") as stream:
            line = stream.read(_LONGEST).split(b"\n", 1)[0]
    except (EOFError, OSError):
        return []  # the upload reports it
    text = line.decode("utf-8-sig", "replace").strip().lower()
    return [name.strip().strip('"') for name in _BREAKS.split(text)]
