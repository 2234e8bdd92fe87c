"""Edge-local differential privacy: every pair of nodes reports at random whether it is joined, keeping the density.

Paul, Salas and Torra, "Edge Local Differential Privacy for Dynamic Graphs", SciSec 2023; Warner, "Randomized Response:
A Survey Technique for Eliminating Evasive Answer Bias", Journal of the American Statistical Association, 1965. Exact
sampling is after Canonne, Kamath and Steinke, NeurIPS 2020.

With E = e^ε and a density d ≤ 1/2, a pair without an edge gets one with probability 1/(E - 1 + 1/d), and an existing
edge stays with probability E/(E - 1 + 1/d); above one half the same is done to the pairs that are not joined. A graph
of density d keeps it in expectation. The proof needs a d that does not come from the data: it is declared, or counted
with a part of epsilon by a discrete Laplace mechanism, or exact if a waiver declares the number of edges public. Sparse
graphs need a large epsilon: half the edges survive at ε = ln(1/d - 1). The expected result is known before the method
runs, and a setting in which less than ``least_survival`` would survive is refused.

Guarantees: edge_local_dp for each pair of nodes, exactly and without numeric slack; nothing for nodes: their number,
list and attributes are public, and a node with many edges still has many.
Preserves: the nodes; the density, in expectation and if d is the graph's.
Cost: O(n + m + edges of the release), never one step for each pair.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.errors import Infeasible, Reason
from antifaz.graphs.edits.pair_noise import (
    PUBLIC,
    PairNoise,
    flip_pairs,
    least_epsilon,
    pair_noise,
    pairs_of,
    pairs_of_node,
    unchanged_chance,
)
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.edge_local_dp import (
    Density,
    DensitySource,
    EdgeLocalDp,
    density_faults,
    noise_target,
    refuse_few_edges,
    too_few_survive,
    waivers_of,
)
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.noise import noisy_count
from antifaz.watch import Watch


class EdgeLocalNoise(GraphMethod):
    """Add and remove edges at random, pair by pair, so that any one of them can be denied."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    gives: ClassVar[tuple[str, ...]] = ("edge_local_dp",)
    leaves: ClassVar[str] = (
        "Single pairs are protected, not nodes: the number of nodes, their list and attributes are public, and a node "
        "with many edges still has many."
    )

    name: Literal["edge_local_dp"] = "edge_local_dp"
    density: Density | None = None
    """The density that the noise is calibrated for; declared here or with the guarantee."""
    least_survival: float = Field(default=0.05, ge=0, lt=1)
    """Refuse if fewer than this share of the edges would be reported truly (above a density of one half: of the pairs
    that are not joined)."""
    most_edges: int = Field(default=30_000_000, ge=1, le=200_000_000)
    """Refuse if more edges than this are expected in the release."""

    def carries_edges(self) -> bool:
        """No: data on an edge would reveal that it is an original one."""
        return False

    def contradictions(self, guarantees: Sequence[Any]) -> Iterable[tuple[str, str]]:
        """Faults visible in the policy alone: no density or two, a noisy one that costs too much, or too few edges
        left."""
        for position, guarantee in enumerate(guarantees):
            if isinstance(guarantee, EdgeLocalDp):
                yield from self._contradictions(guarantee, f"/guarantees/{position}")

    def waivers_needed(self) -> tuple[str, ...]:
        """An exact density discloses the number of edges."""
        return waivers_of(self.density)

    def forecast(self, guarantees: Sequence[Any], nodes: int | None, directed: bool | None) -> dict[str, Any]:
        """The expected result, from public facts: the policy and the number of nodes."""
        guarantee = next((g for g in guarantees if isinstance(g, EdgeLocalDp)), None)
        density = None if guarantee is None else self.density or guarantee.density
        if guarantee is None or density is None:
            return {}
        epsilon = Decimal(str(guarantee.epsilon))
        described = {"epsilon": guarantee.epsilon, "epsilon_density": float(density.cost(epsilon)), "nodes": nodes}
        if density.declared is None:
            return described | {"density": None, "density_source": density.source}
        noise = pair_noise(epsilon, Decimal(str(density.declared)))
        known = nodes is not None and directed is not None
        expected = density.declared * pairs_of(nodes or 0, bool(directed)) if known else None
        pairs = pairs_of_node(nodes or 0, bool(directed))
        return described | {
            "density": density.declared,
            "density_source": "declared",
            "survival": noise.survival,
            "p01": noise.p01,
            "p10": noise.p10,
            "p11": noise.p11,
            "expected_jaccard": noise.expected_jaccard(),
            "expected_edges": expected,
            "node_unchanged": unchanged_chance(noise.p01, noise.p11, pairs) if known else None,
            "epsilon_for_half": max(0.0, least_epsilon(0.5, noise.density)),
        }

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Let every pair report whether it is joined."""
        watch(0.0)
        faults = self.contradictions(guarantees)
        guarantee, density = noise_target(EdgeLocalDp, guarantees, self.density, faults)
        epsilon = Decimal(str(guarantee.epsilon))
        noise, about = _calibrate(graph, density, epsilon)
        self._refuse_useless(graph, density, noise)
        released, added, removed = flip_pairs(graph, noise, rng, watch)
        account = {
            "edges_added": added,
            "edges_removed": removed,
            "nodes_added": 0,
            "public": {self.name: {**_public_facts(noise, epsilon), **about}},
        }
        return ProtectedGraph(released, np.arange(graph.n, dtype=np.int64), account)

    def _contradictions(self, guarantee: EdgeLocalDp, pointer: str) -> Iterable[tuple[str, str]]:
        density, epsilon = self.density or guarantee.density, Decimal(str(guarantee.epsilon))
        yield from density_faults(self.density, guarantee.density, epsilon, pointer)
        if density is not None and density.declared is not None:
            noise = pair_noise(epsilon, Decimal(str(density.declared)))
            if noise.survival < self.least_survival:
                needed = least_epsilon(self.least_survival, noise.density)
                yield f"{pointer}/epsilon", too_few_survive(noise.survival, self.least_survival, needed)

    def _refuse_useless(self, graph: Graph, density: DensitySource, noise: PairNoise) -> None:
        """Refuse if hardly any edge would be left, or if far too many would be released; reads public numbers alone."""
        if not noise.sound:
            raise Infeasible([Reason("least_survival", detail="epsilon and density are too small for any noise")])
        needed = partial(least_epsilon, density=noise.density)
        refuse_few_edges(density, noise.survival, self.least_survival, needed)
        expected = float(noise.density) * pairs_of(graph.n, graph.directed)
        if expected > self.most_edges:
            detail = "more edges than the limit are expected at this density"
            raise Infeasible([Reason("most_edges", self.most_edges, expected, detail)])


def _calibrate(graph: Graph, density: DensitySource, epsilon: Decimal) -> tuple[PairNoise, dict[str, Any]]:
    """The mechanism for a graph, and where its density comes from."""
    pairs = pairs_of(graph.n, graph.directed)
    least = Decimal(1) / max(pairs, 2)
    about: dict[str, Any] = {"density_source": density.source, "epsilon_density": "0"}
    if density.declared is not None:
        return pair_noise(epsilon, Decimal(str(density.declared))), about
    if density.exact:
        share = min(max(Decimal(graph.m) / max(pairs, 1), least), 1 - least)
        return pair_noise(epsilon, share), about
    cost = density.cost(epsilon)
    counted = noisy_count(graph.m, float(cost))
    # Public facts may be used to correct the noise: no density is below 1/N.
    share = min(max(Decimal(counted.value) / max(pairs, 1), least), Decimal("0.5"))
    about |= {"epsilon_density": str(cost), "density_loss": counted.epsilon, "library": counted.library}
    return pair_noise(epsilon - cost, share), about


def _public_facts(noise: PairNoise, epsilon: Decimal) -> dict[str, Any]:
    """Public facts: everything that an analyst needs to correct for the noise, and the verifier to judge it."""
    return {
        "unit": "a pair of nodes",
        "epsilon": str(epsilon),
        "epsilon_structure": str(noise.epsilon),
        **noise.chances(),
        "public": list(PUBLIC),
        "not_protected": "nodes: each of a node's pairs costs epsilon",
    }
