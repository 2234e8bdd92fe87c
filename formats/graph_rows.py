"""Rows of graphs: what the writers of graph formats share.

Nodes are 0…n-1 and edges come in the order of their keys. Attributes go into a file only if its format can hold all of
their names and texts unchanged; if it cannot, the file has the structure alone, and the node table (of edges: the edge
list) the rest.
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from formats.cells import Cells, glue, joined_rows, node_cells
from formats.format import Network

_NOT_IN_MARKUP = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\x{fdd0}-\\x{fdef}" + "".join(
    f"\\x{{{plane:x}fffe}}\\x{{{plane:x}ffff}}" for plane in range(17)
) + "]"  # fmt: skip
"""Characters that XML cannot hold, or that readers of character references change."""
TAKEN_BY_EDGES = ("source", "target", "id", "label", "key")
"""Names that attributes of edges cannot have in formats that use them themselves."""


def ends_of(graph: Network) -> tuple[Cells, Cells]:
    """The two ends of every edge."""
    numbers = node_cells("", graph.n).labels
    source = Cells("source", graph.sources, numbers, "integer", True)
    return source, Cells("target", graph.targets, numbers, "integer", True)


def wrapped(cells: Cells, before: str, after: str) -> Cells:
    """Labels with something before and after them."""
    return cells.with_labels(glue(before, cells.labels, after))


def edge_rows(
    graph: Network, before: str, between: str, columns: Sequence[Cells], after: str, begin: str = ""
) -> Iterator[bytes]:
    """The edges with what is said of them; ``begin`` stands between the ends and that."""
    source, target = ends_of(graph)
    cells = [wrapped(source, before, between), wrapped(target, "", begin if columns else ""), *columns]
    return joined_rows([*cells[:-1], wrapped(cells[-1], "", after)], "")


def node_rows(graph: Network, before: str, columns: Sequence[Cells], after: str) -> Iterator[bytes]:
    """The nodes with their attributes."""
    nodes = [wrapped(node_cells("", graph.n), before, ""), *columns]
    return joined_rows([*nodes[:-1], wrapped(nodes[-1], "", after)], "")


def fits_markup(columns: Sequence[Cells]) -> bool:
    """Whether markup can hold all names and labels unchanged."""
    names = pa.array([cells.name for cells in columns], pa.large_string())
    texts = [names, *(cells.labels for cells in columns)]
    return not any(pc.any(pc.match_substring_regex(text, _NOT_IN_MARKUP)).as_py() for text in texts)
