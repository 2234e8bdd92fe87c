"""The guarantees as the papers define them, by brute force: every pair of records, whole numbers and fractions only.

Nothing here is fast, and nothing here is shared with the verifier or the engine.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import networkx as nx

Key = Sequence[Hashable]
"""What an attacker knows of a record: the quasi-identifiers, as the file shows them."""
_DIGITS = 40


def peers(keys: Sequence[Key], place: int) -> list[int]:
    """The records that look like one of them."""
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
    """The fewest persons among whom a record hides."""
    persons = range(len(keys)) if units is None else units
    return min((len({persons[other] for other in peers(keys, place)}) for place in range(len(keys))), default=0)


# --- l-diversity -----------------------------------------------------------------------------------------------------


def distinct_l(values: Sequence[Hashable]) -> int:
    """How many different values a class has."""
    return sum(value not in values[:place] for place, value in enumerate(values))


def entropy_reaches(values: Sequence[Hashable], bound: Fraction) -> bool:
    """Whether the entropy is at least log l; raised to the power of the class's size, that is a matter of integers."""
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
    """Every value is as far from every other."""
    return Fraction(first != second)


def ordered_cost(everyone: Sequence[Any], rank: Callable[[Any], Any]) -> Callable[[Any, Any], Fraction]:
    """The number of steps between two values among all that occur, over the most there can be."""
    known = sorted({rank(value) for value in everyone})
    return lambda a, b: Fraction(abs(known.index(rank(a)) - known.index(rank(b))), max(len(known) - 1, 1))


def tree_cost(paths: Mapping[Any, Sequence[str]]) -> Callable[[Any, Any], Fraction]:
    """The height of the lowest common ancestor, over that of the tree; a path leads from a value to the root."""

    def cost(first: Any, second: Any) -> Fraction:
        up, other = paths[first], paths[second]
        height = next(level for level in range(len(up)) if up[level:] == other[level:])
        return Fraction(height, len(up) - 1)

    return cost


def gains(inside: Sequence[Hashable], everyone: Sequence[Hashable]) -> list[tuple[Fraction, Fraction]]:
    """For every value of a class by how much its share grew, relative to its share of everyone, which comes second."""
    whole = shares(everyone)
    return [((share - whole[value]) / whole[value], whole[value]) for value, share in shares(inside).items()]


def below_content(gain: Fraction, share: Fraction) -> bool:
    """Whether a gain is at most ln(1 / share)."""
    with localcontext() as context:
        context.prec = _DIGITS
        return Decimal(gain.numerator) / gain.denominator <= (Decimal(share.denominator) / share.numerator).ln()


# --- local differential privacy --------------------------------------------------------------------------------------


def privacy_loss(matrix: Sequence[Sequence[float]]) -> Decimal | None:
    """The largest log ratio over every output and every pair of inputs; None where an output rules an input out."""
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
    """How many nodes a node is linked with; how many point to it and how many it points to."""
    outward = sum((node, other) in edges for other in range(n))
    inward = sum((other, node) in edges for other in range(n))
    return (inward, outward) if directed else (inward + outward,)


def degree_k(n: int, edges: Sequence[tuple[int, int]], directed: bool) -> int:
    """The fewest nodes that share a degree."""
    return k_of([degree_of(node, n, edges, directed) for node in range(n)])
