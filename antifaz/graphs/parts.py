"""The kinds of part that work on graphs, each with its one verb."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.errors import InvalidDataset
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.part import Attack, Guarantee, Method, Part, Risk
from antifaz.watch import Watch


class GraphGuarantee(Guarantee):
    """What must hold in a released graph; for a temporal graph, in every snapshot."""

    kinds: ClassVar[tuple[str, ...]] = ("graph", "temporal_graph")

    def admit(self, graph: Graph) -> None:
        """Raise `InvalidDataset` if counting alone shows that this graph cannot have it."""
        raise NotImplementedError

    def holds(self, graph: Graph) -> bool:
        """Whether the graph has it: the method's own last check (the verifier has another)."""
        raise NotImplementedError


class NetworkMethod(Method):
    """A way to protect nodes and edges, of one graph or over time."""

    leaves: ClassVar[str] = ""
    """What the method does not protect against, in one sentence for the author of a policy."""
    form: ClassVar[Literal["graph", "uncertain", "generalized"]] = "graph"
    """The form of the release: a graph, a graph whose edges have probabilities, or supernodes and how they are
    joined."""

    aligns_labels: ClassVar[bool] = False
    """Whether it can name the nodes that must have the same quasi-identifiers for a guarantee that compares labels."""

    def contradictions(self, guarantees: Sequence[Part]) -> Iterable[tuple[str, str]]:
        """Conflicts between the method and a policy's guarantees: pointer into the policy, and reason."""
        return ()

    def forecast(self, guarantees: Sequence[Part], nodes: int | None, directed: bool | None) -> dict[str, Any]:
        """The expected result of a run, from the policy and public facts about the dataset; empty if unknown."""
        return {}

    def makes_nodes(self) -> bool:
        """Whether the release may have nodes that the original does not have."""
        return False

    def carries_edges(self) -> bool:
        """Whether weights and labels of edges may be released with it."""
        return self.form == "graph"


class GraphMethod(NetworkMethod):
    """A way to protect a graph; for a temporal graph, each snapshot separately."""

    kinds: ClassVar[tuple[str, ...]] = ("graph", "temporal_graph")

    def admit(self, graph: Graph) -> None:
        """Raise `InvalidDataset` if the method is not defined for such a graph."""

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Protect the graph so that every guarantee holds, or raise `Infeasible`; the input is not changed."""
        raise NotImplementedError


class GraphRisk(Risk):
    """A measure of re-identification risk, before and after protection."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)

    def before(self, graph: Graph) -> dict[str, Any]:
        """The risk of releasing the original under new node numbers."""
        raise NotImplementedError

    def after(self, released: ProtectedGraph) -> dict[str, Any]:
        """The risk of the release; a function of the released graph alone."""
        raise NotImplementedError


class GraphUtility(Part):
    """A measure of what the release is still good for."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)

    def measure(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Compare the release with the original: ``original``, ``released`` and ``loss``, or ``value``."""
        raise NotImplementedError


class GraphAttack(Attack):
    """An attempt to re-identify nodes of a release, judged against the truth."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    protects_again: ClassVar[bool] = False
    """Whether the method runs again on a changed copy of the original; with a mechanism, that would cost epsilon."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack the release: at least ``rate`` (share re-identified) and ``baseline`` (guessing)."""
        raise NotImplementedError


def refuse_few_nodes(k: int, n: int, name: str = "k", kind: str = "graph") -> None:
    """Refuse a graph with fewer nodes than a guarantee needs: no method could satisfy it."""
    if k > n:
        raise InvalidDataset("k_above_nodes", f"{name} is {k}, but the {kind} has only {n} nodes", shred=True)
