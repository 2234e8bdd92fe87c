"""Noise on pairs of nodes: every pair reports independently, at random, whether it is an edge.

Warner's randomized response for each pair, with probabilities that keep an expected density: Paul, Salas and Torra,
"Edge Local Differential Privacy for Dynamic Graphs", SciSec 2023, and Salas, González-Zelaya, Torra and Megías,
"Differentially Private Graph Publishing Through Noise-Graph Addition", MDAI 2023.

With E = e^ε and a density d of at most one half, a pair without an edge gets one with probability
p01 = 1/(E - 1 + 1/d), and an edge stays with probability p11 = E/(E - 1 + 1/d). Then p11/p01 is E, (1 - p01)/(1 - p11)
is at most E, and a graph of density d keeps it in expectation. Above one half the second ratio would exceed E, so the
same is done to the pairs without an edge, of density 1 - d.

The probabilities of the draw are exact: p01 is 1 - exp(-rate/2^56) and p11 is keep/2^64, for whole numbers rate and
keep that are rounded such that both ratios only fall. The loss therefore is at most ε, without any numeric slack,
provided that the words of the generator are uniform and independent.
"""

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.pair_flips import BITS, FOUND, POSITION, WORDS_USED, join_kept_and_added, skip_pairs
from antifaz.watch import Watch, within

PUBLIC = ("the number of nodes", "the list of nodes", "the attributes of nodes")
"""What the noise does not cover."""
RATE_UNIT = 2**BITS
KEEP_UNIT = 2**64
_DIGITS = 80
_BATCH = 1 << 21
_HALF = Decimal("0.5")


@dataclass(frozen=True)
class PairNoise:
    """The probabilities of one mechanism."""

    epsilon: Decimal
    density: Decimal
    rate: int
    """A pair without an edge gets one with probability 1 - exp(-rate / 2^56)."""
    keep: int
    """An edge stays with probability keep / 2^64."""

    @property
    def p01(self) -> float:
        return -math.expm1(-self.rate / RATE_UNIT)

    @property
    def p11(self) -> float:
        return self.keep / KEEP_UNIT

    @property
    def p10(self) -> float:
        return (KEEP_UNIT - self.keep) / KEEP_UNIT

    @property
    def survival(self) -> float:
        """Probability that a pair of the rarer kind is reported truly: an edge or, above one half, a pair without
        one."""
        return self.p11 if self.density <= _HALF else 1.0 - self.p01

    @property
    def sound(self) -> bool:
        """Whether an edge is still more likely if there was one: then rounding only reduced the loss."""
        with localcontext() as context:
            context.prec = _DIGITS
            p01 = 1 - (-Decimal(self.rate) / RATE_UNIT).exp()
            return 0 < self.keep < KEEP_UNIT and p01 <= Decimal(self.keep) / KEEP_UNIT

    def expected_jaccard(self) -> float:
        """Edges in both graphs divided by edges in either, for a graph of this density."""
        stays = self.p11
        return stays / (2.0 - stays)

    def chances(self) -> dict[str, Any]:
        """The probabilities as public facts; decimals and fractions are strings so that they stay exact."""
        return {
            "density": str(self.density),
            "p01": self.p01,
            "p10": self.p10,
            "p11": self.p11,
            "rate": f"{self.rate}/{RATE_UNIT}",
            "keep": f"{self.keep}/{KEEP_UNIT}",
        }


def pair_noise(epsilon: Decimal, density: Decimal) -> PairNoise:
    """The mechanism for a privacy loss and a density strictly between 0 and 1."""
    with localcontext() as context:
        context.prec = _DIGITS
        odds = epsilon.exp()
        rare = min(density, 1 - density)
        low = 1 / (odds - 1 + 1 / rare)
        high = odds * low
        p01, p11 = (low, high) if density <= _HALF else (1 - high, 1 - low)
        # One more and one less than the whole number below: safe against errors in the last of eighty digits.
        rate = int(-(1 - p01).ln() * RATE_UNIT) + 1
        keep = int(p11 * KEEP_UNIT) - 1
    return PairNoise(epsilon, density, rate, max(keep, 0))


def least_epsilon(survival: float, density: Decimal) -> float:
    """The epsilon at which the rarer kind of pair is reported truly with this probability."""
    rare = float(min(density, 1 - density))
    return math.log(survival * (1.0 / rare - 1.0) / (1.0 - survival))


def unchanged_chance(p01: float, p11: float, pairs: int) -> float:
    """The highest probability that a node keeps exactly its edges, with this number of pairs to report, whatever its
    edges are; for nodes with an edge that are not joined with all others, since only one of each of these can be alone.

    The fewer of its pairs are of the rarer kind, which changes more often, the more likely a node is unchanged.
    """
    rarer, other = sorted((p11, 1.0 - p01))
    return rarer * other ** (pairs - 1)


def pairs_of_node(n: int, directed: bool) -> int:
    """Number of pairs of one node; ordered pairs in a directed graph."""
    return (n - 1) * (2 if directed else 1)


def pairs_of(n: int, directed: bool) -> int:
    """Number of pairs of nodes; ordered pairs in a directed graph."""
    return n * (n - 1) if directed else n * (n - 1) // 2


def flip_pairs(graph: Graph, noise: PairNoise, rng: np.random.Generator, watch: Watch) -> tuple[Graph, int, int]:
    """The graph that the pairs report, and how many edges were added and removed.

    The cost depends on the edges before and after: pairs that stay without an edge are skipped.
    """
    added = _chosen_pairs(graph, noise, rng, within(watch, 0.0, 0.8))
    kept = _kept_edges(graph.m, noise, rng, within(watch, 0.8, 0.9))
    watch(0.9)
    joined = np.empty(int(np.count_nonzero(kept)) + len(added), dtype=np.int64)
    count = join_kept_and_added(graph.keys, kept, added, joined)
    stayed = int(np.count_nonzero(kept))
    return Graph(graph.n, joined[:count].copy(), graph.directed), count - stayed, graph.m - stayed


def _chosen_pairs(graph: Graph, noise: PairNoise, rng: np.random.Generator, watch: Watch) -> NDArray[np.int64]:
    """The sorted keys of the pairs that would get an edge if they had none."""
    total = pairs_of(graph.n, graph.directed)
    state = np.zeros(FOUND + 1, dtype=np.int64)
    words = np.empty(0, dtype=np.uint64)
    found = [np.empty(0, dtype=np.int64)]
    # Ten words per pair are more than enough on average; leftover words begin the next batch.
    size = int(min(_BATCH, 64 + 12 * total * noise.p01))
    while state[POSITION] < total:
        watch(state[POSITION] / total)
        words = np.concatenate([words, random_words(rng, size)])
        keys = np.empty(len(words) // 3 + 1, dtype=np.int64)
        skip_pairs(words, np.uint64(noise.rate), graph.n, graph.directed, state, keys)
        found.append(keys[: state[FOUND]])
        words = words[state[WORDS_USED] :]
    return np.concatenate(found)


def _kept_edges(m: int, noise: PairNoise, rng: np.random.Generator, watch: Watch) -> NDArray[np.bool_]:
    kept = np.empty(m, dtype=np.bool_)
    for start in range(0, m, _BATCH):
        watch(start / m)
        stop = min(start + _BATCH, m)
        kept[start:stop] = random_words(rng, stop - start) < np.uint64(noise.keep)
    return kept


def random_words(rng: np.random.Generator, count: int) -> NDArray[np.uint64]:
    """Words of 64 random bits."""
    return rng.integers(0, KEEP_UNIT - 1, size=count, dtype=np.uint64, endpoint=True)
