"""Planted accounts: an attacker joins the network before it is protected, and later searches the release for them.

Backstrom, Dwork and Kleinberg, "Wherefore Art Thou R3579X? Anonymized Social Networks, Hidden Patterns, and Structural
Steganography", WWW 2007.

Accounts are planted in a copy of the original, joined to one another and to some targets. The copy is protected by the
policy's own method, and the attacker searches the result for the accounts by their degrees and the edges among them.
Accounts that are in the same place wherever the pattern fits count as found; a target is taken to be the node that is
tied to exactly the target's accounts. The copy is never released. It is protected only if that is free: a guarantee by
mechanism would cost epsilon again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antifaz.errors import Infeasible
from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.knowledge.candidates import guess
from antifaz.kernels.graphs.patterns import Pattern, find_pattern
from antifaz.watch import Watch, within

LARGEST = 30
"""Most accounts: the accounts that a node is tied to are stored as the bits of one number."""
STEPS_PER_NODE = 20_000
"""Steps of the search from one released node."""
COPIES = 50
"""A pattern that fits this often is given up."""
NOT_RUN = "accounts are planted in a copy that is protected again, which this release does not allow"

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """Accounts that an attacker makes, each but the first joined to an earlier one, and the targets' ties to them."""

    joined: NDArray[np.bool_]
    """Which accounts are joined to each other."""
    ties: NDArray[np.bool_]
    """For every target (a row) the accounts that it is tied to; no two rows are the same."""


Planner = Callable[[int, np.random.Generator], Plan]
"""Makes a plan for at most a given number of targets."""


def attack_by_planting(
    plan: Planner, runs: int, graph: Graph, released: ProtectedGraph, rng: np.random.Generator, watch: Watch
) -> dict[str, Any]:
    """Plant, protect and search a number of times: the share of targets that are re-identified, and of runs in which
    all accounts are found."""
    watch(0.0)
    if released.again is None:
        return {"rate": None, "baseline": guess(released), "not_run": NOT_RUN}
    found = [_run(plan, graph, released.again, rng, within(watch, run / runs, (run + 1) / runs)) for run in range(runs)]
    targets = max(1, sum(each.targets for each in found))
    return {
        "rate": sum(each.right for each in found) / targets,
        "baseline": guess(released),
        "found": sum(each.found for each in found) / max(1, runs),
        "mistaken": sum(each.wrong for each in found) / targets,
        "runs": runs,
        "refused": sum(each.refused for each in found),
    }


@dataclass(frozen=True)
class _Outcome:
    """The result of one run of an attack."""

    targets: int = 0
    right: int = 0
    wrong: int = 0
    found: bool = False
    refused: bool = False
    """Whether the policy would have refused to release the copy."""


def _run(
    planner: Planner,
    graph: Graph,
    again: Callable[[Graph, np.random.Generator, Watch], ProtectedGraph],
    rng: np.random.Generator,
    watch: Watch,
) -> _Outcome:
    plan = planner(graph.n, rng)
    targets = rng.choice(graph.n, len(plan.ties), replace=False) if len(plan.ties) else np.zeros(0, dtype=np.int64)
    copy, accounts = plant(graph, plan, targets, rng)
    try:
        protected = again(copy, rng, within(watch, 0.0, 0.9))
    except Infeasible:
        return _Outcome(targets=len(targets), refused=True)
    watch(0.9)
    places = find(plan, copy, accounts, protected.graph)
    watch(1.0)
    sure = np.flatnonzero(places >= 0)
    claims = _claims(plan, places, sure, protected.graph)
    right = int((protected.origin[claims[claims >= 0]] == targets[claims >= 0]).sum())
    found = len(sure) == len(accounts) and bool((protected.origin[places] == accounts).all())
    return _Outcome(len(targets), right, int((claims >= 0).sum()) - right, found)


def plant(graph: Graph, plan: Plan, targets: Integers, rng: np.random.Generator) -> tuple[Graph, Integers]:
    """A copy of the graph with accounts, which are its last nodes and have the attributes of random others."""
    size = len(plan.joined)
    accounts = graph.n + np.arange(size, dtype=np.int64)
    one, other = np.nonzero(np.triu(plan.joined))
    tied, to = np.nonzero(plan.ties)
    sources = np.concatenate([graph.sources, accounts[one], targets[tied]])
    ends = np.concatenate([graph.targets, accounts[other], accounts[to]])
    like = rng.integers(0, graph.n, size) if graph.n else np.zeros(0, dtype=np.int64)
    attributes = tuple(
        replace(attribute, codes=np.concatenate([attribute.codes, attribute.codes[like]]))
        for attribute in graph.attributes
    )
    copy = Graph.from_pairs(graph.n + size, sources, ends, graph.directed)
    return replace(copy, attributes=attributes), accounts


def find(plan: Plan, copy: Graph, accounts: Integers, shown: Graph) -> Integers:
    """The released node of every account, -1 if the search does not settle it."""
    size = len(accounts)
    degrees = np.diff(copy.neighbors[0])[accounts]
    offsets, neighbors = shown.neighbors
    roots = np.flatnonzero(np.diff(offsets) == degrees[0])
    counts, images = np.zeros(len(roots), dtype=np.int64), np.zeros((COPIES, size), dtype=np.int64)
    wanted = plan.joined.astype(np.uint8)
    parents = np.array([0, *(int(wanted[place, :place].argmax()) for place in range(1, size))], dtype=np.int64)
    pattern = Pattern(parents, wanted, degrees, exact=True)
    find_pattern(offsets, neighbors, pattern, roots, COPIES, COPIES, STEPS_PER_NODE, counts, images)
    copies = int(counts.sum())
    if (counts < 0).any() or not 0 < copies < COPIES:
        return np.full(size, -1, dtype=np.int64)
    return np.where((images[:copies] == images[0]).all(axis=0), images[0], -1)


def _claims(plan: Plan, places: Integers, sure: Integers, shown: Graph) -> Integers:
    """The released node that is taken for each target, -1 if none or several have its ties."""
    claims = np.full(len(plan.ties), -1, dtype=np.int64)
    offsets, neighbors = shown.neighbors
    seen = np.zeros(shown.n, dtype=np.int64)
    for bit, place in enumerate(places[sure]):
        seen[neighbors[offsets[place] : offsets[place + 1]]] |= np.int64(1) << bit
    seen[places[sure]] = 0
    wanted = plan.ties[:, sure] @ (np.int64(1) << np.arange(len(sure), dtype=np.int64))
    sets, first, counts = np.unique(seen, return_index=True, return_counts=True)
    at = np.minimum(np.searchsorted(sets, wanted), max(0, len(sets) - 1))
    if len(sets):
        known = (sets[at] == wanted) & (counts[at] == 1) & (wanted > 0)
        # Targets that differ only by accounts that were not found cannot be distinguished.
        alone = (wanted[:, None] == wanted).sum(axis=1) == 1
        claims[known & alone] = first[at[known & alone]]
    return claims


def homes(graph: Graph, released: ProtectedGraph) -> Integers:
    """The released node of every original one, or -1."""
    home = np.full(graph.n, -1, dtype=np.int64)
    real = np.flatnonzero(released.origin >= 0)
    home[released.origin[real]] = real
    return home
