"""Static: any attack on graphs, on one snapshot of the release or on its aggregate.

Hay, Miklau, Jensen, Towsley and Weis, "Resisting Structural Re-identification in Anonymized Social Networks", VLDB
2008, and the references of the chosen attack.

A snapshot is a graph, and so is the aggregate of all pairs that are joined in some snapshot. The attacker treats one of
them as a graph that was released alone, and knows the same about the original. The default is vertex refinement on the
aggregate, which shows more about a person than any single snapshot does.

Guarantees: none, it measures.
Cost: that of the attack.
"""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.attacks.vertex_refinement import VertexRefinement
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphAttack
from antifaz.part import Examples, Part, Question, Story
from antifaz.steps import StepOf
from antifaz.temporal.parts import TemporalAttack
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch

AnyAttack = Annotated[GraphAttack, StepOf(GraphAttack, "An attack on graphs, with its name and its own parameters.")]


class Static(TemporalAttack):
    """Run an attack on graphs against one snapshot or the aggregate."""

    examples: ClassVar[Examples] = ({"attack": {"name": "vertex_refinement"}, "on": "aggregate"},)

    question: ClassVar[Question] = VertexRefinement.question
    knows: ClassVar[str] = "what the chosen attack on graphs knows, of one snapshot or of the aggregate"
    learns: ClassVar[str] = "what the chosen attack learns"
    guesses: ClassVar[str] = "that of the chosen attack"
    story: ClassVar[Story] = VertexRefinement.story

    name: Literal["static"] = "static"
    attack: AnyAttack = VertexRefinement()
    """The attack, with its name and its own parameters."""
    on: Literal["aggregate"] | Annotated[int, Field(ge=0)] = "aggregate"
    """The aggregate, or the number of a snapshot, counted from 0."""

    def asks(self) -> Question:
        """Return the question of the chosen attack."""
        return self.attack.asks()

    def fits(self, guarantees: Sequence[Part]) -> bool:
        """Whether the attacker of the chosen attack exists."""
        return self.attack.fits(guarantees)

    def attempt(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Return the result of the attack, with its name and the graph that was attacked."""
        watch(0.0)
        about = {"attack": self.attack.wire_name(), "on": self.on}
        if self.on != "aggregate" and self.on >= len(snapshots):
            missing = {"rate": None, "baseline": None, "applicable": False, "detail": "there is no such snapshot"}
            return missing | about
        shown = ProtectedGraph(self._graph(released.snapshots), released.origin)
        return self.attack.attempt(self._graph(snapshots), shown, rng, watch) | about

    def _graph(self, snapshots: Snapshots) -> Graph:
        if self.on == "aggregate":
            return Graph(snapshots.n, snapshots.aggregate.keys, snapshots.directed, snapshots.attributes)
        return snapshots.graph(self.on)
