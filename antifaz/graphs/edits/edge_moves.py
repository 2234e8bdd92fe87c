"""Edge moves: replace edges by others, a few at a time, each at most once.

A move removes edges of the original graph and adds the same number of pairs that the original does not join. Many moves
are proposed together, at random. A move that would create a loop, join a joined pair or touch an edge or pair that
another move has touched is dropped. So every move replaces exactly its number of edges, and no removed edge comes back.
If random draws no longer find a move in a small graph, all remaining moves are listed, which shows whether there is
one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.graphs.structure.pairs import contains
from antifaz.watch import Watch

Integers = NDArray[np.int64]

MOST_STALLED = 20
"""Most rounds in a row that may find nothing."""
MOST_TRIES = 100
"""Most moves proposed for each one that is wanted."""
MOST_LISTED = 2_000_000
"""Most moves that are listed when random draws find none."""


class Ending(StrEnum):
    """Why no more moves were made."""

    DONE = "all moves were made"
    NONE_LEFT = "no valid move is left"
    TRIES = "the tries are used up"
    TIME = "the time is used up"
    BOUND = "no further move keeps the features close"


@dataclass(frozen=True)
class Proposal:
    """Moves, one per row: positions of the edges to remove, and keys of the pairs to add; a loop's key is negative."""

    goes: Integers
    comes: Integers

    def __len__(self) -> int:
        return len(self.goes)

    def only(self, which: NDArray[np.bool_] | Integers) -> "Proposal":
        return Proposal(self.goes[which], self.comes[which])


Propose = Callable[[Integers, np.random.Generator], Proposal]
"""Random moves out of the given edges, which are already in random order; each edge is in at most one move."""
ListAll = Callable[[Integers], Proposal | None]
"""Every move out of the given edges, or None if there are too many."""
Judge = Callable[["Moves", Proposal], NDArray[np.bool_]]
"""Which of the valid moves may be made, given those made before."""


@dataclass
class Moves:
    """The moves made so far."""

    graph: Graph
    wanted: int
    touched: NDArray[np.bool_]
    """Whether a move has removed the edge, by position."""
    added: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Keys of the added pairs, ascending."""
    made: int = 0
    tried: int = 0
    ending: Ending = Ending.DONE

    @classmethod
    def none_yet(cls, graph: Graph, wanted: int) -> "Moves":
        return cls(graph, wanted, np.zeros(graph.m, dtype=np.bool_))

    @property
    def left(self) -> Integers:
        """Positions of the edges that no move has touched."""
        return np.flatnonzero(~self.touched)

    @property
    def result(self) -> Graph:
        """The graph after these moves."""
        keys = np.sort(np.concatenate([self.graph.keys[~self.touched], self.added]))
        return Graph(self.graph.n, keys, self.graph.directed)

    def valid(self, proposal: Proposal) -> Proposal:
        """The moves that can be made together."""
        proposal = proposal.only(_whole_rows(proposal.comes >= 0))
        taken = contains(self.graph.keys, proposal.comes) | contains(self.added, proposal.comes)
        proposal = proposal.only(_whole_rows(~taken))
        return proposal.only(_all_first(proposal.comes) & _all_first(proposal.goes))

    def make(self, proposal: Proposal) -> None:
        """Make moves that are valid together."""
        self.touched[proposal.goes.ravel()] = True
        self.added = np.sort(np.concatenate([self.added, proposal.comes.ravel()]))
        self.made += len(proposal)


def _all_first(items: Integers) -> NDArray[np.bool_]:
    """Rows none of whose items occur in an earlier row."""
    first = np.zeros(items.size, dtype=np.bool_)
    first[np.unique(items, return_index=True)[1]] = True
    return _whole_rows(first.reshape(items.shape))


def _whole_rows(holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(holds.all(axis=1), dtype=np.bool_)


def make_moves(
    moves: Moves,
    propose: Propose,
    list_all: ListAll,
    rng: np.random.Generator,
    watch: Watch,
    judge: Judge | None = None,
    at_once: int | None = None,
) -> None:
    """Make moves until the wanted number is made, no valid one is left, or the tries or the time are used up.

    At most ``at_once`` are made before the judge is called again.
    """
    stalled = 0
    while moves.made < moves.wanted:
        if watch(moves.made / moves.wanted):
            moves.ending = Ending.TIME
            return
        if moves.tried > MOST_TRIES * moves.wanted + MOST_LISTED:
            moves.ending = Ending.TRIES
            return
        missing = min(moves.wanted - moves.made, at_once or moves.wanted)
        proposal = (
            _draw_moves(moves, propose, missing, rng) if stalled < MOST_STALLED else _list_moves(moves, list_all, rng)
        )
        if proposal is None:
            moves.ending = Ending.TRIES
            return
        moves.tried += len(proposal)
        proposal = moves.valid(proposal)
        if judge is not None and len(proposal):
            proposal = proposal.only(judge(moves, proposal))
        if not len(proposal) and stalled >= MOST_STALLED:
            moves.ending = Ending.NONE_LEFT
            return
        moves.make(proposal.only(np.arange(min(missing, len(proposal)))))
        stalled = 0 if len(proposal) else stalled + 1


def _draw_moves(moves: Moves, propose: Propose, missing: int, rng: np.random.Generator) -> Proposal:
    """Moves out of edges drawn at random, somewhat more than are missing."""
    left = moves.left
    count = min(len(left), 2 * (missing + missing // 4 + 32))
    return propose(left[rng.choice(len(left), count, replace=False)], rng)


def _list_moves(moves: Moves, list_all: ListAll, rng: np.random.Generator) -> Proposal | None:
    """Every move that is left, in random order."""
    every = list_all(moves.left)
    return None if every is None else every.only(rng.permutation(len(every)))


def as_keys(graph: Graph, sources: Integers, targets: Integers) -> Integers:
    """Keys of pairs in any order; a loop's key is -1."""
    first, second = sources, targets
    if not graph.directed:
        first, second = np.minimum(sources, targets), np.maximum(sources, targets)
    return np.where(first == second, np.int64(-1), first * np.int64(graph.n) + second)
