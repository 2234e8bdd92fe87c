"""k-degree: edges are added and removed until every degree is shared by k nodes.

Liu and Terzi, "Towards Identity Anonymization on Graphs", SIGMOD 2008; the strategies cite their own sources.

The degrees are made k-anonymous first, with as little change as possible; then the graph is edited, never rebuilt, to
have them. In directed graphs the pairs of in- and out-degree are made k-anonymous jointly. Fewest edits is not best
privacy: the result resists whoever knows degrees, not whoever knows more of a node's surroundings.

Guarantees: k_degree_anonymity, checked on the result before it is returned.
Preserves: the number of nodes; all edges but those the account counts.
Cost: that of the strategy.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from antifaz.errors import BrokenGuarantee, Infeasible, InvalidPolicy, Reason
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.graphs.strategies.greedy import anonymize_degrees
from antifaz.watch import Watch


class KDegree(GraphMethod):
    """Add and remove the fewest edges found such that every degree is shared by k nodes."""

    gives: ClassVar[tuple[str, ...]] = ("k_degree_anonymity",)
    leaves: ClassVar[str] = "Protection against degree queries does not protect against richer structural knowledge."

    name: Literal["k_degree"] = "k_degree"
    strategy: Literal["greedy"] = "greedy"
    """How the degrees are chosen and reached: greedy is an optimal sequence, then the fewest edits found."""
    effort: Literal["fast", "normal", "high"] = "normal"
    """How long fewer edits are searched for, as a number of elementary steps (about 0.1, 1 and 10 seconds)."""

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Edit the graph until every degree class has the largest k asked for."""
        k = _largest_k(guarantees)
        if k > graph.n:
            raise Infeasible(
                [Reason("k_degree_anonymity", limit=k, measured=graph.n, detail="the graph has fewer than k nodes")],
                nearest={"k": float(graph.n)} if graph.n >= 2 else None,
            )
        protected, account = anonymize_degrees(graph, k, self.effort, rng, watch)
        if not all(guarantee.holds(protected) for guarantee in guarantees):
            raise BrokenGuarantee("k_degree returned degree classes smaller than k")
        return ProtectedGraph(protected, np.arange(graph.n, dtype=np.int64), account)


def _largest_k(guarantees: Sequence[GraphGuarantee]) -> int:
    """The k that satisfies every guarantee at once."""
    asked = [guarantee.k for guarantee in guarantees if isinstance(guarantee, KDegreeAnonymity)]
    if not asked:
        raise InvalidPolicy("/guarantees", "k_degree takes its k from a guarantee k_degree_anonymity")
    if len(asked) < len(guarantees):
        raise InvalidPolicy("/guarantees", "k_degree gives k_degree_anonymity only")
    return max(asked)
