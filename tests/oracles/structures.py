"""Random small graphs with symmetries, judged by the definitions of structural guarantees."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any

from tests.oracles import definitions as by
from tests.oracles.graphs import Edges, Expect, Network, draw_network, network_trial
from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import GRAPH_FORMATS, TABLE_FORMATS


def draw_symmetric(rng: random.Random, directed: bool, most: int = 12) -> Network:
    """Blocks of equivalent nodes, disjoint copies, dense graphs and circles; each sometimes with an extra edge."""
    shape = rng.randrange(5)
    if shape == 0:
        return _fitted(rng, draw_network(rng, directed), most)
    if shape == 1:
        n, edges = _blocks(rng, directed, most)
    elif shape == 2:
        n, edges = _copies(rng, directed, most)
    elif shape == 3:
        n = rng.randint(3, min(most, 8))
        step = rng.choice((1, 2))
        edges = {(u, (u + jump) % n) for u in range(n) for jump in range(1, step + 1)}
    else:
        n = rng.randint(3, min(most, 7))
        edges = {(u, v) for u in range(n) for v in range(n) if u != v}
    if rng.random() < 0.1:
        edges = edges | {(rng.randrange(n), rng.randrange(n))}
    return _network(rng, n, edges, directed)


def _fitted(rng: random.Random, network: Network, most: int) -> Network:
    """A network reduced to a number of nodes."""
    n = min(network.n, most)
    return replace(network, n=n, edges=tuple((u, v) for u, v in network.edges if max(u, v) < n))


def _blocks(rng: random.Random, directed: bool, most: int) -> tuple[int, set[tuple[int, int]]]:
    blocks = rng.randint(1, max(1, min(4, most // 2)))
    size = rng.randint(2, max(2, most // blocks))
    pairs = [(a, b) for a in range(blocks) for b in range(blocks) if a != b and rng.random() < 0.5]
    inside = [block for block in range(blocks) if rng.random() < 0.15]
    n = blocks * size
    edges = {(a * size + i, b * size + j) for a, b in pairs for i in range(size) for j in range(size)}
    return n, edges | {(b * size + i, b * size + j) for b in inside for i in range(size) for j in range(size) if i != j}


def _copies(rng: random.Random, directed: bool, most: int) -> tuple[int, set[tuple[int, int]]]:
    copies = rng.randint(2, 3)
    size = rng.randint(1, most // copies)
    some = [(u, v) for u in range(size) for v in range(size) if u != v and rng.random() < 0.4]
    across = [(u, v) for u in range(size) for v in range(size) if rng.random() < 0.1]
    edges = {(c * size + u, c * size + v) for c in range(copies) for u, v in some}
    return copies * size, edges | {
        (c * size + u, (c + 1) % copies * size + v) for c in range(copies) for u, v in across
    }


def _network(rng: random.Random, n: int, edges: set[tuple[int, int]], directed: bool) -> Network:
    names = list(range(n))
    rng.shuffle(names)
    proper = sorted({(names[u], names[v]) for u, v in edges if u != v})
    if not directed:
        proper = sorted({(min(pair), max(pair)) for pair in proper})
    rng.shuffle(proper)
    formats = tuple(rng.sample(GRAPH_FORMATS, rng.choice((1, 1, 2))))
    return Network(n, tuple(proper), directed, formats, rng.choice(TABLE_FORMATS))


def _near(rng: random.Random, reached: int) -> int:
    """A k that the release just reaches, or just misses."""
    return max(2, reached + rng.choice((-1, 0, 0, 0, 1)))


def k_candidate(directed: bool) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        network = draw_symmetric(rng, directed)
        query = rng.choice(("H1", "H2", "H2", "H3", "H4"))
        k = _near(rng, _candidates(network, query))
        return network_trial(network, {"model": "k_candidate_anonymity", "k": k, "query": query}, expect_candidates)

    return trial


def _candidates(network: Network, query: str) -> int:
    return by.candidate_k(network.n, network.edges, network.directed, int(query[1]))


def expect_candidates(network: Network, guarantee: dict[str, Any]) -> Expected:
    reached = _candidates(network, guarantee["query"])
    return Expected(reached >= guarantee["k"], {"k": reached})


def twins(directed: bool) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        network = draw_symmetric(rng, directed)
        k = _near(rng, by.twins_k(network.n, network.edges, directed))
        return network_trial(network, {"model": "neighborhood_twins", "k": k}, expect_twins)

    return trial


def expect_twins(network: Network, guarantee: dict[str, Any]) -> Expected:
    reached = by.twins_k(network.n, network.edges, network.directed)
    return Expected(reached >= guarantee["k"], {"k": reached})


def kl(definition: str) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        network = draw_symmetric(rng, directed=False, most=9)
        l = rng.choice((1, 2, 2, 3))  # noqa: E741 (the literature's letter)
        k = _near(rng, by.kl_of(network.n, network.edges, l, definition) if l <= network.n else 0)
        guarantee = {"model": "kl_anonymity", "k": k, "l": l, "definition": definition}
        return network_trial(network, guarantee, expect_kl)

    return trial


def expect_kl(network: Network, guarantee: dict[str, Any]) -> Expected:
    k, l = guarantee["k"], guarantee["l"]  # noqa: E741
    if k + l > network.n:
        return Expected(False)
    reached = by.kl_of(network.n, network.edges, l, guarantee["definition"])
    return Expected(reached >= k, {"k": reached})


def k_neighborhood(radius: int) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        network = draw_symmetric(rng, directed=False, most=9)
        k = _near(rng, by.neighborhood_k(network.n, network.edges, radius))
        guarantee = {"model": "k_neighborhood_anonymity", "k": k, "radius": radius}
        return network_trial(network, guarantee, expect_neighborhoods)

    return trial


def k_neighborhood_labeled(rng: random.Random) -> Trial:
    """Nodes with labels that symmetries preserve; some are changed at one node, which only a comparison detects."""
    network = draw_symmetric(rng, directed=False, most=8)
    degrees = [sum(node in edge for edge in network.edges) for node in range(network.n)]
    towns = [str(degree % 2) for degree in degrees]
    if rng.random() < 0.4:
        towns[rng.randrange(network.n)] = rng.choice(("0", "1", "a"))
    network = replace(network, towns=tuple(towns))
    radius = rng.choice((1, 1, 2))
    k = _near(rng, by.neighborhood_k(network.n, network.edges, radius, towns))
    guarantee = {"model": "k_neighborhood_anonymity", "k": k, "radius": radius, "labels": "compared"}
    return network_trial(network, guarantee, expect_neighborhoods)


def k_neighborhood_of_circles(rng: random.Random) -> Trial:
    """Hubs with circles around them, which degree counts cannot distinguish, in any order."""
    edges: set[tuple[int, int]] = set()
    n = 0
    for circles in rng.choices(((3, 3), (6,), (3, 4), (4, 3), (7,)), k=rng.choice((2, 2, 2, 3))):
        hub, n = n, n + 1
        for size in circles:
            edges |= {(n + place, n + (place + 1) % size) for place in range(size)}
            edges |= {(hub, n + place) for place in range(size)}
            n += size
    network = _network(rng, n, edges, directed=False)
    guarantee = {"model": "k_neighborhood_anonymity", "k": rng.choice((2, 2, 3)), "radius": 1}
    return network_trial(network, guarantee, expect_neighborhoods)


def expect_neighborhoods(network: Network, guarantee: dict[str, Any]) -> Expected:
    labels = network.towns if guarantee.get("labels") == "compared" else ()
    reached = by.neighborhood_k(network.n, network.edges, guarantee["radius"], labels)
    return Expected(reached >= guarantee["k"], {"k": reached})


def k_automorphism(directed: bool) -> Callable[[random.Random], Trial]:
    """Functions found among all permutations, sometimes with two of their values swapped."""

    def trial(rng: random.Random) -> Trial:
        network = draw_symmetric(rng, directed, most=6)
        functions = _functions(rng, network.n, network.edges, directed)
        if functions and network.n > 2 and rng.random() < 0.4:
            place = rng.randrange(len(functions))
            values, (a, b) = list(functions[place]), rng.sample(range(network.n), 2)
            values[a], values[b] = values[b], values[a]
            functions[place] = tuple(values)
        k = max(2, len(functions) + 1 + rng.choice((-1, 0, 0, 0, 1)))
        expect = _expecting(functions)
        sealed = {"automorphisms": [list(function) for function in functions]}
        made = network_trial(network, {"model": "k_automorphism", "k": k}, expect)
        spoil = made.spoil
        assert spoil is not None

        def neighbor(rng: random.Random) -> Trial | None:
            spoilt = spoil(rng)
            return None if spoilt is None else replace(spoilt, sealed_map=sealed)

        return replace(made, sealed_map=sealed, spoil=neighbor)

    return trial


def _functions(rng: random.Random, n: int, edges: Edges, directed: bool) -> list[tuple[int, ...]]:
    """As many automorphisms as are found that agree nowhere, neither with each other nor with the identity."""
    chosen: list[tuple[int, ...]] = []
    for function in rng.sample(list(permutations(range(n))), k=min(720, _factorial(n))):
        apart = all(function[v] not in (v, *(other[v] for other in chosen)) for v in range(n))
        if apart and by.is_automorphism(function, n, edges, directed):
            chosen.append(function)
    return chosen


def _factorial(n: int) -> int:
    return 1 if n < 2 else n * _factorial(n - 1)


def _expecting(functions: list[tuple[int, ...]]) -> Expect:
    def expect(network: Network, guarantee: dict[str, Any]) -> Expected:
        known = bool(functions) and all(len(function) == network.n for function in functions)
        right = known and by.are_automorphic_functions(functions, network.n, network.edges, network.directed)
        return Expected(right and len(functions) + 1 >= guarantee["k"], {"k": len(functions) + 1} if right else {})

    return expect
