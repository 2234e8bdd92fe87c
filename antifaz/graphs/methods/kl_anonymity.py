"""(k, l)-anonymity: add and remove edges until any knowledge of l nodes fits at least k.

Stokes and Torra, "Reidentification and k-Anonymity: a Model for Disclosure Risk in Graphs", Soft Computing 2012; the
blocks are after Stokes, "Graph k-Anonymity through k-Means and as Modular Decomposition", NordSec 2013.

For l = 1 it is enough that degrees are at least k (by `indices`: none, or from k to n - k), and edges are added
between nodes that share neighbors. For larger l nodes are put into blocks whose nodes are joined alike: blocks of k
without edges inside, which is enough by either definition, or, by `neighbors`, blocks of k + l whose nodes are all
joined to one another. By `neighbors` and for l = 2 it is also enough that the k largest nodes are joined to all others;
then the edges that are not needed are taken back, in several random orders. Up to 1,000 nodes, edges are also annealed
until two nodes with a common neighbor have k, starting from the original and from the trimmed hubs. If k nodes must
share each degree, that is part of the search, so no twins are needed for it. Among the graphs that satisfy every
guarantee, the one with the fewest edits is released; by `neighbors` the complete graph is the last resort.

Guarantees: kl_anonymity, and k_degree_anonymity if the policy requests both, checked on the result before it is
returned; for l = 1 nothing more. It protects against no other structural knowledge than that of l nodes.
Preserves: the number of nodes; with blocks about the number of edges, with hubs every edge.
Cost: O(sum of squared degrees) and the check of the result, O(n²) for l = 2; O(k·n²) for hubs, up to 2,000 nodes; some
seconds for the search.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import Infeasible, InvalidDataset, InvalidPolicy, Reason
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.guarantees.kl_anonymity import KlAnonymity
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.strategies import common_neighbors, hubs
from antifaz.graphs.strategies.blocks import blow_up, form_blocks
from antifaz.graphs.targets import changes, largest_k
from antifaz.kernels.graphs.floor import raise_degrees
from antifaz.watch import Watch, within


class KlBlocks(GraphMethod):
    """Add and remove edges until any knowledge of l nodes fits at least k nodes."""

    gives: ClassVar[tuple[str, ...]] = ("kl_anonymity", "k_degree_anonymity")
    leaves: ClassVar[str] = "(k, l)-anonymity protects if the attacker knows l neighbors, not if they know degrees."

    name: Literal["kl_anonymity"] = "kl_anonymity"

    def admit(self, graph: Graph) -> None:
        """Refuse a directed graph."""
        if graph.directed:
            raise InvalidDataset("directed", "(k, l)-anonymity is defined for undirected graphs")

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Try the constructions that can satisfy the guarantees, and return the nearest graph that does."""
        asked = [each for each in guarantees if isinstance(each, KlAnonymity)]
        self.admit(graph)
        watch(0.0)
        _refuse_impossible(graph, asked)
        k = largest_k(self, guarantees, graph)
        if not asked:
            raise InvalidPolicy(
                "/guarantees", "kl_anonymity is for (k, l)-anonymity, with or without k_degree_anonymity"
            )
        sharing = [each for each in guarantees if isinstance(each, KDegreeAnonymity)]
        reached = [0.0]
        best: tuple[int, str, Graph, dict[str, Any]] | None = None
        for step, (way, made) in enumerate(_ways(graph, k, asked, sharing, rng, lambda _: watch(reached[-1]))):
            counted = changes(graph, made)
            edits = counted["edges_added"] + counted["edges_removed"]
            looks = within(watch, min(0.9, 0.2 * step), min(0.9, 0.2 * (step + 1)))
            if (best is None or edits < best[0]) and (
                all(each.holds(made) for each in sharing)
                and all(
                    each.holds_under(made, within(looks, place / len(asked), (place + 1) / len(asked)))
                    for place, each in enumerate(asked)
                )
            ):
                best = edits, way, made, counted
            reached.append(min(0.9, 0.2 * (step + 1)))
            if watch(reached[-1]) and best is not None:
                break
        if best is None:
            raise Infeasible([Reason("kl_anonymity", limit=k, detail="no (k, l)-anonymous graph was found")])
        watch(1.0)
        return ProtectedGraph(best[2], np.arange(graph.n, dtype=np.int64), {**best[3], "construction": best[1]})


def _refuse_impossible(graph: Graph, asked: Sequence[KlAnonymity]) -> None:
    """Refuse values that no graph with this number of nodes can have."""
    n = graph.n
    for each in asked:
        if each.k + each.l > n:
            detail = "k + l is above the number of nodes"
            nearest = {"k": float(n - each.l)} if n - each.l >= 2 else None
            raise Infeasible([Reason("kl_anonymity", limit=each.k + each.l, measured=n, detail=detail)], nearest)
        if each.definition == "indices" and n < 2 * each.k and graph.m:
            detail = "by indices every node needs k neighbors, and k nodes that are not its neighbors"
            nearest = {"k": float(n // 2)} if n >= 4 else None
            raise Infeasible([Reason("kl_anonymity", limit=2 * each.k, measured=n, detail=detail)], nearest)


def _ways(
    graph: Graph,
    k: int,
    asked: Sequence[KlAnonymity],
    sharing: Sequence[KDegreeAnonymity],
    rng: np.random.Generator,
    watch: Watch,
) -> Iterator[tuple[str, Graph]]:
    """Graphs near the original that may satisfy the guarantees, the most promising first."""
    yield "none", graph
    yield from _search(graph, asked, max((each.k for each in sharing), default=0), rng, watch)
    by_neighbors = [each.l for each in asked if each.definition == "neighbors"]
    most = graph.n - max((each.k for each in asked if each.definition == "indices"), default=1)
    if all(each.l == 1 for each in asked):
        yield "degrees", _raise_degrees(graph, k, most, bool(by_neighbors), rng)
    degree = max(by_neighbors, default=0)
    if graph.n >= 2 * k:
        yield "twins", blow_up(graph, form_blocks(graph, k), "balanced", rng, degree=degree)
    if len(by_neighbors) == len(asked):
        if degree == 2 and graph.n <= hubs.LARGEST:
            yield from _with_hubs(graph, k, max(degree, *(each.k for each in asked if each.l == 1), 0), rng, watch)
        size = min(k + degree, graph.n)
        cliques = form_blocks(graph, size, closed=True)
        yield "cliques", blow_up(graph, cliques, "balanced", rng, least_inside=size, degree=degree)
        yield "cliques", blow_up(graph, cliques, "majority", rng, least_inside=size, degree=degree)
        if graph.n <= _SMALL:
            yield "complete", _complete(graph.n)


def _search(
    graph: Graph, asked: Sequence[KlAnonymity], sharing: int, rng: np.random.Generator, watch: Watch
) -> Iterator[tuple[str, Graph]]:
    """The result of annealing, if by neighbors and with l of 1 or 2: then only pairs and degrees count."""
    if graph.n > common_neighbors.LARGEST or any(each.definition == "indices" or each.l > 2 for each in asked):
        return
    pairs = max((each.k for each in asked if each.l == 2), default=0)
    if not pairs and not sharing:
        return
    least = max(each.k if each.l == 1 else each.l for each in asked)
    starts: list[Graph | None] = [None]
    if pairs:
        # The two starts are opposites: the dense one has no violation, the original has no edit.
        joined = hubs.join_hubs(graph, min(pairs, graph.n))
        starts.append(hubs.trim(graph, joined, pairs, least, rng, watch))
    for start in starts:
        found = common_neighbors.search_graph(graph, pairs, least, sharing, rng, watch, start)
        if found is not None:
            yield "search", found


def _with_hubs(graph: Graph, k: int, least: int, rng: np.random.Generator, watch: Watch) -> Iterator[tuple[str, Graph]]:
    """The k largest nodes joined to all others, or k + 1, with the fewest edges that several orders leave."""
    for count in range(k, min(k + 2, graph.n)):
        joined = hubs.join_hubs(graph, count)
        orders = min(_ORDERS, _TRIES // max(1, joined.m - graph.m))
        trimmed = [hubs.trim(graph, joined, k, least, rng, watch) for _ in range(orders)]
        yield "hubs", min([joined, *trimmed], key=lambda made: made.m)


_ORDERS = 4
"""Random orders in which the edges of hubs are taken back."""
_TRIES = 40_000
"""Edges of hubs tried in all orders together; if there are more, fewer orders are tried, or none."""
_SMALL = 2000
"""Largest number of nodes for which the complete graph may be released."""


def _raise_degrees(graph: Graph, k: int, most: int, every_node: bool, rng: np.random.Generator) -> Graph:
    """Edges added until every node has k neighbors; nodes without any are skipped unless ``every_node`` is set."""
    need: NDArray[np.int64] = np.maximum(k - graph.degrees, 0)
    if not every_node:
        need[graph.degrees == 0] = 0
    pairs = np.zeros((2, int(need.sum())), dtype=np.int64)
    order = rng.permutation(graph.n).astype(np.int64)
    count = int(raise_degrees(*graph.neighbors, need, order, most, pairs))
    added = pairs[:, :count]
    return Graph.from_pairs(
        graph.n, np.concatenate([graph.sources, added[0]]), np.concatenate([graph.targets, added[1]])
    )


def _complete(n: int) -> Graph:
    sources, targets = np.triu_indices(n, 1)
    return Graph.from_pairs(n, sources, targets)
