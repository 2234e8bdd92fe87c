"""The kinds of part that work on graphs, each with its one verb."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.part import Part
from antifaz.watch import Watch


class GraphGuarantee(Part):
    """What must hold in a released graph; of a temporal graph, in every snapshot."""

    kinds: ClassVar[tuple[str, ...]] = ("graph", "temporal_graph")
    assumes: ClassVar[str]
    """The attacker against whom it protects, in one sentence."""
    evidence: ClassVar[Literal["bytes", "bytes+sealed_map", "mechanism"]] = "bytes"

    def can_fail(self) -> bool:
        """Whether its parameters leave anything to break; one that cannot fail counts as absent."""
        return True

    def waivers_needed(self) -> tuple[str, ...]:
        """Rules that a policy with this guarantee must waive by name."""
        return ()

    def admit(self, graph: Graph) -> None:
        """Raise `InvalidDataset` where counting alone shows that this graph cannot have it."""
        raise NotImplementedError

    def holds(self, graph: Graph) -> bool:
        """Whether the graph has it: the method's own last check (the verifier's is another)."""
        raise NotImplementedError


class GraphMethod(Part):
    """A way to protect a graph; of a temporal graph, every snapshot by itself."""

    kinds: ClassVar[tuple[str, ...]] = ("graph", "temporal_graph")
    gives: ClassVar[tuple[str, ...]]
    """Wire names of the guarantees that the method can give."""
    leaves: ClassVar[str] = ""
    """What the method does not protect against, in one sentence for whoever writes a policy."""
    form: ClassVar[Literal["graph", "uncertain", "generalized"]] = "graph"
    """What is released: a graph, a graph whose edges have probabilities, or supernodes and how they are joined."""

    def waivers_needed(self) -> tuple[str, ...]:
        """Rules that a policy with this method must waive by name."""
        return ()

    def guarantees_given(self) -> tuple[str, ...]:
        """Those of ``gives`` that it can give with its parameters."""
        return self.gives

    def admit(self, graph: Graph) -> None:
        """Raise `InvalidDataset` where the method is not defined for such a graph."""

    def contradictions(self, guarantees: Sequence[Part]) -> Iterable[tuple[str, str]]:
        """What is wrong with the method and a policy's guarantees together: pointer into the policy, and reason."""
        return ()

    def forecast(self, guarantees: Sequence[Part], nodes: int | None, directed: bool | None) -> dict[str, Any]:
        """What is to be expected of a run, from the policy and what is public of the graph; empty where nothing is."""
        return {}

    def makes_nodes(self) -> bool:
        """Whether the release may have nodes that the original has not."""
        return False

    def carries_edges(self) -> bool:
        """Whether weights and labels of edges may be released with it."""
        return self.form == "graph"

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Protect the graph so that every guarantee holds, or raise `Infeasible`; the input is left untouched."""
        raise NotImplementedError


class GraphRisk(Part):
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


class GraphAttack(Part):
    """An attempt to re-identify nodes of a release, judged against the truth."""

    kinds: ClassVar[tuple[str, ...]] = ("graph",)
    protects_again: ClassVar[bool] = False
    """Whether the method runs again on a changed copy of the original, which a mechanism does not give for nothing."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Attack the release: at least ``rate`` (share re-identified) and ``baseline`` (guessing)."""
        raise NotImplementedError
