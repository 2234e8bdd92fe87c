"""Matrices of a graph, directions ignored, and figures from their spectra.

Lanczos, "An iteration method for the solution of the eigenvalue problem of linear differential and integral
operators", Journal of Research of the National Bureau of Standards 1950; Hestenes and Stiefel, "Methods of Conjugate
Gradients for Solving Linear Systems", the same 1952; Ubaru, Chen and Saad, "Fast Estimation of tr(f(A)) via Stochastic
Lanczos Quadrature", SIAM Journal on Matrix Analysis 2017.

Every vector that an iteration starts from is drawn from the given generator.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph
from antifaz.kernels.graphs.paths import components
from antifaz.watch import Watch, within

Floats = NDArray[np.float64]
DENSE = 600
"""Largest graph whose matrices are solved densely."""
STEPS, RESTARTS = 24, 60
INVERSE_STEPS, INVERSE_RESTARTS, MOST_GRADIENTS = 10, 6, 3000
"""Steps with an inverse are few; each takes at most ``MOST_GRADIENTS`` conjugate gradients."""
SUBSPACE_STEPS = 6
TOLERANCE = 1e-7
"""Residuals below this, relative to the eigenvalue, end an iteration."""


@dataclass(frozen=True)
class Eigenvalue:
    """An eigenvalue and its error: some eigenvalue lies within the residual."""

    value: float
    residual: float
    """0 if the whole spectrum was computed."""


def adjacency(graph: Graph) -> "scipy.sparse.csr_array":
    """The symmetric 0/1 matrix of the edges."""
    offsets, neighbors = graph.neighbors
    return scipy.sparse.csr_array((np.ones(len(neighbors)), neighbors, offsets), shape=(graph.n, graph.n))


def largest_component(graph: Graph) -> NDArray[np.int64]:
    """The nodes of the largest component (the first of the largest)."""
    if graph.n == 0:
        return np.zeros(0, dtype=np.int64)
    component = components(*graph.neighbors)
    return np.flatnonzero(component == np.bincount(component).argmax())


def laplacian_of(matrix: "scipy.sparse.csr_array") -> "tuple[scipy.sparse.csr_array, Floats]":
    """The degrees on the diagonal minus the edges, and the degrees themselves."""
    degrees = np.asarray(matrix.sum(axis=1)).ravel()
    return (scipy.sparse.diags_array(degrees) - matrix).tocsr(), degrees


def largest_eigenvalue(matrix: "scipy.sparse.csr_array", rng: np.random.Generator, watch: Watch) -> Eigenvalue:
    """The largest eigenvalue of a symmetric matrix, by restarted Lanczos iterations."""
    n = matrix.shape[0]
    if n == 0 or matrix.nnz == 0:
        return Eigenvalue(0.0, 0.0)
    if n <= DENSE:
        return Eigenvalue(float(scipy.linalg.eigvalsh(matrix.toarray(), subset_by_index=[n - 1, n - 1])[0]), 0.0)
    return _largest_pair(matrix, rng, watch)[0]


def _largest_pair(
    matrix: "scipy.sparse.csr_array", rng: np.random.Generator, watch: Watch
) -> tuple[Eigenvalue, Floats]:
    """The largest eigenvalue and its vector, by restarted Lanczos iterations."""
    vector = rng.random(matrix.shape[0]) + 0.5  # Like Perron's vector, all entries have one sign.
    found = Eigenvalue(0.0, np.inf)
    for restart in range(RESTARTS):
        watch(restart / RESTARTS)
        basis, diagonal, beside = lanczos(matrix.__matmul__, vector, STEPS)
        values, vectors = scipy.linalg.eigh_tridiagonal(diagonal, beside[:-1])
        found = Eigenvalue(float(values[-1]), float(abs(beside[-1] * vectors[-1, -1])))
        vector = basis.T @ vectors[:, -1]
        if found.residual <= TOLERANCE * max(1.0, found.value):
            break
    return found, vector / np.linalg.norm(vector)


def second_smallest_laplacian(graph: Graph, rng: np.random.Generator, watch: Watch) -> Eigenvalue:
    """The algebraic connectivity of the largest component; 0 if that is a single node."""
    nodes = largest_component(graph)
    if len(nodes) < 2:
        return Eigenvalue(0.0, 0.0)
    laplacian, degrees = laplacian_of(adjacency(graph)[nodes][:, nodes])
    if len(nodes) <= DENSE:
        return Eigenvalue(float(scipy.linalg.eigvalsh(laplacian.toarray(), subset_by_index=[1, 1])[0]), 0.0)
    return _smallest_but_constant(laplacian, degrees, rng, watch)


def _smallest_but_constant(
    laplacian: "scipy.sparse.csr_array", degrees: Floats, rng: np.random.Generator, watch: Watch
) -> Eigenvalue:
    """Lanczos iterations with the inverse, on vectors orthogonal to the constant: each step is solved by conjugate
    gradients, preconditioned by the degrees."""
    preconditioner = scipy.sparse.diags_array(1.0 / degrees)
    begun = 0.0

    def look(_: Floats) -> None:
        watch(begun)

    def solve(vector: Floats) -> Floats:
        # On a long path each step takes thousands of gradients.
        found, _ = scipy.sparse.linalg.cg(
            laplacian, vector - vector.mean(), rtol=1e-9, maxiter=MOST_GRADIENTS, M=preconditioner, callback=look
        )
        return np.asarray(found - found.mean())

    vector = rng.standard_normal(len(degrees))
    found = Eigenvalue(np.inf, np.inf)
    for restart in range(INVERSE_RESTARTS):
        begun = restart / INVERSE_RESTARTS
        watch(begun)
        basis, diagonal, beside = lanczos(solve, vector - vector.mean(), INVERSE_STEPS)
        _, vectors = scipy.linalg.eigh_tridiagonal(diagonal, beside[:-1])
        vector = basis.T @ vectors[:, -1]
        vector = (vector - vector.mean()) / np.linalg.norm(vector - vector.mean())
        value = float(vector @ (laplacian @ vector))
        found = Eigenvalue(value, float(np.linalg.norm(laplacian @ vector - value * vector)))
        if found.residual <= 1e-4 * value:
            break
    return found


def lanczos(apply: Callable[[Floats], Floats], start: Floats, steps: int) -> tuple[Floats, Floats, Floats]:
    """An orthonormal basis of the Krylov space (in rows), and the diagonal and off-diagonal of the projection.

    The last off-diagonal number is the norm of the remainder; the basis is shorter if that is zero.
    """
    basis = np.zeros((min(steps, len(start)), len(start)))
    diagonal, beside = np.zeros(len(basis)), np.zeros(len(basis))
    vector = start / np.linalg.norm(start)
    for step in range(len(basis)):
        basis[step] = vector
        vector = apply(vector)
        diagonal[step] = basis[step] @ vector
        for _ in range(2):  # Orthogonalize twice because of rounding.
            vector = vector - basis[: step + 1].T @ (basis[: step + 1] @ vector)
        beside[step] = np.linalg.norm(vector)
        if beside[step] <= 1e-10 * max(1.0, abs(float(diagonal[step]))):
            return basis[: step + 1], diagonal[: step + 1], beside[: step + 1]
        vector = vector / beside[step]
    return basis, diagonal, beside


def log_mean_exponential(
    matrix: "scipy.sparse.csr_array", probes: int, rng: np.random.Generator, watch: Watch
) -> tuple[float, float]:
    """Logarithm of the mean diagonal entry of the matrix exponential, and its standard error (0 if exact).

    For large matrices, the largest eigenvalue's share is computed and the rest estimated by Lanczos quadrature from
    random vectors of signs.
    """
    n = matrix.shape[0]
    if n == 0:
        return 0.0, 0.0
    if n <= DENSE or matrix.nnz == 0:
        values = scipy.linalg.eigvalsh(matrix.toarray()) if matrix.nnz else np.zeros(n)
        return float(np.log(np.mean(np.exp(values - values[-1]))) + values[-1]), 0.0
    largest, direction = _largest_pair(matrix, rng, within(watch, 0.0, 0.3))
    rest = np.zeros(probes)
    for probe in range(probes):
        watch(0.3 + 0.7 * probe / probes)
        signs = 2.0 * rng.integers(0, 2, n) - 1.0
        signs -= direction * (direction @ signs)
        _, diagonal, beside = lanczos(matrix.__matmul__, signs, STEPS)
        values, vectors = scipy.linalg.eigh_tridiagonal(diagonal, beside[:-1])
        rest[probe] = (signs @ signs) * float(vectors[0] ** 2 @ np.exp(values - largest.value))
    total = 1.0 + float(rest.mean())
    error = max(1e-15, float(rest.std(ddof=1) / np.sqrt(probes)) / total)
    return float(np.log(total / n) + largest.value), error


def leading_eigenpairs(matrix: "scipy.sparse.csr_array", count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The eigenvalues of largest magnitude and their vectors (in columns), by subspace iteration.

    Halko, Martinsson and Tropp, "Finding structure with randomness", SIAM Review 2011. Small matrices are solved
    densely.
    """
    n = matrix.shape[0]
    count = min(count, n)
    if n <= DENSE:
        values, vectors = scipy.linalg.eigh(matrix.toarray()) if n else (np.zeros(0), np.zeros((0, 0)))
    else:
        basis = rng.standard_normal((n, min(n, count + 8)))
        for _ in range(SUBSPACE_STEPS):
            basis = scipy.linalg.qr(matrix @ basis, mode="economic", overwrite_a=True, check_finite=False)[0]
        values, turned = scipy.linalg.eigh(basis.T @ (matrix @ basis))
        vectors = basis @ turned
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    return values[order], vectors[:, order]
