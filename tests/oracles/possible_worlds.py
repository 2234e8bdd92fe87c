"""Uncertain and generalized graphs as the papers define them: every possible graph is enumerated.

Nothing here is fast, and nothing here is shared with the verifier or the engine.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product

Pair = tuple[int, int]
_DIGITS = 40
_ROUNDING = Decimal("1e-30")


def degree_chances(n: int, pairs: Sequence[Pair], likely: Sequence[Fraction]) -> list[list[Fraction]]:
    """For every node the probability of each degree, summed over all possible graphs."""
    chances = [[Fraction(0)] * n for _ in range(n)]
    for there in product((False, True), repeat=len(pairs)):
        chance = Fraction(math.prod(p if edge else 1 - p for edge, p in zip(there, likely, strict=True)))
        degrees = [0] * n
        for edge, (u, v) in zip(there, pairs, strict=True):
            degrees[u] += edge
            degrees[v] += edge
        for node, degree in enumerate(degrees):
            chances[node][degree] += chance
    return chances


def belief(chances: Sequence[Sequence[Fraction]], degree: int) -> list[Fraction]:
    """The attacker's belief in each node, given the degree; empty if no node can have it."""
    column = [row[degree] if degree < len(row) else Fraction(0) for row in chances]
    total = sum(column)
    return [x / total for x in column] if total else []


def doubt(believed: Sequence[Fraction]) -> Decimal:
    """Two to the power of a belief's entropy: the equivalent number of equally likely nodes; 0 for no belief."""
    if not believed:
        return Decimal(0)
    with localcontext() as context:
        context.prec = _DIGITS
        shares = [Decimal(x.numerator) / Decimal(x.denominator) for x in believed if x]
        return sum((-(x * x.ln()) for x in shares), Decimal(0)).exp()


def obfuscation_k(
    n: int, pairs: Sequence[Pair], likely: Sequence[Fraction], degrees: Sequence[int], epsilon: Fraction
) -> int:
    """The largest whole k for which at most a share epsilon of the nodes has a smaller uncertainty."""
    chances = degree_chances(n, pairs, likely)
    worth = {degree: doubt(belief(chances, degree)) for degree in set(degrees)}
    doubts = sorted(worth[degree] for degree in degrees)
    return int(doubts[math.floor(epsilon * n)] + _ROUNDING)


def partitions(nodes: Sequence[int], least: int) -> Iterator[list[tuple[int, ...]]]:
    """Every partition of the nodes into groups of a minimum size."""
    if not nodes:
        yield []
        return
    first, *rest = nodes
    for size in range(least - 1, len(rest) + 1):
        for others in combinations(rest, size):
            left = [node for node in rest if node not in others]
            for partition in partitions(left, least):
                yield [(first, *others), *partition]


def all_pairs(n: int, directed: bool) -> list[Pair]:
    return [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]


def block_counts(edges: Sequence[Pair], groups: Sequence[Sequence[int]], directed: bool) -> Counter[Pair]:
    """Edges in and between groups; between them, both orders are equal unless the graph is directed."""
    home = {node: number for number, group in enumerate(groups) for node in group}
    ends = [(home[u], home[v]) for u, v in edges]
    return Counter(ends if directed else [(min(a, b), max(a, b)) for a, b in ends])


def number_of_worlds(n: int, edges: Sequence[Pair], groups: Sequence[Sequence[int]], directed: bool) -> int:
    """How many graphs have the same numbers of edges in and between the groups."""
    room = block_counts(all_pairs(n, directed), groups, directed)
    counts = block_counts(edges, groups, directed)
    return math.prod(math.comb(pairs, counts[block]) for block, pairs in room.items())


def fewest_worlds(n: int, edges: Sequence[Pair], k: int, directed: bool) -> int:
    """The smallest number of graphs that fit any partition into groups of k or more."""
    return min(number_of_worlds(n, edges, groups, directed) for groups in partitions(range(n), k))
