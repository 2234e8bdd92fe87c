"""Dataverse and InvenioRDM: bodies that their schemas accept, each created once, and the state after a withdrawal."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from courier.calls import Caller
from courier.portals.dataverse import Dataverse, dataset_of
from courier.portals.invenio import Invenio, record_of
from courier.portals.portal import CannotBeRemoved, Portal, PortalFault, Shipment
from metadata.facts import File, facts_of
from storage.outbound.addresses import allowed_by
from tests.courier.portals.little_archives import (
    KEY,
    LittleDataverse,
    LittleInvenio,
    little_dataverse,
    little_invenio,
)
from tests.courier.receivers import Receiver
from tests.service.samples import ABOUT, KEPT, described

SCHEMA = Path(__file__).resolve().parents[2] / "data" / "portals" / "dataverse-dataset.schema.json"
REQUIRED = {"title", "author", "datasetContact", "dsDescription", "subject"}
CONTENT = b"age,zip\n20,08000\n"


def shipment(receiver: Receiver | None = None, mode: str = "link", **remote: Any) -> Shipment:
    """A release on its way to an archive."""
    release = {
        "id": "11111111-2222-3333-4444-555555555555",
        "job_id": "j",
        "name": "patients",
        "kind": "table",
        "shape": {"rows": 1, "columns": [{"name": "age", "type": "text"}, {"name": "zip", "type": "text"}]},
        "guarantees": [KEPT],
        "dictionary": [described("age"), described("zip")],
        "created_at": "2026-01-31T12:00:00.000Z",
        "artifacts": [{"format": "csv", "part": "table", "sha256": "ab" * 32, "bytes": len(CONTENT)}],
    }
    facts = facts_of(release, ABOUT, "https://data.example", "2026-01-31T12:00:00.000Z", "default")

    async def keep(known: dict[str, Any]) -> None:
        json.dumps(known)

    async def pieces(_: File) -> AsyncIterator[bytes]:
        yield CONTENT

    return Shipment(
        caller=Caller(allowed_by("127.0.0.0/8")),
        url=receiver.url if receiver else "",
        key=KEY,
        facts=facts,
        options={"collection": "hospital"},
        mode=mode,
        remote=dict(remote),
        keep=keep,
        pieces=pieces,
    )


def calls(receiver: Receiver) -> list[str]:
    return [f"{heard.method} {heard.path.partition('?')[0]}" for heard in receiver.heard]


def run(portal: Portal, parcel: Shipment, *, remove: bool = False) -> Any:
    return asyncio.run(portal.remove(parcel) if remove else portal.publish(parcel))


def test_the_body_of_a_dataset_is_what_the_schema_of_dataverse_wants() -> None:
    schema, body = json.loads(SCHEMA.read_text()), dataset_of(shipment())
    jsonschema_rs.validate(schema, body)
    fields = {field["typeName"] for field in body["datasetVersion"]["metadataBlocks"]["citation"]["fields"]}
    assert fields >= REQUIRED
    spoiled = json.loads(json.dumps(body).replace('"typeClass"', '"typeKind"'))
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validate(schema, spoiled)


@pytest.mark.parametrize("make", [dataset_of, record_of])
def test_words_of_the_promise_and_digests_are_in_what_is_sent(make: Any) -> None:
    text = json.dumps(make(shipment()))
    for word in ("k anonymity", "ab" * 32, "data@hospital.example" if make is dataset_of else "Hospital of Nowhere"):
        assert word in text
    assert "a-key" not in text


@pytest.fixture
def dataverse() -> Iterator[LittleDataverse]:
    with little_dataverse() as made:
        yield made


@pytest.fixture
def invenio() -> Iterator[LittleInvenio]:
    with little_invenio() as made:
        yield made


def titled(parcel: Shipment, title: str) -> Shipment:
    """The same release with another title."""
    return replace(parcel, facts=replace(parcel.facts, card={**parcel.facts.card, "title": title}))


def test_a_dataset_is_searched_for_made_filled_and_published(dataverse: LittleDataverse) -> None:
    parcel = shipment(dataverse.receiver, "upload")
    run(Dataverse(), parcel)
    assert calls(dataverse.receiver) == [
        "GET /api/search",
        "POST /api/dataverses/hospital/datasets",
        "GET /api/datasets/:persistentId",
        "GET /api/datasets/:persistentId/locks",
        "POST /api/datasets/:persistentId/add",
        "POST /api/datasets/:persistentId/actions/:publish",
        "GET /api/datasets/:persistentId",
    ]
    assert (dataverse.states, dataverse.files) == (["RELEASED"], {"patients-table.csv": CONTENT})
    assert parcel.remote["url"].endswith("/dataset.xhtml?persistentId=doi%3A10.5072%2FFK2%2FAB")
    run(Dataverse(), parcel)
    assert (dataverse.states, len(dataverse.receiver.heard)) == (["RELEASED"], 8), "what is there is not made again"


def test_a_changed_card_is_a_new_version_of_the_same_dataset(dataverse: LittleDataverse) -> None:
    parcel = shipment(dataverse.receiver)
    run(Dataverse(), parcel)
    run(Dataverse(), titled(parcel, "Another title"))
    assert dataverse.states == ["RELEASED", "RELEASED"]
    assert "Another title" in json.dumps(dataverse.versions[-1])
    assert "Another title" not in json.dumps(dataverse.versions[0])


@pytest.mark.parametrize("mode", ["link", "upload"])
def test_a_draft_that_a_courier_left_when_it_died_is_found_again_and_published(
    dataverse: LittleDataverse, mode: str
) -> None:
    """It died after the draft was made, or after a file was sent, and before either was written down."""
    before = shipment(dataverse.receiver, mode)
    dataverse.versions = [{"state": "DRAFT", "content": dataset_of(before)["datasetVersion"]}]
    if mode == "upload":
        dataverse.files = {"patients-table.csv": CONTENT}
    after = shipment(dataverse.receiver, mode)
    run(Dataverse(), after)
    assert dataverse.states == ["RELEASED"]
    assert "POST /api/dataverses/hospital/datasets" not in calls(dataverse.receiver)
    assert "POST /api/datasets/:persistentId/add" not in calls(dataverse.receiver)


def test_a_portal_that_publishes_in_the_background_is_not_called_done_before_it_is(dataverse: LittleDataverse) -> None:
    dataverse.slow = True
    parcel = shipment(dataverse.receiver)
    with pytest.raises(PortalFault, match="has not finished") as fault:
        run(Dataverse(), parcel)
    assert fault.value.again
    dataverse.locks = [{"lockType": "finalizePublication"}]
    with pytest.raises(PortalFault, match="still busy") as fault:
        run(Dataverse(), parcel)
    assert fault.value.again
    assert "url" not in parcel.remote
    dataverse.locks, dataverse.versions[0]["state"] = [], "RELEASED"
    run(Dataverse(), parcel)
    assert parcel.remote["url"]


def test_every_version_of_a_withdrawn_dataset_is_taken_away_and_a_tombstone_stays(dataverse: LittleDataverse) -> None:
    parcel = shipment(dataverse.receiver)
    run(Dataverse(), parcel)
    run(Dataverse(), titled(parcel, "Another title"))
    dataverse.versions.append({"state": "DRAFT", "content": {}})
    left = run(Dataverse(), parcel, remove=True)
    assert left == "The portal shows that a dataset existed, but none of its content."
    assert dataverse.states == ["DEACCESSIONED", "DEACCESSIONED"]
    assert run(Dataverse(), parcel, remove=True) == left, "once more changes nothing"
    run(Dataverse(), parcel)
    assert dataverse.states == ["DEACCESSIONED", "DEACCESSIONED", "RELEASED"], "and it can come back"


def test_a_draft_that_was_never_published_leaves_nothing(dataverse: LittleDataverse) -> None:
    dataverse.versions = [{"state": "DRAFT", "content": dataset_of(shipment())["datasetVersion"]}]
    assert run(Dataverse(), shipment(dataverse.receiver), remove=True) is None
    assert dataverse.states == []
    assert run(Dataverse(), shipment(dataverse.receiver), remove=True) is None


def test_a_record_is_drafted_filled_and_published_and_cannot_be_taken_back(invenio: LittleInvenio) -> None:
    parcel = shipment(invenio.receiver, "upload")
    run(Invenio(), parcel)
    assert calls(invenio.receiver) == [
        "GET /api/user/records",
        "POST /api/records",
        "GET /api/records/abcd-1234",
        "GET /api/records/abcd-1234/draft",
        "GET /api/records/abcd-1234/draft/files/patients-table.csv",
        "POST /api/records/abcd-1234/draft/files",
        "PUT /api/records/abcd-1234/draft/files/patients-table.csv/content",
        "POST /api/records/abcd-1234/draft/files/patients-table.csv/commit",
        "POST /api/records/abcd-1234/draft/actions/publish",
    ]
    assert (invenio.files, invenio.committed) == ({"patients-table.csv": CONTENT}, {"patients-table.csv"})
    assert (invenio.published, invenio.draft) == (record_of(parcel), None)
    with pytest.raises(CannotBeRemoved, match="cannot be taken back"):
        run(Invenio(), parcel, remove=True)


def test_a_changed_card_is_an_edit_of_the_same_record(invenio: LittleInvenio) -> None:
    parcel = shipment(invenio.receiver)
    run(Invenio(), parcel)
    run(Invenio(), parcel)
    assert calls(invenio.receiver).count("POST /api/records/abcd-1234/draft/actions/publish") == 1
    run(Invenio(), titled(parcel, "Another title"))
    assert invenio.published is not None
    assert (invenio.published["metadata"]["title"], invenio.draft) == ("Another title", None)


@pytest.mark.parametrize("moment", ["draft", "announced", "committed", "published"])
def test_a_record_that_a_courier_left_when_it_died_is_gone_on_with(invenio: LittleInvenio, moment: str) -> None:
    parcel = shipment(invenio.receiver, "upload")
    invenio.draft = record_of(parcel)
    if moment != "draft":
        invenio.files = {"patients-table.csv": None if moment == "announced" else CONTENT}
    if moment in ("committed", "published"):
        invenio.committed = {"patients-table.csv"}
    if moment == "published":
        invenio.published, invenio.draft = invenio.draft, None
    run(Invenio(), parcel)
    assert (invenio.published, invenio.draft) == (record_of(parcel), None)
    assert (invenio.files, invenio.committed) == ({"patients-table.csv": CONTENT}, {"patients-table.csv"})
    assert "POST /api/records" not in calls(invenio.receiver)


def test_a_draft_of_a_record_that_was_never_published_is_deleted(invenio: LittleInvenio) -> None:
    invenio.draft = record_of(shipment())
    assert run(Invenio(), shipment(invenio.receiver), remove=True) is None
    assert (invenio.published, invenio.draft) == (None, None)


@pytest.mark.parametrize(("portal", "what"), [(Dataverse(), "search"), (Invenio(), "search")])
def test_a_wrong_key_is_a_reason_without_the_key(receiver: Receiver, portal: Portal, what: str) -> None:
    receiver.usual = (401, b'{"message": "bad key a-key"}')
    with pytest.raises(PortalFault) as fault:
        run(portal, shipment(receiver))
    assert str(fault.value) == f"{what}: the portal answered 401: the key is not accepted"
    assert not fault.value.again
