"""Random uncertain and generalized graphs as bytes, judged by the definitions."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tests.oracles.possible_worlds import all_pairs, obfuscation_k
from tests.oracles.trial import Expected, Trial
from tests.oracles.writers import GRAPH_FORMATS, TABLE_FORMATS, write_table
from verifier import Artifact

Pairs = tuple[tuple[int, int], ...]


def write_valued(
    form: str, n: int, pairs: Pairs, directed: bool, column: str, values: Sequence[int | float]
) -> Artifact:
    """A graph over 0…n-1 with a number on each edge."""
    rows = [(u, v, repr(value)) for (u, v), value in zip(pairs, values, strict=True)]
    if form == "edgelist":
        text = f"source,target,{column}\n" + "".join(f"{u},{v},{value}\n" for u, v, value in rows)
    elif form == "graphml":
        nodes = "".join(f'<node id="{node}"/>' for node in range(n))
        edges = "".join(f'<edge source="{u}" target="{v}"><data key="d0">{value}</data></edge>' for u, v, value in rows)
        key = f'<key id="d0" for="edge" attr.name="{column}" attr.type="double"/>' if rows else ""
        flow = "directed" if directed else "undirected"
        text = f'<graphml>{key}<graph edgedefault="{flow}">{nodes}{edges}</graph></graphml>'
    elif form == "gml":
        nodes = "".join(f" node [ id {node} ]\n" for node in range(n))
        edges = "".join(f" edge [ source {u} target {v} {column} {value} ]\n" for u, v, value in rows)
        text = f"graph [ directed {int(directed)}\n{nodes}{edges}]\n"
    else:
        edges = [{"source": u, "target": v, column: value} for (u, v), value in zip(pairs, values, strict=True)]
        listed = [{"id": node} for node in range(n)]
        shown = {"directed": directed, "multigraph": False, "graph": {}, "nodes": listed, "edges": edges}
        text = json.dumps(shown)
    return Artifact(form, "graph", text.encode())


# --- uncertain graphs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Uncertain:
    """An uncertain graph, and the degrees that its nodes had."""

    n: int
    pairs: Pairs
    likely: tuple[float, ...]
    degrees: tuple[int, ...]
    formats: tuple[str, ...]
    table: str
    epsilon: float
    k: int = 2


def k_eps_obfuscation(rng: random.Random) -> Trial:
    """At most seven pairs; often circles and equal probabilities, for which the uncertainty is a whole number."""
    n = rng.randint(2, 7)
    pairs = all_pairs(n, directed=False)
    pairs = rng.sample(pairs, min(len(pairs), rng.randint(0, 7)))
    if rng.random() < 0.4 and n > 2:
        pairs = [(node, (node + 1) % n) for node in range(n)]
    pool = rng.choice(((0.5,), (1.0, 0.5), (1.0, 0.25, 0.9999), tuple(rng.randint(1, 10_000) / 10_000 for _ in "1234")))
    likely = tuple(rng.choice(pool) for _ in pairs)
    graph = Uncertain(
        n,
        tuple(pairs),
        likely,
        tuple(rng.choice(_possible(n, pairs, likely, node, rng)) for node in range(n)),
        tuple(rng.sample(GRAPH_FORMATS, rng.choice((1, 2)))),
        rng.choice(TABLE_FORMATS),
        rng.choice((0, 0, 0.1, 0.25, 0.3, 0.5)),
    )
    return _uncertain_trial(replace(graph, k=max(2, _reached(graph) + rng.choice((-1, 0, 0, 1)))))


def _possible(
    n: int, pairs: Sequence[tuple[int, int]], likely: Sequence[float], node: int, rng: random.Random
) -> list[int]:
    """Plausible degrees of a node, and occasionally an impossible one."""
    if rng.random() < 0.02:
        return [n]
    own = [p for pair, p in zip(pairs, likely, strict=True) if node in pair]
    return list(range(sum(p == 1.0 for p in own), len(own) + 1))


def _reached(graph: Uncertain) -> int:
    likely = [Fraction(str(p)) for p in graph.likely]
    return obfuscation_k(graph.n, graph.pairs, likely, graph.degrees, Fraction(str(graph.epsilon)))


def _uncertain_trial(graph: Uncertain) -> Trial:
    def write() -> list[Artifact]:
        files = [write_valued(form, graph.n, graph.pairs, False, "probability", graph.likely) for form in graph.formats]
        return [*files, write_table(graph.table, ("node",), [(node,) for node in range(graph.n)], "nodes")]

    reached = _reached(graph)
    guarantee = {"model": "k_eps_obfuscation", "k": graph.k, "epsilon": graph.epsilon}
    return Trial(
        {"kind": "graph", "method": {"name": "uncertain"}, "attributes": {}, "guarantees": [guarantee]},
        write,
        Expected(reached >= graph.k, {"k": reached}),
        {"degrees": list(graph.degrees)},
        spoil=lambda rng: _spoilt_uncertain(rng, graph),
    )


def _spoilt_uncertain(rng: random.Random, graph: Uncertain) -> Trial | None:
    """The same with one probability changed, one pair removed, or one node's degree changed."""
    if graph.pairs and rng.random() < 0.7:
        place = rng.randrange(len(graph.pairs))
        if rng.random() < 0.5:
            pairs = graph.pairs[:place] + graph.pairs[place + 1 :]
            return _uncertain_trial(
                replace(graph, pairs=pairs, likely=graph.likely[:place] + graph.likely[place + 1 :])
            )
        changed = (*graph.likely[:place], rng.choice((0.0001, 0.3, 1.0)), *graph.likely[place + 1 :])
        return _uncertain_trial(replace(graph, likely=changed))
    node = rng.randrange(graph.n)
    degrees = (*graph.degrees[:node], rng.randrange(graph.n + 1), *graph.degrees[node + 1 :])
    return _uncertain_trial(replace(graph, degrees=degrees))


# --- generalized graphs ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Generalized:
    """Supernodes, with figures for them and for pairs of them."""

    sizes: tuple[Any, ...]
    inside: tuple[Any, ...]
    pairs: Pairs
    between: tuple[Any, ...]
    directed: bool
    formats: tuple[str, ...]
    table: str
    k: int = 2


def supernode_size(directed: bool) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        count = rng.randint(1, 5)
        sizes = tuple(rng.randint(1, 6) for _ in range(count))
        inside = tuple(rng.randint(0, _room(size, directed)) for size in sizes)
        pairs = tuple(pair for pair in all_pairs(count, directed) if rng.random() < 0.5)
        between = tuple(rng.randint(1, sizes[a] * sizes[b]) for a, b in pairs)
        formats = tuple(rng.sample(GRAPH_FORMATS, rng.choice((1, 2))))
        k = max(2, min(sizes) + rng.choice((-1, 0, 0, 1)))
        graph = Generalized(sizes, inside, pairs, between, directed, formats, rng.choice(TABLE_FORMATS), k)
        return _generalized_trial(graph)

    return trial


def _room(size: int, directed: bool) -> int:
    return size * (size - 1) if directed else size * (size - 1) // 2


def _is_a_graphs(graph: Generalized) -> bool:
    """Whether a graph with these numbers exists."""
    if any(number != int(number) for number in (*graph.sizes, *graph.inside, *graph.between)):
        return False
    if min(graph.sizes) < 1 or min(graph.inside) < 0 or min(graph.between, default=1) < 1:
        return False
    fits = all(edges <= _room(size, graph.directed) for size, edges in zip(graph.sizes, graph.inside, strict=True))
    joined = zip(graph.pairs, graph.between, strict=True)
    return fits and all(edges <= graph.sizes[a] * graph.sizes[b] for (a, b), edges in joined)


def _generalized_trial(graph: Generalized) -> Trial:
    def write() -> list[Artifact]:
        n = len(graph.sizes)
        files = [write_valued(form, n, graph.pairs, graph.directed, "edges", graph.between) for form in graph.formats]
        rows = list(zip(range(n), graph.sizes, graph.inside, strict=True))
        return [*files, write_table(graph.table, ("node", "size", "edges"), rows, "nodes")]

    smallest = min(graph.sizes)
    sound = _is_a_graphs(graph)
    guarantee = {"model": "supernode_size", "k": graph.k}
    return Trial(
        {"kind": "graph", "method": {"name": "supernodes"}, "attributes": {}, "guarantees": [guarantee]},
        write,
        Expected(sound and smallest >= graph.k, {"k": int(smallest)} if sound else {}),
        directed=graph.directed,
        spoil=lambda rng: _generalized_trial(_spoilt_generalized(rng, graph)),
    )


def _spoilt_generalized(rng: random.Random, graph: Generalized) -> Generalized:
    """The same with one number changed: by one, by one half, or to one more than all pairs."""
    change: Any = rng.choice((-1, 1, 0.5))
    name = rng.choice(("sizes", "inside", "between") if graph.between else ("sizes", "inside"))
    numbers = list(getattr(graph, name))
    place = rng.randrange(len(numbers))
    numbers[place] += change
    if name == "inside" and rng.random() < 0.5:
        numbers[place] = _room(graph.sizes[place], graph.directed) + 1
    elif name == "between" and rng.random() < 0.5:
        a, b = graph.pairs[place]
        numbers[place] = graph.sizes[a] * graph.sizes[b] + 1
    return replace(graph, **{name: tuple(numbers)})
