"""Communities in pairs that were reported at random: found by the eigenvectors that exceed the noise.

Hehir, Slavković and Niu, "Consistent Spectral Clustering of Network Block Models under Local Differential Privacy",
Journal of Privacy and Confidentiality 2022; Halko, Martinsson and Tropp, "Finding Structure with Randomness", SIAM
Review 2011, for the eigenvectors; Karrer and Newman, "Stochastic blockmodels and community structure in networks",
Physical Review E 2011, for the correction by degrees.

Every pair was reported truly with probability 1 - p. Corrected for that, the reports are the matrix of the graph plus
noise of the deviation s = sqrt(p (1 - p)) / (1 - 2 p). Together with the randomness of the edges of a random graph, its
eigenvalues stay within 2 s sqrt(n), up to a share of n^(-2/3) (Tracy and Widom, Communications in Mathematical Physics
1996). Eigenvalues beyond that indicate communities: nodes are grouped by their eigenvectors, and then moved to the
group into which they have the most edges beyond those that their degrees explain. Reports and degrees are noisy
already, so nothing here costs any privacy.

Cost: O(n²) memory and a few hundred products of the matrix with a vector.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.analysis.communities import Labels
from antifaz.graphs.graph import Graph
from antifaz.watch import Watch

Floats = NDArray[np.float64]

VECTORS = 32
"""Most eigenvectors that are used, one less than the most communities."""
_PRODUCTS = 24
_BEYOND = 2.0
"""Number of such shares beyond the noise at which an eigenvalue counts: the largest one of noise rarely lies there."""
_LLOYD = 30
_MOVES = 12
_SETTLED = 0.002


def deviation(chance: float) -> float:
    """Standard deviation of a corrected report, for pairs reported wrongly with a probability below one half."""
    return math.sqrt(chance * (1.0 - chance)) / (1.0 - 2.0 * chance)


@dataclass(frozen=True)
class Reports:
    """The reports of the pairs of a graph, as a matrix without its diagonal."""

    matrix: NDArray[np.float32]
    chance: float
    """Probability with which a pair was reported wrongly."""

    @classmethod
    def of(cls, reported: Graph, chance: float) -> "Reports":
        """The reports of a graph that was drawn pair by pair."""
        matrix = np.zeros((reported.n, reported.n), dtype=np.float32)
        matrix[reported.sources, reported.targets] = 1.0
        matrix[reported.targets, reported.sources] = 1.0
        return cls(matrix, chance)

    def edges_into(self, weights: Floats) -> Floats:
        """The product of the corrected matrix with weights of the nodes: an unbiased estimate."""
        reported = (self.matrix @ weights.astype(np.float32)).astype(np.float64)
        return np.asarray((reported - self.chance * (weights.sum(axis=0) - weights)) / (1.0 - 2.0 * self.chance))


def find_blocks(reports: Reports, degrees: Floats, rng: np.random.Generator, watch: Watch) -> Labels:
    """A community for every node; a single one if the reports show none."""
    vectors = _eigenvectors_beyond_noise(reports, degrees, rng, watch)
    n, count = len(degrees), vectors.shape[1] + 1
    if count == 1:
        return np.zeros(n, dtype=np.int64)
    labels = _group_points(vectors, count, rng)
    for _ in range(_MOVES):
        watch(0.9)
        moved = _best_blocks(reports, degrees, labels, count)
        settled = float((moved != labels).mean()) < _SETTLED
        labels = moved
        if settled:
            break
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _eigenvectors_beyond_noise(reports: Reports, degrees: Floats, rng: np.random.Generator, watch: Watch) -> Floats:
    """Eigenvectors beyond the noise, scaled by the roots of their eigenvalues, without the part that degrees
    explain."""
    n, total = len(degrees), max(float(degrees.sum()), 1.0)

    def product(vectors: Floats) -> Floats:
        return reports.edges_into(vectors) - np.outer(degrees, degrees @ vectors) / total

    basis = np.linalg.qr(rng.standard_normal((n, min(VECTORS, n // 4))))[0]
    for turn in range(_PRODUCTS):
        watch(0.8 * turn / _PRODUCTS)
        basis = np.linalg.qr(product(basis))[0]
    small = basis.T @ product(basis)
    values, turned = np.linalg.eigh((small + small.T) / 2.0)
    beyond = values > _end_of_noise(reports.chance, degrees)
    return np.asarray((basis @ turned[:, beyond]) * np.sqrt(values[beyond]))


def _end_of_noise(chance: float, degrees: Floats) -> float:
    """The largest eigenvalue of noise and a graph without communities, exceeded less than once in hundreds of times."""
    n = len(degrees)
    density = min(float(degrees.sum()) / max(n * (n - 1), 1), 1.0)
    spread = math.sqrt(deviation(chance) ** 2 + density * (1.0 - density))
    return 2.0 * spread * math.sqrt(n) * (1.0 + _BEYOND * math.pow(max(n, 1), -2.0 / 3.0))


def _group_points(points: Floats, count: int, rng: np.random.Generator) -> Labels:
    """Groups of points near each other: Lloyd's algorithm, from centers that are drawn far apart."""
    centers = points[rng.integers(len(points))][None, :]
    nearest = ((points - centers[0]) ** 2).sum(axis=1)
    while len(centers) < count and nearest.sum() > 0:
        centers = np.vstack([centers, points[rng.choice(len(points), p=nearest / nearest.sum())]])
        nearest = np.minimum(nearest, ((points - centers[-1]) ** 2).sum(axis=1))
    labels = np.zeros(len(points), dtype=np.int64)
    for _ in range(_LLOYD):
        labels = np.argmin((centers**2).sum(axis=1) - 2.0 * points @ centers.T, axis=1).astype(np.int64)
        sizes = np.bincount(labels, minlength=len(centers))
        sums = np.zeros_like(centers)
        np.add.at(sums, labels, points)
        centers = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centers)
    return labels


def _best_blocks(reports: Reports, degrees: Floats, labels: Labels, count: int) -> Labels:
    """For every node the community in which its reported edges are likeliest, beyond those that its degree explains."""
    members = np.zeros((len(labels), count))
    members[np.arange(len(labels)), labels] = 1.0
    edges, total = reports.edges_into(members), max(float(degrees.sum()), 1.0)
    ends, sizes = degrees @ members, members.sum(axis=0)
    inside = (edges * members).sum(axis=0)
    by_chance = np.maximum(ends**2 / total, 1e-9)
    # The density inside each community, and between any two, relative to random edges.
    denser = np.maximum(inside / by_chance, 0.0)
    sparser = max((total - inside.sum()) / max(total - by_chance.sum(), 1e-9), 0.0)
    explained = np.outer(degrees, ends) / total
    doubt = deviation(reports.chance) ** 2 * sizes + np.maximum(explained, 0.0) + 1e-9
    gain = ((edges - sparser * explained) ** 2 - (edges - denser * explained) ** 2) / doubt
    return np.asarray(np.argmax(gain, axis=1), dtype=np.int64)
