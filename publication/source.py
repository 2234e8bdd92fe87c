"""Source: a dataset as it is stored or given, with what was found about its format."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Content = Callable[[], Iterator[bytes]]
"""Opens a file and yields it piece by piece."""


@dataclass(frozen=True)
class Source:
    """The files of a dataset, and how they are to be read."""

    format: str
    details: Mapping[str, Any]
    """Dialect and columns, as they were declared and sniffed."""
    file: Content
    nodes: Content | None = None
    """A second file with the nodes of a graph."""
