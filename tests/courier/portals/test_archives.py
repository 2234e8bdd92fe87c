"""Dataverse and InvenioRDM: bodies that their schemas accept, each made once, and what a withdrawal leaves."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from courier.calls import Caller
from courier.portals.dataverse import Dataverse, dataset_of
from courier.portals.invenio import Invenio, record_of
from courier.portals.portal import CannotBeRemoved, Portal, PortalFault, Shipment
from metadata.facts import File, facts_of
from storage.outbound import allowed_by
from tests.courier.receivers import Heard, Receiver
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
        key="a-key",
        facts=facts,
        options={"collection": "hospital"},
        mode=mode,
        remote=dict(remote),
        keep=keep,
        pieces=pieces,
    )


def answers(receiver: Receiver, **documents: Any) -> None:
    """Answer every call by the first word that its address contains; with a list, one after the other."""

    def answer(heard: Heard) -> tuple[int, bytes]:
        for word, document in documents.items():
            if word in f"{heard.method} {heard.path}":
                status, body = document
                return status, json.dumps(body).encode()
        return 404, b"{}"

    receiver.usual = answer


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


def test_a_dataset_is_searched_for_made_filled_and_published(receiver: Receiver) -> None:
    made = {"data": {"persistentId": "doi:10.5072/FK2/AB"}}
    answers(receiver, search=(200, {"data": {"items": []}}), dataverses=(201, made), add=(200, {}), publish=(200, {}))
    parcel = shipment(receiver, "upload")
    run(Dataverse(), parcel)
    steps = ["/api/datasets/:persistentId/add", "/api/datasets/:persistentId/actions/:publish"]
    assert calls(receiver) == [
        "GET /api/search",
        "POST /api/dataverses/hospital/datasets",
        *(f"POST {step}" for step in steps),
    ]
    assert CONTENT in receiver.heard[2].body
    assert {heard.headers["x-dataverse-key"] for heard in receiver.heard} == {"a-key"}
    assert parcel.remote["published"] is True
    run(Dataverse(), shipment(receiver, "upload", **parcel.remote))
    assert len(receiver.heard) == 4, "what is there is not made again"


def test_a_dataset_that_was_made_before_the_courier_died_is_found_again(receiver: Receiver) -> None:
    answers(receiver, search=(200, {"data": {"items": [{"global_id": "doi:10.5072/FK2/AB"}]}}))
    run(Dataverse(), shipment(receiver))
    assert calls(receiver) == ["GET /api/search"]


def test_a_withdrawn_dataset_leaves_a_tombstone(receiver: Receiver) -> None:
    answers(receiver, deaccession=(200, {}))
    left = run(Dataverse(), shipment(receiver, persistent_id="doi:x", published=True), remove=True)
    assert left == "The portal shows that a dataset was there, and nothing of it."


def test_a_record_is_drafted_filled_and_published_and_cannot_be_taken_back(receiver: Receiver) -> None:
    answers(
        receiver,
        user=(200, {"hits": {"hits": []}}),
        publish=(202, {}),
        files=(201, {}),
        records=(201, {"id": "abcd-1234"}),
    )
    parcel = shipment(receiver, "upload")
    run(Invenio(), parcel)
    assert calls(receiver) == [
        "GET /api/user/records",
        "POST /api/records",
        "POST /api/records/abcd-1234/draft/files",
        "PUT /api/records/abcd-1234/draft/files/patients-table.csv/content",
        "POST /api/records/abcd-1234/draft/files/patients-table.csv/commit",
        "POST /api/records/abcd-1234/draft/actions/publish",
    ]
    assert receiver.heard[3].body == CONTENT
    assert {heard.headers["authorization"] for heard in receiver.heard} == {"Bearer a-key"}
    with pytest.raises(CannotBeRemoved, match="cannot be taken back"):
        run(Invenio(), shipment(receiver, **parcel.remote), remove=True)


@pytest.mark.parametrize(("portal", "what"), [(Dataverse(), "search"), (Invenio(), "search")])
def test_a_wrong_key_is_a_reason_without_the_key(receiver: Receiver, portal: Portal, what: str) -> None:
    receiver.usual = (401, b'{"message": "bad key a-key"}')
    with pytest.raises(PortalFault) as fault:
        run(portal, shipment(receiver))
    assert str(fault.value) == f"{what}: the portal answered 401: the key is not accepted"
    assert not fault.value.again
