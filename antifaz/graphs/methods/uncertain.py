"""Uncertain: release edges with probabilities, and a few possible ones, until degrees no longer identify nodes.

Boldi, Bonchi, Gionis and Tassa, "Injecting Uncertainty in Graphs for Identity Obfuscation", PVLDB 5(11), 2012.

The pairs that may be edges are the original edges and others drawn until there are c times as many as edges; nodes with
rare degrees are drawn more often, and an original edge that is drawn is left out. A share of ε / 2 of the nodes, those
with the rarest degrees, is not drawn at all. Each pair gets noise r in [0, 1], normal with a spread σ that grows with
the rareness of its ends, or occasionally uniform: an edge is released with the probability 1 - r, another pair with r.
The smallest σ for which the graph is (k, ε)-obfuscated is found by bisection. Probabilities are rounded to four
decimals before that is checked; pairs with the probability 0 are not released.

It does not protect edges: a probability near 1 nearly always means an edge of the original. Nor does it protect against
an attacker who knows more than degrees.

Guarantees: k_eps_obfuscation, checked on the result before it is returned. During the search for σ, nodes with more
than 5,000 pairs are assumed to have normally distributed degrees; the check counts exactly.
Preserves: the nodes; the expected number of edges roughly.
Cost: O(Σ pairs of a node² + n·number of degrees) for each of some 20 values of σ and each attempt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from antifaz.errors import BrokenGuarantee, Infeasible, InvalidDataset, Reason
from antifaz.graphs.forms.uncertain import Uncertain as UncertainGraph
from antifaz.graphs.forms.uncertain import allowed_short, entropies, excess
from antifaz.graphs.graph import EdgeColumn, Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_eps_obfuscation import KEpsObfuscation
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.targets import largest_k
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

DECIMALS = 4
"""Decimals of a released probability."""
SPREADS = (
    *((1.0, 1.0), (4.0, 1.0), (2.0, 2.0), (8.0, 2.0), (64.0, 1.0), (64.0, 2.0), (64.0, 4.0), (64.0, 64.0)),
    *((0.25, 0.25), (0.05, 0.05), (0.01, 0.01)),
)
"""Values of σ that are tried until a graph is obfuscated, and the window of degrees within which nodes then count as
alike: in the paper both are equal, but narrow windows hide rare degrees better. In regular graphs, less noise helps."""
HALVINGS = 12
"""Bisection steps between 0 and that value towards the smallest."""
ROUNDS, SPARE, LEAST_GAIN = 32, 16, 0.05
"""Most rounds in which pairs are drawn, the number drawn in addition to twice those missing, and the share of the
missing that must be new for drawing to continue."""
EXACT_PAIRS = 5_000
"""Most pairs of a node whose degree is counted exactly during the search for σ."""


class Uncertain(GraphMethod):
    """Release edges with probabilities, and a few more, such that original degrees disclose little about who is who."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    gives: ClassVar[tuple[str, ...]] = ("k_eps_obfuscation",)
    leaves: ClassVar[str] = "Edges are not hidden: a probability near 1 nearly always means an edge of the original."
    form: ClassVar[Literal["graph", "uncertain", "generalized"]] = "uncertain"

    name: Literal["uncertain"] = "uncertain"
    candidates: float = Field(default=2.0, ge=1, le=10)
    """Number of pairs that may be edges, for each original edge."""
    white_noise: float = Field(default=0.01, ge=0, le=1)
    """Share of pairs whose noise is uniform, so that none is known for sure."""
    attempts: int = Field(default=5, ge=1, le=20)
    """How often pairs and noise are drawn for one spread before a larger one is tried."""

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Find the least noise that obfuscates every guarantee's share of nodes."""
        watch(0.0)
        largest_k(self, guarantees, graph)
        goals = [guarantee for guarantee in guarantees if isinstance(guarantee, KEpsObfuscation)]
        if graph.directed:
            raise InvalidDataset("directed", "uncertain works on undirected graphs only")
        search = Search(graph, goals, self, rng)
        found, stopped = search.run(watch)
        released = _release(found, stopped, rng)
        if not all(goal.holds_in(released, graph) for goal in goals):
            raise BrokenGuarantee("uncertain returned a graph that is not obfuscated")
        watch(1.0)
        return released


def _release(found: UncertainGraph, stopped: bool, rng: np.random.Generator) -> ProtectedGraph:
    origin = np.arange(found.pairs.n, dtype=np.int64)
    return ProtectedGraph(
        found.pairs,
        origin,
        {"uncertain_degree_statistics": found.statistics(), "stopped_early": stopped},
        edge_columns=(EdgeColumn("probability", found.probabilities),),
        world=ProtectedGraph(found.draw(rng), origin),
    )


@dataclass
class Search:
    """The search for the smallest spread of the noise."""

    graph: Graph
    goals: list[KEpsObfuscation]
    method: Uncertain
    rng: np.random.Generator
    nearest: float = -np.inf
    """The margin, in bits, of the worst attempt of the best spread; negative because it misses the goals."""

    def run(self, watch: Watch) -> tuple[UncertainGraph, bool]:
        """The graph with the least noise, and whether the time was used up before that was known."""
        share = 1.0 / (len(SPREADS) + HALVINGS)
        found, high, widest = None, 0.0, 0.0
        for turn, (spread, window) in enumerate(SPREADS):
            if found is None:
                part = within(watch, turn * share, (turn + 1) * share)
                found, high, widest = self._obfuscate(spread, window, part), spread, window
        if found is None:
            raise self._refusal()
        low = 0.0
        for turn in range(len(SPREADS), len(SPREADS) + HALVINGS):
            if watch(turn * share):
                return found, True
            # Each try is random, so a smaller spread may fail by chance: then more noise than needed is kept, never
            # less.
            middle = (low + high) / 2.0
            part = within(watch, turn * share, (turn + 1) * share)
            better = self._obfuscate(middle, min(middle, widest), part)
            low, high = (low, middle) if better is not None else (middle, high)
            found = better or found
        return found, False

    def _obfuscate(self, spread: float, window: float, watch: Watch) -> UncertainGraph | None:
        """An obfuscated graph with noise of this spread, or None if no attempt gave one."""
        rareness = _rareness(self.graph.degrees, window)
        chances = self._chances(rareness)
        margins = []
        for attempt in range(self.method.attempts):
            watch(attempt / self.method.attempts)
            keys = _draw_pairs(self.graph, self.method.candidates, chances, self.rng)
            uncertain = _add_noise(self.graph, keys, rareness, spread, self.method.white_noise, self.rng)
            margins.append(self._margin(uncertain))
            if margins[-1] >= 0.0:
                return uncertain
        self.nearest = max(self.nearest, min(margins))
        return None

    def _margin(self, uncertain: UncertainGraph) -> float:
        """Bits by which the goals are exceeded; if they are, hubs are counted exactly."""
        margin = self._least(entropies(uncertain, self.graph.degrees, EXACT_PAIRS))
        if margin < 0.0 or not (uncertain.pairs.degrees > EXACT_PAIRS).any():
            return margin
        return self._least(entropies(uncertain, self.graph.degrees))

    def _least(self, bits: Reals) -> float:
        """The least surplus over the goals, each without the nodes that it spares."""
        # The share ε of the nodes that may fall short are those with the fewest bits: the next one decides.
        spared = [allowed_short(goal.epsilon, self.graph.n) for goal in self.goals]
        worst = np.sort(bits)[spared]
        return float(min(excess(bit, goal.k) for bit, goal in zip(worst, self.goals, strict=True)))

    def _chances(self, rareness: Reals) -> Reals:
        """Probability with which each node is drawn: by its rareness, and 0 for the ε / 2 rarest."""
        spared = int(np.ceil(min(goal.epsilon for goal in self.goals) / 2.0 * self.graph.n))
        weights = rareness.copy()
        if spared:
            weights[np.argsort(-rareness, kind="stable")[:spared]] = 0.0
        total = weights.sum()
        return weights / total if total > 0.0 else np.full(self.graph.n, 1.0 / self.graph.n)

    def _refusal(self) -> Infeasible:
        detail = "no noise obfuscates enough nodes: allow more candidates, a smaller k or more epsilon"
        # The margin is in bits of entropy, the logarithm of the number of nodes that an attacker cannot distinguish.
        reached = int(min(goal.k for goal in self.goals) * 2.0**self.nearest)
        nearest = {"k": float(reached)} if reached >= 2 else None
        return Infeasible([Reason("k_eps_obfuscation", limit=max(g.k for g in self.goals), detail=detail)], nearest)


def _rareness(degrees: Integers, window: float) -> Reals:
    """For every node, 1 divided by the number of nodes with about its degree, in a normal window; 1 on average."""
    # Compared by distinct degree: between all nodes there would be n² pairs.
    values, places, counts = np.unique(degrees, return_inverse=True, return_counts=True)
    near = np.exp(-0.5 * ((values[:, None] - values[None, :]) / window) ** 2)
    rareness = (1.0 / (near @ counts))[places]
    return np.asarray(rareness / rareness.mean())


def _draw_pairs(graph: Graph, candidates: float, chances: Reals, rng: np.random.Generator) -> Integers:
    """The keys of the pairs that may be edges: the original edges without those drawn, and the other pairs drawn.

    No more edges are left out than other pairs are added: if nearly all pairs are edges, drawing would leave none.
    """
    wanted = round(candidates * graph.m) - graph.m
    possible = graph.n * (graph.n - 1) // 2 - graph.m
    others, left_out = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    ladder = np.cumsum(chances)
    for _ in range(ROUNDS):
        # An original edge that is left out is replaced by another pair: the number of candidates stays c·m.
        missing = min(wanted + len(left_out), possible) - len(others)
        if missing <= 0:
            break
        keys = _draw_keys(graph.n, 2 * missing + SPARE, ladder, rng)
        edges = _among(keys, graph.keys)
        fresh = keys[~edges & ~_among(keys, others)]
        others = _merge(others, rng.permutation(fresh)[:missing])
        drawn = rng.permutation(keys[edges & ~_among(keys, left_out)])
        left_out = _merge(left_out, drawn[: len(others) - len(left_out)])
        if len(fresh) < LEAST_GAIN * missing:
            break
    return _merge(graph.keys[~_among(graph.keys, left_out)], others)


def _merge(some: Integers, others: Integers) -> Integers:
    return np.sort(np.concatenate([some, others]), kind="stable")


def _among(keys: Integers, known: Integers) -> NDArray[np.bool_]:
    """Which keys are among the known ones, which are sorted."""
    if not len(known):
        return np.zeros(len(keys), dtype=np.bool_)
    return np.asarray(known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys)


def _draw_keys(n: int, count: int, ladder: Reals, rng: np.random.Generator) -> Integers:
    """The sorted keys of at most ``count`` pairs of different nodes, each node drawn by its probability."""
    # The inverse of the cumulative probabilities. Rounding may leave their end beside 1: hence the factor and the
    # minimum.
    drawn = np.searchsorted(ladder, rng.random((2, count)) * ladder[-1], side="right")
    first, second = np.sort(np.minimum(drawn, n - 1), axis=0)
    keys = np.sort(first[first != second] * np.int64(n) + second[first != second])
    return np.asarray(keys[np.diff(keys, prepend=-1) > 0])


def _add_noise(
    graph: Graph, keys: Integers, rareness: Reals, spread: float, white_noise: float, rng: np.random.Generator
) -> UncertainGraph:
    """Give every pair its probability, rounded as it is released; impossible pairs are dropped."""
    if not len(keys):
        return UncertainGraph(Graph(graph.n, keys), np.zeros(0))
    rare = (rareness[keys // graph.n] + rareness[keys % graph.n]) / 2.0
    noise = _draw_noise(spread * rare / rare.mean(), rng)
    white = rng.random(len(keys)) < white_noise
    noise = np.where(white, rng.random(len(keys)), noise)
    likely: Reals = np.round(np.where(_among(keys, graph.keys), 1.0 - noise, noise), DECIMALS).astype(np.float64)
    return UncertainGraph(Graph(graph.n, keys[likely > 0.0]), likely[likely > 0.0])


def _draw_noise(spreads: Reals, rng: np.random.Generator) -> Reals:
    """Normal noise around 0 with the given spreads, conditioned on lying in [0, 1]."""
    # The inverse of the normal distribution on the part that lies in [0, 1]: nothing is drawn in vain. At its ends,
    # rounding may leave the interval by one digit.
    within = scipy.special.ndtr(1.0 / spreads) - 0.5
    return np.asarray(np.clip(spreads * scipy.special.ndtri(0.5 + within * rng.random(len(spreads))), 0.0, 1.0))
