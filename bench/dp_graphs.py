"""Graphs under differential privacy: what three mechanisms preserve at small epsilons.

    python -m bench.dp_graphs [chosen | unseen]

The shares of epsilon in `noisy_communities` were chosen on the first four graphs. No setting was chosen on the others,
whose figures are means of five draws.

`edge_local_dp` reports every pair, with the graph's density declared; the top-m filter keeps the pairs whose noisy
cells are the largest (Nguyen, Imine and Rusinowitch, "Differentially Private Publication of Social Graphs at Linear
Cost", ASONAM 2015); `noisy_degrees` counts degrees and draws a new graph. All of them spend the same epsilon on a pair.
"""

import sys
from collections.abc import Callable, Sequence

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
from publication.generator import cryptographic_generator

GRAPHS = ("jazz/jazz.net", "polblogs/polblogs.gml", "ca-GrQc/CA-GrQc.txt", "ego-facebook/facebook_combined.txt")
UNSEEN = (
    "football/football.gml",
    "lesmis/lesmis.gml",
    "aves-sparrow/aves-sparrow-social.edges",
    "ia-enron-employees/ia-enron-employees.edges",
    "cora/cora.cites",
)
DRAWS = 5
EPSILONS = (0.5, 1.0, 2.0, 4.0)
HEADER = (
    *("graph", "epsilon", "mechanism", "edges", "degrees: KL", "EMD"),
    *("transitivity", "modularity", "NMI", "distance", "eigenvalue"),
)

Mechanism = Callable[[Graph, float, np.random.Generator], ProtectedGraph]


def main() -> None:
    """Write one of the sections, or both."""
    wanted = sys.argv[1:] if set(sys.argv[1:]) <= {"chosen", "unseen"} else []
    if "chosen" in wanted or not wanted:
        _write("Graphs under differential privacy", "chosen", "One draw each.", rows_of(GRAPHS, 1))
    if "unseen" in wanted or not wanted:
        words = f"No setting was chosen on these graphs; means of {DRAWS} draws."
        _write("Graphs under differential privacy: unseen", "unseen", words, rows_of(UNSEEN, DRAWS))


def _write(title: str, part: str, words: str, rows: list[tuple[object, ...]]) -> None:
    introduction = (
        f"{words} KL divergence (with half a node added to every degree) and earth mover's distance of the degree "
        "distributions; modularity of the release's own Louvain communities, and their agreement with the original's."
    )
    write_section(title, f"python -m bench.dp_graphs {part}", introduction, HEADER, rows)


def rows_of(graphs: Sequence[str], draws: int) -> list[tuple[object, ...]]:
    """The figures of every mechanism on every graph, as means of some draws."""
    rows: list[tuple[object, ...]] = []
    for path in graphs:
        if not (DATA / path).exists():
            continue
        graph, rng = read_graph(DATA / path), cryptographic_generator()
        labels = louvain(graph, rng, unwatched)
        name = path.partition("/")[0]
        rows.append((name, "", "the original", *_shown([measured(graph, graph, labels, labels, rng)])))
        for epsilon in EPSILONS:
            for mechanism, draw in MECHANISMS.items():
                found = [_drawn(graph, draw(graph, epsilon, rng), labels, rng) for _ in range(draws)]
                rows.append((name, epsilon, mechanism, *_shown(found)))
    return rows


def _drawn(graph: Graph, released: ProtectedGraph, labels: NDArray[np.int64], rng: np.random.Generator) -> list[float]:
    found = by_person(louvain(released.graph, rng, unwatched), released, graph.n)
    return measured(graph, released.graph, labels, found, rng)


def _shown(draws: Sequence[list[float]]) -> list[str]:
    means = np.mean(np.array(draws, dtype=np.float64), axis=0)
    return [f"{mean:.{places}f}" for mean, places in zip(means, PLACES, strict=True)]


PLACES = (0, 2, 2, 3, 3, 3, 2, 1)
"""Number of decimals shown of each figure."""


def measured(
    graph: Graph, released: Graph, before: NDArray[np.int64], after: NDArray[np.int64], rng: np.random.Generator
) -> list[float]:
    """The preserved properties of a graph."""
    most = int(max(graph.degrees.max(), released.degrees.max())) + 1
    shares = [np.bincount(each.degrees, minlength=most) + 0.5 for each in (graph, released)]
    divergence = float(stats.entropy(shares[0], shares[1]))
    moved = float(np.abs(np.sort(graph.degrees) - np.sort(released.degrees)).mean())
    length = distances(released, rng, unwatched).mean
    return [
        released.m,
        divergence,
        moved,
        transitivity(released),
        modularity(released, louvain(released, rng, unwatched)),
        float(agreement(before, after)["nmi"]),
        np.nan if length is None else length,
        largest_eigenvalue(released),
    ]


def largest_eigenvalue(graph: Graph) -> float:
    """The largest eigenvalue of the adjacency matrix, by a hundred power iterations."""
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
    """The filter by its distribution, for comparison only: floating-point noise and the exact number of edges."""
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
