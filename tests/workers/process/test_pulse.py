"""The pulse of a worker: what counts as taking work."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from celery.worker import state
from pydantic import SecretStr
from sqlalchemy import text

from storage.operations.pulse import Pulse
from storage.settings import Settings
from tests.service.routes.test_health import closed_port
from tests.workers.conftest import Steward
from workers.process.pulse import Heart, Loop, LostPlaces

QUEUE = "fast"


class Request:
    """Anything that celery can keep in its weak set of reserved requests."""


@pytest.fixture
def chosen(steward: Steward, redis_server: Any, tmp_path: Path) -> Settings:
    changes = {"beat_file": tmp_path / "beat", "broker_url": SecretStr(redis_server.work_url), "stalled_seconds": 0.2}
    return steward.context.settings.model_copy(update=changes)


@pytest.fixture
def pulse(chosen: Settings) -> Pulse:
    return Pulse("worker", [QUEUE], chosen)


@pytest.fixture
def loop(pulse: Pulse) -> Loop:
    return Loop(pulse)


@pytest.fixture
def heart(loop: Loop, pulse: Pulse, chosen: Settings) -> Heart:
    return Heart(loop, pulse, chosen)


def consumer(held: int, places: int = 1, acknowledged: int = 0) -> Any:
    """A consumer whose transport holds so many messages."""
    qos = SimpleNamespace(_delivered=dict.fromkeys(range(held)), _dirty=set(range(acknowledged)))
    task_consumer = SimpleNamespace(channel=SimpleNamespace(qos=qos))
    return SimpleNamespace(task_consumer=task_consumer, qos=SimpleNamespace(value=places))


def beats(steward: Steward, pulse: Pulse) -> int:
    with steward.main.connect() as connection:
        return int(
            connection.execute(
                text("SELECT count(*) FROM consumers WHERE id = :id AND beat_at IS NOT NULL"), {"id": pulse.id}
            ).scalar_one()
        )


def test_a_message_that_no_job_belongs_to_makes_the_loop_reconnect(loop: Loop) -> None:
    loop.tick(consumer(held=1))
    with pytest.raises(LostPlaces):
        loop.tick(consumer(held=1))
    loop.tick(consumer(held=1))


def test_a_message_that_is_acknowledged_or_worked_on_is_not_lost(loop: Loop) -> None:
    request = Request()
    state.reserved_requests.add(request)  # type: ignore[arg-type]
    for _ in range(3):
        loop.tick(consumer(held=1))
        loop.tick(consumer(held=2, places=2, acknowledged=1))
    state.reserved_requests.discard(request)  # type: ignore[arg-type]
    for _ in range(3):
        loop.tick(consumer(held=1, acknowledged=1))


def test_a_loop_that_turns_beats_for_everyone(heart: Heart, loop: Loop, pulse: Pulse, steward: Steward) -> None:
    loop.tick(consumer(held=0))
    heart.beat()
    assert beats(steward, pulse) == 1


def test_a_loop_that_does_not_turn_has_no_heartbeat(
    heart: Heart, loop: Loop, pulse: Pulse, steward: Steward, chosen: Settings
) -> None:
    loop.ticked_at = time.monotonic() - chosen.consumer_seconds
    heart.beat()
    assert beats(steward, pulse) == 0
    assert chosen.beat_file is not None
    assert not chosen.beat_file.exists()


def test_a_loop_that_waits_for_a_missing_broker_is_not_restarted_and_not_ready(
    loop: Loop, pulse: Pulse, steward: Steward, chosen: Settings
) -> None:
    away = chosen.model_copy(update={"broker_url": SecretStr(f"redis://127.0.0.1:{closed_port()}/0")})
    loop.ticked_at = time.monotonic() - chosen.consumer_seconds
    Heart(loop, pulse, away).beat()
    assert beats(steward, pulse) == 0
    assert chosen.beat_file is not None
    assert chosen.beat_file.exists()


def test_a_missing_database_stops_no_loop(loop: Loop, pulse: Pulse, chosen: Settings) -> None:
    nowhere = SecretStr(f"postgresql+psycopg://nobody@127.0.0.1:{closed_port()}/none")
    loop.tick(consumer(held=0))
    assert chosen.beat_file is not None
    chosen.beat_file.unlink()
    Heart(loop, pulse, chosen.model_copy(update={"database_url": nowhere})).beat()
    assert not loop.stalled
    loop.tick(consumer(held=0))
    assert chosen.beat_file.exists()


@pytest.mark.parametrize(("busy", "messages"), [(False, 1), (True, 1), (False, 0)])
def test_a_consumer_that_is_idle_while_work_waits_is_dead_and_a_busy_one_is_not(
    heart: Heart, loop: Loop, pulse: Pulse, steward: Steward, chosen: Settings, busy: bool, messages: int
) -> None:
    """Nor is one whose messages were lost: it may have other work, which a restart would end."""
    dead = messages > 0 and not busy
    broker = redis.Redis.from_url(chosen.broker_url.get_secret_value())
    broker.delete(QUEUE)
    if messages:
        broker.lpush(QUEUE, *["a message"] * messages)
    job_id = steward.submit(steward.upload(b"name,age\nAna,30\n"), None)
    with steward.main.begin() as connection:
        connection.execute(text("UPDATE jobs SET queue = :q WHERE id = :id"), {"q": QUEUE, "id": job_id})
    request = Request()
    if busy:
        state.reserved_requests.add(request)  # type: ignore[arg-type]
    assert chosen.beat_file is not None
    try:
        for _ in range(6):
            loop.tick(consumer(held=int(busy)))
            heart.beat()
            time.sleep(0.15)
        assert loop.stalled is dead
        chosen.beat_file.unlink()
        loop.tick(consumer(held=int(busy)))
        assert chosen.beat_file.exists() is not dead
        loop.took(QUEUE)
        heart.beat()
        assert not loop.stalled
    finally:
        broker.delete(QUEUE)
        broker.close()
        with steward.main.begin() as connection:
            done = "UPDATE jobs SET status = 'cancelled', finished_at = now() WHERE id = :id"
            connection.execute(text(done), {"id": job_id})
