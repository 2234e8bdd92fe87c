"""Findings about neighborhoods: which nodes have isomorphic surroundings.

Zhou and Pei, "Preserving Privacy in Social Networks Against Neighborhood Attacks", ICDE 2008. Only structure is
compared, unless nodes have labels: then an isomorphism must keep the labels.

The ball of a node contains the nodes within a number of steps and all edges among them, with the node itself as its
center. Many balls are processed side by side, and their nodes are distinguished by colors: first the center, then
repeatedly by the colors of the neighbors. If colors no longer separate the nodes of a ball, one node of a color is
singled out, or all nodes of a color if they are interchangeable. The result is an order of the ball's nodes; balls with
the same edges in that order are isomorphic. Other balls may still be isomorphic: a search decides this, within a
limit. Sums of hashes only guide the work; they are never taken as proof of an isomorphism.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.evidence.models import Whole
from verifier.structures.structure import Links, links
from verifier.verdict.arrays import distinct
from verifier.verdict.watch import look

MOST_LINKS = 400_000_000
"""Most links of the balls' nodes that are examined, over all balls and rounds."""
MOST_TRIES = 300_000
"""Most assignments of one node to another in the search for isomorphisms."""
_BATCH = 2_000_000
"""Number of links that are processed together."""

Hashes = NDArray[np.uint64]


class _TooMuch(Exception):
    """The limit is reached."""


@dataclass
class _Work:
    """The remaining work within the limits."""

    links: int
    tries: int

    def look(self, count: int) -> None:
        look()
        self.links -= count
        if self.links < 0:
            raise _TooMuch

    def attempt(self) -> None:
        look()
        self.tries -= 1
        if self.tries < 0:
            raise _TooMuch


def smallest_group(
    n: int, sources: Whole, targets: Whole, radius: int, labels: Whole | None = None
) -> tuple[int, bool]:
    """The size of the smallest group of nodes with isomorphic balls, and whether it is exact or only a bound.

    If nodes have labels, an isomorphism must keep them.
    """
    around = links(n, sources, targets, directed=False)[0]
    labels = np.zeros(n, np.int64) if labels is None else labels
    work = _Work(MOST_LINKS, MOST_TRIES)
    forms: dict[bytes, list[int]] = {}
    try:
        for ball in _balls(around, radius, labels, work):
            for form, middle in zip(_forms(ball, work), ball.middles.tolist(), strict=True):
                forms.setdefault(form, []).append(middle)
    except _TooMuch:
        return 0, False
    return _merged(around, radius, labels, forms, work)


@dataclass
class _Balls:
    """Some balls side by side: their nodes, ball by ball, and the links between them, node by node."""

    middles: Whole
    ball: Whole
    """The ball of every node."""
    color: Whole
    """Colors of a ball's nodes, from 0."""
    label: Whole
    """Labels of the nodes, with the same meaning in all balls."""
    ends: tuple[Whole, Whole]

    @property
    def starts(self) -> Whole:
        """Position where each ball begins."""
        return np.searchsorted(self.ball, np.arange(len(self.middles) + 1))


def _spread(around: Links, nodes: Whole) -> tuple[Whole, Whole]:
    """All neighbors of some nodes in sequence, and for each the position of the node whose neighbor it is."""
    counts = np.diff(around.bounds)[nodes]
    place = np.repeat(np.arange(len(nodes)), counts)
    inside = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return around.others[around.bounds[nodes][place] + inside], place


def _balls(around: Links, radius: int, labels: Whole, work: _Work) -> Iterator[_Balls]:
    """The balls of all nodes, in batches."""
    n = len(around.bounds) - 1
    degrees = np.diff(around.bounds)
    weight = np.bincount(around.nodes, weights=degrees[around.others], minlength=n).astype(np.int64) + degrees + 1
    if radius > 1:
        weight = np.full(n, min(_BATCH, n + int(degrees.sum())))
    for middles in np.split(np.arange(n), np.flatnonzero(np.diff(np.cumsum(weight) // _BATCH)) + 1):
        keys = np.arange(len(middles)) * n + middles
        for _ in range(min(radius, n)):
            work.look(int(degrees[keys % n].sum()))
            reached, place = _spread(around, keys % n)
            wider = distinct(np.concatenate([keys, keys[place] // n * n + reached]))
            if len(wider) == len(keys):
                break
            keys = wider
        yield _drawn(around, n, middles, keys, labels, work)


def _drawn(around: Links, n: int, middles: Whole, keys: Whole, labels: Whole, work: _Work) -> _Balls:
    """Build balls from their nodes, given as sorted numbers ball · n + node."""
    ball, node = keys // n, keys % n
    work.look(int(np.diff(around.bounds)[node].sum()))
    other, place = _spread(around, node)
    wanted = ball[place] * n + other
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    inside = keys[found] == wanted
    color = (node != middles[ball]).astype(np.int64)
    balls = _Balls(middles, ball, color, labels[node], (place[inside], found[inside]))
    balls.color = _recolored(balls, balls.label)
    return balls


def _forms(balls: _Balls, work: _Work) -> list[bytes]:
    """A text for every ball that isomorphic balls usually share, and others never."""
    done = np.empty(len(balls.middles), dtype=object)
    left, part = np.arange(len(balls.middles)), balls
    first: Hashes | None = None
    for _ in range(2 * len(balls.ball) + 2):
        invariant = _refine(part, work)
        first = invariant if first is None else first  # later ones depend on which nodes were singled out
        sizes = np.diff(part.starts)
        settled = np.bincount(part.ball[_alone(part)], minlength=len(left)) == sizes
        for ball, text in _texts(part, settled):
            done[left[ball]] = first[left[ball]].tobytes() + text
        if settled.all():
            break
        left, part = left[~settled], _restricted(part, ~settled)
        _part_exchangeable(part)
        _set_one_apart(part)
    return list(done)


def _mixed(numbers: Hashes) -> Hashes:
    """Numbers scattered over 64 bits."""
    # The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): colors are small numbers, whose plain sums
    # would often be equal by chance.
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def _recolored(balls: _Balls, *keys: NDArray[Any]) -> Whole:
    """New colors within each ball: by the old colors, then by the keys."""
    order = np.lexsort((*reversed(keys), balls.color, balls.ball))
    ball = balls.ball[order]
    changes = np.zeros(len(order), bool)
    for key in (balls.color, *keys):
        changes[1:] |= key[order][1:] != key[order][:-1]
    begins = np.append(True, ball[1:] != ball[:-1])
    rank = np.cumsum(changes & ~begins)
    color = np.empty(len(order), np.int64)
    color[order] = rank - rank[begins][np.cumsum(begins) - 1]
    return color


def _refine(balls: _Balls, work: _Work) -> Hashes:
    """Split colors by the colors of the neighbors until nothing changes; returns a hash that isomorphic balls share."""
    source, target = balls.ends
    begins = np.flatnonzero(np.append(True, source[1:] != source[:-1])[: len(source)])
    count = -1
    while True:
        work.look(len(source) + len(balls.ball))
        # A sum of scattered colors does not depend on the order of the neighbors. It wraps around, which does no harm.
        seen = np.zeros(len(balls.ball), np.uint64)
        if len(source):
            seen[source[begins]] = np.add.reduceat(_mixed(balls.color[target].astype(np.uint64)), begins)
        balls.color = _recolored(balls, seen)
        found = int(np.count_nonzero(_firsts(balls)))
        if found == count:
            break
        count = found
    hashed = _mixed(seen ^ _mixed(balls.color.astype(np.uint64)) ^ _mixed(_mixed(balls.label.astype(np.uint64))))
    return np.asarray(np.add.reduceat(hashed, balls.starts[:-1]))


def _classes(balls: _Balls) -> Whole:
    """A number for every node, shared by the nodes of the same ball and color."""
    return np.asarray(balls.starts[balls.ball] + balls.color)


def _firsts(balls: _Balls) -> NDArray[np.bool_]:
    """One node of every color of every ball."""
    chosen = np.zeros(len(balls.ball), bool)
    chosen[np.unique(_classes(balls), return_index=True)[1]] = True
    return chosen


def _alone(balls: _Balls) -> NDArray[np.bool_]:
    """The nodes whose color no other node of their ball has."""
    classes = _classes(balls)
    return np.asarray(np.bincount(classes, minlength=len(classes))[classes] == 1)


def _texts(balls: _Balls, chosen: NDArray[np.bool_]) -> Iterator[tuple[int, bytes]]:
    """The chosen balls, whose nodes all have different colors, with labels and edges in the order of the colors."""
    source, target = balls.ends
    starts, size = balls.starts, len(balls.ball) + 1
    wanted = chosen[balls.ball[source]] & (balls.color[source] < balls.color[target])
    ball = balls.ball[source[wanted]]
    edges = balls.color[source[wanted]] * size + balls.color[target[wanted]]
    order = np.lexsort((edges, ball))
    pairs = np.stack([edges[order] // size, edges[order] % size], axis=1)
    bounds = np.searchsorted(ball[order], np.arange(len(balls.middles) + 1))
    labels = balls.label[np.lexsort((balls.color, balls.ball))]
    for number in np.flatnonzero(chosen).tolist():
        drawn = (
            labels[starts[number] : starts[number + 1]].tobytes() + pairs[bounds[number] : bounds[number + 1]].tobytes()
        )
        yield number, hashlib.sha256(int(starts[number + 1] - starts[number]).to_bytes(8, "big") + drawn).digest()


def _restricted(balls: _Balls, kept: NDArray[np.bool_]) -> _Balls:
    """Some of the balls."""
    stays = kept[balls.ball]
    place = np.cumsum(stays) - 1
    links_kept = stays[balls.ends[0]]
    ends = place[balls.ends[0][links_kept]], place[balls.ends[1][links_kept]]
    ball = (np.cumsum(kept) - 1)[balls.ball[stays]]
    return _Balls(balls.middles[kept], ball, balls.color[stays], balls.label[stays], ends)


def _part_exchangeable(balls: _Balls) -> None:
    """Give the nodes of a color distinct colors if each is joined to all or none of the nodes of every color.

    Such nodes are interchangeable: their order does not matter.
    """
    source, target = balls.ends
    nodes = len(balls.ball)
    classes = _classes(balls)
    sizes = np.bincount(classes, minlength=nodes)
    pairs, counts = np.unique(source * nodes + classes[target], return_counts=True)
    node, around = pairs // nodes, pairs % nodes
    mixed = np.zeros(nodes, bool)
    mixed[node[counts != sizes[around] - (classes[node] == around)]] = True
    exchangeable = np.bincount(classes, weights=mixed, minlength=nodes)[classes] == 0
    balls.color = _recolored(balls, np.where(exchangeable, np.arange(nodes), 0))


def _set_one_apart(balls: _Balls) -> None:
    """In every ball with several nodes of one color, give one node of the first such color a new color."""
    shared = np.flatnonzero(~_alone(balls))
    if not len(shared):
        return
    order = shared[np.lexsort((balls.color[shared], balls.ball[shared]))]
    ball = balls.ball[order]
    chosen = order[np.append(True, ball[1:] != ball[:-1])]
    after = np.ones(len(balls.ball), np.int64)
    after[chosen] = 0
    balls.color = _recolored(balls, after)


# Balls whose order of nodes does not decide whether they are isomorphic


def _merged(
    around: Links, radius: int, labels: Whole, forms: Mapping[bytes, list[int]], work: _Work
) -> tuple[int, bool]:
    """The size of the smallest group after groups with isomorphic balls are merged."""
    alike: dict[bytes, list[bytes]] = {}
    for form in forms:
        alike.setdefault(form[:8], []).append(form)
    smallest, exactly = len(around.bounds), True
    for kinds in alike.values():
        sizes = [len(forms[form]) for form in kinds]
        if len(kinds) > 1:
            drawn = [_picture(around, forms[form][0], radius, labels) for form in kinds]
            sizes, settled = _put_together(drawn, sizes, work)
            exactly = exactly and settled
        smallest = min(smallest, *sizes)
    return smallest, exactly


def _put_together(drawn: list["_Picture"], sizes: list[int], work: _Work) -> tuple[list[int], bool]:
    """The sizes of the groups after merging, and whether the search for isomorphisms was complete."""
    kept: list[int] = []
    total = dict(enumerate(sizes))
    try:
        for place, picture in enumerate(drawn):
            same = next((other for other in kept if _isomorphic(drawn[other], picture, work)), None)
            if same is None:
                kept.append(place)
            else:
                total[same] += total.pop(place)
    except _TooMuch:
        return list(total.values()), False
    return list(total.values()), True


@dataclass(frozen=True)
class _Picture:
    """One ball: for every node, its neighbors as the bits of a number, and its label; the center is node 0."""

    joined: list[int]
    labels: list[int]


def _picture(around: Links, middle: int, radius: int, labels: Whole) -> _Picture:
    bounds, others = around.bounds, around.others
    place = {middle: 0}
    rim = [middle]
    for _ in range(radius):
        found = [other for node in rim for other in others[bounds[node] : bounds[node + 1]].tolist()]
        rim = [other for other in dict.fromkeys(found) if other not in place]
        place |= {other: len(place) + step for step, other in enumerate(rim)}
    joined = []
    for node in place:
        near = others[bounds[node] : bounds[node + 1]].tolist()
        joined.append(sum(1 << place[other] for other in near if other in place))
    return _Picture(joined, labels[list(place)].tolist())


def _isomorphic(first: _Picture, second: _Picture, work: _Work) -> bool:
    """Whether one ball can be mapped to the other, center to center: a backtracking search, node by node."""
    colors, other = _common_colors(first, second)
    if sorted(colors) != sorted(other):
        return False
    size = len(colors)
    # Nodes of rare colors have few possible images: mapped first, wrong choices fail early.
    rare = sorted(range(size), key=lambda node: (colors.count(colors[node]), node))
    candidates = {color: sum(1 << v for v in range(size) if other[v] == color) for color in set(colors)}
    images: list[int] = []
    open_to = [candidates[colors[rare[0]]]]
    while open_to:
        if not open_to[-1]:
            open_to.pop()
            if images:
                images.pop()
            continue
        image = (open_to[-1] & -open_to[-1]).bit_length() - 1
        open_to[-1] &= open_to[-1] - 1
        work.attempt()
        images.append(image)
        if len(images) == size:
            return True
        open_to.append(_fitting(first, second, rare, images, candidates[colors[rare[len(images)]]]))
    return False


def _fitting(first: _Picture, second: _Picture, order: list[int], images: list[int], among: int) -> int:
    """The nodes to which the next node may be mapped, as bits."""
    node = order[len(images)]
    for place, image in enumerate(images):
        linked = first.joined[node] >> order[place] & 1
        among &= second.joined[image] if linked else ~second.joined[image]
        among &= ~(1 << image)
    return among


def _common_colors(first: _Picture, second: _Picture) -> tuple[list[int], list[int]]:
    """Colors of the nodes of two balls by the colors of their neighbors, with the same meaning in both."""
    colors: list[list[Any]] = [
        [(int(node > 0), label) for node, label in enumerate(picture.labels)] for picture in (first, second)
    ]
    count = 0
    while True:
        look()
        keys = [
            [
                (own[node], tuple(sorted(own[v] for v in range(len(own)) if mask >> v & 1)))
                for node, mask in enumerate(picture.joined)
            ]
            for picture, own in zip((first, second), colors, strict=True)
        ]
        names = {key: name for name, key in enumerate(sorted({key for each in keys for key in each}))}
        colors = [[names[key] for key in each] for each in keys]
        if len(names) == count:
            return colors[0], colors[1]
        count = len(names)
