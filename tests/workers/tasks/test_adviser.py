"""Advice as workers make it: stored with the dataset, without a value, and usable unedited for a release."""

import json

import pytest

from formats.sniffing import sniff
from publication.library.datasets import LIMITS
from storage.jobs import advice
from tests.system.samples import patients
from tests.workers.conftest import Steward
from workers.process.tasks import run_job

RING = b"source,target\n" + b"".join(b"a%d,a%d\n" % (i, (i + j) % 60) for i in range(60) for j in (1, 2, 5 + i % 3))


def advised(steward: Steward, content: bytes, kind: str = "table", **more: object) -> tuple[object, dict]:
    """A dataset that was profiled, and the advice on it."""
    dataset = steward.upload(content, kind, **more)
    job_id = steward.submit(dataset, None, task="profile")
    run_job(steward.context, job_id)
    with steward.context.main.connect() as connection:
        found = advice.get_advice(connection, steward.context.release_key, dataset.tenant_id, dataset.id)
    assert found is not None, steward.job(job_id)
    return dataset, found.content


def test_a_profiled_table_has_a_policy_that_ends_in_a_release(steward: Steward) -> None:
    dataset, found = advised(steward, patients(120))
    assert steward.run(dataset, found["policy"]).status == "released"


def test_a_graph_is_released_by_its_advice(steward: Steward) -> None:
    dataset, found = advised(steward, RING, "graph", format="edgelist")
    assert found["policy"]["guarantees"] == [{"model": "k_degree_anonymity", "k": 2}]
    assert steward.run(dataset, found["policy"]).status == "released"


def test_a_temporal_graph_is_released_by_its_advice(steward: Steward) -> None:
    lines = [f"a{i},a{(i * 7 + t) % 40},{t}" for t in range(4) for i in range(40) if i != (i * 7 + t) % 40]
    content = ("source,target,time\n" + "\n".join(lines) + "\n").encode()
    sniffed = sniff("temporal_graph", {"window": "snapshot"}, "t.csv", content, True, LIMITS)
    details = {"window": "snapshot", **sniffed.details}
    dataset, found = advised(steward, content, "temporal_graph", format=sniffed.format, details=details)
    assert steward.run(dataset, found["policy"]).status == "released"


@pytest.mark.parametrize("canary", ["Xochitlcanary", "9876543"])
def test_no_value_is_in_the_advice(steward: Steward, canary: str) -> None:
    lines = [f"{canary if i == 5 else f'name{i}'},{9876543 if i == 6 else 20 + i % 50},{i % 3}" for i in range(80)]
    _, found = advised(steward, ("name,amount,group\n" + "\n".join(lines) + "\n").encode())
    assert canary not in json.dumps(found)
