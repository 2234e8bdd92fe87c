"""The event loop: no body that is accepted, and none that is refused, keeps other clients waiting."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from service.access.routing import GuardedRoute
from service.app import ROUTERS
from service.documentation.examples import BODIES, DATASET
from tests.patience import shortest
from tests.service.conftest import LOOP
from tests.service.samples import WAIVERS

LARGEST = (1 << 20) - 2_000
LONGEST = 0.1
"""Seconds of the loop's own CPU time in one step, so that neither a busy machine nor reader threads count."""
ROUTES = {
    str(route.operation_id): route
    for module in ROUTERS
    for route in module.router.routes
    if isinstance(route, GuardedRoute)
}


class Steps:
    """The longest step of the event loops of our APIs."""

    longest = 0.0

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        run = asyncio.Handle._run

        def timed(handle: asyncio.Handle) -> None:
            began = time.thread_time()
            run(handle)
            if threading.current_thread().name == LOOP:
                self.longest = max(self.longest, time.thread_time() - began)

        monkeypatch.setattr(asyncio.Handle, "_run", timed)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    return Steps(monkeypatch)


def shapes(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The example of an operation, each time made as large as a body may be in one way."""
    yield "unknown members", {**body, **{f"k{number}": 0 for number in range(LARGEST // 14)}}
    yield "shorter than a long one", {**body, **{f"k{number}": 0 for number in range(4_500)}}
    for name, value in body.items():
        yield f"{name}: numbers", {**body, name: [1] * (LARGEST // 3)}
        yield f"{name}: members", {**body, name: {f"k{number}": 0 for number in range(LARGEST // 14)}}
        if isinstance(value, dict):
            yield from ((f"{name}/{inner}", {**body, name: spoiled}) for inner, spoiled in filled(value))
        if isinstance(value, list):
            yield f"{name}: more of it", {**body, name: value * (LARGEST // (len(json.dumps(value)) + 2))}


def filled(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A member of a body with wrong items in each place: as many as are read on the loop, and as many as may be."""
    for name in value:
        for size in (63_000, LARGEST):
            yield f"{name}: numbers {size}", {**value, name: [0] * (size // 3)}
            yield f"{name}: objects {size}", {**value, name: [{}] * (size // 4)}


@pytest.fixture(scope="module")
def declared(api: Any) -> str:
    """A dataset about which questions with many values may be asked."""
    dataset: str = api.publish().dataset_id
    keys = [f"key {number}" for number in range(10_000)]
    columns = {"age": {"type": "integer", "bounds": [0, 120]}, "disease": {"type": "text", "keys": keys}}
    assert api.declare(dataset, columns=columns, waivers=WAIVERS).status_code == 200
    return dataset


OFTEN = ("create_query", "create_token", "put_declarations", "validate_policy")
"""Operations that are tried in every run."""


@pytest.mark.parametrize(
    "operation",
    [
        name if name in OFTEN else pytest.param(name, marks=pytest.mark.long)
        for name in sorted(set(BODIES) - {"oai_form"})
    ],
)
def test_the_largest_bodies_of_an_operation_do_not_hold_the_loop(
    api: Any, declared: str, steps: Steps, operation: str
) -> None:
    route = ROUTES[operation]
    path = route.path.replace("{id}", declared)

    def longest_step(body: dict[str, Any]) -> float:
        steps.longest = 0.0
        assert api.client("admin").request(min(route.methods), path, json=body).status_code < 500
        return steps.longest

    bodies = dict(shapes(json.loads(json.dumps(BODIES[operation]).replace(DATASET, declared))))
    taken = {name: shortest(lambda body=body: longest_step(body), LONGEST) for name, body in bodies.items()}
    assert {name: seconds for name, seconds in taken.items() if seconds >= LONGEST} == {}


@pytest.mark.parametrize("column", ["age", "disease"])
@pytest.mark.parametrize("accuracy", [True, False])
def test_a_question_with_as_many_values_as_there_may_be_does_not_hold_the_loop(
    api: Any, declared: str, steps: Steps, column: str, accuracy: bool
) -> None:
    values = [number / 7 for number in range(1_000)] if column == "age" else [f"key {1000 + n}" for n in range(1_000)]
    where = [{"column": column, "op": "in", "value": values} for _ in range(20)]
    body = {"select": [{"count": {}}], "where": where, "epsilon": 0.01} | ({"accuracy": True} if accuracy else {})

    def longest_step() -> float:
        steps.longest = 0.0
        answer = api.client().post(f"/v1/datasets/{declared}/queries", json=body)
        assert answer.status_code in (200, 202), answer.text
        return steps.longest

    assert shortest(longest_step, LONGEST) < LONGEST


def test_a_condition_lists_at_most_ten_thousand_values_and_all_together_twice_as_many(api: Any, declared: str) -> None:
    for count, times, place in ((10_001, 1, "/where/0/value"), (10_000, 20, "")):
        where = [{"column": "age", "op": "in", "value": [1] * count}] * times
        body = {"select": [{"count": {}}], "where": where, "epsilon": 0.1, "accuracy": True}
        answer = api.client().post(f"/v1/datasets/{declared}/queries", json=body)
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["pointer"].startswith(place)


def test_many_faults_are_counted_and_the_first_are_listed(api: Any) -> None:
    for count in (60, 900, 50_000):
        answer = api.client("admin").post("/v1/tokens", json={f"k{number}": 0 for number in range(count)})
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(f"{count + 2} fault(s)")
        assert len(answer.json().get("errors", ())) <= 50


def test_many_faults_of_a_policy_are_counted_and_the_first_are_listed(api: Any) -> None:
    for count in (60, 30_000):
        for wrong in ({"guarantees": [0] * count}, {"method": {"name": "pipeline", "steps": [{}] * count}}):
            answer = api.client().post("/v1/policies/validate", json={"policy": {"kind": "table", **wrong}})
            assert answer.status_code == 422
            assert int(answer.json()["detail"].split()[0]) >= count
            assert len(answer.json()["errors"]) == 50


def test_two_hundred_settings_of_a_long_policy_do_not_hold_the_loop(api: Any, declared: str, steps: Steps) -> None:
    """Each was a deep copy of the whole policy."""
    policy = BODIES["create_comparison"]["policy"] | {"method": {"name": "mondrian", "odd": [0] * 300_000}}
    body = {"dataset_id": declared, "policy": policy, "vary": {"/guarantees/0/k": list(range(2, 202))}}

    def longest_step() -> float:
        steps.longest = 0.0
        assert api.client().post("/v1/comparisons", json=body).status_code == 422
        return steps.longest

    assert shortest(longest_step, LONGEST) < LONGEST
