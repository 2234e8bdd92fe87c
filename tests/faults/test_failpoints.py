"""Every failpoint × kill, stop, raise: in the API, in a worker, in the middle of a deletion."""

import time

import httpx
import pytest

from tests.courier.receivers import receiving
from tests.faults.harness import World, wake
from tests.patience import RECOVERY, wait_for

long = pytest.mark.long
WORKER = ("claimed", "decrypted", "protected", "sealing", "verified", "publishing", "published")
API = ("upload_stored", "submit_committed", "submit_rung")
LOST = "the lease was lost"


@pytest.mark.parametrize("place", [pytest.param(p, marks=() if p == "publishing" else long) for p in WORKER])
def test_a_worker_killed(rig: World, place: str) -> None:
    """Its lease runs out and another worker finishes; one release."""
    rig.arm(f"{place}:kill")
    job_id = rig.submit()
    rig.fired()
    assert rig.end_of(job_id) == "released"
    assert rig.job(job_id)["attempt"] == (1 if place == "published" else 2)


@pytest.mark.parametrize("place", [pytest.param(p, marks=() if p == "verified" else long) for p in WORKER[:5]])
def test_a_worker_stopped_and_woken_after_another_has_finished(rig: World, place: str) -> None:
    """The other worker's release is kept; the zombie is refused because of its fencing token."""
    confessed = rig.said_so_often(LOST)
    rig.arm(f"{place}:stop")
    job_id = rig.submit()
    zombie = rig.fired()
    assert rig.end_of(job_id) == "released"
    wake(zombie)
    wait_for(lambda: rig.said_so_often(LOST) > confessed, "the zombie's confession", RECOVERY)
    assert rig.job(job_id)["attempt"] == 2


def test_a_worker_stopped_before_the_end_and_woken_while_another_works(rig: World) -> None:
    """Only the fencing token keeps the zombie from ending a job that is still running."""
    confessed = rig.said_so_often(LOST)
    rig.arm("ending:stop")
    job_id = rig.submit()
    zombie = rig.fired()
    rig.arm("protected:sleep=30")
    rig.fired()
    wake(zombie)
    wait_for(lambda: rig.said_so_often(LOST) > confessed, "the zombie's confession", RECOVERY)
    job = rig.job(job_id)
    assert (job["finished"], job["attempt"]) == (False, 2)
    assert rig.end_of(job_id) == "released"
    assert rig.job(job_id)["attempt"] == 2


@pytest.mark.long
@pytest.mark.parametrize("place", WORKER[5:])
def test_a_worker_stopped_at_the_end_longer_than_its_lease(rig: World, place: str) -> None:
    """No worker can take a job whose last transaction is open or committed: one release, at the first attempt."""
    rig.arm(f"{place}:stop")
    job_id = rig.submit()
    zombie = rig.fired()
    time.sleep(5)
    wake(zombie)
    assert rig.end_of(job_id) == "released"
    assert rig.job(job_id)["attempt"] == 1


@pytest.mark.long
@pytest.mark.parametrize("place", WORKER)
def test_an_error_in_a_worker(rig: World, place: str) -> None:
    """Before the work: retried; during it: failed, without a release; after the commit: released."""
    rig.arm(f"{place}:raise")
    job_id = rig.submit()
    rig.fired()
    expected = "released" if place in ("claimed", "published") else "failed"
    assert rig.end_of(job_id) == expected
    if expected == "failed":
        assert rig.job(job_id)["error"]["rule"] == "internal"
    assert rig.end_of(rig.submit()) == "released"


@pytest.mark.long
def test_a_job_that_kills_every_worker(rig: World) -> None:
    """Three attempts, then failed; the pool continues to work."""
    rig.arm("protected:kill")
    job_id = rig.submit()
    for _ in range(2):
        rig.fired()
        rig.arm("protected:kill")
    assert rig.end_of(job_id) == "failed"
    assert rig.job(job_id)["error"]["type"].endswith("attempts-exhausted")
    assert rig.end_of(rig.submit()) == "released"


@pytest.mark.parametrize("place", ["charged", pytest.param("protected", marks=long)])
def test_a_worker_killed_after_its_job_was_charged(rig: World, place: str) -> None:
    """The charge stays, and the worker that finishes the job uses the same charge."""
    request = rig.private_request()
    rig.arm(f"{place}:kill")
    job_id = rig.insist(request)
    assert rig.charges_of(job_id) == [500_000]
    rig.fired()
    assert rig.end_of(job_id) == "released"
    assert rig.job(job_id)["attempt"] == 2
    assert rig.charges_of(job_id) == [500_000]


@pytest.mark.parametrize("place", [pytest.param(p, marks=() if p == "sealing" else long) for p in ("charged", *WORKER)])
def test_a_worker_killed_on_a_temporal_graph(rig: World, place: str) -> None:
    """One release of three snapshots, under one charge for all three."""
    request = rig.temporal_request()
    rig.arm(f"{place}:kill")
    job_id = rig.insist(request)
    assert rig.charges_of(job_id) == [6_000_000]
    rig.fired()
    assert rig.end_of(job_id) == "released"
    assert rig.job(job_id)["attempt"] == (1 if place == "published" else 2)
    assert rig.charges_of(job_id) == [6_000_000]


@pytest.mark.long
@pytest.mark.parametrize("place", API)
def test_the_api_killed_while_it_charges(rig: World, place: str) -> None:
    """Before the commit neither job nor charge; after it both; a retry with the same key finds or creates them."""
    request = rig.private_request()
    rig.arm(f"{place}:kill")
    rig.send(request)
    rig.fired()
    rig.recover()
    job_id = rig.insist(request)
    assert rig.end_of(job_id) == "released"
    spent = rig.ask(
        "SELECT b.spent FROM budgets b JOIN datasets d ON d.lineage_id = b.lineage_id WHERE d.name = %s", request.name
    )
    assert spent == [(500_000,)]
    assert rig.charges_of(job_id) == [500_000]


@pytest.mark.long
def test_a_job_that_is_cancelled_after_its_charge_keeps_it(rig: World) -> None:
    """Cancelled, and the charge stays."""
    request = rig.private_request()
    rig.arm("charged:sleep=3")
    job_id = rig.insist(request)
    rig.fired()
    with rig.stack.client() as steward:
        assert steward.post(f"/v1/jobs/{job_id}/cancel").status_code == 200
    assert rig.end_of(job_id) == "cancelled"
    assert rig.charges_of(job_id) == [500_000]


@pytest.mark.long
@pytest.mark.parametrize("place", API)
def test_the_api_killed(rig: World, place: str) -> None:
    """Before the commit no job; after it the sweeper sends it; a retry with the same key finds or creates one job."""
    request = rig.request()
    rig.arm(f"{place}:kill")
    answer = rig.send(request)
    rig.fired()
    if place == "upload_stored":
        assert answer is None
        assert rig.ask("SELECT count(*) FROM datasets WHERE name = %s", request.name) == [(0,)]
    else:
        wait_for(lambda: any_job(rig, request.name), "the job of the committed request", RECOVERY)
    rig.recover()
    assert rig.end_of(rig.insist(request)) == "released"


@pytest.mark.long
@pytest.mark.parametrize("place", API)
def test_the_api_stopped_for_a_while(rig: World, place: str) -> None:
    """The request is answered when the process resumes; one job."""
    request = rig.request()
    rig.arm(f"{place}:stop")
    with rig.sending(request) as answers:
        stopped = rig.fired()
        time.sleep(2)
        wake(stopped)
    assert answers[0] is not None
    assert answers[0].status_code == 202
    assert rig.end_of(rig.insist(request)) == "released"


@pytest.mark.parametrize("place", [pytest.param(p, marks=() if p == "submit_committed" else long) for p in API])
def test_an_error_in_the_api(rig: World, place: str) -> None:
    """Before the commit nothing is stored; a retry with the same key finds or creates one job."""
    request = rig.request()
    rig.arm(f"{place}:raise")
    answer = rig.send(request)
    rig.fired()
    assert answer is not None
    assert answer.status_code == (202 if place == "submit_rung" else 500)
    stored = rig.ask("SELECT count(*) FROM datasets WHERE name = %s", request.name)[0][0]
    assert stored == (0 if place == "upload_stored" else 1)
    assert rig.end_of(rig.insist(request)) == "released"


@pytest.mark.parametrize("action", ["raise", pytest.param("kill", marks=long), pytest.param("stop", marks=long)])
def test_a_deletion_cut_off_in_the_middle(rig: World, action: str) -> None:
    """The original is unreadable from the first step on; deleting again completes it; the release stays."""
    request = rig.request()
    job_id = rig.insist(request)
    assert rig.end_of(job_id) == "released"
    [(dataset_id, blob_id)] = rig.ask("SELECT id, blob_id FROM datasets WHERE name = %s", request.name)
    rig.arm(f"shredding:{action}")
    with rig.stack.client() as steward:
        steward.timeout = httpx.Timeout(3.0)
        try:
            answer = steward.delete(f"/v1/datasets/{dataset_id}")
            assert (action, answer.status_code) == ("raise", 500)
        except httpx.TransportError:
            assert action in ("kill", "stop")
    rig.fired()
    assert rig.ask("SELECT 1 FROM sealed_keys WHERE blob_id = %s", blob_id, keyring=True) == []
    rig.recover()
    with rig.stack.client() as steward:
        if rig.ask("SELECT status FROM datasets WHERE id = %s", dataset_id) != [("deleted",)]:
            unreadable = steward.post("/v1/jobs", json={"dataset_id": str(dataset_id), "policy": request.policy})
            assert unreadable.status_code == 202, unreadable.text
            assert rig.end_of(unreadable.json()["id"]) == "failed"
            assert rig.job(unreadable.json()["id"])["error"]["rule"] == "deleted"
        assert steward.delete(f"/v1/datasets/{dataset_id}").status_code in (204, 404)
        assert steward.get(f"/v1/datasets/{dataset_id}").status_code == 404
    assert rig.ask("SELECT 1 FROM original_chunks WHERE blob_id = %s", blob_id) == []


def test_the_courier_killed_after_it_sent_and_before_it_wrote_that_down(rig: World) -> None:
    """The webhook gets the same message again, with the same id; then it is delivered."""
    with receiving() as receiver, rig.stack.client("admin") as admin:
        rig.ensure("courier")
        hook = admin.post("/v1/webhooks", json={"url": receiver.url, "events": ["job.released"]}).json()
        rig.arm("webhook_sent:kill")
        job_id = rig.submit()
        rig.fired()
        assert rig.end_of(job_id) == "released"
        wait_for(lambda: rig.stack.processes["courier"].poll() is not None, "the courier's death", RECOVERY)
        assert len(receiver.heard) == 1
        rig.ensure("courier")
        delivered = "SELECT id, attempts FROM deliveries WHERE webhook_id = %s AND state = 'delivered'"
        wait_for(lambda: bool(rig.ask(delivered, hook["id"])), f"the delivery\n{rig.stack.said()}", RECOVERY)
        rig.stack.stop("courier")
        [(delivery_id, attempts)] = rig.ask(delivered, hook["id"])
        admin.delete(f"/v1/webhooks/{hook['id']}")
    assert attempts == 2
    assert [request.headers["webhook-id"] for request in receiver.heard] == [str(delivery_id)] * 2
    assert receiver.heard[0].document["data"]["job_id"] == job_id


def any_job(rig: World, name: str) -> bool:
    """Whether the upload has a job."""
    return bool(rig.ask("SELECT 1 FROM jobs j JOIN datasets d ON d.id = j.dataset_id WHERE d.name = %s", name))
