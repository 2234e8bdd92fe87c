"""Spectral drift: how moves of edges shift two characteristic eigenvalues of a graph.

The largest eigenvalue of the adjacency matrix relates to how things spread, the second smallest of the Laplacian (the
algebraic connectivity) to how well the graph is connected. To first order, adding an edge i–j shifts the first by
2·x_i·x_j and the second by (y_i - y_j)², x and y being the eigenvectors; removing one shifts them back.

The vectors of a slightly changed graph are computed from the previous ones, in a bounded number of iterations; the
value is the Rayleigh quotient of the vector, near the eigenvalue and never on its far side. (`spectrum` has the exact
ones, for measures.) A graph in several pieces has the algebraic connectivity 0 with an uninformative vector, so that of
its largest component is used instead.
"""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.graphs.analysis.spectrum import adjacency, laplacian_of, largest_component
from antifaz.graphs.edits.edge_moves import Moves, Proposal
from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.moves import accept_within
from antifaz.watch import Watch, unwatched, within

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

DENSE = 80
"""Largest number of nodes for which the matrices are solved densely."""
BLOCK = 3
"""Number of vectors iterated together."""
MOST_WORK = 300_000_000
"""Products that the iterations for one eigenvalue may take; four times as many if no vectors are known yet."""


@dataclass(frozen=True)
class Spectrum:
    """Both eigenvalues and their eigenvectors."""

    largest: float
    connectivity: float
    largest_vectors: Reals
    """Of the adjacency matrix; the first column is the eigenvector, the others help the next computation."""
    connectivity_vectors: Reals
    """Of the Laplacian of the largest component, 0 elsewhere."""


def spectrum(
    graph: Graph, rng: np.random.Generator, before: Spectrum | None = None, watch: Watch = unwatched
) -> Spectrum:
    """The eigenvalues of an undirected graph, computed from those of a similar graph if given."""
    matrix = adjacency(graph)
    first = rng.normal(size=(graph.n, BLOCK)) if before is None else before.largest_vectors
    second = rng.normal(size=(graph.n, BLOCK)) if before is None else before.connectivity_vectors
    work = MOST_WORK * (4 if before is None else 1)
    largest, largest_vectors = _largest(matrix, first, work, watch)
    connectivity, vectors = 0.0, np.zeros((graph.n, BLOCK))
    members = largest_component(graph)
    if len(members) > 1:
        connectivity, vectors[members] = _connectivity(matrix[members][:, members], second[members], work, watch)
    return Spectrum(largest, connectivity, largest_vectors, vectors)


def _largest(matrix: Any, start: Reals, work: int, watch: Watch) -> tuple[float, Reals]:
    n = matrix.shape[0]
    if matrix.nnz == 0:
        return 0.0, np.zeros((n, BLOCK))
    if n <= DENSE:
        values, vectors = np.linalg.eigh(matrix.toarray())
        return float(values[-1]), _padded(vectors[:, ::-1])
    return _iterate(matrix, start, None, None, work, watch, largest=True)


def _connectivity(part: Any, start: Reals, work: int, watch: Watch) -> tuple[float, Reals]:
    laplacian, degrees = laplacian_of(part)
    n = len(degrees)
    if n <= DENSE:
        values, vectors = np.linalg.eigh(laplacian.toarray())
        return float(values[1]), _padded(vectors[:, 1:])
    return _iterate(
        laplacian, start, scipy.sparse.diags_array(1.0 / degrees), np.ones((n, 1)), work, watch, largest=False
    )


def _padded(vectors: Reals) -> Reals:
    found = np.zeros((len(vectors), BLOCK))
    columns = min(BLOCK, vectors.shape[1])
    found[:, :columns] = vectors[:, :columns]
    return found


def _iterate(
    matrix: Any, start: Reals, inverse: Any, apart: Reals | None, work: int, watch: Watch, largest: bool
) -> tuple[float, Reals]:
    """The extreme eigenvalue and its vectors by a preconditioned conjugate gradient, orthogonal to ``apart``."""
    steps = int(np.clip(work // (8 * BLOCK * (matrix.nnz + len(start))), 20, 200))
    full = _independent(start, apart)

    def product(vectors: Reals) -> Reals:
        watch(0.0)
        return np.asarray(matrix @ vectors)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the iterations are meant to end before the last digit
        _, vectors = scipy.sparse.linalg.lobpcg(
            product, full, M=inverse, Y=apart, tol=1e-6, maxiter=steps, largest=largest
        )
    vectors = vectors / np.linalg.norm(vectors, axis=0)
    values = np.einsum("ij,ij->j", vectors, matrix @ vectors)
    order = np.argsort(-values if largest else values)
    return float(values[order[0]]), vectors[:, order]


def _independent(start: Reals, apart: Reals | None) -> Reals:
    """The vectors, with missing ones filled in: none may be a combination of the others or of ``apart``."""
    known = start if apart is None else np.hstack([apart, start])
    if np.linalg.matrix_rank(known) == known.shape[1]:
        return start
    ramp = np.arange(1, len(start) + 1, dtype=np.float64)
    fresh = np.cos(np.outer(ramp, np.arange(1, BLOCK + 1)))
    return np.asarray(start + fresh, dtype=np.float64)


@dataclass
class SpectrumJudge:
    """Accepts moves as long as both eigenvalues stay near those of the original graph."""

    original: Spectrum
    tolerance: float
    every: int
    """Number of moves after which the eigenvalues are computed again; in between, their shifts are added up."""
    rng: np.random.Generator
    now: Spectrum
    watch: Watch = unwatched
    drift: Reals = field(default_factory=lambda: np.zeros(2))
    """Estimated distance of both from the original's."""
    judged: int = 0
    """Number of moves included in the current eigenvalues."""

    @classmethod
    def of(
        cls, graph: Graph, tolerance: float, every: int, rng: np.random.Generator, watch: Watch = unwatched
    ) -> "SpectrumJudge":
        found = spectrum(graph, rng, watch=watch)
        return cls(found, tolerance, every, rng, found, watch)

    def __call__(self, moves: Moves, proposal: Proposal) -> NDArray[np.bool_]:
        """The moves, in their order, under which neither eigenvalue is estimated to drift too far."""
        if moves.made - self.judged >= self.every:
            self.look(moves)
        n, gone = moves.graph.n, moves.graph.keys[proposal.goes]
        changes = np.ascontiguousarray(self.shifts(n, proposal.comes) - self.shifts(n, gone))
        bounds = self.tolerance * np.array([self.original.largest, self.original.connectivity])
        accepted = np.zeros(len(proposal), dtype=np.uint8)
        accept_within(changes, self.drift, bounds, accepted)
        return accepted.astype(np.bool_)

    def look(self, moves: Moves) -> None:
        """Compute the eigenvalues again if moves were made since."""
        if self.judged == moves.made:
            return
        share = moves.made / moves.wanted
        self.now = spectrum(moves.result, self.rng, self.now, within(self.watch, share, share))
        self.judged = moves.made
        self.drift = np.array(
            [self.now.largest - self.original.largest, self.now.connectivity - self.original.connectivity]
        )

    def shifts(self, n: int, keys: Integers) -> Reals:
        """Shift of the eigenvalues when the pairs of each row are added, to first order."""
        sources, targets = keys // n, keys % n
        x, y = self.now.largest_vectors[:, 0], self.now.connectivity_vectors[:, 0]
        first = 2 * (x[sources] * x[targets]).sum(axis=1)
        second = ((y[sources] - y[targets]) ** 2).sum(axis=1)
        return np.stack([first, second], axis=1)

    def account(self) -> dict[str, Any]:
        """The eigenvalues of both graphs."""
        return {
            "largest_eigenvalue": {"original": self.original.largest, "released": self.now.largest},
            "algebraic_connectivity": {"original": self.original.connectivity, "released": self.now.connectivity},
        }
