"""Walk-based: an attacker who planted a chain of accounts finds them, and the people they were tied to.

Backstrom, Dwork and Kleinberg, "Wherefore Art Thou R3579X? Anonymized Social Networks, Hidden Patterns, and Structural
Steganography", WWW 2007 (the walk-based attack).

Before the network is protected the attacker creates accounts that form a chain, joins each of the remaining pairs with
probability one half, and ties every target to its own set of one to three accounts. Afterwards the attacker searches
the release for a chain with the same degrees and the same edges among its nodes. Every run plants accounts in a copy of
the original and protects the copy by the policy. The rate is the share of targets that are re-identified correctly,
``found`` the share of runs in which all accounts are found, ``mistaken`` the share of targets mistaken for someone
else. The search tolerates no changed edge, as in the paper: a more tolerant attacker would find more in a perturbed
release. Directions are ignored in the search.

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

MOST_TIES = 3
"""Most accounts that a target is tied to."""


class WalkBased(GraphAttack):
    """Plant a chain of accounts in a copy, protect the copy, and find the accounts and their targets."""

    default: ClassVar[bool] = False
    protects_again: ClassVar[bool] = True

    question: ClassVar[Question] = "identity"
    knows: ClassVar[str] = "a chain of accounts planted before the release, and the people they were tied to"
    learns: ClassVar[str] = "which nodes are these people"
    guesses: ClassVar[str] = "picking any released node"
    story: ClassVar[Story] = Story(
        "someone who planted a chain of accounts before the release",
        "finds {} targets",
    )

    name: Literal["walk_based"] = "walk_based"
    size: int = Field(default=12, ge=3, le=LARGEST)
    """Number of accounts that are planted."""
    targets: int = Field(default=10, ge=1, le=100)
    """Most people that the accounts are tied to."""
    runs: int = Field(default=10, ge=1, le=1000)
    """How many times accounts are planted; the method runs again each time."""

    def attempt(self, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch) -> dict[str, Any]:
        """Plant chains and search for them."""
        found = attack_by_planting(partial(_chain, self), self.runs, graph, released, rng, watch)
        return found | {"accounts": self.size}


def _chain(attack: WalkBased, people: int, rng: np.random.Generator) -> Plan:
    """A chain with further edges inside, and different sets of its accounts for the targets."""
    size = attack.size
    joined = np.triu(rng.random((size, size)) < 0.5, 1)
    joined[np.arange(size - 1), np.arange(1, size)] = True
    drawn = [rng.choice(size, int(rng.integers(1, MOST_TIES + 1)), replace=False) for _ in range(4 * attack.targets)]
    sets = list(dict.fromkeys(tuple(sorted(each.tolist())) for each in drawn))[: min(attack.targets, people)]
    ties = np.zeros((len(sets), size), dtype=np.bool_)
    for target, accounts in enumerate(sets):
        ties[target, list(accounts)] = True
    return Plan(joined | joined.T, ties)
