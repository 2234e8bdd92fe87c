"""The queue: a message is a job's id in JSON; anything else does nothing."""

import base64
import json
import pickle
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
from celery import Celery
from kombu.exceptions import OperationalError

from service.runtime.dispatch import sender
from stack.servers.broker import RedisServer
from storage.jobs.protocol import TASK
from storage.settings import Settings
from tests.patience import wait_for
from tests.system.conftest import Stack
from tests.system.samples import patients, table_policy


class Exploit:
    """Unpickling it writes a file."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.write_text, (self.proof, "executed")


def envelope(body: bytes, content_type: str, task: str = TASK) -> str:
    """A message as the broker keeps it."""
    identity = str(uuid4())
    delivery = {"exchange": "", "routing_key": "small"}
    return json.dumps(
        {
            "body": base64.b64encode(body).decode(),
            "content-encoding": "binary" if "python" in content_type else "utf-8",
            "content-type": content_type,
            "headers": {"lang": "py", "task": task, "id": identity, "root_id": identity, "argsrepr": "()"},
            "properties": {
                "correlation_id": identity,
                "delivery_mode": 2,
                "delivery_info": delivery,
                "priority": 0,
                "body_encoding": "base64",
                "delivery_tag": str(uuid4()),
            },
        }
    )


def push(stack: Stack, *messages: str) -> None:
    with redis.Redis.from_url(stack.redis_url) as client:
        client.lpush("small", *messages)


def drained(stack: Stack) -> None:
    """Wait until the worker has taken every message."""
    with redis.Redis.from_url(stack.redis_url) as client:
        wait_for(lambda: client.llen("small") == 0, "a worker that takes messages")


def call(*arguments: Any) -> bytes:
    return json.dumps([arguments, {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]).encode()


def works(stack: Stack) -> bool:
    return bool(stack.publish(patients(60, seed=5), table_policy(3, None))["status"] == "released")


def test_a_pickled_message_is_refused_and_nothing_is_executed(stack: Stack, tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    assert works(stack)
    bomb = pickle.dumps(((Exploit(proof),), {}, {}))
    types = ("application/x-python-serialize", "application/x-yaml", "application/data")
    push(stack, *(envelope(bomb, content_type) for content_type in types))
    drained(stack)
    assert works(stack)
    assert not proof.exists()
    # The counterpart: the same bytes do execute if they are unpickled.
    pickle.loads(bomb)  # noqa: S301 - made three lines above
    assert proof.read_text() == "executed"


def test_messages_that_are_not_a_jobs_id_do_nothing(stack: Stack) -> None:
    odd = [
        envelope(call("not an id"), "application/json"),
        envelope(call(str(uuid4())), "application/json"),
        envelope(call(), "application/json"),
        envelope(call(1, 2, 3), "application/json"),
        envelope(call(str(uuid4())), "application/json", task="celery.chord_unlock"),
        envelope(call("id"), "application/json", task="os.system"),
        envelope(b"{", "application/json"),
    ]
    push(stack, *odd)
    drained(stack)
    assert works(stack)
    assert messages_seen(stack, seconds=3.0) == 0
    assert stack.processes["worker"].poll() is None


def messages_seen(stack: Stack, seconds: float) -> int:
    """Largest number of messages that wait or are processed at one time, once earlier messages are done.

    A message that is sent again forever is seen: at any time it is either waiting or being processed.
    """
    most = 0
    with redis.Redis.from_url(stack.redis_url) as client:
        wait_for(lambda: client.hlen("unacked") == 0, "the worker to be done")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            looked = client.pipeline(transaction=True).llen("small").hlen("unacked").execute()
            most = max(most, sum(looked))
    return most


def test_nobody_commands_the_workers_through_the_broker(stack: Stack, redis_server: Any) -> None:
    """Not even its owner: a broadcast reaches no worker, whatever it requests; our processes cannot send one at all."""
    assert works(stack)
    place = f"{redis_server.url.rsplit('/', 1)[0]}/{stack.redis_url.rsplit('/', 1)[1]}"
    owner = Celery("owner", broker=place, set_as_current=False)
    assert owner.control.inspect(timeout=3).ping() is None
    owner.control.revoke(str(uuid4()), terminate=True, signal="SIGKILL")
    owner.control.broadcast("pool_shrink", arguments={"n": 9})
    owner.control.broadcast("shutdown")
    time.sleep(2)
    assert stack.processes["worker"].poll() is None
    assert works(stack)
    if isinstance(redis_server, RedisServer):
        with pytest.raises(OperationalError, match="no permissions"):
            Celery("ours", broker=stack.redis_url, set_as_current=False).control.broadcast("shutdown")


def test_a_worker_that_listens_to_broadcasts_would_be_noticed() -> None:
    from workers.process.app import create_celery

    listening = Celery("listening", set_as_current=False)
    assert listening.conf.worker_enable_remote_control
    assert not create_celery(Settings(broker_url="redis://127.0.0.1:1/0")).conf.worker_enable_remote_control


def test_both_ends_of_the_queue_speak_json_alone() -> None:
    from workers.process.app import create_celery

    chosen = Settings(broker_url="redis://127.0.0.1:1/0")
    for celery in (sender(chosen), create_celery(chosen)):
        assert list(celery.conf.accept_content) == ["json"]
        assert celery.conf.task_serializer == "json"
