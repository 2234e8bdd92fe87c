"""The guarantees as the papers define them, by brute force: every pair of records, whole numbers and fractions only.

Nothing here is fast, and nothing here is shared with the verifier or the engine.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx as nx

Key = Sequence[Hashable]
"""An attacker's knowledge of a record: the quasi-identifiers, as the file shows them."""
_DIGITS = 40


def peers(keys: Sequence[Key], place: int) -> list[int]:
    """The records that look like a given one."""
    return [other for other in range(len(keys)) if all(a == b for a, b in zip(keys[place], keys[other], strict=True))]


def classes(keys: Sequence[Key]) -> list[list[int]]:
    """The distinct sets of records that look alike."""
    found: list[list[int]] = []
    for place in range(len(keys)):
        alike = peers(keys, place)
        if alike not in found:
            found.append(alike)
    return found


def k_of(keys: Sequence[Key], units: Sequence[int] | None = None) -> int:
    """The smallest number of people among whom a record hides."""
    persons = range(len(keys)) if units is None else units
    return min((len({persons[other] for other in peers(keys, place)}) for place in range(len(keys))), default=0)


# --- l-diversity -----------------------------------------------------------------------------------------------------


def distinct_l(values: Sequence[Hashable]) -> int:
    """How many different values a class has."""
    return sum(value not in values[:place] for place, value in enumerate(values))


def entropy_reaches(values: Sequence[Hashable], bound: Fraction) -> bool:
    """Whether the entropy is at least log l; raised to the power of the class's size, this needs only integers."""
    size = len(values)
    product = math.prod(count**count for count in Counter(values).values())
    return bool(Fraction(size) ** size >= bound**size * product)


def entropy_l(values: Sequence[Hashable]) -> Decimal:
    """exp of the entropy."""
    with localcontext() as context:
        context.prec = _DIGITS
        shares = [Decimal(count) / len(values) for count in Counter(values).values()]
        return (-sum((share * share.ln() for share in shares), Decimal(0))).exp()


def recursive_l(values: Sequence[Hashable], c: Fraction) -> int:
    """The largest l for which the most frequent value occurs less than c times as often as the l-th and all rarer."""
    counts = sorted(Counter(values).values(), reverse=True)
    return max((place + 1 for place in range(len(counts)) if counts[0] < c * sum(counts[place:])), default=0)


# --- closeness, likeness ---------------------------------------------------------------------------------------------


def shares(values: Sequence[Hashable]) -> dict[Hashable, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def earth_movers_distance(
    inside: Sequence[Hashable], everyone: Sequence[Hashable], cost: Callable[[Hashable, Hashable], Fraction]
) -> Fraction:
    """The cheapest way to turn one distribution into the other: a transportation problem in whole numbers."""
    own, whole = shares(inside), shares(everyone)
    gaps = {
        value: (own.get(value, Fraction(0)) - share) * len(inside) * len(everyone) for value, share in whole.items()
    }
    givers = [value for value, gap in gaps.items() if gap > 0]
    takers = [value for value, gap in gaps.items() if gap < 0]
    scale = math.lcm(1, *(cost(giver, taker).denominator for giver in givers for taker in takers))
    network = nx.DiGraph()
    for side, values in (("from", givers), ("to", takers)):
        for value in values:
            network.add_node((side, value), demand=int(-gaps[value]))
    for giver in givers:
        for taker in takers:
            network.add_edge(("from", giver), ("to", taker), weight=int(cost(giver, taker) * scale))
    total = nx.network_simplex(network)[0] if givers else 0
    return Fraction(total, scale * len(inside) * len(everyone))


def equal_cost(first: Hashable, second: Hashable) -> Fraction:
    """All values are equally far from each other."""
    return Fraction(first != second)


def ordered_cost(everyone: Sequence[Any], rank: Callable[[Any], Any]) -> Callable[[Any, Any], Fraction]:
    """The number of steps between two values among all that occur, divided by the maximum."""
    known = sorted({rank(value) for value in everyone})
    return lambda a, b: Fraction(abs(known.index(rank(a)) - known.index(rank(b))), max(len(known) - 1, 1))


def tree_cost(paths: Mapping[Any, Sequence[str]]) -> Callable[[Any, Any], Fraction]:
    """The height of the lowest common ancestor, divided by that of the tree; a path leads from a value to the root."""

    def cost(first: Any, second: Any) -> Fraction:
        up, other = paths[first], paths[second]
        height = next(level for level in range(len(up)) if up[level:] == other[level:])
        return Fraction(height, len(up) - 1)

    return cost


def gains(inside: Sequence[Hashable], everyone: Sequence[Hashable]) -> list[tuple[Fraction, Fraction]]:
    """For every value of a class, the growth of its share relative to its share in the whole table, and that share."""
    whole = shares(everyone)
    return [((share - whole[value]) / whole[value], whole[value]) for value, share in shares(inside).items()]


def below_content(gain: Fraction, share: Fraction) -> bool:
    """Whether a gain is at most ln(1 / share)."""
    with localcontext() as context:
        context.prec = _DIGITS
        return Decimal(gain.numerator) / gain.denominator <= (Decimal(share.denominator) / share.numerator).ln()


# --- local differential privacy --------------------------------------------------------------------------------------


def privacy_loss(matrix: Sequence[Sequence[float]]) -> Decimal | None:
    """The largest log ratio over every output and every pair of inputs; None if an output rules an input out."""
    worst = Decimal(0)
    with localcontext() as context:
        context.prec = _DIGITS
        for first in matrix:
            for second in matrix:
                for chance, other in zip(first, second, strict=True):
                    if chance > 0 and other <= 0:
                        return None
                    if chance > 0:
                        worst = max(worst, (Decimal(chance) / Decimal(other)).ln())
    return worst


# --- graphs ----------------------------------------------------------------------------------------------------------


def degree_of(node: int, n: int, edges: Sequence[tuple[int, int]], directed: bool) -> tuple[int, ...]:
    """The degree of a node; in a directed graph, its in-degree and out-degree."""
    outward = sum((node, other) in edges for other in range(n))
    inward = sum((other, node) in edges for other in range(n))
    return (inward, outward) if directed else (inward + outward,)


def degree_k(n: int, edges: Sequence[tuple[int, int]], directed: bool) -> int:
    """The smallest number of nodes that share a degree."""
    return k_of([degree_of(node, n, edges, directed) for node in range(n)])


Edges = Sequence[tuple[int, int]]


def linked(u: int, v: int, edges: Edges, directed: bool) -> bool:
    """Whether an edge leads from one node to the other."""
    return (u, v) in edges or (not directed and (v, u) in edges)


def candidate_k(n: int, edges: Edges, directed: bool, depth: int) -> int:
    """The smallest number of nodes with the same answer to a vertex refinement query."""
    answers: list[Any] = [()] * n
    for _ in range(depth):
        answers = [
            (
                sorted(answers[v] for v in range(n) if linked(u, v, edges, directed)),
                sorted(answers[v] for v in range(n) if directed and linked(v, u, edges, directed)),
            )
            for u in range(n)
        ]
    return min((sum(other == answer for other in answers) for answer in answers), default=0)


def twins_k(n: int, edges: Edges, directed: bool) -> int:
    """The smallest number of nodes whose rows and columns of the adjacency matrix are the same."""
    rows = [tuple((linked(u, v, edges, directed), linked(v, u, edges, directed)) for v in range(n)) for u in range(n)]
    return k_of(rows)


def is_automorphism(function: Sequence[int], n: int, edges: Edges, directed: bool) -> bool:
    """Whether a function of the nodes onto themselves keeps every edge and every pair without one."""
    return sorted(function) == list(range(n)) and all(
        linked(u, v, edges, directed) == linked(function[u], function[v], edges, directed)
        for u in range(n)
        for v in range(n)
    )


def are_automorphic_functions(functions: Sequence[Sequence[int]], n: int, edges: Edges, directed: bool) -> bool:
    """Whether all are automorphisms, none fixes a node and no two agree on a node."""
    apart = all(
        function[v] != v and all(function[v] != other[v] for other in functions[place + 1 :])
        for place, function in enumerate(functions)
        for v in range(n)
    )
    return apart and all(is_automorphism(function, n, edges, directed) for function in functions)


def neighborhood_k(n: int, edges: Edges, radius: int, labels: Sequence[Any] = ()) -> int:
    """The smallest number of nodes with isomorphic neighborhoods, mapping node to node and equal labels."""
    labels = labels or [None] * n
    near = [{v for v in range(n) if linked(u, v, edges, False)} for u in range(n)]
    balls = []
    for node in range(n):
        ball = {node}
        for _ in range(radius):
            ball |= {v for u in ball for v in near[u]}
        balls.append([node, *sorted(ball - {node})])

    def alike(first: int, second: int) -> bool:
        if len(balls[first]) != len(balls[second]) or labels[first] != labels[second]:
            return False
        return _can_be_laid(balls[first], balls[second], near, labels, [second])

    return min((sum(alike(node, other) for other in range(n)) for node in range(n)), default=0)


def _can_be_laid(
    ball: Sequence[int], other: Sequence[int], near: Sequence[set[int]], labels: Sequence[Any], images: list[int]
) -> bool:
    """Whether a valid mapping of a ball's first nodes can be extended to an isomorphism onto the other ball."""
    if len(images) == len(ball):
        return True
    node, placed = ball[len(images)], ball[: len(images)]
    for image in other:
        if image in images or labels[node] != labels[image]:
            continue
        if len(near[node] & set(ball)) != len(near[image] & set(other)):
            continue
        fits = all((v in near[node]) == (w in near[image]) for v, w in zip(placed, images, strict=True))
        if fits and _can_be_laid(ball, other, near, labels, [*images, image]):
            return True
    return False


def kl_of(n: int, edges: Edges, l: int, definition: str) -> int:  # noqa: E741 (the literature's letter)
    """The smallest number of candidates for a node when l others are known; 0 if a node has too few neighbors."""
    near = [{v for v in range(n) if linked(u, v, edges, False)} for u in range(n)]
    fewest = n
    for chosen in map(set, combinations(range(n), l)):
        for node in range(n):
            if definition == "indices":
                fewest = min(fewest, sum(near[other] & chosen == near[node] & chosen for other in range(n)))
            elif chosen <= near[node]:
                fewest = min(fewest, sum(chosen <= near[other] for other in range(n)))
    return 0 if definition == "neighbors" and min(map(len, near)) < l else fewest
