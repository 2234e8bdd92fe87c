"""Random small temporal graphs, whose degrees over time are judged by the definitions."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.oracles import definitions as by
from tests.oracles.trial import Expected, Trial
from verifier.readers.timelines import TemporalEvidence, Timeline
from verifier.temporal.degrees import find_degree_trajectory, find_temporal_k_degree
from verifier.verdict.verdict import Finding, Verdict

Edges = tuple[tuple[int, int], ...]
_FINDERS: dict[str, Callable[[dict[str, Any], TemporalEvidence], Finding]] = {
    "temporal_k_degree_anonymity": find_temporal_k_degree,
    "degree_trajectory_anonymity": find_degree_trajectory,
}


@dataclass(frozen=True)
class Film:
    """Graphs over the same nodes, one after the other."""

    n: int
    pictures: tuple[Edges, ...]
    directed: bool

    @property
    def evidence(self) -> TemporalEvidence:
        rows = [(u, v, time) for time, edges in enumerate(self.pictures) for u, v in edges]
        columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return TemporalEvidence({}, Timeline(self.n, len(self.pictures), self.directed, *columns), "")

    def degrees(self, time: int) -> list[tuple[int, ...]]:
        """The degree of every node in a snapshot: in-degree and out-degree, or both together."""
        return [by.degree_of(node, self.n, self.pictures[time], self.directed) for node in range(self.n)]


@dataclass(frozen=True)
class FilmTrial(Trial):
    """One temporal graph for the verifier."""

    film: Film | None = None

    def verdict(self) -> Verdict:
        assert self.film is not None
        guarantee = self.policy["guarantees"][0]
        return Verdict((_FINDERS[guarantee["model"]](guarantee, self.film.evidence),))


def draw_film(rng: random.Random, directed: bool) -> Film:
    """A few snapshots that are repeated, some of them with permuted nodes."""
    n = rng.randint(1, 8)
    scenes = [_draw_scene(rng, n, directed) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    pictures = []
    for scene in scenes:
        for _ in range(rng.choice((1, 2, 2, 3, 4))):
            names = list(range(n))
            if rng.random() < 0.25:
                rng.shuffle(names)
            pictures.append(tuple((names[u], names[v]) for u, v in scene))
    rng.shuffle(pictures)
    return Film(n, tuple(pictures), directed)


def _draw_scene(rng: random.Random, n: int, directed: bool) -> Edges:
    """Nothing, a circle, two copies of something, or edges drawn at random."""
    pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]
    shape = rng.randrange(5)
    if shape == 0:
        return ()
    if shape == 1 and n > 2:
        return tuple((u, (u + 1) % n) for u in range(n))
    if shape == 2:
        return tuple(pair for pair in pairs if rng.random() < rng.choice((0.2, 0.5)))
    half = n // 2
    some = [(u, v) for u, v in pairs if max(u, v) < half and rng.random() < 0.6]
    return (*some, *((u + half, v + half) for u, v in some))


Expect = Callable[[Film, dict[str, Any]], Expected]


def film_trial(film: Film, guarantee: dict[str, Any], expect: Expect) -> Trial:
    return FilmTrial(
        {"kind": "temporal_graph", "guarantees": [guarantee]},
        list,
        expect(film, guarantee),
        directed=film.directed,
        spoil=lambda rng: _spoilt(rng, film, guarantee, expect),
        film=film,
    )


def _spoilt(rng: random.Random, film: Film, guarantee: dict[str, Any], expect: Expect) -> Trial | None:
    """The same with one edge removed or added in one snapshot."""
    time = rng.randrange(len(film.pictures))
    edges = list(film.pictures[time])
    if edges and rng.random() < 0.5:
        edges.pop(rng.randrange(len(edges)))
    else:
        pair = rng.randrange(film.n), rng.randrange(film.n)
        if pair[0] == pair[1] or by.linked(*pair, edges, film.directed):
            return None
        edges.append(pair)
    pictures = (*film.pictures[:time], tuple(edges), *film.pictures[time + 1 :])
    return film_trial(replace(film, pictures=pictures), guarantee, expect)


def temporal_k_degree(directed: bool, recurrence: str, directions: str = "pairs") -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        film = draw_film(rng, directed)
        guarantee = {"model": "temporal_k_degree_anonymity", "recurrence": recurrence, "directed": directions}
        reached = expect_moments(film, {**guarantee, "k": 2}).exact["k"]
        k = max(2, reached + rng.choice((-1, 0, 0, 1)))
        return film_trial(film, {**guarantee, "k": k}, expect_moments)

    return trial


def expect_moments(film: Film, guarantee: dict[str, Any]) -> Expected:
    """In every snapshot each degree at least k times; each list of degrees in at least k snapshots."""
    nodes, snapshots = film.n, len(film.pictures)
    for sides in _sides(film, guarantee["directed"]):
        seen = [[tuple(degree[side] for side in sides) for degree in film.degrees(time)] for time in _times(film)]
        nodes = min(nodes, *(by.k_of(row) for row in seen))
        rows = seen if guarantee["recurrence"] == "vector" else [sorted(row) for row in seen]
        snapshots = min(snapshots, *(rows.count(row) for row in rows))
    reached = {"k": min(nodes, snapshots), "nodes": nodes, "snapshots": snapshots}
    return Expected(reached["k"] >= guarantee["k"], {**reached, "smallest_trajectory": _smallest_trajectory(film)})


def _sides(film: Film, directions: str) -> list[tuple[int, ...]]:
    """Which parts of a degree are known together."""
    if not film.directed:
        return [(0,)]
    return [(0, 1)] if directions == "pairs" else [(0,), (1,)]


def _times(film: Film) -> range:
    return range(len(film.pictures))


def degree_trajectory(directed: bool) -> Callable[[random.Random], Trial]:
    def trial(rng: random.Random) -> Trial:
        film = draw_film(rng, directed)
        k = max(2, _smallest_trajectory(film) + rng.choice((-1, 0, 0, 1)))
        return film_trial(film, {"model": "degree_trajectory_anonymity", "k": k}, expect_trajectory)

    return trial


def expect_trajectory(film: Film, guarantee: dict[str, Any]) -> Expected:
    reached = _smallest_trajectory(film)
    return Expected(reached >= guarantee["k"], {"k": reached, "smallest_trajectory": reached})


def _smallest_trajectory(film: Film) -> int:
    rows = [film.degrees(time) for time in _times(film)]
    return by.k_of([tuple(row[node] for row in rows) for node in range(film.n)])
