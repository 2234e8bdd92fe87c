"""Isomorphic neighborhoods step by step: balls, colors, the backtracking search, and the cost limit of each step."""

import hashlib
from itertools import combinations_with_replacement

import networkx as nx
import numpy as np
import pytest

from tests.verifier.structures.test_neighborhoods import around_a_hub
from verifier.evidence.evidence import Evidence
from verifier.judges import find
from verifier.readers.networks import Network
from verifier.structures import neighborhoods
from verifier.structures.neighborhoods import (
    _Balls,
    _balls,
    _common_colors,
    _drawn,
    _forms,
    _isomorphic,
    _merged,
    _mixed,
    _Picture,
    _picture,
    _put_together,
    _recolored,
    _refine,
    _restricted,
    _set_one_apart,
    _texts,
    _TooMuch,
    _Work,
    smallest_group,
)
from verifier.structures.structure import Links, links
from verifier.verdict.watch import watched_by

PATH, STAR = nx.path_graph(4), nx.star_graph(5)
UNLABELED = np.zeros(100, np.int64)


def linked(network: nx.Graph) -> Links:
    ends = np.array(list(network.edges), np.int64).reshape(-1, 2)
    return links(len(network), ends[:, 0], ends[:, 1], directed=False)[0]


def plenty() -> _Work:
    return _Work(10**6, 10**6)


def spent(work: _Work) -> tuple[int, int]:
    return 10**6 - work.links, 10**6 - work.tries


def shuffled(network: nx.Graph, seed: int) -> nx.Graph:
    names = np.random.default_rng(seed).permutation(len(network)).tolist()
    return nx.relabel_nodes(network, dict(enumerate(names)))


def group(network: nx.Graph, radius: int = 1) -> tuple[int, bool]:
    ends = np.array(list(network.edges), np.int64).reshape(-1, 2)
    return smallest_group(len(network), ends[:, 0], ends[:, 1], radius)


def test_the_limits_may_be_reached_and_not_passed() -> None:
    work = _Work(5, 2)
    work.look(3)
    work.look(2)
    with pytest.raises(_TooMuch):
        work.look(1)
    work.attempt()
    work.attempt()
    with pytest.raises(_TooMuch):
        work.attempt()


def test_numbers_are_scattered_as_published() -> None:
    """The first three numbers of the generator splitmix64 from the state 0, by its authors' program."""
    step = 0x9E3779B97F4A7C15
    states = np.array([0, step, 2 * step % 2**64], np.uint64)
    assert [hex(number) for number in _mixed(states).tolist()] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


def test_balls_of_a_path() -> None:
    work = plenty()
    (balls,) = _balls(linked(PATH), 1, UNLABELED, work)
    assert balls.middles.tolist() == [0, 1, 2, 3]
    assert balls.ball.tolist() == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
    # Nodes 0 1 | 0 1 2 | 1 2 3 | 2 3: the middle has color 0.
    assert balls.color.tolist() == [0, 1, 1, 0, 1, 1, 0, 1, 1, 0]
    pairs = list(zip(*(ends.tolist() for ends in balls.ends), strict=True))
    assert pairs == [(0, 1), (1, 0), (2, 3), (3, 2), (3, 4), (4, 3), (5, 6), (6, 5), (6, 7), (7, 6), (8, 9), (9, 8)]
    assert balls.starts.tolist() == [0, 2, 5, 8, 10]
    # Six links of the middles, and of the nodes in the balls 3 + 5 + 5 + 3.
    assert spent(work) == (22, 0)


@pytest.mark.parametrize(
    ("network", "radius", "sizes", "cost"),
    [
        (PATH, 1, [2, 3, 3, 2], 6 + 16),
        (PATH, 2, [3, 4, 4, 3], 6 + 16 + 22),
        (PATH, 3, [4, 4, 4, 4], 6 + 16 + 22 + 24),
        (PATH, 50, [4, 4, 4, 4], 6 + 16 + 22 + 24 + 24),
        (nx.Graph([(0, 1), (2, 3)]), 50, [2, 2, 2, 2], 4 + 8 + 8),
        (nx.empty_graph(2), 3, [1, 1], 0),
    ],
)
def test_balls_grow_until_the_radius_or_until_nothing_is_left(
    network: nx.Graph, radius: int, sizes: list[int], cost: int
) -> None:
    work = plenty()
    (balls,) = _balls(linked(network), radius, UNLABELED, work)
    assert np.diff(balls.starts).tolist() == sizes
    assert spent(work) == (cost, 0)


@pytest.mark.parametrize(
    ("batch", "radius", "parts"),
    [
        # The links of a ball of radius 1 and their ends: 11 for the hub, 7 for a leaf.
        (20, 1, [[0, 1], [2, 3, 4], [5]]),
        (46, 1, [[0, 1, 2, 3, 4], [5]]),
        (47, 1, [[0, 1, 2, 3, 4, 5]]),
        # Beyond that at most all 16 nodes and links.
        (20, 2, [[0], [1], [2], [3], [4, 5]]),
        (10, 2, [[0], [1], [2], [3], [4], [5]]),
        (33, 3, [[0, 1], [2, 3], [4, 5]]),
    ],
)
def test_balls_come_in_parts_that_fit_into_memory(
    monkeypatch: pytest.MonkeyPatch, batch: int, radius: int, parts: list[list[int]]
) -> None:
    monkeypatch.setattr(neighborhoods, "_BATCH", batch)
    assert [balls.middles.tolist() for balls in _balls(linked(STAR), radius, UNLABELED, plenty())] == parts


def test_a_new_color_is_one_within_its_ball() -> None:
    balls = _drawn(linked(PATH), 4, np.array([1, 2]), np.array([0, 1, 2, 4 + 1, 4 + 2, 4 + 3]), UNLABELED, plenty())
    assert balls.color.tolist() == [1, 0, 1, 1, 0, 1]
    assert _recolored(balls, np.array([5, 5, 5, 5, 5, 5])).tolist() == [1, 0, 1, 1, 0, 1]
    assert _recolored(balls, np.array([7, 5, 6, 6, 5, 6])).tolist() == [2, 0, 1, 1, 0, 1]
    assert _recolored(balls, np.array([1, 9, 1, 1, 9, 2]), np.array([4, 0, 3, 0, 0, 0])).tolist() == [2, 0, 1, 1, 0, 2]


def hub_of(network: nx.Graph, middle: int) -> _Balls:
    """The ball of a node that is joined to all others."""
    n = len(network)
    return _drawn(linked(network), n, np.array([middle]), np.arange(n), UNLABELED, plenty())


def test_nodes_that_may_be_exchanged_are_parted_at_once() -> None:
    """To set sixty leaves apart one by one would take sixty rounds of 181 links and nodes, twice each."""
    assert _forms(hub_of(nx.star_graph(60), 0), _Work(2_000, 0))
    # Two cliques: exchanged at will only within each. Every round looks at 50 links and 11 nodes.
    cliques = around_a_hub(nx.complete_graph(5), nx.complete_graph(5))
    work = plenty()
    assert _forms(hub_of(cliques, 10), work)
    assert spent(work)[0] < 10 * (60 + 11)


def test_a_form_is_that_of_isomorphic_balls_alone() -> None:
    one, other = around_a_hub(nx.path_graph(4)), around_a_hub(nx.star_graph(3))
    networks = [one, shuffled(one, 1), shuffled(one, 2), other, shuffled(other, 3)]
    middles = [4, *(int(np.random.default_rng(seed).permutation(5)[4]) for seed in (1, 2)), 4]
    middles.append(int(np.random.default_rng(3).permutation(5)[4]))
    forms = [_forms(hub_of(*each), plenty()) for each in zip(networks, middles, strict=True)]
    found = [form for (form,) in forms]
    assert found[0] == found[1] == found[2] != found[3] == found[4]
    assert {len(form) for form in found} == {8 + 32}


def rooted(network: nx.Graph, middle: int, radius: int = 9) -> _Picture:
    return _picture(linked(network), middle, radius, UNLABELED)


def test_a_picture_is_a_ball_with_its_middle_first() -> None:
    assert rooted(PATH, 1, 1).joined == [0b110, 0b001, 0b001]
    assert rooted(PATH, 1, 2).joined == [0b0110, 0b0001, 0b1001, 0b0100]
    assert rooted(PATH, 3, 0).joined == [0]
    assert rooted(nx.cycle_graph(3), 2, 1).joined == [0b110, 0b101, 0b011]


def graph_of(picture: _Picture) -> nx.Graph:
    network = nx.Graph()
    network.add_nodes_from((node, {"middle": node == 0}) for node in range(len(picture.joined)))
    network.add_edges_from((u, v) for u, row in enumerate(picture.joined) for v in network if row >> v & 1)
    return network


FRUCHT = nx.frucht_graph()
RIMS = [
    (nx.cycle_graph(6),),
    (nx.cycle_graph(3), nx.cycle_graph(3)),
    (nx.cycle_graph(3), nx.cycle_graph(4)),
    (nx.cycle_graph(7),),
    (nx.complete_bipartite_graph(3, 3),),
    (nx.circular_ladder_graph(3),),
    (nx.path_graph(6),),
    (nx.path_graph(3), nx.path_graph(3)),
    (nx.empty_graph(6),),
]
PICTURES = [
    *(rooted(around_a_hub(*rims), sum(map(len, rims)), 1) for rims in RIMS),
    *(rooted(shuffled(FRUCHT, seed), middle) for seed, middle in ((1, 0), (2, 3), (3, 5))),
    rooted(nx.cubical_graph(), 3),
    rooted(nx.path_graph(7), 0),
    rooted(nx.path_graph(7), 3),
]


def test_the_search_agrees_with_networkx() -> None:
    for one, other in combinations_with_replacement(PICTURES, 2):
        same = nx.vf2pp_is_isomorphic(graph_of(one), graph_of(other), node_label="middle")
        assert _isomorphic(one, other, plenty()) == same, (one, other)


def test_a_ball_is_found_again_under_other_names() -> None:
    for rims in RIMS:
        network = around_a_hub(*rims)
        for seed in range(4):
            middle = np.random.default_rng(seed).permutation(len(network)).tolist()[-1]
            again = rooted(shuffled(network, seed), middle, 1)
            assert _isomorphic(rooted(network, len(network) - 1, 1), again, plenty()), (rims, seed)


def test_middle_must_lie_on_middle() -> None:
    """In Frucht's graph all nodes have three links and no two stand alike: only the middle tells the balls apart."""
    roots = [rooted(FRUCHT, node) for node in range(5)]
    for node, root in enumerate(roots):
        assert [_isomorphic(root, other, plenty()) for other in roots] == [node == other for other in range(5)]
    assert group(FRUCHT, 4) == (1, True)
    assert group(nx.disjoint_union(FRUCHT, shuffled(FRUCHT, 5)), 4) == (2, True)


def test_colors_have_one_meaning_in_both_balls() -> None:
    path, star = rooted(PATH, 0), rooted(nx.star_graph(3), 0)
    # By their own color and those around: the middle, the inner nodes by their distance, the other end.
    one, other = _common_colors(path, rooted(shuffled(PATH, 4), int(np.random.default_rng(4).permutation(4)[0])))
    assert len(set(one)) == 4
    assert sorted(one) == sorted(other)
    one, other = _common_colors(path, star)
    assert len(set(one)) == 4
    assert len(set(other)) == 2
    assert set(one).isdisjoint(other)


def test_the_search_gives_up_at_its_limit_and_needs_no_more_than_it_says() -> None:
    one, other = rooted(around_a_hub(*RIMS[0]), 6, 1), rooted(shuffled(around_a_hub(*RIMS[0]), 7), 0, 1)
    circle = rooted(around_a_hub(nx.cycle_graph(6)), 6, 1)
    work = plenty()
    assert _isomorphic(one, circle, work)
    # Laid on itself in one order, every node fits at once.
    assert spent(work) == (0, 7)
    assert _isomorphic(one, circle, _Work(0, 7))
    with pytest.raises(_TooMuch):
        _isomorphic(one, circle, _Work(0, 6))
    work = plenty()
    assert not _isomorphic(one, _Picture(other.joined[:-1], other.labels[:-1]), work)
    assert spent(work) == (0, 0), "other colors need no search"


def test_groups_are_put_together_where_their_balls_are_alike() -> None:
    hexagon, triangles = (rooted(around_a_hub(*rims), 6, 1) for rims in RIMS[:2])
    assert _put_together([hexagon, triangles, hexagon], [1, 2, 4], plenty()) == ([5, 2], True)
    assert _put_together([hexagon, triangles, triangles], [1, 2, 4], plenty()) == ([1, 6], True)
    assert _put_together([hexagon, hexagon, hexagon], [1, 2, 4], plenty()) == ([7], True)
    assert _put_together([hexagon, hexagon, hexagon], [1, 2, 4], _Work(0, 6)) == ([1, 2, 4], False)
    assert _put_together([hexagon, hexagon, hexagon], [1, 2, 4], _Work(0, 13)) == ([3, 4], False)


def test_only_forms_with_one_hash_are_compared() -> None:
    around = linked(nx.cycle_graph(6))
    alike = {b"one hash1": [0, 1], b"one hash2": [2, 3, 4, 5]}
    apart = {b"one hash1": [0, 1], b"two hash2": [2, 3, 4, 5]}
    assert _merged(around, 1, UNLABELED, alike, plenty()) == (6, True)
    assert _merged(around, 1, UNLABELED, apart, _Work(0, 0)) == (2, True)
    assert _merged(around, 1, UNLABELED, alike, _Work(0, 0)) == (2, False)
    both = alike | {b"two hash1": [0], b"two hash2": [1]}
    assert _merged(around, 1, UNLABELED, both, _Work(0, 3)) == (1, False)
    assert _merged(around, 1, UNLABELED, both, _Work(0, 6)) == (2, True)
    assert _merged(around, 1, UNLABELED, dict(reversed(both.items())), _Work(0, 3)) == (2, False)
    nearly = {b"one has1 ": [0, 1], b"one has2 ": [2, 3, 4, 5]}
    assert _merged(around, 1, UNLABELED, nearly, _Work(0, 0)) == (2, True)
    # What could not be settled stays so, whatever comes after it: the balls of nodes 0 and 1 differ in size.
    undecided = {b"one hash1": [1], b"one hash2": [2], b"two hash1": [0], b"two hash2": [1]}
    assert _merged(linked(PATH), 1, UNLABELED, undecided, _Work(0, 0)) == (1, False)


def drawn_by_colors(count: int, edges: list[tuple[int, int]]) -> bytes:
    """The text of a ball: how many nodes, their labels, and the edges by the colors of their ends."""
    drawn = np.zeros(count, np.int64).tobytes() + np.array(edges, np.int64).tobytes()
    return hashlib.sha256(count.to_bytes(8, "big") + drawn).digest()


def test_a_text_says_how_many_nodes_there_are_and_which_are_joined() -> None:
    (balls,) = _balls(linked(nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3)])), 1, UNLABELED, plenty())
    # Nodes 0 1 2 | 0 1 2 | 0 1 2 3 | 2 3.
    balls.color = np.array([0, 1, 2, 2, 0, 1, 3, 1, 0, 2, 1, 0])
    triangle = [(0, 1), (0, 2), (1, 2)]
    texts = {0: drawn_by_colors(3, triangle), 1: drawn_by_colors(3, triangle)}
    texts |= {2: drawn_by_colors(4, [(0, 1), (0, 2), (0, 3), (1, 3)]), 3: drawn_by_colors(2, [(0, 1)])}
    for chosen in ([True] * 4, [True, False, True, False], [False, True, False, True], [False] * 4):
        wanted = {number: text for number, text in texts.items() if chosen[number]}
        assert dict(_texts(balls, np.array(chosen))) == wanted


def test_one_node_of_every_ball_is_set_apart() -> None:
    (balls,) = _balls(linked(nx.star_graph(3)), 2, UNLABELED, plenty())
    assert balls.color.tolist() == [0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0]
    _set_one_apart(balls)
    # The first of the color that several nodes have; those that are left come after it.
    assert balls.color.tolist() == [0, 1, 2, 2, 1, 0, 2, 2, 1, 2, 0, 2, 1, 2, 2, 0]
    alone = _restricted(balls, np.array([False, True, False, False]))
    assert (alone.middles.tolist(), alone.ball.tolist()) == ([1], [0, 0, 0, 0])
    assert [ends.tolist() for ends in alone.ends] == [[0, 0, 0, 1, 2, 3], [1, 2, 3, 0, 0, 0]]
    _set_one_apart(alone)
    assert alone.color.tolist() == [1, 0, 2, 3]
    _set_one_apart(alone)
    assert alone.color.tolist() == [1, 0, 2, 3]


def test_colors_are_parted_until_nothing_changes() -> None:
    """From its end, a path of five: two colors, then four, then five, which a third round confirms."""
    path = nx.path_graph(5)
    balls = _drawn(linked(path), 5, np.array([0]), np.arange(5), UNLABELED, plenty())
    work = plenty()
    hashed = _refine(balls, work)
    assert len(set(balls.color.tolist())) == 5
    assert spent(work) == (3 * (8 + 5), 0)
    names = np.random.default_rng(1).permutation(5)
    again = _drawn(linked(shuffled(path, 1)), 5, names[:1], np.arange(5), UNLABELED, plenty())
    assert _refine(again, plenty()).tolist() == hashed.tolist()
    other = _drawn(linked(shuffled(path, 1)), 5, names[2:3], np.arange(5), UNLABELED, plenty())
    assert _refine(other, plenty()).tolist() != hashed.tolist()
    long = rooted(nx.path_graph(7), 0)
    assert len(set(_common_colors(long, long)[0])) == 7


def test_nodes_of_one_color_lie_on_nodes_of_that_color() -> None:
    """A circle of six and two triangles, each around a node of its own, and these two joined: the graph is the same
    from either of them, and no colors tell them apart."""
    network = nx.disjoint_union(around_a_hub(*RIMS[0]), around_a_hub(*RIMS[1]))
    network.add_edge(6, 13)
    one, other = rooted(network, 6), rooted(network, 13)
    colors = _common_colors(one, other)
    assert sorted(colors[0]) == sorted(colors[1])
    assert not _isomorphic(one, other, plenty())
    assert _isomorphic(one, one, plenty())
    assert _isomorphic(other, other, plenty())


def test_a_step_that_is_no_longer_wanted_is_given_up() -> None:
    def watch() -> None:
        raise InterruptedError

    picture = rooted(PATH, 0)
    steps = [lambda: plenty().look(1), lambda: plenty().attempt(), lambda: _common_colors(picture, picture)]
    for step in steps:
        with watched_by(watch), pytest.raises(InterruptedError):
            step()


def test_a_graph_that_is_undecided_is_not_settled_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """A circle holds for sure; whether the other graph does was not found out."""
    rook = nx.convert_node_labels_to_integers(nx.line_graph(nx.complete_bipartite_graph(4, 4)))
    steps = [(0, 1), (1, 0), (1, 1)]
    cells = [(a, b) for a in range(4) for b in range(4)]
    shrikhande = nx.Graph((4 * a + b, 4 * ((a + x) % 4) + (b + y) % 4) for a, b in cells for x, y in steps)
    hubs = nx.disjoint_union(around_a_hub(rook), around_a_hub(shrikhande))
    drawn = [np.array(list(network.edges), np.int64).T for network in (nx.cycle_graph(34), hubs)]
    evidence = Evidence({}, networks=[Network("edgelist", None, *ends) for ends in drawn], n=34, graph_flaw="")
    monkeypatch.setattr(neighborhoods, "MOST_TRIES", 3)
    for k in (2, 34):
        found = find({"model": "k_neighborhood_anonymity", "k": k}, evidence)
        assert (found.achieved["k"], found.detail) == (1, "it could not be decided within the limit")
    found = find({"model": "k_neighborhood_anonymity", "k": 35}, evidence)
    assert found.detail == "fewer than k nodes share a neighborhood"


def test_what_only_a_bound_shows_is_not_called_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    rook = nx.convert_node_labels_to_integers(nx.line_graph(nx.complete_bipartite_graph(4, 4)))
    hubs = nx.disjoint_union(around_a_hub(rook), around_a_hub(shuffled(rook, 3)))
    size, exactly = group(hubs)
    assert (size, exactly) == (2, True)
    monkeypatch.setattr(neighborhoods, "MOST_LINKS", 100)
    assert group(hubs) == (0, False)
