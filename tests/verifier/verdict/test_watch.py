"""The verifier's watch: it is called at least once a second, on any input, and its exceptions propagate."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from tests.patience import shortest
from verifier import Artifact, verify

LONGEST = 2.0
"""Most CPU seconds between two calls; the promise is one."""
Trial = tuple[dict[str, Any], list[Artifact], dict[str, Any] | None]


class Stop(Exception):
    """The verdict is no longer wanted."""


class Meter:
    """Records the longest time without a call, and raises after some seconds."""

    def __init__(self, seconds: float) -> None:
        self.longest, self.looks = 0.0, 0
        self._seconds = seconds
        self._began = self._last = time.thread_time()

    def __call__(self) -> None:
        now = time.thread_time()
        self.looks, self.longest, self._last = self.looks + 1, max(self.longest, now - self._last), now
        if now - self._began > self._seconds:
            raise Stop

    def stop(self) -> None:
        self.longest = max(self.longest, time.thread_time() - self._last)


def population(people: int) -> Trial:
    """People who all differ, with one label for each person."""
    rng = np.random.default_rng(1)
    ages = [json.dumps([int(low), int(low) + 3]) for low in rng.integers(0, people, people)]
    towns = [json.dumps([f"t{place}", f"t{(place + 1) % people}"]).replace('"', '""') for place in range(people)]
    rows = "".join(f'"{age}","{town}"\n' for age, town in zip(ages, towns, strict=True))
    columns = {
        "age": {"codes": list(range(people)), "values": [str(n) for n in range(people)], "type": "integer"},
        "town": {
            "codes": rng.permutation(people).tolist(),
            "values": [f"t{n}" for n in range(people)],
            "type": "text",
        },
    }
    policy = {
        "kind": "table",
        "attributes": {"age": {"role": "quasi_identifier"}, "town": {"role": "quasi_identifier"}},
        "guarantees": [
            {"model": "k_map", "k": 2, "population": "p"},
            {"model": "delta_presence", "maximum": 0.5, "population": "p"},
        ],
    }
    return (
        policy,
        [Artifact("csv", "table", f"age,town\n{rows}".encode())],
        {"populations": {"p": {"columns": columns}}},
    )


def graph(n: int, edges: list[tuple[int, int]], *guarantees: dict[str, Any]) -> Trial:
    listed = "".join(f"{source},{target}\n" for source, target in edges)
    nodes = "".join(f"{node}\n" for node in range(n))
    artifacts = [
        Artifact("edgelist", "graph", f"source,target\n{listed}".encode()),
        Artifact("csv", "nodes", f"node\n{nodes}".encode()),
    ]
    policy = {"kind": "graph", "guarantees": list(guarantees), "method": {"name": "k_degree"}}
    return policy, artifacts, None


def star(n: int, *guarantees: dict[str, Any]) -> Trial:
    return graph(n, [(0, node) for node in range(1, n)], *guarantees)


def clique(n: int, *guarantees: dict[str, Any]) -> Trial:
    return graph(n, [(one, other) for one in range(n) for other in range(one + 1, n)], *guarantees)


STRUCTURE = (
    {"model": "k_degree_anonymity", "k": 2},
    {"model": "k_candidate_anonymity", "k": 2, "query": "H4"},
    {"model": "k_neighborhood_anonymity", "k": 2},
    {"model": "neighborhood_twins", "k": 2},
    {"model": "kl_anonymity", "k": 2, "l": 2, "definition": "indices"},
)
TRIALS: dict[str, Callable[[], Trial]] = {
    "population": lambda: population(4_000),
    "star": lambda: star(4_000, *STRUCTURE),
    "clique": lambda: clique(150, *STRUCTURE),
}


@pytest.mark.parametrize("name", TRIALS)
def test_a_look_is_never_far_away(name: str) -> None:
    policy, artifacts, sealed_map = TRIALS[name]()

    def measure() -> float:
        meter = Meter(10.0)
        with suppress(Stop):
            verify(policy, artifacts, sealed_map, watch=meter)
        meter.stop()
        assert meter.looks > 3
        return meter.longest

    assert shortest(measure, LONGEST) < LONGEST


@pytest.mark.parametrize("name", TRIALS)
def test_raising_from_the_watch_gets_out_at_once(name: str) -> None:
    policy, artifacts, sealed_map = TRIALS[name]()

    def watch() -> None:
        raise Stop

    with pytest.raises(Stop):
        verify(policy, artifacts, sealed_map, watch=watch)


def test_a_population_is_judged_in_time_that_grows_with_people_and_not_with_their_square() -> None:
    """Labels times values took 83 seconds of CPU for these; a machine ten times slower still stays below that."""
    policy, artifacts, sealed_map = population(4_000)

    def measure() -> float:
        began = time.thread_time()
        verify(policy, artifacts, sealed_map)
        return time.thread_time() - began

    assert shortest(measure, 8.0) < 8.0
