"""Killed workers and a flushed broker: every accepted job still ends exactly once."""

from typing import Any

import redis
from sqlalchemy import create_engine, text

from tests.system.conftest import wait_for
from tests.system.samples import patients, table_policy


def releases_of(stack: Any, job_id: str) -> int:
    engine = create_engine(stack.database_url)
    with engine.connect() as connection:
        count = connection.execute(
            text("SELECT count(*) FROM releases WHERE job_id = :job"), {"job": job_id}
        ).scalar_one()
    engine.dispose()
    return int(count)


def submit(stack: Any, seed: int) -> str:
    answer = stack.upload(patients(60, seed=seed), table_policy(3))
    assert answer.status_code == 202, answer.text
    return str(answer.json()["job"]["id"])


def stage_of(stack: Any, job_id: str) -> str | None:
    with stack.client() as steward:
        return str(steward.get(f"/v1/jobs/{job_id}").json()["status"])


def test_a_job_whose_worker_is_killed_is_finished_once_by_another(stack):
    stack.stop("worker")
    stack.start("worker", ANTIFAZ_FAILPOINT="protected:sleep=60")
    job_id = submit(stack, 21)
    wait_for(lambda: stage_of(stack, job_id) == "running", "a running job")
    stack.kill("worker")
    stack.start("worker")
    assert stack.finish(job_id)["status"] == "released"
    assert releases_of(stack, job_id) == 1


def test_a_job_whose_worker_dies_at_the_very_end_is_released_once(stack):
    stack.stop("worker")
    stack.start("worker", ANTIFAZ_FAILPOINT="publishing:kill")
    job_id = submit(stack, 22)
    wait_for(lambda: stage_of(stack, job_id) == "verifying", "a job that is verified")
    stack.kill("worker")
    stack.start("worker")
    assert stack.finish(job_id)["status"] == "released"
    assert releases_of(stack, job_id) == 1


def test_a_job_that_kills_every_worker_fails_after_three_attempts(stack):
    stack.stop("worker")
    stack.start("worker", ANTIFAZ_FAILPOINT="protected:kill")
    try:
        job_id = submit(stack, 23)
        job = stack.finish(job_id)
        assert job["status"] == "failed"
        assert releases_of(stack, job_id) == 0
    finally:
        stack.kill("worker")
        stack.start("worker")


def test_queued_jobs_survive_a_flushed_broker(stack):
    stack.stop("worker")
    job_ids = [submit(stack, seed) for seed in range(30, 35)]
    with redis.Redis.from_url(stack.redis_url) as client:
        client.flushall()
    stack.start("worker")
    assert [stack.finish(job_id)["status"] for job_id in job_ids] == ["released"] * 5
    assert [releases_of(stack, job_id) for job_id in job_ids] == [1] * 5


def test_a_message_delivered_twenty_times_makes_one_release(stack):
    from storage.settings import Settings
    from workers.app import RUN_TASK, create_celery

    job_id = submit(stack, 40)
    celery = create_celery(Settings(broker_url=stack.redis_url))
    for _ in range(20):
        celery.send_task(RUN_TASK, args=[job_id], queue="small")
    assert stack.finish(job_id)["status"] == "released"
    assert releases_of(stack, job_id) == 1


def test_a_stopped_worker_that_wakes_up_late_cannot_publish_again(stack):
    stack.stop("worker")
    stack.start("worker", ANTIFAZ_FAILPOINT="verified:stop")
    job_id = submit(stack, 41)
    wait_for(lambda: stage_of(stack, job_id) == "verifying", "a job that is verified")
    stack.start("worker-second")
    job = stack.finish(job_id)
    assert job["status"] == "released"
    import os
    import signal

    os.killpg(stack.processes["worker"].pid, signal.SIGCONT)
    wait_for(lambda: "the lease was lost" in (stack.logs / "worker.log").read_text(), "the zombie's confession")
    assert releases_of(stack, job_id) == 1
    stack.kill("worker")
