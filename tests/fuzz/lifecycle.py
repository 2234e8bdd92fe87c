"""A machine that submits, polls, cancels, deletes and retries in any order, and a simple model of the allowed answers.

The same machine runs against an API without workers, for which the model knows every state exactly, and against the
whole stack, in which jobs progress by themselves and the model knows which states are still possible.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import httpx
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine
from sqlalchemy import Engine, text

from tests.patience import patience
from tests.service.samples import TABLE, table_policy

KEYS = st.sampled_from(["first key", "second key", "third key"])
SIZES = st.sampled_from([3, 4])
ANY = frozenset({"queued", "running", "verifying", "released", "refused", "failed", "cancelled"})
TERMINAL = frozenset({"released", "refused", "failed", "cancelled"})


@dataclass(frozen=True)
class World:
    """A running service, and the two databases behind it."""

    address: str
    admin: str
    main: Engine
    keyring: Engine
    has_workers: bool
    strangers: httpx.Client

    def sealed_keys(self, dataset: str) -> int:
        """How many keys to the original of a dataset exist."""
        with self.main.connect() as connection:
            statement = text("SELECT blob_id FROM datasets WHERE id = :id")
            blob: UUID = connection.execute(statement, {"id": dataset}).scalar_one()
        with self.keyring.connect() as connection:
            statement = text("SELECT count(*) FROM sealed_keys WHERE blob_id = :id")
            return int(connection.execute(statement, {"id": blob}).scalar_one())


def make_client(address: str, token: str) -> httpx.Client:
    return httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=patience())


def tenant_admin(address: str, admin: str) -> httpx.Client:
    """A client with all rights in its own tenant."""
    with make_client(address, admin) as client:
        answer = client.post("/v1/tenants", json={"name": uuid4().hex})
    assert answer.status_code == 201, answer.text
    return make_client(address, answer.json()["token"]["token"])


@contextmanager
def world_of(address: str, admin: str, main: Engine, keyring: Engine, has_workers: bool) -> Iterator[World]:
    with tenant_admin(address, admin) as strangers:
        yield World(address, admin, main, keyring, has_workers, strangers)


def machine(world: World) -> type[RuleBasedStateMachine]:
    """A machine over a world; every run has its own tenant."""

    class Lifecycle(RuleBasedStateMachine):
        datasets = Bundle("datasets")
        jobs = Bundle("jobs")

        def __init__(self) -> None:
            super().__init__()
            self.client = tenant_admin(world.address, world.admin)
            self.alive: set[str] = set()
            self.gone: set[str] = set()
            self.possible: dict[str, frozenset[str]] = {}
            self.owner: dict[str, str] = {}
            self.answers: dict[str, tuple[tuple[str, int], dict[str, Any]]] = {}
            self.withdrawn: set[str] = set()

        # --- what a steward does ---

        @rule(target=datasets)
        def upload(self) -> str:
            answer = self._upload(None)
            assert answer.status_code == 201, answer.text
            return self._keep(answer.json())

        @rule(target=jobs, k=SIZES)
        def upload_with_a_policy(self, k: int) -> str:
            answer = self._upload(_policy(k))
            assert answer.status_code == 202, answer.text
            dataset = self._keep(answer.json()["dataset"])
            return self._queue(answer.json()["job"], dataset)

        def _upload(self, policy: Any) -> httpx.Response:
            parts: list[tuple[str, Any]] = [("metadata", (None, json.dumps({"name": "lives", "kind": "table"})))]
            if policy is not None:
                parts.append(("policy", (None, json.dumps(policy))))
            return self.client.post("/v1/datasets", files=[*parts, ("file", ("lives.csv", TABLE))])

        def _keep(self, dataset: dict[str, Any]) -> str:
            identity: str = dataset["id"]
            assert identity not in self.alive | self.gone
            self.alive.add(identity)
            return identity

        def _queue(self, job: dict[str, Any], dataset: str) -> str:
            identity: str = job["id"]
            assert identity not in self.possible
            assert job["status"] == "queued"
            self.possible[identity] = ANY if world.has_workers else frozenset({"queued"})
            self.owner[identity] = dataset
            return identity

        @rule(target=jobs, dataset=datasets, k=SIZES)
        def submit(self, dataset: str, k: int) -> Any:
            return self._expect(self._post(dataset, k), dataset)

        @rule(target=jobs, dataset=datasets, k=SIZES, key=KEYS)
        def submit_with_a_key(self, dataset: str, k: int, key: str) -> Any:
            answer, content = self._post(dataset, k, {"Idempotency-Key": key}), (dataset, k)
            if key not in self.answers:
                made = self._expect(answer, dataset)
                if answer.status_code == 202:
                    self.answers[key] = content, answer.json()
                return made
            first, said = self.answers[key]
            if content == first:
                assert (answer.status_code, answer.json()) == (202, said)
            else:
                assert answer.status_code == 422
                assert answer.json()["type"].endswith(":key-reused")
            return multiple()

        def _post(self, dataset: str, k: int, headers: dict[str, str] | None = None) -> httpx.Response:
            return self.client.post("/v1/jobs", json={"dataset_id": dataset, "policy": _policy(k)}, headers=headers)

        def _expect(self, answer: httpx.Response, dataset: str) -> Any:
            """A new job, or nothing if the dataset is gone."""
            if dataset not in self.alive:
                assert answer.status_code == 404
                return multiple()
            assert answer.status_code == 202, answer.text
            return self._queue(answer.json(), dataset)

        @rule(job=jobs)
        def cancel(self, job: str) -> None:
            answer = self.client.post(f"/v1/jobs/{job}/cancel")
            assert answer.status_code == 200
            self._forbid_release(job, answer.json(), said_by_cancel=True)

        @rule(dataset=datasets)
        def delete(self, dataset: str) -> None:
            answer = self.client.delete(f"/v1/datasets/{dataset}")
            assert answer.status_code == (204 if dataset in self.alive else 404)
            self.alive.discard(dataset)
            self.gone.add(dataset)
            assert world.sealed_keys(dataset) == 0
            for job in [job for job, owner in self.owner.items() if owner == dataset]:
                self._forbid_release(job, self.client.get(f"/v1/jobs/{job}").json(), said_by_cancel=False)

        def _forbid_release(self, job: str, said: dict[str, Any], *, said_by_cancel: bool) -> None:
            """A job that is cancelled before its end publishes nothing; if no worker runs it, it ends."""
            if not world.has_workers and self.possible[job] == {"queued"}:
                self.possible[job] = frozenset({"cancelled"})
            self._see(job, said)
            if said["status"] not in TERMINAL:
                assert world.has_workers
                assert not (said_by_cancel and said["status"] == "queued")
                self.possible[job] -= {"released"}

        # --- what any client sees ---

        @rule(job=jobs)
        def poll(self, job: str) -> None:
            answer = self.client.get(f"/v1/jobs/{job}")
            self._see(job, answer.json())
            if self.possible[job] <= TERMINAL:
                again = self.client.get(f"/v1/jobs/{job}", headers={"If-None-Match": answer.headers["ETag"]})
                assert again.status_code == 304

        def _see(self, job: str, said: dict[str, Any]) -> None:
            status = said["status"]
            assert status in self.possible[job]
            assert (said["finished_at"] is not None) == (status in TERMINAL)
            assert (said["release_id"] is not None) == (status == "released")
            assert (said["refusal"] is not None) == (status == "refused")
            assert (said["error"] is not None) == (status == "failed")
            assert 0 <= said["progress"] <= 1
            if status in TERMINAL:
                self.possible[job] = frozenset({status})

        @rule(job=jobs)
        def poll_as_a_stranger(self, job: str) -> None:
            assert world.strangers.get(f"/v1/jobs/{job}").status_code == 404
            assert world.strangers.post(f"/v1/jobs/{job}/cancel").status_code == 404
            assert world.strangers.delete(f"/v1/datasets/{self.owner[job]}").status_code == 404

        @rule(dataset=datasets)
        def look_at_a_dataset(self, dataset: str) -> None:
            answer = self.client.get(f"/v1/datasets/{dataset}")
            assert answer.status_code == (200 if dataset in self.alive else 404)

        @precondition(lambda self: world.has_workers)
        @rule(job=jobs)
        def wait_for_the_end(self, job: str) -> None:
            for _ in range(30):
                said = self.client.get(f"/v1/jobs/{job}", params={"wait": 20}).json()
                self._see(job, said)
                if said["status"] in TERMINAL:
                    break
            assert self.possible[job] <= TERMINAL, "the job does not end"
            if said["status"] == "released":
                self._look_at_a_release(said["release_id"])

        def _look_at_a_release(self, release: str) -> None:
            """The bytes with the stated digest; gone if the release was withdrawn, not if only the dataset was."""
            answer = self.client.get(f"/v1/releases/{release}/data")
            if release in self.withdrawn:
                assert answer.status_code == 410
                return
            assert answer.status_code == 200
            promised = {part["sha256"] for part in self.client.get(f"/v1/releases/{release}").json()["artifacts"]}
            assert hashlib.sha256(answer.content).hexdigest() in promised

        @precondition(lambda self: world.has_workers)
        @rule(job=jobs)
        def withdraw(self, job: str) -> None:
            said = self.client.get(f"/v1/jobs/{job}").json()
            self._see(job, said)
            if said["status"] == "released":
                release = said["release_id"]
                answer = self.client.post(f"/v1/releases/{release}/withdraw", json={"reason": "a test"})
                assert answer.status_code == (409 if release in self.withdrawn else 200), answer.text
                self.withdrawn.add(release)
                self._look_at_a_release(release)

        @invariant()
        def lists_say_the_same(self) -> None:
            listed = self.client.get("/v1/jobs", params={"limit": 200}).json()["items"]
            assert {job["id"] for job in listed} == set(self.possible)
            for job in listed:
                self._see(job["id"], job)
            kept = self.client.get("/v1/datasets", params={"limit": 200}).json()["items"]
            assert {dataset["id"] for dataset in kept} == self.alive

        def teardown(self) -> None:
            state = self.client.get("/v1/audit-events/verify").json()
            for job in self.possible:
                self.client.post(f"/v1/jobs/{job}/cancel")
            self.client.close()
            assert state["intact"] is True

    return Lifecycle


def _policy(k: int) -> dict[str, Any]:
    return table_policy(guarantees=[{"model": "k_anonymity", "k": k}])


def run(make: Callable[[], type[RuleBasedStateMachine]], lives: int, steps: int) -> None:
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    chosen = settings(max_examples=lives, stateful_step_count=steps, deadline=None, suppress_health_check=quiet)
    run_machine(make(), settings=chosen)
