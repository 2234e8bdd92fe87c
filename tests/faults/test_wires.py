"""Connections that break, lag, lose everything, or lose half an answer."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.faults.harness import World, wake
from tests.faults.wires import Mode, Wire

long = pytest.mark.long
FAULTS: tuple[Mode, ...] = ("cut", "delay", "swallow", "half")
SECONDS = 3.0
"""How long a wire misbehaves; the lease is 4 s."""


@pytest.mark.parametrize("mode", [pytest.param(mode, marks=() if mode == "cut" else long) for mode in FAULTS])
def test_between_the_api_and_postgres(rig: World, mode: Mode) -> None:
    """503 or an accepted job; a retry with the same key finds or creates it."""
    request = rig.request()
    with ExitStack() as waiting, bad(rig.wires["api-postgresql"], mode):
        answers = waiting.enter_context(rig.sending(request))
        time.sleep(SECONDS)
    assert answers[0] is not None
    assert answers[0].status_code == 202 if mode == "delay" else answers[0].status_code in (202, 503)
    assert rig.end_of(rig.insist(request)) == "released"


@pytest.mark.long
@pytest.mark.parametrize("mode", FAULTS)
@pytest.mark.parametrize("place", ["claimed", "protected", "sealing", "publishing"])
def test_between_a_worker_and_postgres(rig: World, mode: Mode, place: str) -> None:
    """A worker with a working connection finishes the job; one release."""
    rig.arm(f"{place}:stop")
    job_id = rig.submit()
    worker = rig.fired()
    with bad(rig.wires["worker-postgresql"], mode):
        wake(worker)
        time.sleep(SECONDS)
    assert rig.end_of(job_id) == "released"


@pytest.mark.long
@pytest.mark.parametrize("mode", FAULTS)
@pytest.mark.parametrize("who", ["api", "worker"])
def test_between_redis_and(rig: World, who: str, mode: Mode) -> None:
    """POST answers 202; the message is sent again and the job finishes; so does the next."""
    with bad(rig.wires[f"{who}-redis"], mode):
        job_id = rig.submit()
        time.sleep(SECONDS)
    assert rig.end_of(job_id) == "released"
    assert rig.end_of(rig.submit()) == "released"


@pytest.mark.long
def test_the_answer_to_an_uploads_commit_lost(rig: World) -> None:
    """The client does not learn of the success; a retry with the same key finds the job."""
    request = rig.request()
    rig.arm("upload_stored:stop")
    with rig.sending(request) as answers:
        api = rig.fired()
        with bad(rig.wires["api-postgresql"], "deaf"):
            wake(api)
            time.sleep(SECONDS)
    assert answers[0] is not None
    assert answers[0].status_code == 503
    assert rig.end_of(rig.insist(request)) == "released"


@pytest.mark.long
def test_the_answer_to_a_releases_commit_lost(rig: World) -> None:
    """The worker does not know that it has published; no worker publishes again."""
    rig.arm("publishing:stop")
    job_id = rig.submit()
    worker = rig.fired()
    with bad(rig.wires["worker-postgresql"], "deaf"):
        wake(worker)
        time.sleep(SECONDS)
    assert rig.end_of(job_id) == "released"


@contextmanager
def bad(wire: Wire, mode: Mode) -> Iterator[None]:
    """Make a wire misbehave, and check that it did."""
    before = wire.lost
    wire.set(mode)
    yield
    assert mode in ("cut", "delay") or wire.lost > before, "the fault met nothing"
    wire.set("pass")
