"""Graphs under differential privacy: what is left of four graphs at small epsilons, by three mechanisms.

    python -m bench.dp_graphs

`edge_local_dp` reports every pair, with the graph's density declared; the top-m filter keeps the pairs whose noisy
cells are the largest (Nguyen, Imine and Rusinowitch, "Differentially Private Publication of Social Graphs at Linear
Cost", ASONAM 2015); `noisy_degrees` counts degrees and draws a new graph. All of them lose the same epsilon for a pair.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from antifaz.graphs.analysis.communities import agreement, by_person, modularity
from antifaz.graphs.analysis.distances import distances
from antifaz.graphs.analysis.louvain import louvain
from antifaz.graphs.analysis.spectrum import adjacency
from antifaz.graphs.edits.pair_noise import pairs_of
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.edge_differential_privacy import EdgeDifferentialPrivacy
from antifaz.graphs.guarantees.edge_local_dp import Density, EdgeLocalDp
from antifaz.graphs.methods.edge_local_dp import EdgeLocalNoise
from antifaz.graphs.methods.noisy_communities import NoisyCommunities
from antifaz.graphs.methods.noisy_degrees import NoisyDegrees
from antifaz.graphs.utility.transitivity import transitivity
from antifaz.watch import unwatched
from bench.graphs import DATA, read_graph
from bench.results import write_section
from workers.context import cryptographic_generator

GRAPHS = ("jazz/jazz.net", "polblogs/polblogs.gml", "ca-GrQc/CA-GrQc.txt", "ego-facebook/facebook_combined.txt")
EPSILONS = (0.5, 1.0, 2.0, 4.0)
HEADER = (
    *("graph", "epsilon", "mechanism", "edges", "degrees: KL", "EMD"),
    *("transitivity", "modularity", "NMI", "distance", "eigenvalue"),
)

Mechanism = Callable[[Graph, float, np.random.Generator], ProtectedGraph]


def main() -> None:
    """Write the section."""
    rows: list[tuple[object, ...]] = []
    for path in GRAPHS:
        if not (DATA / path).exists():
            continue
        graph, rng = read_graph(DATA / path), cryptographic_generator()
        labels = louvain(graph, rng, unwatched)
        name = path.partition("/")[0]
        rows.append((name, "", "the original", *measured(graph, graph, labels, labels, rng)))
        for epsilon in EPSILONS:
            for mechanism, draw in MECHANISMS.items():
                released = draw(graph, epsilon, rng)
                found = by_person(louvain(released.graph, rng, unwatched), released, graph.n)
                rows.append((name, epsilon, mechanism, *measured(graph, released.graph, labels, found, rng)))
    introduction = (
        "One draw each. KL divergence (with half a node more of every degree) and earth mover's distance of the degree "
        "distributions; modularity of the release's own Louvain communities, and what they share with the original's."
    )
    write_section("Graphs under differential privacy", "python -m bench.dp_graphs", introduction, HEADER, rows)


def measured(
    graph: Graph, released: Graph, before: NDArray[np.int64], after: NDArray[np.int64], rng: np.random.Generator
) -> tuple[object, ...]:
    """What is left of a graph."""
    most = int(max(graph.degrees.max(), released.degrees.max())) + 1
    shares = [np.bincount(each.degrees, minlength=most) + 0.5 for each in (graph, released)]
    divergence = float(stats.entropy(shares[0], shares[1]))
    moved = float(np.abs(np.sort(graph.degrees) - np.sort(released.degrees)).mean())
    length = distances(released, rng, unwatched).mean
    return (
        released.m,
        f"{divergence:.2f}",
        f"{moved:.2f}",
        f"{transitivity(released):.3f}",
        f"{modularity(released, louvain(released, rng, unwatched)):.3f}",
        f"{agreement(before, after)['nmi']:.3f}",
        "-" if length is None else f"{length:.2f}",
        f"{largest_eigenvalue(released):.1f}",
    )


def largest_eigenvalue(graph: Graph) -> float:
    """By a hundred powers of the adjacency matrix."""
    matrix, vector = adjacency(graph), np.ones(graph.n)
    for _ in range(100):
        vector = matrix @ vector + 1e-9
        vector /= np.linalg.norm(vector)
    return float(vector @ (matrix @ vector))


def local(graph: Graph, epsilon: float, rng: np.random.Generator) -> ProtectedGraph:
    density = graph.m / pairs_of(graph.n, False)
    guarantee = EdgeLocalDp(epsilon=epsilon, density=Density(declared=density))
    return EdgeLocalNoise(least_survival=0).apply(graph, [guarantee], rng, unwatched)


def top_m(graph: Graph, epsilon: float, rng: np.random.Generator) -> ProtectedGraph:
    """The filter by its distribution, for comparison only: floating-point noise, and the number of edges as it is."""
    first, second = np.triu_indices(graph.n, 1)
    cells = rng.laplace(0.0, 1.0 / epsilon, len(first))
    cells[np.searchsorted(first * np.int64(graph.n) + second, graph.keys)] += 1.0
    kept = np.argpartition(cells, len(cells) - graph.m)[-graph.m :]
    return ProtectedGraph(Graph.from_pairs(graph.n, first[kept], second[kept]), np.arange(graph.n))


def degrees(graph: Graph, epsilon: float, rng: np.random.Generator) -> ProtectedGraph:
    return NoisyDegrees().apply(graph, [EdgeDifferentialPrivacy(epsilon=epsilon)], rng, unwatched)


def communities(graph: Graph, epsilon: float, rng: np.random.Generator) -> ProtectedGraph:
    return NoisyCommunities().apply(graph, [EdgeDifferentialPrivacy(epsilon=epsilon)], rng, unwatched)


MECHANISMS: dict[str, Mechanism] = {
    "edge_local_dp": local,
    "top-m filter": top_m,
    "noisy_degrees": degrees,
    "noisy_communities": communities,
}

if __name__ == "__main__":
    main()
