"""Uncertain graphs: edges with probabilities, the degrees that nodes may have, and graphs drawn from them.

Boldi, Bonchi, Gionis and Tassa, "Injecting Uncertainty in Graphs for Identity Obfuscation", PVLDB 5(11), 2012.

Every edge exists or not, independently of the others. X_v(d) is the probability that node v has degree d. An attacker
who knows that a person had d contacts assigns each node v the probability Y_d(v) = X_v(d) / Σ X_u(d); the entropy of
Y_d measures among how many nodes the person hides.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.obfuscation import weigh_degrees

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

_DOUBT = 1e-10
"""Tolerance of an entropy in bits, for sums of floating point."""


@dataclass(frozen=True)
class Uncertain:
    """A graph of all pairs that may be edges, and the probability of each."""

    pairs: Graph
    probabilities: Reals

    @property
    def rows(self) -> tuple[Integers, Reals]:
        """CSR (offsets, probabilities) of the edges of every node."""
        owners = np.concatenate([self.pairs.sources, self.pairs.targets])
        order = np.argsort(owners, kind="stable")
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.pairs.degrees)])
        return offsets, np.concatenate([self.probabilities, self.probabilities])[order]

    @property
    def expected_degrees(self) -> Reals:
        return self._sums(self.probabilities)

    @property
    def degree_variances(self) -> Reals:
        """The variance of every node's degree over the possible graphs."""
        return self._sums(self.probabilities * (1.0 - self.probabilities))

    def _sums(self, values: Reals) -> Reals:
        ends = np.concatenate([self.pairs.sources, self.pairs.targets])
        return np.bincount(ends, np.concatenate([values, values]), self.pairs.n).astype(np.float64)

    def statistics(self) -> dict[str, Any]:
        """Expected numbers of edges and degrees."""
        degrees = self.expected_degrees
        return {
            "pairs": self.pairs.m,
            "expected_edges": float(self.probabilities.sum()),
            "mean_degree": float(degrees.mean()) if len(degrees) else 0.0,
            "max_expected_degree": float(degrees.max()) if len(degrees) else 0.0,
            "mean_degree_variance": float(self.degree_variances.mean()) if len(degrees) else 0.0,
        }

    def draw(self, rng: np.random.Generator) -> Graph:
        """One of the possible graphs."""
        there = rng.random(self.pairs.m) < self.probabilities
        return Graph(self.pairs.n, self.pairs.keys[there])


def entropies(uncertain: Uncertain, degrees: Integers, longest: int | None = None) -> Reals:
    """For every given degree, the entropy in bits of Y over the nodes; -inf for one that no node can have.

    If ``longest`` is given, nodes with more pairs are assumed to have normally distributed degrees.
    """
    values, places = np.unique(degrees, return_inverse=True)
    totals, weighted = np.zeros(len(values)), np.zeros(len(values))
    offsets, probabilities = uncertain.rows
    limit = uncertain.pairs.n if longest is None else longest
    weigh_degrees(offsets, probabilities, limit, values, totals, weighted)
    if longest is not None and (uncertain.pairs.degrees > longest).any():
        _weigh_normally(uncertain, uncertain.pairs.degrees > longest, values, totals, weighted)
    known = totals > 0.0
    bits = np.full(len(values), -np.inf)
    bits[known] = np.log2(totals[known]) - weighted[known] / totals[known]
    return bits[places]


def _weigh_normally(
    uncertain: Uncertain, chosen: NDArray[np.bool_], values: Integers, totals: Reals, weighted: Reals
) -> None:
    """Add the weights of the chosen nodes, by the central limit theorem."""
    means = uncertain.expected_degrees[chosen]
    spreads = np.sqrt(np.maximum(uncertain.degree_variances[chosen], 1e-12))
    above, below = ((values + shift - means[:, None]) / spreads[:, None] for shift in (0.5, -0.5))
    chances = scipy.special.ndtr(above) - scipy.special.ndtr(below)
    totals += chances.sum(axis=0)
    weighted += (chances * np.log2(np.where(chances > 0.0, chances, 1.0))).sum(axis=0)


def excess(bits: float, k: int) -> float:
    """Bits by which an entropy exceeds that of k equally likely nodes; 0 if only rounding makes it fall short."""
    surplus = bits - float(np.log2(k))
    return 0.0 if abs(surplus) <= _DOUBT else surplus


def allowed_short(epsilon: float, n: int) -> int:
    """Number of nodes, of n, that may hide among fewer than k: the exact decimal share, rounded down."""
    return int(Fraction(str(epsilon)) * n)
