"""Random small graphs, judged by the definitions."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.oracles import definitions as by
from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import GRAPH_FORMATS, TABLE_FORMATS, seen, write_graph, write_table
from verifier import Artifact

Edges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Network:
    """A graph with its formats and a table of its nodes."""

    n: int
    edges: Edges
    directed: bool
    formats: tuple[str, ...]
    table: str
    towns: tuple[Any, ...] = ()
    """An attribute of the nodes, if they have one."""


def draw_network(rng: random.Random, directed: bool) -> Network:
    """Circles, copies and paths, whose degrees repeat, and graphs drawn at random, whose degrees do not."""
    n = rng.randint(1, 12)
    pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]
    shape = rng.randrange(4)
    if shape == 0:
        edges = [pair for pair in pairs if rng.random() < rng.choice((0.1, 0.4, 0.8))]
    elif shape == 1 and n > 2:
        edges = [(u, (u + 1) % n) for u in range(n)]
    elif shape == 2:
        half = n // 2
        some = [(u, v) for u, v in pairs if max(u, v) < half and rng.random() < 0.5]
        edges = some + [(u + half, v + half) for u, v in some]
    else:
        edges = [(u, u + 1) for u in range(0, n - 1, rng.choice((1, 2)))]
    names = list(range(n))
    rng.shuffle(names)
    edges = [(names[u], names[v]) for u, v in edges]
    rng.shuffle(edges)
    formats = tuple(rng.sample(GRAPH_FORMATS, rng.choice((1, 1, 2, 4))))
    return Network(n, tuple(edges), directed, formats, rng.choice(TABLE_FORMATS))


Expect = Callable[[Network, dict[str, Any]], Expected]


def network_trial(network: Network, guarantee: dict[str, Any], expect: Expect) -> Trial:
    attributes = {"town": {"role": "quasi_identifier"}} if network.towns else {}
    names = ("node", "town") if network.towns else ("node",)
    nodes = [(node, *network.towns[node : node + 1]) for node in range(network.n)]

    def write() -> list[Artifact]:
        files = [write_graph(form, network.n, network.edges, network.directed) for form in network.formats]
        return [*files, write_table(network.table, names, nodes, "nodes")]

    return Trial(
        {"kind": "graph", "attributes": attributes, "guarantees": [guarantee]},
        write,
        expect(network, guarantee),
        directed=network.directed,
        spoil=lambda rng: _spoilt(rng, network, guarantee, expect),
    )


def _spoilt(rng: random.Random, network: Network, guarantee: dict[str, Any], expect: Expect) -> Trial | None:
    """The same with one edge removed or added, or the attribute of one node changed."""
    edges = list(network.edges)
    if network.towns:
        node = rng.randrange(network.n)
        towns = (*network.towns[:node], rng.choice(("a", "b", "new")), *network.towns[node + 1 :])
        changed = replace(network, towns=towns)
    elif edges and rng.random() < 0.5:
        edges.pop(rng.randrange(len(edges)))
        changed = replace(network, edges=tuple(edges))
    else:
        pair = rng.randrange(network.n), rng.randrange(network.n)
        known = edges + ([] if network.directed else [(v, u) for u, v in edges])
        if pair[0] == pair[1] or pair in known:
            return None
        changed = replace(network, edges=(*network.edges, pair))
    return None if changed == network else network_trial(changed, guarantee, expect)


def k_degree(directed: bool) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        network = draw_network(rng, directed)
        reached = by.degree_k(network.n, network.edges, directed)
        k = max(2, reached + rng.choice((-1, 0, 0, 1)))
        return network_trial(network, {"model": "k_degree_anonymity", "k": k}, expect_degree)

    return trial


def expect_degree(network: Network, guarantee: dict[str, Any]) -> Expected:
    reached = by.degree_k(network.n, network.edges, network.directed)
    return Expected(reached >= guarantee["k"], {"k": reached})


def k_anonymity_of_nodes(rng: random.Random) -> Trial:
    """A table guarantee on the nodes' attributes."""
    network = draw_network(rng, rng.random() < 0.5)
    pool: Sequence[str] = rng.sample(("a", "b", "*", "", "a "), rng.randint(1, 3))
    network = replace(network, towns=tuple(rng.choice(pool) for _ in range(network.n)))
    k = max(2, _alike(network) + rng.choice((-1, 0, 0, 1)))
    return network_trial(network, {"model": "k_anonymity", "k": k}, expect_alike)


def expect_alike(network: Network, guarantee: dict[str, Any]) -> Expected:
    return Expected(_alike(network) >= guarantee["k"], {"k": _alike(network)})


def _alike(network: Network) -> int:
    return by.k_of([(seen(network.table, town),) for town in network.towns])


def k_degree_in_bad_form(rng: random.Random) -> Trial:
    """Circles, whose nodes are all alike. Half of them are not simple graphs over 0…n-1 or differ between formats."""
    directed, n = rng.random() < 0.5, rng.randint(5, 8)
    circle = tuple((u, (u + 1) % n) for u in range(n))
    network = Network(n, circle, directed, tuple(rng.sample(GRAPH_FORMATS, 2)), rng.choice(TABLE_FORMATS))
    good = network_trial(network, {"model": "k_degree_anonymity", "k": 2}, expect_degree)
    return replace(good, spoil=None) if rng.random() < 0.5 else replace(_bad_form(rng, network, good), spoil=None)


def _bad_form(rng: random.Random, network: Network, good: Trial) -> Trial:
    n, circle, directed = network.n, network.edges, network.directed
    edges = other = circle
    nodes: list[tuple[Any, ...]] = [(node,) for node in range(n)]
    match rng.randrange(8):
        case 0:
            edges = other = (*circle, *((node, node) for node in range(n)))
        case 1:
            edges = other = (*circle, circle[0])
        case 2:
            edges = other = (*circle, (0, n))
        case 3:
            nodes = nodes[:-1]
        case 4:
            nodes = [*nodes, (n,), (n + 1,)]
        case 5:
            nodes = [(f"v{node}",) for node in range(n)]
        case 6:  # another circle, or two, in one format
            other = tuple((u, (u + 2) % n) for u in range(n))
        case _:
            directed = not directed
    shown = zip(network.formats, (edges, other), strict=True)
    files = [write_graph(form, n, listed, directed) for form, listed in shown]
    files.append(write_table(network.table, ("node",), nodes, "nodes"))
    return replace(good, write=lambda: files, expected=Expected(False))
