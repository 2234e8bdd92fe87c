"""Noisy degree: an attacker who knows people's degrees and the amount of noise guesses the likeliest nodes.

Ying, Pan, Wu and Guo, "Comparisons of Randomization and K-degree Anonymization Schemes for Privacy Preserving Social
Network Publishing", SNA-KDD 2009 (identity disclosure given the degree and the amount of randomization).

If edges were changed at random, a person's degree is rarely the same, and an attacker who searches for the exact degree
is misled. But policies are public: the attacker knows how many edges were removed and added, and so how likely a
released degree is given the original one. The loss of a node of degree d is hypergeometric (the removed edges, of all),
and so is its gain (the added pairs, of all that were not joined); in directed graphs in- and out-degree are treated as
independent. The attacker guesses one of the released nodes whose degree is likeliest. The rate is the share of people
found, ``posterior`` how sure the attacker is on average, ``highest`` the largest probability of anyone. The
distribution is exact for random perturbation and an approximation if edges are chosen otherwise; without noise the
attack is the same as `degree`. A sample of at most 2,000 people is attacked.

Guarantees: none, it measures.
Cost: O(n + m) and, for each of the distinct degrees attacked, O(distinct released degrees + deviation²).
"""

from typing import Any, ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.graphs.analysis.comparison import kept_edges
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import guess, mean
from antifaz.graphs.knowledge.subgraph_attack import homes
from antifaz.graphs.parts import GraphAttack
from antifaz.part import Question, Story
from antifaz.watch import Watch

TARGETS = 2_000
"""Most people that are attacked."""
DEVIATIONS = 12
"""Gains and losses further from their means than this number of deviations are left out."""

Numbers = NDArray[np.float64]


class NoisyDegree(GraphAttack):
    """Re-identify nodes by their original degrees, given how many edges were changed."""

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "how many contacts each person has, and how many edges were changed"
    learns: ClassVar[str] = "which node is whom"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who knows how many contacts everyone has and how much was changed",
        "finds {} people",
    )

    name: Literal["noisy_degree"] = "noisy_degree"

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Mean and largest probability of guessing a node correctly, compared with a guess among all nodes."""
        watch(0.0)
        shown, kept = released.graph, kept_edges(graph, released)
        sample = rng.choice(graph.n, min(graph.n, TARGETS), replace=False) if graph.n else np.zeros(0, dtype=np.int64)
        known, which = np.unique(_degrees(graph)[:, sample], axis=1, return_inverse=True)
        seen, place, counts = np.unique(_degrees(shown), axis=1, return_inverse=True, return_counts=True)
        noise = _Noise(graph, graph.m - kept, shown.m - kept)
        home = homes(graph, released)[sample]
        chances, posteriors = np.zeros(len(sample)), np.zeros(len(sample))
        for number in range(known.shape[1] if seen.shape[1] else 0):
            watch(number / known.shape[1])
            likelihood = noise.likelihoods(known[:, number], seen)
            # Equal likelihoods may differ in the last digits.
            best = likelihood >= likelihood.max() * (1 - 1e-9)
            size = int(counts[best].sum())
            people = np.flatnonzero(which.ravel() == number)
            if likelihood.max() <= 0:
                continue
            hit = (home[people] >= 0) & best[place.ravel()[home[people]]]
            chances[people] = hit / size
            posteriors[people] = likelihood.max() / float(likelihood @ counts)
        return {
            "rate": mean(chances),
            "highest": float(chances.max(initial=0.0)),
            "baseline": guess(released),
            "posterior": mean(posteriors),
            "targets": len(sample),
        }


def _degrees(graph: Graph) -> NDArray[np.int64]:
    """The degree of every node in one row, or its out- and in-degree in two."""
    return np.stack([graph.out_degrees, graph.in_degrees] if graph.directed else [graph.degrees])


class _Noise:
    """How likely released degrees are, given the original ones and the numbers of edges removed and added."""

    def __init__(self, graph: Graph, gone: int, come: int) -> None:
        self.m, self.n, self.gone, self.come = graph.m, graph.n, gone, come
        pairs = graph.n * (graph.n - 1) // (1 if graph.directed else 2)
        self.absent = pairs - graph.m

    def likelihoods(self, known: NDArray[np.int64], seen: NDArray[np.int64]) -> Numbers:
        """The likelihood of every column of released degrees."""
        found = np.ones(seen.shape[1])
        for degree, column in zip(known.tolist(), seen, strict=True):
            found *= self._of_degree(degree, column)
        return found

    def _of_degree(self, degree: int, seen: NDArray[np.int64]) -> Numbers:
        lost, losses = _hypergeometric(self.m, degree, self.gone)
        gained, gains = _hypergeometric(self.absent, self.n - 1 - degree, self.come)
        # From the largest loss to the largest gain.
        total = np.convolve(losses[::-1], gains)
        place = seen - (degree - (lost + len(losses) - 1) + gained)
        inside = (place >= 0) & (place < len(total))
        return np.where(inside, total[np.clip(place, 0, len(total) - 1)], 0.0)


def _hypergeometric(everything: int, own: int, drawn: int) -> tuple[int, Numbers]:
    """The least relevant number of a node's own among those drawn, and the probabilities from there on."""
    own, drawn = min(max(own, 0), everything), min(max(drawn, 0), everything)
    if not own or not drawn:
        return 0, np.ones(1)
    middle = own * drawn / max(1, everything)
    reach = int(DEVIATIONS * np.sqrt(middle)) + DEVIATIONS
    low = max(0, own + drawn - everything, int(middle) - reach)
    high = min(own, drawn, int(middle) + reach)
    among = np.arange(low, high + 1, dtype=np.float64)
    # Logarithms, because the binomial coefficients exceed floating point from some 1,000 pairs on.
    chances = _ways(own, among) + _ways(everything - own, drawn - among) - _ways(everything, drawn)
    return low, np.exp(chances)


def _ways(all_of: float, chosen: Numbers | float) -> Numbers:
    """The logarithm of the number of ways to choose."""
    return np.asarray(
        -scipy.special.betaln(np.add(chosen, 1.0), np.subtract(all_of + 1.0, chosen)) - np.log(all_of + 1.0)
    )
