"""Edge-local differential privacy: every pair of nodes randomly reports whether it is joined, in every snapshot.

Paul, Salas and Torra, "Edge Local Differential Privacy for Dynamic Graphs", SciSec 2023, as compared with other methods
by Garcia Dausà, "Data Privacy in Dynamic Graphs", 2025.

The mechanism is the one for graphs, with the density d of each snapshot: a missing edge is added with probability
1/(e^ε - 1 + 1/d), and an existing edge stays with probability e^ε/(e^ε - 1 + 1/d). So each snapshot keeps its own
density in expectation; a common density would not do this. The proof needs densities that do not come from the data:
they are declared, or each is counted with a part of epsilon, or they are exact if a waiver declares the numbers of
edges public. Above one half the mechanism is applied to the pairs that are not joined, if the policy requests it. A
snapshot of density 0 stays without edges.

Guarantees: edge_local_dp for each pair of nodes in each snapshot, exactly and without numeric slack.
Preserves: the nodes; the density of each snapshot, in expectation and if d is the snapshot's.
Cost: O(T·n + m + edges of the release), never one step for each pair.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.errors import Infeasible, InvalidDataset, Reason
from antifaz.graphs.edits.pair_noise import (
    PUBLIC,
    PairNoise,
    flip_pairs,
    pair_noise,
    pairs_of,
    pairs_of_node,
    unchanged_chance,
)
from antifaz.graphs.graph import Graph
from antifaz.graphs.guarantees.edge_local_dp import (
    DensitySource,
    density_faults,
    noise_target,
    refuse_few_edges,
    too_few_survive,
    waivers_of,
)
from antifaz.noise import noisy_count
from antifaz.part import Part
from antifaz.temporal.guarantees.edge_local_dp import SnapshotDensity, TemporalEdgeLocalDp
from antifaz.temporal.parts import TemporalMethod
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots, joined
from antifaz.watch import Watch, within

_HALF = Decimal("0.5")
_HALVINGS = 60
_MOST_EPSILON = 100.0


class TemporalEdgeLocalNoise(TemporalMethod):
    """Add and remove edges at random, pair by pair in every snapshot, so that any single edge can be denied."""

    gives: ClassVar[tuple[str, ...]] = ("edge_local_dp",)
    leaves: ClassVar[str] = (
        "Only single contacts are protected: a pair joined in many snapshots, or a node with many edges, loses more "
        "with each of them."
    )

    name: Literal["edge_local_dp"] = "edge_local_dp"
    density: SnapshotDensity | None = None
    """The density that the noise is calibrated for, stated here or in the guarantee."""
    dense: Literal["refuse", "complement"] = "refuse"
    """What happens to snapshots with a density above one half: the job is refused, or the pairs that are not joined are
    protected instead of the edges."""
    least_survival: float = Field(default=0.05, ge=0, lt=1)
    """Refuse if less than this share of the edges of all snapshots would be reported truthfully (above a density of one
    half: of the pairs that are not joined)."""
    most_edges: int = Field(default=30_000_000, ge=1, le=200_000_000)
    """Refuse if more edges than this are expected in the release."""

    def carries_edges(self) -> bool:
        """No: attributes of an edge would show that it is an original one."""
        return False

    def waivers_needed(self) -> tuple[str, ...]:
        """An exact density discloses the number of edges."""
        return waivers_of(self.density)

    def contradictions(self, guarantees: Sequence[Part]) -> Iterable[tuple[str, str]]:
        """Yield what is wrong in the policy: no density or two, a noisy one that costs too much, or one above one
        half."""
        for position, guarantee in enumerate(guarantees):
            if isinstance(guarantee, TemporalEdgeLocalDp):
                yield from self._contradictions(guarantee, f"/guarantees/{position}")

    def _contradictions(self, guarantee: TemporalEdgeLocalDp, pointer: str) -> Iterable[tuple[str, str]]:
        density = self.density or guarantee.density
        yield from density_faults(self.density, guarantee.density, Decimal(str(guarantee.epsilon)), pointer)
        if density is not None and density.declared is not None:
            yield from self._contradictions_of_declared(guarantee, _listed(density), pointer)

    def _contradictions_of_declared(
        self, guarantee: TemporalEdgeLocalDp, declared: Sequence[Decimal], pointer: str
    ) -> Iterable[tuple[str, str]]:
        if max(declared) > _HALF and self.dense == "refuse":
            yield f"{pointer}/density/declared", 'a density above one half needs "dense": "complement" of the method'
        survival = _survival(guarantee.epsilon, declared)
        if survival < self.least_survival:
            needed = _needed(self.least_survival, declared)
            yield f"{pointer}/epsilon", too_few_survive(survival, self.least_survival, needed)

    def forecast(self, guarantees: Sequence[Any], nodes: int | None, directed: bool | None) -> dict[str, Any]:
        """Return what to expect, from public facts: the policy and the number of nodes."""
        guarantee = next((g for g in guarantees if isinstance(g, TemporalEdgeLocalDp)), None)
        density = None if guarantee is None else self.density or guarantee.density
        if guarantee is None or density is None:
            return {}
        epsilon = Decimal(str(guarantee.epsilon))
        stated = {"epsilon": guarantee.epsilon, "epsilon_density": float(density.cost(epsilon)), "nodes": nodes}
        if density.declared is None:
            return stated | {"density": None, "density_source": density.source}
        declared = _listed(density)
        known = nodes is not None and directed is not None
        pairs = pairs_of(nodes or 0, bool(directed))
        return stated | {
            "density": density.declared,
            "density_source": "declared",
            "survival": _survival(guarantee.epsilon, declared),
            "expected_edges_by_snapshot": [float(each) * pairs for each in declared] if known else None,
            "node_unchanged": _node_unchanged(epsilon, declared, pairs_of_node(nodes or 0, bool(directed)))
            if known
            else None,
            "epsilon_for_half": _needed(0.5, declared),
        }

    def apply(
        self, snapshots: Snapshots, guarantees: Sequence[Part], rng: np.random.Generator, watch: Watch
    ) -> ProtectedSnapshots:
        """Let every pair report, in every snapshot, whether it is joined."""
        watch(0.0)
        guarantee, density = noise_target(
            TemporalEdgeLocalDp, guarantees, self.density, self.contradictions(guarantees)
        )
        epsilon = Decimal(str(guarantee.epsilon))
        densities, about = self._densities(snapshots, density, epsilon)
        structure = epsilon - density.cost(epsilon)
        # Each different density is computed once, to eighty digits. A snapshot of density 0 needs no noise: it stays
        # empty.
        noises = {each: pair_noise(structure, each) for each in set(densities) if each}
        self._refuse_useless(snapshots, density, densities, noises)
        graphs, added, removed = [], 0, 0
        for t, each in enumerate(densities):
            share = within(watch, t / len(densities), (t + 1) / len(densities))
            graph, more, fewer = _flipped(snapshots.graph(t), noises.get(each), rng, share)
            graphs.append(graph)
            added, removed = added + more, removed + fewer
        reported = _described(snapshots, guarantee, structure, densities, noises)
        account = {"edges_added": added, "edges_removed": removed, "public": {self.name: reported | about}}
        return ProtectedSnapshots(joined(graphs, snapshots), np.arange(snapshots.n, dtype=np.int64), account)

    def _densities(
        self, snapshots: Snapshots, density: DensitySource, epsilon: Decimal
    ) -> tuple[list[Decimal], dict[str, Any]]:
        """Return the density of every snapshot, and its source."""
        pairs = pairs_of(snapshots.n, snapshots.directed)
        least = Decimal(1) / max(pairs, 2)
        about: dict[str, Any] = {"density_source": density.source, "epsilon_density": str(density.cost(epsilon))}
        edges = np.diff(snapshots.starts).tolist()
        if density.declared is not None:
            return _spread(_listed(density), len(snapshots)), about
        if density.exact:
            return [min(Decimal(m) / max(pairs, 1), 1 - least) for m in edges], about
        counted = [noisy_count(m, float(density.cost(epsilon))) for m in edges]
        # Facts that do not come from the data may correct the noise: no density is below 1/N.
        highest = 1 - least if self.dense == "complement" else _HALF
        about |= {"density_loss": counted[0].epsilon, "library": counted[0].library}
        return [min(max(Decimal(count.value) / max(pairs, 1), least), highest) for count in counted], about

    def _refuse_useless(
        self,
        snapshots: Snapshots,
        density: DensitySource,
        densities: Sequence[Decimal],
        noises: dict[Decimal, PairNoise],
    ) -> None:
        """Refuse if snapshots are too dense, too few edges would survive or too many would be released; uses only
        public numbers."""
        if max(densities) > _HALF and self.dense == "refuse":
            t = next(t for t, each in enumerate(densities) if each > _HALF)
            many = sum(each > _HALF for each in densities)
            detail = f'snapshot {t} (one of {many}) joins most of its pairs: "dense": "complement" protects the rest'
            raise Infeasible([Reason("dense", 0.5, float(max(densities)), detail)])
        if not all(noise.sound for noise in noises.values()):
            raise Infeasible([Reason("least_survival", detail="epsilon and density are too small for any noise")])
        structure = float(next(iter(noises.values())).epsilon) if noises else _MOST_EPSILON
        needed = partial(_needed, densities=densities)
        refuse_few_edges(density, _survival(structure, densities), self.least_survival, needed)
        expected = float(sum(densities)) * pairs_of(snapshots.n, snapshots.directed)
        if expected > self.most_edges:
            detail = "more edges than the limit are expected at these densities"
            raise Infeasible([Reason("most_edges", self.most_edges, expected, detail)])


def _listed(density: DensitySource) -> list[Decimal]:
    """Return the declared densities: one, or one for each snapshot."""
    declared = density.declared if isinstance(density.declared, tuple) else (density.declared,)
    return [Decimal(str(each)) for each in declared]


def _spread(declared: Sequence[Decimal], length: int) -> list[Decimal]:
    if len(declared) == 1:
        return list(declared) * length
    if len(declared) != length:
        detail = f"{len(declared)} densities are declared, but there are {length} snapshots"
        raise InvalidDataset("declared_densities", detail)
    return list(declared)


def _survival(epsilon: float, densities: Sequence[Decimal]) -> float:
    """Return the share of the rarer kind of pairs, in all snapshots, that is reported truthfully; 1 if there is
    none."""
    reported = total = 0.0
    for density, count in Counter(densities).items():
        rare = float(min(density, 1 - density))
        if rare > 0:
            # The probability that an edge stays, with E taken out of the fraction: a large epsilon does not overflow.
            reported += count * rare / (1 + np.exp(-epsilon) * (1 / rare - 1))
            total += count * rare
    return reported / total if total else 1.0


def _node_unchanged(epsilon: Decimal, densities: Sequence[Decimal], pairs: int) -> float:
    """Return the highest probability that a node with an edge keeps exactly its edges, in the worst snapshot."""
    noises = [pair_noise(epsilon, each) for each in set(densities) if each]
    return max((unchanged_chance(noise.p01, noise.p11, pairs) for noise in noises), default=0.0)


def _needed(survival: float, densities: Sequence[Decimal]) -> float:
    """Return the epsilon for a given survival, by bisection; survival rises with epsilon."""
    low, high = 0.0, _MOST_EPSILON
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _survival(middle, densities) >= survival else (middle, high)
    return high


def _flipped(graph: Graph, noise: PairNoise | None, rng: np.random.Generator, watch: Watch) -> tuple[Graph, int, int]:
    """Return one snapshot as its pairs report it; without a noise it is always empty."""
    watch(0.0)
    if noise is None:
        return Graph(graph.n, np.empty(0, dtype=np.int64), graph.directed), 0, graph.m
    return flip_pairs(graph, noise, rng, watch)


def _described(
    snapshots: Snapshots,
    guarantee: TemporalEdgeLocalDp,
    structure: Decimal,
    densities: Sequence[Decimal],
    noises: dict[Decimal, PairNoise],
) -> dict[str, Any]:
    """Return the public facts: everything that an analyst needs to correct for the noise, and the verifier to check it.

    Snapshots of one density share a mechanism.
    """
    order = sorted(noises)
    places = {density: place for place, density in enumerate(order)}
    over_time = guarantee.over_time(len(snapshots))
    of_node = pairs_of_node(snapshots.n, snapshots.directed)
    return {
        "unit": "a pair of nodes in one snapshot",
        "epsilon": str(Decimal(str(guarantee.epsilon))),
        "epsilon_structure": str(structure),
        "snapshots": len(snapshots),
        "epsilon_pair": str(over_time),
        "epsilon_node": str(over_time * of_node),
        "mechanisms": [noises[density].chances() for density in order],
        "mechanism_of_snapshot": [places.get(density) for density in densities],
        "public": [*PUBLIC, "where the windows of time begin"],
        "not_protected": "a pair over time and nodes: each snapshot of a pair, and each pair of a node, costs epsilon",
    }
