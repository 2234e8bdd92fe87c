"""Rows of graphs: code that the writers of graph formats share.

Nodes are 0…n-1 and edges come in the order of their keys. A file contains attributes only if its format can represent
all their names and texts unchanged. Otherwise it contains the structure alone; the node table has the attributes of
nodes, and the edge list those of edges.
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from formats.core.cells import Cells, glue, joined_rows, node_cells
from formats.core.format import Network

_NOT_IN_MARKUP = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\x{fdd0}-\\x{fdef}" + "".join(
    f"\\x{{{plane:x}fffe}}\\x{{{plane:x}ffff}}" for plane in range(17)
) + "]"  # fmt: skip
"""Characters that XML does not allow, or that readers of character references change."""
TAKEN_BY_EDGES = ("source", "target", "id", "label", "key")
"""Names that edge attributes cannot have, because formats use them."""


def ends_of(graph: Network) -> tuple[Cells, Cells]:
    """The two ends of every edge."""
    numbers = node_cells("", graph.n).labels
    source = Cells("source", graph.sources, numbers, "integer", True)
    return source, Cells("target", graph.targets, numbers, "integer", True)


def wrapped(cells: Cells, before: str, after: str) -> Cells:
    """Labels with a prefix and a suffix."""
    return cells.with_labels(glue(before, cells.labels, after))


def edge_rows(
    graph: Network, before: str, between: str, columns: Sequence[Cells], after: str, begin: str = ""
) -> Iterator[bytes]:
    """The edges with their attributes; ``begin`` separates the ends from the attributes."""
    source, target = ends_of(graph)
    cells = [wrapped(source, before, between), wrapped(target, "", begin if columns else ""), *columns]
    return joined_rows([*cells[:-1], wrapped(cells[-1], "", after)], "")


def node_rows(graph: Network, before: str, columns: Sequence[Cells], after: str) -> Iterator[bytes]:
    """The nodes with their attributes."""
    nodes = [wrapped(node_cells("", graph.n), before, ""), *columns]
    return joined_rows([*nodes[:-1], wrapped(nodes[-1], "", after)], "")


def fits_markup(columns: Sequence[Cells]) -> bool:
    """Whether markup can represent all names and labels unchanged."""
    names = pa.array([cells.name for cells in columns], pa.large_string())
    texts = [names, *(cells.labels for cells in columns)]
    return not any(pc.any(pc.match_substring_regex(text, _NOT_IN_MARKUP)).as_py() for text in texts)
