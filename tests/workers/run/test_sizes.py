"""Sizes: a small upload does not become a release that fills the disk, and unpublished files are removed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from antifaz.errors import Cancelled
from publication.kinds.table import TablePublisher
from storage.blobs import blobs
from storage.jobs import jobs
from storage.operations import sweeping
from storage.releases import releases
from tests.system.samples import friends, graph_policy, patients, table_policy
from tests.workers.conftest import Steward
from workers.pipeline import pipeline, sealing
from workers.process.tasks import run_job
from workers.run.watch import LostLease

UNMEASURED = {"report": {"utility": [], "attacks": []}}
TOWNS = "town,disease\n" + "".join(f"town number {row:05d} of many,flu\n" for row in range(1_500))
TOWN_POLICY: dict[str, Any] = {
    "kind": "table",
    "attributes": {"town": {"role": "quasi_identifier"}, "disease": {"role": "insensitive"}},
    "guarantees": [{"model": "k_anonymity", "k": 700}],
    "method": {"name": "mondrian"},
    **UNMEASURED,
}


def limited(steward: Steward, **settings: Any) -> Steward:
    """The same tenant with a worker that has other settings."""
    chosen = steward.context.settings.model_copy(update=settings)
    return replace(steward, context=replace(steward.context, settings=chosen))


def bytes_of(release: releases.ReleaseRecord) -> int:
    return sum(artifact.size for artifact in release.artifacts)


def test_a_small_table_of_many_texts_does_not_become_a_large_release(steward: Steward) -> None:
    """Written out, each row would list the seven hundred texts of its class: thirty-five megabytes of them."""
    job = steward.run(steward.upload(TOWNS.encode()), TOWN_POLICY)
    assert job.status == "released", job
    release = steward.released(job)
    assert bytes_of(release) < 2 * len(TOWNS)
    assert "more than 1000 characters are suppressed (*)" in release.dictionary[0]["meaning"]
    assert steward.content(release.artifacts[0]).count(b"*") == 1_500


@pytest.mark.parametrize(
    ("content", "policy", "kind"),
    [
        (patients(40), table_policy(3, None, **UNMEASURED), "table"),
        (friends(30, 60), graph_policy(2, **UNMEASURED), "graph"),
    ],
)
def test_a_release_over_the_limit_fails_with_its_remedy_and_leaves_nothing(
    steward: Steward, content: bytes, policy: dict[str, Any], kind: str
) -> None:
    job = limited(steward, max_release_bytes=300).run(steward.upload(content, kind), policy)
    assert (job.status, job.release_id) == ("failed", None)
    assert job.error is not None
    assert (job.error["rule"], job.error["status"]) == ("release_size", 507)
    assert "300 bytes" in job.error["detail"]
    assert "fewer formats" in job.error["detail"]
    assert steward.unpublished() == 0
    assert steward.run(steward.upload(content, kind), policy).status == "released"


def test_a_table_that_must_become_too_large_is_not_even_rendered(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    monkeypatch.setattr(TablePublisher, "render", lambda *_: rendered.append("table"))
    job = limited(steward, max_release_bytes=1_000).run(steward.upload(TOWNS.encode()), TOWN_POLICY)
    assert (job.status, rendered) == ("failed", [])


def test_a_tenant_whose_releases_take_all_of_its_share_makes_room_by_destroying_some(steward: Steward) -> None:
    policy = table_policy(3, None, **UNMEASURED)
    first = steward.run(steward.upload(patients(40)), policy)
    size = bytes_of(steward.released(first))
    narrow = limited(steward, tenant_release_bytes=size * 3 // 2)
    second = narrow.run(steward.upload(patients(40)), policy)
    assert second.status == "failed"
    assert second.error is not None
    assert second.error["rule"] == "release_quota"
    assert "destroy" in second.error["detail"]
    assert steward.unpublished() == 0
    assert first.release_id is not None
    with steward.main.begin() as connection:
        assert not releases.request_destruction(
            connection, steward.context.release_key, steward.tenant_id, first.release_id
        )
        assert releases.withdraw(connection, steward.context.release_key, steward.tenant_id, first.release_id, "a test")
    assert narrow.run(steward.upload(patients(40)), policy).status == "failed"
    with steward.main.begin() as connection:
        assert releases.request_destruction(
            connection, steward.context.release_key, steward.tenant_id, first.release_id
        )
        assert not releases.request_destruction(
            connection, steward.context.release_key, steward.tenant_id, first.release_id
        )
    with steward.context.main.begin() as connection:
        assert releases.destroy_marked(connection) == 2
        assert releases.destroy_marked(connection) == 0
    kept = "SELECT count(*) FROM release_chunks JOIN blobs ON blobs.id = blob_id WHERE tenant_id = :tenant"
    assert steward.ask(kept) == 0
    assert narrow.run(steward.upload(patients(40)), policy).status == "released"


def test_of_two_releases_that_share_the_last_bytes_one_is_published(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = table_policy(3, None, **UNMEASURED)
    size = bytes_of(steward.released(steward.run(steward.upload(patients(40)), policy)))
    narrow = limited(steward, tenant_release_bytes=size * 7 // 2)
    slow, quick = (steward.submit(steward.upload(patients(40)), policy) for _ in range(2))
    third = steward.submit(steward.upload(patients(40)), policy)
    waiting = [quick, third]

    def overtake(name: str) -> None:
        if name == "verified" and waiting:
            run_job(narrow.context, waiting.pop(0))

    # All three are sealed before any of them is published.
    monkeypatch.setattr(pipeline, "reach", overtake)
    run_job(narrow.context, slow)
    ended = [steward.job(job_id) for job_id in (slow, quick, third)]
    assert sorted(job.status for job in ended) == ["failed", "released", "released"]
    published = "SELECT sum(size)::bigint FROM blobs WHERE tenant_id = :tenant AND purpose = 'release'"
    assert steward.ask(published) <= size * 7 // 2
    assert steward.unpublished() == 0


def strike(monkeypatch: pytest.MonkeyPatch, place: str, act: Callable[[], None]) -> None:
    def reached(name: str) -> None:
        if name == place:
            act()

    for module in (pipeline, sealing):
        monkeypatch.setattr(module, "reach", reached)


def lapse(steward: Steward, job_id: UUID) -> None:
    """Let a job's lease run out."""
    steward.ask("UPDATE jobs SET lease_until = now() - interval '1 second' WHERE id = :job RETURNING 1", job=job_id)


@pytest.mark.parametrize("error", [RuntimeError("any"), Cancelled("any"), LostLease("any"), MemoryError()])
def test_however_a_job_ends_without_a_release_what_it_rendered_is_gone(
    steward: Steward, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    seen: list[int] = []

    def end() -> None:
        seen.append(steward.unpublished())
        if isinstance(error, LostLease):
            lapse(steward, job_id)
            with steward.main.begin() as connection:
                assert jobs.claim(connection, job_id, 60, 3) is not None
        raise error

    strike(monkeypatch, "sealed", end)
    job_id = steward.submit(steward.upload(patients(40)), table_policy(3, None, **UNMEASURED))
    run_job(steward.context, job_id)
    assert seen == [2]
    assert steward.unpublished() == 0


class Killed(BaseException):
    """Represents the end of the process: nothing after it is run."""


def test_what_a_killed_worker_rendered_is_swept_and_what_a_living_one_renders_is_not(
    steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die() -> None:
        raise Killed

    strike(monkeypatch, "sealed", die)
    job_id = steward.submit(steward.upload(patients(40)), table_policy(3, None, **UNMEASURED))
    with pytest.raises(Killed):
        run_job(steward.context, job_id)

    def left_after_a_sweep() -> int:
        with steward.context.main.begin() as connection:
            blobs.delete_leftovers(connection)
        return steward.unpublished()

    assert left_after_a_sweep() == 2
    lapse(steward, job_id)
    assert left_after_a_sweep() == 2
    with steward.context.main.begin() as connection:
        assert job_id in sweeping.sweep(connection, 3).requeued
    assert left_after_a_sweep() == 0
    # The next attempt finds its own blobs, whatever is swept meanwhile.
    strike(monkeypatch, "verified", lambda: None if left_after_a_sweep() == 2 else die())
    run_job(steward.context, job_id)
    assert steward.job(job_id).status == "released"
