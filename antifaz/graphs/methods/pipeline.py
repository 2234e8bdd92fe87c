"""Pipeline: several graph methods, one after another.

Casas-Roma, Herrera-Joancomartí and Torra, "A Survey of Graph-Modification Techniques for Privacy-Preserving on
Networks", Artificial Intelligence Review, 2017, discuss such combinations.

Each step protects the graph that the previous step made. A guarantee holds for the graph for which it was made and may
not survive another change. So only the guarantees of the last step count, and a method that gives some can only be the
last step. A guarantee about the mechanism and not about the released graph (differential privacy) would concern the
graph before the last step and not the original: a pipeline does not give it.

Guarantees: those of its last step that are properties of the released graph.
Preserves: whatever all of its steps preserve.
Cost: that of its steps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator

from antifaz.graphs.analysis.comparison import kept_edges
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.parts import GraphGuarantee, GraphMethod
from antifaz.part import Examples, Part
from antifaz.steps import StepOf
from antifaz.watch import Watch, within

MOST_STEPS = 20


_ORDINARY = StepOf(
    GraphMethod, "A graph method, with its name and its own parameters.", lambda method: method.form == "graph"
)
"""Any method that releases an ordinary graph."""
Step = Annotated[GraphMethod, _ORDINARY]


class GraphPipeline(GraphMethod):
    """Run several methods in order, each on the graph that the previous one made."""

    gives: ClassVar[tuple[str, ...]] = (
        "k_degree_anonymity",
        "k_neighborhood_anonymity",
        "k_candidate_anonymity",
        "k_automorphism",
        "neighborhood_twins",
        "kl_anonymity",
    )
    leaves: ClassVar[str] = "Of several steps, only the guarantees of the last one hold."
    examples: ClassVar[Examples] = ({"steps": [{"name": "random_switch", "share": 0.05}, {"name": "k_degree"}]},)

    name: Literal["pipeline"] = "pipeline"
    steps: tuple[Step, ...] = Field(min_length=1, max_length=MOST_STEPS)
    """The methods, in the order in which they run; one that gives guarantees can only be the last."""

    def contradictions(self, guarantees: Sequence[Part]) -> Iterable[tuple[str, str]]:
        """Those of the last step, the only one that gives guarantees."""
        return self.steps[-1].contradictions(guarantees)

    @field_validator("steps")
    @classmethod
    def _promise_last(cls, steps: tuple[GraphMethod, ...]) -> tuple[GraphMethod, ...]:
        for step in steps[:-1]:
            if step.gives:
                raise ValueError(f"{step.wire_name()} gives guarantees, which later steps undo: it must be last")
        if steps[-1].gives and not set(steps[-1].gives) & set(cls.gives):
            raise ValueError(
                f"{steps[-1].wire_name()} gives a guarantee about the graph that it reads: use it without a pipeline"
            )
        return steps

    def guarantees_given(self) -> tuple[str, ...]:
        """Those of the last step, except those that hold for a mechanism and its input alone."""
        return tuple(name for name in self.steps[-1].guarantees_given() if name in self.gives)

    def waivers_needed(self) -> tuple[str, ...]:
        """Those of all steps."""
        return tuple(dict.fromkeys(rule for step in self.steps for rule in step.waivers_needed()))

    def admit(self, graph: Graph) -> None:
        """Let every step refuse the graph."""
        for step in self.steps:
            step.admit(graph)

    def makes_nodes(self) -> bool:
        """Whether any step does."""
        return any(step.makes_nodes() for step in self.steps)

    def carries_edges(self) -> bool:
        """Whether every step does."""
        return all(step.carries_edges() for step in self.steps)

    def apply(
        self, graph: Graph, guarantees: Sequence[GraphGuarantee], rng: np.random.Generator, watch: Watch
    ) -> ProtectedGraph:
        """Run the steps; the last one must reach the guarantees."""
        current = ProtectedGraph(graph, np.arange(graph.n, dtype=np.int64))
        accounts: list[dict[str, Any]] = []
        for position, step in enumerate(self.steps):
            part = within(watch, position / len(self.steps), (position + 1) / len(self.steps))
            last = position == len(self.steps) - 1
            found = step.apply(current.graph, guarantees if last else (), rng, part)
            accounts.append(found.account)
            current = _trace_back(graph, current, found)
        kept = kept_edges(graph, current)
        changes = {
            "edges_added": current.graph.m - kept,
            "edges_removed": graph.m - kept,
            "nodes_added": int((current.origin < 0).sum()),
        }
        return replace(current, account={**changes, "method": self.name, "steps": accounts})


def _trace_back(original: Graph, before: ProtectedGraph, found: ProtectedGraph) -> ProtectedGraph:
    """The result of a step, with the nodes traced back to the original; they keep their attributes if all are there."""
    origin = np.where(found.origin >= 0, before.origin[found.origin], np.int64(-1))
    graph = found.graph
    if np.array_equal(origin, np.arange(original.n)):
        graph = replace(graph, attributes=original.attributes)
    return replace(found, graph=graph, origin=origin)
