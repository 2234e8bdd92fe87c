"""Uploads by kind of data: which metadata applies, and where the columns are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from formats.core.format import Sniffed


@dataclass(frozen=True)
class UploadedKind:
    """How one kind of data is uploaded."""

    foreign: tuple[str, ...]
    """Metadata that does not apply to it."""
    columns: Callable[[Sniffed | None, Sniffed], list[str] | None]
    """The columns that a policy must describe, from the list of nodes and the file; None if they are not known yet."""
    has_nodes: bool = False
    """Whether it has nodes and edges: a list of nodes may come with it, and edges may have a direction."""
    has_people: bool = False
    """Whether it can be a population: a record for each person."""


def _columns_of_table(_nodes: Sniffed | None, file: Sniffed) -> list[str] | None:
    return file.columns


def _columns_of_nodes(nodes: Sniffed | None, file: Sniffed) -> list[str] | None:
    if nodes is not None:
        return None if nodes.columns is None else nodes.columns[1:]
    return file.columns


_OF_TIME = ("window", "empty_windows")
_OF_CELLS = ("delimiter", "encoding", "decimal", "dialect")
KINDS: Mapping[str, UploadedKind] = {
    "table": UploadedKind(("directed", "strict", *_OF_TIME), _columns_of_table, has_people=True),
    "graph": UploadedKind((*_OF_CELLS, "columns", *_OF_TIME), _columns_of_nodes, has_nodes=True),
    "temporal_graph": UploadedKind(_OF_CELLS, _columns_of_nodes, has_nodes=True),
}
"""By name; a kind that is not here is not supported yet."""
