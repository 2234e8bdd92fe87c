"""Rooted neighborhoods (balls): the surroundings of nodes in canonical form, equal for isomorphic ones.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008 (who compare smallest
depth-first codes); McKay, "Practical Graph Isomorphism", 1981 (refinement and individualization, as here).

The ball of a node consists of the nodes within a number of steps, all edges among them, and the node itself, its root.
Without the root it falls into pieces; the ball's form is the sorted list of their forms. Nodes of a piece are colored
by whether they are joined to the root, by their labels if they have some, and by the colors around them. If that does
not distinguish them, each node of a color is individualized in turn; among the resulting orders, the one whose edge
list is smallest gives the piece's form. Interchangeable nodes are put in any order.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.watch import Watch, unwatched

MOST_LEAVES = 400
"""Orders compared for one piece; beyond that, the smallest so far is its form, and an isomorphic piece may differ."""
DEEPEST = 60
"""Nodes individualized one after the other; the rest is put in any order, and an isomorphic piece may differ."""

Form = tuple[Any, ...]
Look = Callable[[], object]
"""The watch, called at every step of a long comparison."""


class Adjacency:
    """The neighbors of every node as sets, for algorithms that walk and change a small part of a graph."""

    def __init__(self, graph: Graph, labels: NDArray[np.int64] | None = None) -> None:
        offsets, neighbors = graph.neighbors
        flat, bounds = neighbors.tolist(), offsets.tolist()
        self.near: list[set[int]] = [set(flat[bounds[v] : bounds[v + 1]]) for v in range(graph.n)]
        self.labels: list[int] = [0] * graph.n if labels is None else labels.tolist()

    def ball(self, root: int, radius: int) -> list[int]:
        """The nodes within the radius, the root first."""
        found = {root: None}
        rim = [root]
        for _ in range(radius):
            rim = list(dict.fromkeys(v for u in rim for v in self.near[u] if v not in found))
            found.update(dict.fromkeys(rim))
            if not rim:
                break
        return list(found)

    def form(self, root: int, radius: int, look: Look) -> Form:
        """The canonical form of a node's ball."""
        nodes = self.ball(root, radius)
        place = {node: number for number, node in enumerate(nodes)}
        near = [[place[v] for v in self.near[node] if v in place] for node in nodes]
        return _form(near, [self.labels[node] for node in nodes], look)


def ball_forms(
    graph: Graph,
    radius: int,
    nodes: NDArray[np.int64] | None = None,
    labels: NDArray[np.int64] | None = None,
    watch: Watch = unwatched,
) -> NDArray[np.int64]:
    """For every node, or each of the given ones, the number of its ball's form; node labels are part of the form."""
    adjacency = Adjacency(graph, labels)
    numbers: dict[Form, int] = {}
    wanted = range(graph.n) if nodes is None else nodes.tolist()
    found = np.empty(len(wanted), dtype=np.int64)
    for number, node in enumerate(wanted):
        look = partial(watch, number / len(wanted))
        look()
        found[number] = numbers.setdefault(adjacency.form(node, radius, look), len(numbers))
    return found


def _form(near: list[list[int]], labels: list[int], look: Look) -> Form:
    """The form of a ball whose root is node 0."""
    beside = set(near[0])
    pieces: list[Form] = []
    seen = [True] + [False] * (len(near) - 1)
    for start in range(1, len(near)):
        if seen[start]:
            continue
        seen[start] = True
        piece = [start]
        for node in piece:
            for other in near[node]:
                if not seen[other]:
                    seen[other] = True
                    piece.append(other)
        pieces.append(_piece_form(near, piece, beside, labels, look))
    return (len(near), labels[0], *sorted(pieces))


def _piece_form(near: list[list[int]], piece: list[int], beside: set[int], labels: list[int], look: Look) -> Form:
    """The smallest form of one piece of a ball."""
    place = {node: number for number, node in enumerate(piece)}
    inner = [[place[v] for v in near[node] if v in place] for node in piece]
    size, ends = len(piece), sum(len(row) for row in inner)
    colors = [2 * labels[node] + int(node not in beside) for node in piece]
    # Refinement keeps the order of these colors: the sorted list shows which node of the form has which color.
    shown = (size, ends, *sorted(colors))
    return shown if ends == size * (size - 1) else (*shown, *_smallest(inner, colors, [MOST_LEAVES], DEEPEST, look))


def _smallest(near: list[list[int]], colors: list[int], leaves: list[int], deepest: int, look: Look) -> Form:
    """The smallest form under orders that respect the colors."""
    colors = _refined(near, colors, look)
    cells: dict[int, list[int]] = {}
    for node, color in enumerate(colors):
        cells.setdefault(color, []).append(node)
    ordered = (cell for _, cell in sorted(cells.items()))
    open_cells = [cell for cell in ordered if len(cell) > 1 and deepest and not _exchangeable(near, cell)]
    if not open_cells:
        leaves[0] -= 1
        order = sorted(range(len(near)), key=colors.__getitem__)
        return _reading(near, {node: place for place, node in enumerate(order)})
    best: Form | None = None
    for node in open_cells[0]:
        apart = [2 * color + 1 for color in colors]
        apart[node] -= 1
        found = _smallest(near, apart, leaves, deepest - 1, look)
        best = found if best is None or found < best else best
        if leaves[0] <= 0:
            break
    assert best is not None
    return best


def _refined(near: list[list[int]], colors: list[int], look: Look) -> list[int]:
    """Colors split by the colors around them until nothing changes; their order is the same for isomorphic balls."""
    count = 0
    while True:
        look()
        keys = [(color, sorted([colors[v] for v in row])) for color, row in zip(colors, near, strict=True)]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        found, before = -1, None
        for node in order:
            if keys[node] != before:
                found, before = found + 1, keys[node]
            colors[node] = found
        if found + 1 == count:
            return colors
        count = found + 1


def _exchangeable(near: list[list[int]], cell: Sequence[int]) -> bool:
    """Whether any two nodes of a cell have the same other neighbors."""
    inside = set(cell)
    first = set(near[cell[0]])
    if len(first & inside) not in (0, len(cell) - 1):
        return False
    open_to = first - inside
    joined = bool(first & inside)
    return all(
        set(near[node]) - inside == open_to and len(inside.intersection(near[node])) == joined * (len(cell) - 1)
        for node in cell
    )


def _reading(near: list[list[int]], places: dict[int, int]) -> Form:
    """The edges of a ball by the places of its nodes."""
    size = len(near)
    return tuple(
        sorted(places[u] * size + places[v] for u, row in enumerate(near) for v in row if places[u] < places[v])
    )
