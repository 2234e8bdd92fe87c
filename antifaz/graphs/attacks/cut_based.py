"""Cut-based: an attacker who planted a dense group of accounts finds it, and the few people it was tied to.

Backstrom, Dwork and Kleinberg, "Wherefore Art Thou R3579X? Anonymized Social Networks, Hidden Patterns, and Structural
Steganography", WWW 2007 (the cut-based attack).

Before the network is protected the attacker creates 3b + 3 accounts, joins every pair of them with probability one
half, and ties each of b targets to a separate account: a small cut separates the group from the rest. Afterwards the
attacker searches the release for a group with the same degrees and the same edges inside, so that the same number of
edges leaves it (the paper finds the cuts by a Gomory-Hu tree, which takes too long for large graphs). Every run plants
accounts in a copy of the original and protects the copy by the policy. The rate is the share of targets that are
re-identified correctly, ``found`` the share of runs in which all accounts are found, ``mistaken`` the share of targets
mistaken for someone else. The search tolerates no changed edge, as in the paper. Directions are ignored in the search.

Guarantees: none, it measures.
Cost: that of the method for each run, and at most 20,000 steps for each released node of the first account's degree.
"""

from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.subgraph_attack import LARGEST, Plan, attack_by_planting
from antifaz.graphs.parts import GraphAttack
from antifaz.part import Question, Story
from antifaz.watch import Watch


class CutBased(GraphAttack):
    """Plant a dense group of accounts in a copy, protect the copy, and find the group and its targets."""

    default: ClassVar[bool] = False
    protects_again: ClassVar[bool] = True

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "a group of accounts planted before the release, and the people they were tied to"
    learns: ClassVar[str] = "which nodes are these people"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who planted a group of accounts before the release",
        "finds {} targets",
    )

    name: Literal["cut_based"] = "cut_based"
    targets: int = Field(default=3, ge=1, le=(LARGEST - 3) // 3)
    """Number of people that accounts are tied to; for b of them, 3b + 3 accounts are planted."""
    runs: int = Field(default=10, ge=1, le=1000)
    """How many times accounts are planted; the method runs again each time."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Plant groups and search for them."""
        found = attack_by_planting(partial(_group, self.targets), self.runs, graph, released, rng, watch)
        return found | {"accounts": 3 * self.targets + 3}


def _group(targets: int, people: int, rng: np.random.Generator) -> Plan:
    """A random group in which every account but the first is joined to an earlier one, and a tie for each target."""
    size, tied = 3 * targets + 3, min(targets, people)
    joined = np.triu(rng.random((size, size)) < 0.5, 1)
    for place in np.flatnonzero(~joined.any(axis=0))[1:]:
        joined[rng.integers(place), place] = True
    ties = np.zeros((tied, size), dtype=np.bool_)
    ties[np.arange(tied), rng.choice(size, tied, replace=False)] = True
    return Plan(joined | joined.T, ties)
