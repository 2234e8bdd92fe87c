"""Attribute disclosure: an attacker who knows a person's place in the graph learns the sensitive attribute.

Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-Diversity: Privacy Beyond k-Anonymity", ICDE 2006, on
structural classes as in Yuan, Chen, Yu and Yu, "Protecting Sensitive Labels in Social Network Data Anonymization",
IEEE TKDE 2013.

No one need be identified: if the nodes that fit the attacker's knowledge have mostly one sensitive value, it is
disclosed. The attacker knows the answer to a vertex refinement query (H1, the degree, or H2) about each original node
and guesses the most common value among the released nodes with the same answer, or among all if there are none.
Released nodes are assumed to show the values of their originals, the most that a protected table of nodes can show. The
rate is that of the attribute that is predicted best above its most common value, which is the baseline;
``homogeneous`` is the share of nodes whose candidates all have the node's own value.

Guarantees: none, it measures.
Cost: O((n + m) log n) for each sensitive attribute.
"""

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from antifaz.graphs.graph import Graph, NodeAttribute, ProtectedGraph
from antifaz.graphs.parts import GraphAttack
from antifaz.graphs.structure.refinement import Signatures, refine
from antifaz.part import Question, Story
from antifaz.watch import Watch


class AttributeDisclosure(GraphAttack):
    """Infer sensitive attributes of nodes from their structural classes."""

    question: ClassVar[Question] = "attribute"
    knows: ClassVar[str] = "the degree of a person's node, or also those of its neighbors"
    learns: ClassVar[str] = "the sensitive attribute of that person"
    guesses: ClassVar[str] = "naming the most common value"
    story: ClassVar[Story] = Story(
        "someone who knows a person's place in the graph",
        "names the sensitive attribute correctly for {} people",
        "naming the most common value is correct for {}",
    )

    name: Literal["attribute_disclosure"] = "attribute_disclosure"
    query: Literal["H1", "H2"] = Field(default="H1")
    """The attacker's knowledge of a node: its degree, or its neighbors' degrees too."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Guess every sensitive attribute of every node."""
        watch(0.0)
        sensitive = [attribute for attribute in graph.attributes if attribute.role == "sensitive"]
        if not sensitive or not graph.n:
            return {"rate": 0.0, "baseline": 0.0, "targets": 0, "attributes": {}}
        depth = int(self.query[1])
        known, seen = refine(graph, depth)[depth], refine(released.graph, depth)[depth]
        found = {}
        for number, attribute in enumerate(sensitive):
            watch(number / len(sensitive))
            found[attribute.name] = _disclosure(attribute, known, seen, released)
        worst = max(found.values(), key=lambda each: each["rate"] - each["baseline"])
        return {**worst, "query": self.query, "targets": graph.n, "attributes": found}


def _disclosure(
    attribute: NodeAttribute, known: Signatures, seen: Signatures, released: ProtectedGraph
) -> dict[str, float]:
    """How often the most common value among the candidates is right, and that of all nodes."""
    real = released.origin >= 0
    classes, members = np.unique(seen[real], return_inverse=True)
    shown = attribute.codes[released.origin[real]]
    everywhere = np.bincount(attribute.codes, minlength=attribute.size)
    commonest, highest, sizes = _most_common(members, shown, len(classes), attribute.size)
    place = np.searchsorted(classes, known)
    fits = place < len(classes)
    fits[fits] = classes[place[fits]] == known[fits]
    guessed = np.full(len(known), int(everywhere.argmax()), dtype=np.int64)
    guessed[fits] = commonest[place[fits]]
    right = guessed == attribute.codes
    alike = np.zeros(len(known), dtype=np.bool_)
    alike[fits] = (highest == sizes)[place[fits]]
    return {
        "rate": float(right.mean()),
        "baseline": float(everywhere.max() / len(known)),
        "homogeneous": float((alike & right).mean()),
    }


def _most_common(
    members: NDArray[np.int64], values: NDArray[np.int64], classes: int, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The most common value of every class, how often it occurs there, and the size of the class."""
    keys, counts = np.unique(members * np.int64(size) + values, return_counts=True)
    order = np.lexsort((-counts, keys // size))
    first = np.unique((keys // size)[order], return_index=True)[1]
    chosen = order[first]
    return keys[chosen] % size, counts[chosen], np.bincount(members, minlength=classes)
