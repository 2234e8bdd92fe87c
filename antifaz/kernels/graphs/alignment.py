"""Search for an alignment of nodes in rows of k under which few edges have to be copied.

Nodes are placed in the cells of a table with k columns. Shifting every row by the same number of columns must keep the
edges, so an edge from row r to row s that leads d columns further stands for k edges, its orbit. The fewer orbits have
an edge in them, the fewer edges are copied. Two nodes swap cells if that leaves fewer orbits; occasionally, and less
and less often, also if it does not.

The number of edges in every orbit is kept in a hash table with open addressing.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.steering import Stream, draw
from antifaz.kernels.numba.types import boolean, float64, int32, int64, named, uint8, uint64

Integers = NDArray[np.int64]

USED, COST, WORK, NEXT = 0, 1, 2, 3
"""Cells of ``counts``: places of the table ever taken, edges of all orbits that have one, elementary steps, and the
node from which on edges are still to be counted."""


class Ends(NamedTuple):
    """The ends of edges, by node."""

    offsets: Integers
    others: NDArray[np.int32]
    """For every end of an edge the node at the other end."""
    arrives: NDArray[np.uint8]
    """Whether the edge arrives here (directed graphs)."""


ENDS = named(Ends, int64[::1], int32[::1], uint8[::1])


class Room(NamedTuple):
    """Room for the hash table: a power of two above four times the edges."""

    orbits: Integers
    edges: Integers


ROOM = named(Room, int64[::1], int64[::1])


class Cooling(NamedTuple):
    """The rise of the cost that is occasionally accepted, at the start and at the end of some steps."""

    warmth: float
    cooler: float
    steps: int


COOLING = named(Cooling, float64, float64, int64)


class Table(NamedTuple):
    """Nodes in cells, and the orbits of their edges."""

    k: int
    rows: int
    directed: bool
    offsets: Integers
    others: NDArray[np.int32]
    """For every end of an edge the node at the other end."""
    arrives: NDArray[np.uint8]
    """Whether the edge arrives here (directed graphs)."""
    cell: Integers
    """Node → row · k + column."""
    node: Integers
    """Cell → node."""
    orbits: Integers
    """Open addressing: the orbit that has a place, or -1."""
    edges: Integers
    """How many edges the orbit of a place has."""
    counts: Integers
    stream: Stream


@compiled()
def _below(table: Table, bound: int) -> np.int64:
    """A random number below a bound."""
    # A product instead of a remainder: several are drawn for every try, and division is the slowest instruction.
    return np.int64((draw(table.stream) >> np.uint64(32)) * np.uint64(bound) >> np.uint64(32))


@compiled()
def _orbit(table: Table, source: int, target: int) -> int:
    """The number of the orbit of an edge between two cells."""
    k = table.k
    r, s = source // k, target // k
    d = (target - s * k) - (source - r * k)
    if not table.directed and r > s:
        r, s, d = s, r, -d
    if d < 0:
        d += k
    if not table.directed and r == s and 2 * d > k:
        d = k - d
    return int((r * table.rows + s) * k + d)


@compiled()
def _weight(table: Table, orbit: int) -> int:
    """How many edges an orbit has when it is complete."""
    if table.directed or 2 * (orbit % table.k) != table.k:
        return table.k
    pair = orbit // table.k
    return table.k // 2 if pair // table.rows == pair % table.rows else table.k


@compiled()
def _place(table: Table, orbit: int) -> np.int64:
    """The place of an orbit in the hash table, or the free one where it belongs."""
    mask = len(table.orbits) - 1
    place = np.int64((np.uint64(orbit) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while table.orbits[place] >= 0 and table.orbits[place] != orbit:
        place = (place + 1) & mask
    return place


@compiled()
def _count_edge(table: Table, source: int, target: int, change: int) -> None:
    """Put an edge between two cells into its orbit, or take it out."""
    orbit = _orbit(table, source, target)
    place = _place(table, orbit)
    if table.orbits[place] < 0:
        table.orbits[place] = orbit
        table.edges[place] = 0
        table.counts[USED] += 1
    before = table.edges[place]
    table.edges[place] = before + change
    if before == 0:
        table.counts[COST] += _weight(table, orbit)
    elif before + change == 0:
        table.counts[COST] -= _weight(table, orbit)


@compiled()
def _count_ends(table: Table, node: np.int64, besides: int, change: int) -> None:
    """Count the edges of one node in or out, but those to another."""
    here = table.cell[node]
    for end in range(table.offsets[node], table.offsets[node + 1]):
        other = table.others[end]
        if other == besides:
            continue
        there = table.cell[other]
        if table.arrives[end]:
            _count_edge(table, there, here, change)
        else:
            _count_edge(table, here, there, change)
    table.counts[WORK] += 1 + table.offsets[node + 1] - table.offsets[node]


@compiled()
def _exchange(table: Table, first: np.int64, second: np.int64) -> int:
    """Let two nodes exchange their cells; return by how much the cost rises."""
    before = table.counts[COST]
    _count_ends(table, first, -1, -1)
    _count_ends(table, second, int(first), -1)
    a, b = table.cell[first], table.cell[second]
    table.cell[first], table.cell[second] = b, a
    table.node[a], table.node[b] = second, first
    _count_ends(table, first, -1, 1)
    _count_ends(table, second, int(first), 1)
    return int(table.counts[COST] - before)


@compiled()
def _recount(table: Table, steps: int) -> int:
    """Go on rebuilding the hash table without the orbits that have no edges; return the steps that this took."""
    offsets, counts, taken = table.offsets, table.counts, 0
    if counts[NEXT] == 0:
        table.orbits[:] = -1
        counts[USED] = 0
        counts[COST] = 0
    while counts[NEXT] < len(offsets) - 1 and taken < steps:
        node = counts[NEXT]
        for end in range(offsets[node], offsets[node + 1]):
            other = table.others[end]
            if not table.arrives[end] and (table.directed or node < other):
                _count_edge(table, table.cell[node], table.cell[other], 1)
        taken += 1 + offsets[node + 1] - offsets[node]
        counts[NEXT] += 1
    if counts[NEXT] == len(offsets) - 1:
        counts[WORK] += len(table.others)
    return int(taken)


@compiled()
def _partner(table: Table, node: np.int64) -> int:
    """The cell in which one edge of a node would join the orbit of an edge of another node, or -1."""
    degree = table.offsets[node + 1] - table.offsets[node]
    if degree == 0:
        return -1
    end = table.offsets[node] + _below(table, degree)
    k, there = table.k, table.cell[table.others[end]]
    row = there // k
    mate_cell = row * k + (there - row * k + 1 + _below(table, k - 1)) % k
    mate = table.node[mate_cell]
    if mate >= len(table.offsets) - 1:
        return -1
    degree = table.offsets[mate + 1] - table.offsets[mate]
    if degree == 0:
        return -1
    like = table.offsets[mate] + _below(table, degree)
    if table.directed and table.arrives[like] == table.arrives[end]:
        return -1
    found = table.cell[table.others[like]]
    found_row = found // k
    return int(found_row * k + (found - found_row * k + there - mate_cell + k) % k)


_SHAPE = int64, int64, boolean
_SEARCH = COOLING, int64[::1], uint64[::1], int64


@compiled(boolean(*_SHAPE, ENDS, int64[::1], int64[::1], ROOM, *_SEARCH))
def align(
    k: int,
    rows: int,
    directed: bool,
    ends: Ends,
    cell: Integers,
    node: Integers,
    room: Room,
    cooling: Cooling,
    counts: Integers,
    stream: Stream,
    steps: int,
) -> bool:
    """Exchange nodes for about the given number of steps; return whether those of the cooling are done.

    ``cell`` and ``node`` carry the alignment in and out; node numbers from n on are added nodes, which keep their
    cells. A cost that is higher by h is accepted with probability exp(-h / warmth); the warmth falls to `cooler`.
    ``counts`` starts as zeros. Pauses do not change what is found.
    """
    offsets, others, orbits = ends.offsets, ends.others, room.orbits
    table = Table(k, rows, directed, offsets, others, ends.arrives, cell, node, orbits, room.edges, counts, stream)
    people = len(offsets) - 1
    pause = counts[WORK] + steps
    while True:
        begun = counts[WORK] > 0
        recounted = counts[NEXT] < people
        if recounted:
            left = pause - counts[WORK]
            left -= _recount(table, left)
            if counts[NEXT] < people:
                return False
            pause = counts[WORK] + left
        # A try that had to wait until all was counted again is made in any case.
        if not (begun and recounted):
            if people < 2 or counts[WORK] >= cooling.steps:
                return True
            if counts[WORK] >= pause:
                return False
            counts[WORK] += 1
            # Orbits that lost their last edge keep their places; in a table more than half full, lookups would be slow.
            if 2 * counts[USED] > len(orbits):
                counts[NEXT] = 0
                continue
        first = _below(table, people)
        # Every second time a node is drawn through an edge: nodes with many edges matter more and are drawn more often.
        if len(others) and _below(table, 2) == 0:
            first = np.int64(others[_below(table, len(others))])
        # An occasional random cell keeps every swap possible; otherwise at least one edge gains.
        goal = _below(table, k * rows) if _below(table, 16) == 0 else _partner(table, first)
        if goal < 0:
            continue
        second = node[goal]
        if second >= people or second == first:
            continue
        rise = _exchange(table, first, second)
        if rise > 0:
            now = cooling.warmth + (cooling.cooler - cooling.warmth) * counts[WORK] / cooling.steps
            chance = np.exp(-rise / now) if now > 0.0 else 0.0
            # Metropolis: an exchange that is not accepted is taken back by the same exchange.
            if _below(table, 1 << 30) >= chance * (1 << 30):
                _exchange(table, first, second)
