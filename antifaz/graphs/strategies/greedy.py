"""Greedy: an optimal anonymous degree sequence, realized by the fewest edge additions, removals and rotations found.

After Liu and Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008 (degree sequence by dynamic programming,
then a graph), with raises and lowers, and with the graph edited instead of rebuilt.

The dynamic program picks the target degrees under prices for one unit raised or lowered; the edits that realize them
are found greedily, and every unnecessary edit is undone. A hub rarely finds enough partners for the edges that it must
gain or lose, so its units cost more than those of others: the prices are searched, first over a grid, then around the
best ones, and the fewest edits win. A directed graph is also first brought near tight groups of (out, in) pairs and
searched from there. Finally, added edges are exchanged for more plausible ones at no cost.

Guarantees: every degree (directed: every pair of degrees) occurs k times or more.
Preserves: the nodes, and all edges except a number near the lower bound.
Cost: O(#distinct·k² + Σ degree of the nodes changed) per trial; trials by effort.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import Infeasible, Reason
from antifaz.graphs.graph import Graph
from antifaz.graphs.strategies.bounds import DegreeClasses, edit_lower_bound
from antifaz.graphs.strategies.double_cover import begin, pair_targets
from antifaz.graphs.strategies.edge_count import score, settle_edge_count
from antifaz.graphs.strategies.sides import Rows, edited, edits_between
from antifaz.kernels.graphs.pairs import KNOBS, BestWeights, Common, Limits, Rare, search_groups
from antifaz.kernels.graphs.plausible import prefer_plausible
from antifaz.kernels.graphs.search import BestPrices, Degrees, Links, search_prices
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]
Effort = Literal["fast", "normal", "high"]

WORK: dict[Effort, tuple[int, int, int]] = {
    "fast": (4_000_000, 0, 4_000_000),
    "normal": (30_000_000, 250, 90_000_000),
    "high": (280_000_000, 0, 280_000_000),
}
"""Elementary steps of the search: for any graph, for each node and edge, and at most."""
STARTS: dict[Effort, tuple[int, int]] = {"fast": (1, 300_000), "normal": (2, 1_000_000), "high": (6, 3_000_000)}
"""For directed graphs: number of starts from groups of degrees, and of moves that make the groups tight."""
PLAIN = 20_000
"""Largest number of nodes for which a directed graph is also searched without groups."""
LEAST_ROOM, GROWTH = 4096, 4
"""Pairs that the table of edits has room for at first, and the factor by which a full one grows."""
SLICES = 20
"""How often the watch is called while the search runs."""
MOST_TOIL = 2
"""Limit on all steps of a search, as a multiple of its work; on most graphs nearly all steps are work."""
MOST_IN_VAIN = 1_000_000_000
"""Steps without any result after which no coarser groups are tried."""
AGAIN = 10
"""How often a search that found nothing is repeated before coarser groups are tried."""
LEAST_TRIALS = 8
"""Number of groupings of a directed graph that are tried before giving up."""
SWEEPS, MOST_SLICES = 2, 20
"""Passes over the added edges in search of more plausible ones, and the most slices of work they may take."""
COUNT_PRICES = ((1000, 1500), (1500, 1000), (1000, 4000), (4000, 1000))
"""Starting prices of a raise and of a lower if the number of edges counts: they lead to more or fewer edges."""
WINDOW = 300
"""Number of nodes, from the next smaller on, among which the partners of a directed group are searched."""


@dataclass
class Search:
    """The best edits so far, and what the search learned on the way to them."""

    outcome: Integers
    """Fewest edits (or -1), work done, habits of the realization, all steps taken, whether a trial ran out of room."""
    pairs: Integers
    """The edits, as pairs of sides; as many as there is room for."""
    trials: int = 0
    stopped: bool = False

    @classmethod
    def with_room(cls, capacity: int) -> "Search":
        return cls(np.array([-1, 0, 0, 0, 0], dtype=np.int64), np.zeros((2, capacity), dtype=np.int64))

    @classmethod
    def between(cls, graph: Graph, result: Graph, trials: int, stopped: bool) -> "Search":
        """The edits that lead from one directed graph to another."""
        edits = edits_between(graph, result)
        outcome = np.array([edits.shape[1], 0, 0, 0, 0], dtype=np.int64)
        return cls(outcome, edits, trials, stopped)

    def or_fewer(self, other: "Search") -> "Search":
        """The search that found fewer edits; the trials of both count."""
        better = other if other.found and (not self.found or other.outcome[0] < self.outcome[0]) else self
        return replace(better, trials=self.trials + other.trials, stopped=self.stopped or other.stopped)

    def make_room(self, most: int) -> bool:
        """Make the table larger if a trial ran out of room, which then does not count; return whether it is larger."""
        room, full = self.pairs.shape[1], bool(self.outcome[4])
        self.outcome[4] = 0
        if not full or room >= most:
            return False
        # Kernels write into arrays of fixed size: what did not fit is searched again with more room.
        larger = np.zeros((2, min(most, GROWTH * room + 1)), dtype=np.int64)
        larger[:, :room] = self.pairs
        self.pairs = larger
        self.trials -= 1
        return True

    @property
    def found(self) -> bool:
        return bool(self.outcome[0] >= 0)

    @property
    def edits(self) -> Integers:
        return np.ascontiguousarray(self.pairs[:, : max(0, int(self.outcome[0]))])


def anonymize_degrees(
    graph: Graph, k: int, effort: Effort, rng: np.random.Generator, watch: Watch, keep_edges: float = 0.0
) -> tuple[Graph, dict[str, Any]]:
    """A k-degree anonymous version of a graph with at least k nodes, and the account of its edits.

    With ``keep_edges`` above 0, the version with the best score of several; the score also counts the change in edges.
    """
    bound = edit_lower_bound(graph, k, within(watch, 0.0, 0.05))
    rows = Rows.of(graph)
    search = _search(graph, rows, k, effort, bound, rng, within(watch, 0.05, 0.7 if keep_edges else 0.95))
    if not search.found:
        detail = (
            "no edits were found that give every node a degree which k nodes share; a smaller k needs fewer of them"
        )
        raise Infeasible([Reason("k_degree_anonymity", limit=k, detail=detail)])
    protected = edited(graph, search.edits)
    watch(0.7 if keep_edges else 0.95)
    if keep_edges:
        protected = _with_edge_count(graph, rows, k, protected, keep_edges, effort, rng, within(watch, 0.7, 0.95))
    edits = edits_between(graph, protected)
    watch(0.95)
    protected = edited(graph, _most_plausible(graph, rows, edits, rng, within(watch, 0.95, 1.0)))
    watch(1.0)
    account = _account(graph, protected, bound, search)
    return protected, account


def _with_edge_count(
    graph: Graph,
    rows: Rows,
    k: int,
    protected: Graph,
    worth: float,
    effort: Effort,
    rng: np.random.Generator,
    watch: Watch,
) -> Graph:
    """The graph with the best score among those that other prices of raises and lowers give, each settled."""
    found = [protected]
    # In a directed graph no prices are searched; the graph that was found is settled.
    for number, prices in enumerate(() if graph.directed else COUNT_PRICES):
        if watch(0.5 * number / len(COUNT_PRICES)):
            break
        search = Search.with_room(_room(graph, edits_between(graph, protected).shape[1]))
        work = _work(graph, effort) // len(COUNT_PRICES)
        search = _search_undirected(graph, rows, k, work, 0, search, rng, lambda _: watch(0.0), prices)
        if search.found:
            found.append(edited(graph, search.edits))
    settled = [settle_edge_count(graph, each, k, worth, rng, lambda _: watch(0.5)) for each in found]
    return max(settled, key=lambda each: score(graph, each, worth))


def _search(
    graph: Graph, rows: Rows, k: int, effort: Effort, bound: int, rng: np.random.Generator, watch: Watch
) -> Search:
    """The fewest edits found; for a directed graph, from several starts."""
    if not graph.directed:
        return _search_wider(graph, rows, k, _work(graph, effort), bound, rng, watch)
    best = _search_from_groups(graph, rows, k, effort, rng, within(watch, 0.0, 0.6))
    if not best.found or graph.n <= PLAIN:
        work = _work(graph, effort) // 2
        best = best.or_fewer(_search_wider(graph, rows, k, work, bound, rng, within(watch, 0.6, 1.0)))
    return best


def _work(graph: Graph, effort: Effort) -> int:
    """Elementary steps that the search of a graph may take."""
    least, for_each, most = WORK[effort]
    return min(most, least + for_each * (graph.n + graph.m))


def _search_from_groups(
    graph: Graph, rows: Rows, k: int, effort: Effort, rng: np.random.Generator, watch: Watch
) -> Search:
    """Search several times from a graph edited towards tight groups; the edits of both steps count."""
    starts, tries = STARTS[effort]
    best = Search.with_room(0)
    for number in range(starts):
        best.stopped = watch(number / starts)
        if best.stopped and best.found:
            break
        targets = pair_targets(graph, k, tries, rng, within(watch, number / starts, (number + 0.3) / starts))
        begun = begin(graph, (rows.offsets, rows.neighbors), targets, rng)
        seen = within(watch, (number + 0.3) / starts, (number + 1) / starts)
        rest = _search_wider(begun, Rows.of(begun), k, _work(begun, "fast"), 0, rng, seen, coarser=False)
        if rest.found:
            best = best.or_fewer(Search.between(graph, edited(begun, rest.edits), rest.trials, rest.stopped))
    return best


def _search_wider(
    graph: Graph,
    rows: Rows,
    k: int,
    work: int,
    bound: int,
    rng: np.random.Generator,
    watch: Watch,
    coarser: bool = True,
) -> Search:
    """Search; if that finds nothing, again, then with coarser groups."""
    sought = _search_directed if graph.directed else _search_undirected
    done, steps = 0.0, 0
    search = Search.with_room(_room(graph, bound))
    for number, groups in enumerate(_ladder(graph, k) if coarser else [k] * (1 + AGAIN)):
        if 1 < number <= AGAIN and steps > work:
            continue
        floor = bound if groups == k else 0
        seen = within(watch, done, done + 0.9 * (1.0 - done))
        search = sought(graph, rows, groups, work, floor, Search.with_room(search.pairs.shape[1]), rng, seen)
        steps += int(search.outcome[3])
        if search.found or steps > MOST_IN_VAIN:
            break
        done += 0.9 * (1.0 - done)
    return search


def _ladder(graph: Graph, k: int) -> Iterator[int]:
    """Sizes of the groups: from the one that nearly always suffices to the coarsest."""
    # Only some realizations reach the sequences of dense graphs: groups twice as large cost many more edits.
    yield from [k] * (1 + AGAIN)
    while 2 * k <= graph.n:
        k *= 2
        yield k
    yield graph.n


def _room(graph: Graph, edits: int) -> int:
    """Touched pairs that the table of a search has room for at first: several times as many as the edits it expects."""
    return min(_most_room(graph), 16 * edits + LEAST_ROOM + (graph.n if graph.directed else 0))


def _most_room(graph: Graph) -> int:
    """Touched pairs for which there is ever room: a trial that touches more has lost its way."""
    all_pairs = graph.n * (graph.n - 1) // (1 if graph.directed else 2)
    return max(1, min(all_pairs, 8 * (graph.m + graph.n)))


def _search_undirected(
    graph: Graph,
    rows: Rows,
    k: int,
    work: int,
    floor: int,
    search: Search,
    rng: np.random.Generator,
    watch: Watch,
    begin_with: tuple[int, int] | None = None,
) -> Search:
    """Search the prices under which the cheapest sequence needs the fewest edits, from a grid or from given prices."""
    classes = DegreeClasses.of(graph.degrees)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(classes.sizes)])
    # Nodes of one degree follow each other in this order: a group of a sequence is a slice of it.
    order = np.argsort(-graph.degrees, kind="stable")
    grid = _price_grid(classes, k) if begin_with is None else _same_prices([begin_with], len(classes.sizes))
    degrees = Degrees(order, starts, classes.degrees, most=4 * k)
    prices = grid[0].copy()
    links = Links(rows.offsets, rows.neighbors)
    for limit in _slices(search, work, floor, len(grid), _most_room(graph), watch):
        best = BestPrices(prices, search.outcome, search.pairs)
        search.trials += search_prices(links, degrees, k, _seed(rng), grid[search.trials :], limit, floor, best)
    return search


def _slices(search: Search, work: int, floor: int, least: int, most_room: int, watch: Watch) -> Iterator[int]:
    """Work limits of the search's slices, until the work or the time is used up, no gain is possible, or ``least``
    trials have found nothing; a slice that ran out of room is followed by one that has more."""
    number = 0
    while number < SLICES:
        search.stopped = watch(number / SLICES)
        done, steps = int(search.outcome[1]), int(search.outcome[3])
        spent = done >= work or steps >= MOST_TOIL * work
        if search.found and (search.stopped or search.outcome[0] <= floor or spent):
            return
        if not search.found and search.trials >= least:
            return
        yield max(1, work * (number + 1) // SLICES - done)
        grown = search.make_room(most_room)
        number += search.found and not grown


def _price_grid(classes: DegreeClasses, k: int) -> Integers:
    """Starting prices: raises and lowers alike or not, and higher for the highest degrees."""
    before = np.cumsum(classes.sizes) - classes.sizes
    everywhere = ((1000, 1000), (1000, 1000), (1000, 1500), (1500, 1000), (1000, 2000), (2000, 1000), (4000, 1000))
    highest = ((2000, 1000), (1000, 2000), (2000, 2000), (4000, 2000))
    grid = list(_same_prices(everywhere, len(before)))
    for nodes in (k, 4 * k, 16 * k):
        for raising, lowering in highest:
            # Classes come from the highest degree down: those near the top have few nodes before them.
            prices = np.full((2, len(before)), 1000)
            prices[0, before < nodes] = raising
            prices[1, before < nodes] = lowering
            grid.append(prices)
    return np.array(grid, dtype=np.int64)


def _same_prices(pairs: Sequence[tuple[int, int]], classes: int) -> Integers:
    """The prices of a raise and of a lower, the same for all classes."""
    return np.array([np.tile([[raising], [lowering]], (1, classes)) for raising, lowering in pairs], dtype=np.int64)


def _search_directed(
    graph: Graph, rows: Rows, k: int, work: int, floor: int, search: Search, rng: np.random.Generator, watch: Watch
) -> Search:
    """Search the weights under which the grouping of (out, in) pairs needs the fewest edits."""
    degrees = np.stack([graph.out_degrees, graph.in_degrees])
    knowledge = degrees[0] * np.int64(graph.n + 1) + degrees[1]
    distinct, members, sizes = np.unique(knowledge, return_inverse=True, return_counts=True)
    # Pairs of degrees that k nodes have need no edit, and are only joined.
    is_rare = (sizes < k)[members]
    persons = np.flatnonzero(is_rare)
    persons = persons[np.argsort(-graph.degrees[persons], kind="stable")]
    rare = Rare(np.ascontiguousarray(degrees[:, persons]), persons)
    others = np.flatnonzero(~is_rare)
    centers = distinct[sizes >= k]
    pairs = np.stack([centers // (graph.n + 1), centers % (graph.n + 1)])
    common = Common(pairs, others, np.searchsorted(centers, knowledge[others]))
    knobs = np.array([1.0, 1.0, 0.5, 0.5])[:KNOBS]
    weights = np.ones(len(persons))
    links = Links(rows.offsets, rows.neighbors)
    for limit in _slices(search, work, floor, LEAST_TRIALS, _most_room(graph), watch):
        best = BestWeights(weights, knobs, search.outcome, search.pairs)
        limits = Limits(1 if search.found else LEAST_TRIALS - search.trials, limit, floor)
        search.trials += search_groups(links, rare, common, k, WINDOW, _seed(rng), limits, best)
    return search


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(0, 2**62))


def _most_plausible(graph: Graph, rows: Rows, edits: Integers, rng: np.random.Generator, watch: Watch) -> Integers:
    """Edits with the same effect on the classes whose added edges join nodes with more common neighbors."""
    if edits.shape[1] == 0:
        return edits
    after = edited(graph, edits)
    degrees = np.concatenate([after.out_degrees, after.in_degrees]) if graph.directed else after.degrees.copy()
    better = np.zeros((2, 16 * edits.shape[1] + 16), dtype=np.int64)
    sweep, reached = 0, np.zeros(1, dtype=np.int64)
    for number in range(MOST_SLICES):
        if watch(number / MOST_SLICES) or sweep == SWEEPS:
            break
        count = prefer_plausible(
            rows.offsets,
            rows.neighbors,
            graph.n,
            graph.directed,
            degrees,
            edits,
            32,
            int(reached[0]),
            reached,
            _seed(rng),
            better,
        )
        done = reached[0] >= edits.shape[1]
        edits = np.ascontiguousarray(better[:, :count])
        sweep, reached[0] = (sweep + 1, 0) if done else (sweep, min(int(reached[0]), count))
    return edits


def _account(graph: Graph, protected: Graph, bound: int, search: Search) -> dict[str, Any]:
    kept = len(np.intersect1d(graph.keys, protected.keys, assume_unique=True))
    added, removed = protected.m - kept, graph.m - kept
    return {
        "edges_added": added,
        "edges_removed": removed,
        "nodes_added": 0,
        "edit_lower_bound": bound,
        "strategy": "greedy",
        "search_trials": search.trials,
        "search_stopped_early": search.stopped,
        "proven_fewest": added + removed == bound,
    }
