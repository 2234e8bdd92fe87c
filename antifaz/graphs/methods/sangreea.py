"""SaNGreeA: clusters of k or more nodes that are alike in attributes and neighbors, released as supernodes.

Campan and Truta, "Data and Structural k-Anonymity in Social Networks", PinKDD 2008 (social network greedy
anonymization).

A cluster begins with a free node of the largest degree and takes, k - 1 times, the free node for which alpha times the
loss of attributes plus beta times the mean distance to the members is smallest. The distance of two nodes is the share
of the other nodes that only one of the two is joined to (directed: counted separately for both ways); the loss of
attributes is that of generalizing the quasi-identifiers of the cluster together. Fewer than k nodes are left at the
end: each joins the cluster for which the same sum is smallest.

Up to 10,000 nodes all free nodes are compared. In larger graphs a cluster searches its nodes among those that share a
neighbor with the first one and 1,024 drawn at random, and neighbors with over 1,000 neighbors are not counted as
shared. In sparse graphs distances are small compared with losses of attributes: a larger beta compensates for that.

It does not protect edges, which the numbers of edges make more or less likely, nor values that all members share;
sensitive attributes are not considered.

Guarantees: supernode_size, checked on the result before it is returned.
Preserves: the number of nodes and of edges, and the density in and between supernodes.
Cost: O(n²·attributes + Σ degree²) up to 10,000 nodes, then O(n·(1,024 + neighbors of neighbors)).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.arrays import distinct
from antifaz.errors import BrokenGuarantee
from antifaz.graphs.forms.attribute_loss import GrowingLoss, cluster_losses, growing_losses
from antifaz.graphs.forms.generalized import ends_of, release, structural_loss, summarize
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.supernode_size import SupernodeSize
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.targets import largest_k
from antifaz.watch import Watch

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

COMPARE_ALL = 10_000
"""Largest number of nodes at which every free node is compared."""
DRAWN = 1_024
"""Number of free nodes drawn for a cluster in larger graphs."""
LARGEST_SHARED = 1_000
"""Most neighbors that a shared neighbor may have in larger graphs."""


class Sangreea(GraphMethod):
    """Release clusters of at least k nodes, alike in attributes and neighbors, and the numbers of edges between."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    gives: ClassVar[tuple[str, ...]] = ("supernode_size",)
    leaves: ClassVar[str] = (
        "Edges are not hidden: their numbers show how likely members of two supernodes are joined, sometimes for sure."
    )
    form: ClassVar[Literal["graph", "uncertain", "generalized"]] = "generalized"

    name: Literal["sangreea"] = "sangreea"
    alpha: float = Field(default=0.5, ge=0, le=1_000_000)
    """Weight of the loss of attributes; without quasi-identifiers it does not matter."""
    beta: float = Field(default=0.5, ge=0, le=1_000_000)
    """Weight of the distance between neighborhoods."""
    samples: int = Field(default=0, ge=0, le=10)
    """Number of graphs to release along with the counts, drawn uniformly among all graphs that have these counts."""

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Cluster the nodes for the largest k requested, and count."""
        watch(0.0)
        k = largest_k(self, guarantees, graph)
        greedy = Greedy(Shared.of(graph), growing_losses(graph.attributes), self.alpha, self.beta, rng)
        stopped = greedy.cluster(k, watch)
        account = _account(graph, greedy, stopped)
        released = release(graph, greedy.members, self.samples, account, rng)
        if not all(isinstance(g, SupernodeSize) and g.holds_in(released) for g in guarantees):
            raise BrokenGuarantee("sangreea returned a cluster of fewer than k nodes")
        watch(1.0)
        return released


@dataclass(frozen=True)
class Shared:
    """The edges of every node, and the nodes with which it shares an end."""

    n: int
    degrees: Integers
    offsets: Integers
    ends: NDArray[np.int32]
    owner_offsets: Integers
    owners: Integers
    """For every end the nodes that have it."""
    most: float
    """The largest distance: every other node, in both ways if directed, is joined to only one of the two."""
    exact: bool

    @classmethod
    def of(cls, graph: Graph) -> "Shared":
        offsets, ends = ends_of(graph)
        sides = 2 * graph.n if graph.directed else graph.n
        # The rows turned around: from every end to the nodes that have it.
        owners = np.repeat(np.arange(graph.n), graph.degrees)[np.argsort(ends, kind="stable")]
        owner_offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(ends, minlength=sides))])
        most = float(max(1, graph.n - 2) * (2 if graph.directed else 1))
        return cls(graph.n, graph.degrees, offsets, ends, owner_offsets, owners, most, graph.n <= COMPARE_ALL)

    def alike(self, node: int) -> Integers:
        """Every node once for each end it shares with this one and once for each edge between the two."""
        ends = self.ends[self.offsets[node] : self.offsets[node + 1]].astype(np.int64)
        starts, counts = self.owner_offsets[ends], self.owner_offsets[ends + 1] - self.owner_offsets[ends]
        if not self.exact:
            small = counts <= LARGEST_SHARED
            starts, counts = starts[small], counts[small]
        # The slices of all ends behind each other, without a loop over them.
        places = np.arange(counts.sum()) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
        # The edge between two nodes is part of both degrees, but no difference: it counts like a shared end.
        return np.concatenate([self.owners[places], ends % max(1, self.n)])


@dataclass
class Greedy:
    """Clusters that grow one after the other."""

    shared: Shared
    losses: list[GrowingLoss]
    alpha: float
    beta: float
    rng: np.random.Generator
    members: Integers = field(init=False)
    """The cluster of every node, -1 if it is free."""
    clusters: int = 0
    alikeness: Integers = field(init=False)
    """Shared ends and edges between every node and the members of the growing cluster."""

    def __post_init__(self) -> None:
        self.members = np.full(self.shared.n, -1, dtype=np.int64)
        self.alikeness = np.zeros(self.shared.n, dtype=np.int64)

    def cluster(self, k: int, watch: Watch) -> bool:
        """Put every node into a cluster of k or more; return whether the time was used up and the rest was only cut."""
        drawn = self.rng.permutation(self.shared.n)
        # As in the paper the largest degree first, but nodes of the same degree in random order.
        by_degree = drawn[np.argsort(-self.shared.degrees[drawn], kind="stable")]
        total = self.shared.n // k
        for seed in by_degree:
            if self.clusters == total:
                break
            if self.members[seed] >= 0:
                continue
            if watch(0.95 * self.clusters / total):
                self._cut(by_degree[self.members[by_degree] < 0], total)
                return True
            self._grow(int(seed), k)
        for node in np.flatnonzero(self.members < 0):
            watch(0.95)
            self.members[node] = self._nearest_cluster(int(node))
        return False

    def _cut(self, free: Integers, total: int) -> None:
        """Cut the free nodes, by degree, into the remaining clusters."""
        self.members[free] = self.clusters + np.arange(len(free)) * (total - self.clusters) // len(free)
        self.clusters = total

    def _grow(self, seed: int, k: int) -> None:
        """Begin a cluster and take k - 1 more nodes."""
        touched = [self._take(seed, first=True)]
        candidates = self._candidates(touched[0], max(DRAWN, 2 * k))
        degrees = self.shared.degrees[candidates]
        codes = [loss.codes[candidates] for loss in self.losses]
        free = self.members[candidates] < 0
        within = float(self.shared.degrees[seed])
        for size in range(1, k):
            # Two nodes differ in the sum of their degrees minus twice what they share. The mean over the members needs
            # only the sum of their degrees and one count for each candidate, kept up to date as members come.
            mean = within / size - 2.0 * self.alikeness[candidates] / size
            scores = self.beta * (degrees + mean) / self.shared.most
            if self.losses:
                lost = [loss.with_each()[own] for loss, own in zip(self.losses, codes, strict=True)]
                scores = scores + self.alpha / len(lost) * np.sum(lost, axis=0)
            best = int(np.argmin(np.where(free, scores, np.inf)))
            free[best] = False
            touched.append(self._take(int(candidates[best]), first=False))
            within += float(degrees[best])
        # Only counts that this cluster changed are reset: n of them for each cluster would cost n² / k.
        self.alikeness[np.concatenate(touched)] = 0
        self.clusters += 1

    def _take(self, node: int, first: bool) -> Integers:
        """Make a node a member of the growing cluster; return the nodes that have become more alike to it."""
        self.members[node] = self.clusters
        for loss in self.losses:
            (loss.begin if first else loss.add)(int(loss.codes[node]))
        alike = self.shared.alike(node)
        np.add.at(self.alikeness, alike, 1)
        return alike

    def _candidates(self, alike: Integers, enough: int) -> Integers:
        """The free nodes among which the members of a cluster are searched: at least ``enough``, if there are."""
        free = np.flatnonzero(self.members < 0)
        if self.shared.exact or len(free) <= enough:
            return free
        drawn = self.rng.choice(free, enough, replace=False)
        return distinct(np.concatenate([drawn, alike[self.members[alike] < 0]]))

    def _nearest_cluster(self, node: int) -> int:
        """The cluster that a leftover node joins at the smallest loss."""
        sizes = np.bincount(self.members[self.members >= 0], minlength=self.clusters)
        alike = self.members[self.shared.alike(node)]
        common = np.bincount(alike[alike >= 0], minlength=self.clusters)
        inside = self.members >= 0
        degrees = np.bincount(self.members[inside], self.shared.degrees[inside], self.clusters)
        distance = self.shared.degrees[node] + (degrees - 2.0 * common) / sizes
        scores = self.beta * distance / self.shared.most
        if self.losses:
            scores = scores + self.alpha * self._losses_with(node)
        return int(np.argmin(scores))

    def _losses_with(self, node: int) -> Reals:
        """The loss of attributes of every cluster if the node were a member of it."""
        codes = [np.append(loss.codes, np.full(self.clusters, loss.codes[node])) for loss in self.losses]
        members = np.append(self.members, np.arange(self.clusters))
        return cluster_losses(self.losses, members, self.clusters, codes)


def _account(graph: Graph, greedy: Greedy, stopped: bool) -> dict[str, Any]:
    """The two losses of the paper, each between 0 and 1; anyone who has the release can compute them."""
    sizes = np.bincount(greedy.members, minlength=greedy.clusters)
    account: dict[str, Any] = {
        "structural_loss": structural_loss(summarize(graph, greedy.members)),
        "compared_all": greedy.shared.exact,
        "stopped_early": stopped,
    }
    if greedy.losses:
        lost = cluster_losses(greedy.losses, greedy.members, greedy.clusters, [loss.codes for loss in greedy.losses])
        account["attribute_loss"] = float((lost * sizes).sum() / graph.n)
    return account
