"""Genetic: the groups of degrees evolve by mutation, crossover and selection.

After Casas-Roma, Herrera-Joancomartí and Torra, "Evolutionary Algorithm for Graph Anonymization", 2013, and Casas's
earlier work of 2011. They let degree sequences evolve by mutation until they are anonymous and then rotate edges, so
that the number of edges stays the same.

Here an individual is a division of the sorted degrees into groups of k or more, so every individual is anonymous; its
fitness is the distance of the degrees from the medians of their groups. A child takes the cuts of one parent up to
some place and those of another from there on; then a cut is moved, removed or inserted. The better half survives. The
graph is edited to match the fittest: first by edges between nodes that both need some or both have too many, then by
rotations and, if those do not suffice, by the search of `greedy`. So this is not the published algorithm: the number of
edges may change, which takes fewer edits.

Guarantees: every degree occurs k times or more.
Preserves: the nodes, and most of the edges.
Cost: O(n / k) per child; generations by effort.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antifaz.graphs.graph import Graph, ProtectedGraph
from antifaz.graphs.strategies.greedy import Effort
from antifaz.graphs.strategies.realization import Realization, finish
from antifaz.graphs.strategies.sequences import Ranking, grouped
from antifaz.watch import Watch, within

Integers = NDArray[np.int64]

GENERATIONS: dict[Effort, int] = {"fast": 20, "normal": 80, "high": 400}
POPULATION = 20


def anonymize(graph: Graph, k: int, effort: Effort, rng: np.random.Generator, watch: Watch) -> ProtectedGraph:
    """A k-degree anonymous version of an undirected graph with at least k nodes."""
    ranking = Ranking.of(graph.degrees, k, rng)
    values = ranking.values
    fittest, generations = _evolve(values, k, GENERATIONS[effort], rng, within(watch, 0.0, 0.6))
    targets = grouped(values, fittest, _medians(values, fittest), graph.n - 1)
    built = Realization(graph, ranking.spread(targets))
    built.add_edges(rng)
    built.remove_edges(rng)
    built.rotate_edges(rng)
    rest = within(watch, 0.6, 1.0)
    return finish(graph, k, built.result, "genetic", rng, rest, generations=generations)


def _evolve(values: Integers, k: int, generations: int, rng: np.random.Generator, watch: Watch) -> tuple[Integers, int]:
    """The fittest division after the last generation, or when the time is used up; and the number of generations."""
    people = [_first(values, k), *(_random(len(values), k, rng) for _ in range(POPULATION - 1))]
    scores = [_distance(values, cuts) for cuts in people]
    for generation in range(generations):
        if watch(generation / generations):
            return people[int(np.argmin(scores))], generation
        children = [_child(people, len(values), k, rng) for _ in range(POPULATION)]
        people += children
        scores += [_distance(values, cuts) for cuts in children]
        best = np.argsort(scores, kind="stable")[:POPULATION]
        people, scores = [people[i] for i in best], [scores[i] for i in best]
    return people[0], generations


def _first(values: Integers, k: int) -> Integers:
    """Cuts between different degrees as soon as a group has k nodes."""
    cuts = [0]
    for place in (np.flatnonzero(np.diff(values)) + 1).tolist():
        if place - cuts[-1] >= k and len(values) - place >= k:
            cuts.append(place)
    return np.array([*cuts, len(values)], dtype=np.int64)


def _random(count: int, k: int, rng: np.random.Generator) -> Integers:
    """Random groups of k to 2k-1; the last one takes the rest."""
    places = np.cumsum(rng.integers(k, 2 * k, count // k + 1))
    inner = places[places <= count - k]
    return np.concatenate([[0], inner, [count]]).astype(np.int64)


def _child(people: Sequence[Integers], count: int, k: int, rng: np.random.Generator) -> Integers:
    """A crossover of two parents, then one mutation."""
    mother, father = (people[i] for i in rng.integers(0, len(people), 2))
    place = int(rng.integers(0, count + 1))
    before = mother[mother <= place]
    after = father[father >= before[-1] + k]
    if not len(after):
        before, after = before[:-1], father[-1:]
    return _mutate(np.concatenate([before, after]) if len(before) else father, k, rng)


def _mutate(cuts: Integers, k: int, rng: np.random.Generator) -> Integers:
    """The cuts with one moved, removed or inserted, if the groups stay large enough."""
    group = int(rng.integers(0, len(cuts) - 1))
    kind = int(rng.integers(0, 3))
    start, stop = int(cuts[group]), int(cuts[group + 1])
    if kind == 0 and stop - start >= 2 * k:
        return np.insert(cuts, group + 1, rng.integers(start + k, stop - k + 1))
    if group == 0:
        return cuts
    if kind == 1:
        return np.delete(cuts, group)
    low, high = int(cuts[group - 1]) + k, stop - k
    moved = cuts.copy()
    moved[group] = rng.integers(low, high + 1)
    return moved


def _medians(values: Integers, cuts: Integers) -> Integers:
    return np.asarray(values[(cuts[:-1] + cuts[1:]) // 2], dtype=np.int64)


def _distance(values: Integers, cuts: Integers) -> int:
    """Distance of the degrees from the medians of their groups."""
    sums = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(values)])
    start, stop = cuts[:-1], cuts[1:]
    middle = (start + stop) // 2
    above = sums[middle] - sums[start] - values[middle] * (middle - start)
    below = values[middle] * (stop - middle) - (sums[stop] - sums[middle])
    return int((above + below).sum())
