"""Publications: only the courier that holds a claim may end it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sqlalchemy import Connection, Engine, func, update

from storage.jobs.jobs import JobRecord
from storage.orm import Publication
from storage.outbound.portals import PortalDraft, create_portal
from storage.outbound.publications import (
    PublicationDraft,
    PublicationRecord,
    claim,
    get_publication,
    publish,
    settle,
    try_again,
    withdraw,
)
from storage.releases import releases

LEASE = 60.0
Outcome = Callable[[Connection, PublicationRecord], Any]
OUTCOMES: dict[str, Outcome] = {
    "it ended": lambda c, held: settle(c, held, "published", None),
    "it is to be tried again": lambda c, held: try_again(c, held, "answered 500", 0.0),
}
each_outcome = pytest.mark.parametrize("outcome", OUTCOMES.values(), ids=OUTCOMES)


@pytest.fixture
def main(owner: Any) -> Engine:
    engine: Engine = owner.main
    return engine


@pytest.fixture
def wanted(main: Engine, job: JobRecord, release_key: bytes) -> PublicationDraft:
    """A release to be published on a portal."""
    draft = releases.ReleaseDraft(
        job_id=job.id,
        tenant_id=job.tenant_id,
        dataset_id=job.dataset_id,
        lineage_id=uuid4(),
        kind="table",
        name="patients",
        shape={},
        guarantees=[],
        dictionary=[],
        artifacts=[],
    )
    portal = PortalDraft(job.tenant_id, "ckan", "portal", "https://portal.example/", {}, uuid4())
    with main.begin() as c:
        release = releases.publish(c, release_key, draft)
        there = create_portal(c, release_key, X25519PrivateKey.generate().public_key(), portal, "token")
    return PublicationDraft(job.tenant_id, release.id, there.id, "link", "https://base.example", None)


@pytest.fixture
def held(main: Engine, wanted: PublicationDraft, release_key: bytes) -> PublicationRecord:
    """The publication, claimed by a first courier."""
    with main.begin() as c:
        queued = publish(c, release_key, wanted)
    return _claimed(main, queued.id)


def _claimed(main: Engine, publication_id: UUID) -> PublicationRecord:
    [mine] = [each for each in _claim(main) if each.id == publication_id]
    return mine


def _claim(main: Engine) -> list[PublicationRecord]:
    with main.begin() as c:
        return [errand.publication for errand in claim(c, LEASE, 100)]


def _expire(main: Engine, held: PublicationRecord) -> None:
    with main.begin() as c:
        c.execute(update(Publication).where(Publication.id == held.id).values(lease_until=func.now()))


def _now(main: Engine, held: PublicationRecord) -> PublicationRecord | None:
    with main.begin() as c:
        return get_publication(c, held.tenant_id, held.id)


@each_outcome
def test_a_removal_requested_during_an_attempt_is_due_when_the_attempt_ends(
    main: Engine, held: PublicationRecord, outcome: Outcome
) -> None:
    with main.begin() as c:
        withdraw(c, [held.id])
    assert held.id not in {each.id for each in _claim(main)}
    with main.begin() as c:
        assert not outcome(c, held)
    assert _claimed(main, held.id).state == "withdrawing"


@each_outcome
def test_a_courier_that_lost_its_lease_does_not_end_that_of_the_next(
    main: Engine, held: PublicationRecord, outcome: Outcome
) -> None:
    _expire(main, held)
    second = _claimed(main, held.id)
    with main.begin() as c:
        assert not outcome(c, held)
    assert _now(main, held) == second
    assert held.id not in {each.id for each in _claim(main)}


@each_outcome
def test_a_courier_that_lost_its_lease_does_not_end_a_removal_that_another_began(
    main: Engine, held: PublicationRecord, outcome: Outcome
) -> None:
    _expire(main, held)
    with main.begin() as c:
        withdraw(c, [held.id])
    removing = _claimed(main, held.id)
    with main.begin() as c:
        assert not outcome(c, held)
    assert _now(main, held) == removing
    assert held.id not in {each.id for each in _claim(main)}


@each_outcome
def test_a_courier_that_lost_its_lease_does_not_end_a_publication_that_was_requested_again(
    main: Engine, held: PublicationRecord, wanted: PublicationDraft, release_key: bytes, outcome: Outcome
) -> None:
    _expire(main, held)
    with main.begin() as c:
        publish(c, release_key, wanted)
    sending = _claimed(main, held.id)
    with main.begin() as c:
        assert not outcome(c, held)
    assert _now(main, held) == sending
    assert held.id not in {each.id for each in _claim(main)}


@each_outcome
def test_the_courier_that_holds_a_claim_ends_it(main: Engine, held: PublicationRecord, outcome: Outcome) -> None:
    with main.begin() as c:
        outcome(c, held)
    ended = _now(main, held)
    assert ended is not None
    assert ended.changed_at > held.changed_at
    due = held.id in {each.id for each in _claim(main)}
    assert due == (ended.state == "queued")
