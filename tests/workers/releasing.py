"""Helpers for tests of the pipeline: policies, and a fault at a named place."""

import csv
import io
from collections.abc import Callable
from typing import Any

from storage.jobs import jobs
from tests.system.samples import table_policy
from tests.workers.conftest import Steward

ROWS = 40
PUBLISHED = {"report": {"utility": [], "attacks": []}}
"""Skips measurements that the tests do not read."""


def policy_for(k: int = 3, l_value: int | None = None, **more: Any) -> dict[str, Any]:
    return table_policy(k, l_value, **PUBLISHED, **more)


def at(place: str, act: Callable[[], None]) -> Callable[[str], None]:
    """A `reach` that acts once, at one place of the pipeline."""
    left = [act]

    def reach(name: str) -> None:
        if name == place and left:
            left.pop()()

    return reach


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def assert_refused(steward: Steward, job: jobs.JobRecord, rules: list[str]) -> None:
    """The job ended refused for these rules; the report states them, and nothing is left that could be served."""
    assert (job.status, job.release_id, job.error, job.progress) == ("refused", None, None, 1.0)
    assert job.refusal is not None
    assert [reason["rule"] for reason in job.refusal["reasons"]] == rules
    saved = steward.report(job)
    assert (saved.status, saved.release_id) == ("refused", None)
    assert (saved.content["status"], saved.content["refusal"]) == ("refused", job.refusal)
    assert job.stage in saved.content["timing"]
    assert (saved.content["release_id"], saved.content["artifacts"], saved.content["release"]) == (None, [], {})
    event = steward.events()[-1]
    assert (event.actor, event.action, event.subject, event.details) == (
        "worker", "job.refuse", str(job.id), {"rules": rules},
    )  # fmt: skip
    assert steward.unpublished() == 0
