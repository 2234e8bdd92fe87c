"""Edge-local differential privacy: every pair of nodes tells by chance whether it is joined, keeping the density.

Paul, Salas and Torra, "Edge Local Differential Privacy for Dynamic Graphs", SciSec 2023; Warner, "Randomized Response:
A Survey Technique for Eliminating Evasive Answer Bias", Journal of the American Statistical Association, 1965. Exact
sampling is after Canonne, Kamath and Steinke, NeurIPS 2020.

With E = e^ε and a density d ≤ 1/2 an edge is added where there is none with the chance 1/(E - 1 + 1/d) and one that is
there stays with the chance E/(E - 1 + 1/d); above one half the same is done to the pairs that are not joined. A graph
of density d keeps it in expectation. The proof needs a d that does not come from the data: it is declared, or counted
with a part of epsilon by a discrete Laplace mechanism, or exact where a waiver says that the number of edges is
public. Sparse graphs need a large epsilon: half the edges survive at ε = ln(1/d - 1). What is to be expected is known
before anything is run, and a setting in which less than ``least_survival`` would survive is refused.

Guarantees: edge_local_dp for each pair of nodes, exactly and without numeric slack; nothing for nodes: their number,
list and attributes are public, and a node with many edges is still one with many.
Preserves: the nodes; the density, in expectation and where d is the graph's.
Cost: O(n + m + edges of the release), never one step for each pair.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.errors import Infeasible, InvalidPolicy, Reason
from antifaz.graphs.edits.pair_noise import (
    KEEP_UNIT,
    RATE_UNIT,
    PairNoise,
    flip_pairs,
    least_epsilon,
    pair_noise,
    pairs_of,
)
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.edge_local_dp import Density, EdgeLocalDp, density_faults, too_few_survive
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.noise import noisy_count
from antifaz.watch import Watch

PUBLIC = ("the number of nodes", "the list of nodes", "the attributes of nodes")


class EdgeLocalNoise(GraphMethod):
    """Add and remove edges at random, pair by pair, so that any one of them can be denied."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    gives: ClassVar[tuple[str, ...]] = ("edge_local_dp",)
    leaves: ClassVar[str] = (
        "Single pairs are protected, not nodes: how many nodes there are, their list and attributes are public, and a "
        "node with many edges stays one."
    )

    name: Literal["edge_local_dp"] = "edge_local_dp"
    density: Density | None = None
    """The density that the noise is made for, here or with the guarantee."""
    least_survival: float = Field(default=0.05, ge=0, lt=1)
    """Refuse if fewer than this share of the edges would be reported truly (above a density of one half: of the pairs
    that are not joined)."""
    most_edges: int = Field(default=30_000_000, ge=1, le=200_000_000)
    """Refuse where more edges than this are to be expected in the release."""

    def carries_edges(self) -> bool:
        """No: what stands on an edge would tell that it is one of the original."""
        return False

    def contradictions(self, guarantees: Sequence[Any]) -> Iterable[tuple[str, str]]:
        """What the policy alone shows: no density or two, a noisy one that costs too much, or too few edges left."""
        for position, guarantee in enumerate(guarantees):
            if isinstance(guarantee, EdgeLocalDp):
                yield from self._contradictions(guarantee, f"/guarantees/{position}")

    def waivers_needed(self) -> tuple[str, ...]:
        """An exact density tells the number of edges."""
        return ("exact_density",) if self.density is not None and self.density.exact else ()

    def forecast(self, guarantees: Sequence[Any], nodes: int | None, directed: bool | None) -> dict[str, Any]:
        """What is to be expected, from what is public: the policy and the number of nodes."""
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
        return described | {
            "density": density.declared,
            "density_source": "declared",
            "survival": noise.survival,
            "p01": noise.p01,
            "p10": noise.p10,
            "p11": noise.p11,
            "expected_jaccard": noise.expected_jaccard(),
            "expected_edges": expected,
            "epsilon_for_half": max(0.0, least_epsilon(0.5, noise.density)),
        }

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Let every pair tell whether it is joined."""
        watch(0.0)
        guarantee, density = self._target(guarantees)
        epsilon = Decimal(str(guarantee.epsilon))
        noise, about = _calibrated(graph, density, epsilon)
        self._refuse_useless(graph, density, noise)
        released, added, removed = flip_pairs(graph, noise, rng, watch)
        account = {
            "edges_added": added,
            "edges_removed": removed,
            "nodes_added": 0,
            "public": {self.name: {**_described(noise, epsilon), **about}},
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

    def _target(self, guarantees: Sequence[GraphGuarantee]) -> tuple[EdgeLocalDp, Density]:
        asked = [guarantee for guarantee in guarantees if isinstance(guarantee, EdgeLocalDp)]
        if len(asked) != 1 or len(guarantees) != 1:
            raise InvalidPolicy("/guarantees", "edge_local_dp takes its epsilon from one guarantee edge_local_dp")
        faults = list(self.contradictions(guarantees))
        if faults:
            raise InvalidPolicy.of(faults)
        density = self.density or asked[0].density
        assert density is not None
        return asked[0], density

    def _refuse_useless(self, graph: Graph, density: Density, noise: PairNoise) -> None:
        """Stop where hardly anything would be left, or where far too much would come out; by public numbers alone."""
        if not noise.sound:
            raise Infeasible([Reason("least_survival", detail="there is no noise for so small an epsilon and density")])
        if noise.survival < self.least_survival:
            nearest = {"epsilon": density.total(least_epsilon(self.least_survival, noise.density))}
            raise Infeasible([Reason("least_survival", self.least_survival, noise.survival)], nearest)
        expected = float(noise.density) * pairs_of(graph.n, graph.directed)
        if expected > self.most_edges:
            detail = "more edges than the limit are to be expected at this density"
            raise Infeasible([Reason("most_edges", self.most_edges, expected, detail)])


def _calibrated(graph: Graph, density: Density, epsilon: Decimal) -> tuple[PairNoise, dict[str, Any]]:
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
    # What is known to be certain may be used to mend the noise: there is no density below 1/N.
    share = min(max(Decimal(counted.value) / max(pairs, 1), least), Decimal("0.5"))
    about |= {"epsilon_density": str(cost), "density_loss": counted.epsilon, "library": counted.library}
    return pair_noise(epsilon - cost, share), about


def _described(noise: PairNoise, epsilon: Decimal) -> dict[str, Any]:
    """What everybody may know: all that an analyst needs to correct for chance, and the verifier to judge it.

    Decimals and fractions are texts, for they are meant exactly.
    """
    return {
        "unit": "a pair of nodes",
        "epsilon": str(epsilon),
        "epsilon_structure": str(noise.epsilon),
        "density": str(noise.density),
        "p01": noise.p01,
        "p10": noise.p10,
        "p11": noise.p11,
        "rate": f"{noise.rate}/{RATE_UNIT}",
        "keep": f"{noise.keep}/{KEEP_UNIT}",
        "public": list(PUBLIC),
        "not_protected": "nodes: each of a node's pairs costs epsilon",
    }
