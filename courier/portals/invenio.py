"""InvenioRDM and Zenodo: a draft, its files, and its publication, after which the record cannot be taken back.

Every step records its progress. A draft that was created but not recorded is found again by its identifier; its
publication state is read from the portal.
"""

from typing import Any
from urllib.parse import quote

from courier.portals.portal import CannotBeRemoved, Json, Portal, PortalFault, Shipment, digest_of, member, refused
from metadata.facts import Facts
from metadata.words import description

_STAYS = "a published record cannot be taken back; its links lead to the withdrawn release"


class Invenio(Portal):
    """The REST API of InvenioRDM 11 and later."""

    async def publish(self, shipment: Shipment) -> None:
        record = record_of(shipment)
        said = digest_of(record)
        if "id" not in shipment.remote:
            found = await _search(shipment)
            made = {"id": found} if found else {"id": await _create(shipment, record), "said": said}
            await shipment.remember(**made, files=[])
        published, draft = await _exists(shipment, ""), await _exists(shipment, "/draft")
        if published:
            # From here on it cannot be taken back, whatever happens next.
            await shipment.remember(published=True)
        if shipment.remote.get("said") != said:
            if not draft:
                await _good(shipment, "edit", "POST", _draft(shipment))
            await _good(shipment, "update", "PUT", _draft(shipment), record)
            await shipment.remember(said=said)
            draft = True
        if draft:
            # A published record keeps the files that it was published with.
            if shipment.mode == "upload" and not published:
                await _send_copies(shipment)
            await _good(shipment, "publish", "POST", f"{_draft(shipment)}/actions/publish")
        elif not published:
            raise PortalFault("record: the portal no longer has it")
        await shipment.remember(published=True, url=f"{shipment.url}/records/{shipment.remote['id']}")

    async def remove(self, shipment: Shipment) -> str | None:
        if "id" not in shipment.remote:
            found = await _search(shipment)
            if found is None:
                return None
            await shipment.remember(id=found)
        published = shipment.remote.get("published") or await _exists(shipment, "")
        answered = await shipment.ask("delete", "DELETE", _draft(shipment), _headers(shipment))
        if not answered.is_good and answered.status != 404:
            raise refused("delete", answered)
        if published:
            raise CannotBeRemoved(_STAYS)
        return None


def _headers(shipment: Shipment) -> dict[str, str]:
    return {"Authorization": f"Bearer {shipment.key}"}


def _record(shipment: Shipment) -> str:
    return f"/api/records/{quote(str(shipment.remote['id']), safe='')}"


def _draft(shipment: Shipment) -> str:
    return f"{_record(shipment)}/draft"


async def _exists(shipment: Shipment, what: str) -> bool:
    """Whether the portal has the published record, or its draft."""
    answered = await shipment.ask("record", "GET", f"{_record(shipment)}{what}", _headers(shipment))
    if not answered.is_good and answered.status != 404:
        raise refused("record", answered)
    return answered.is_good


async def _search(shipment: Shipment) -> str | None:
    """Our record or draft that carries the identifier."""
    words = quote(f'metadata.identifiers.identifier:"{shipment.facts.address}"', safe="")
    found = await _good(shipment, "search", "GET", f"/api/user/records?q={words}")
    hits = member(found, "hits", "hits")
    for hit in hits if isinstance(hits, list) else []:
        record_id = member(hit, "id")
        if record_id:
            return str(record_id)
    return None


async def _create(shipment: Shipment, record: Json) -> str:
    made = await _good(shipment, "create", "POST", "/api/records", record)
    record_id = member(made, "id")
    if not record_id:
        raise PortalFault("create: the portal gave the draft no id")
    return str(record_id)


async def _send_copies(shipment: Shipment) -> None:
    sent = list(shipment.remote.get("files") or [])
    place = f"{_draft(shipment)}/files"
    for file in shipment.facts.files:
        if file.sha256 in sent:
            continue
        named = f"{place}/{quote(file.file_name, safe='')}"
        known = await shipment.ask("file", "GET", named, _headers(shipment))
        if known.is_good:
            # Announced or sent by a courier that died before recording it: the file may be incomplete.
            await _good(shipment, "file", "DELETE", named)
        elif known.status != 404:
            raise refused("file", known)
        await _good(shipment, "files", "POST", place, [{"key": file.file_name}])
        answered = await shipment.send_bytes("content", f"{named}/content", _headers(shipment), file)
        if not answered.is_good:
            raise refused("content", answered)
        await _good(shipment, "commit", "POST", f"{named}/commit")
        sent.append(file.sha256)
        await shipment.remember(files=sent)


async def _good(shipment: Shipment, what: str, method: str, path: str, body: Any = None) -> Any:
    answered = await shipment.ask(what, method, path, _headers(shipment), body)
    if not answered.is_good:
        raise refused(what, answered)
    return answered.document


def record_of(shipment: Shipment) -> Json:
    """The draft: the required fields of a record, and the addresses of the files."""
    facts, card = shipment.facts, shipment.facts.card
    organization = {"type": "organizational", "name": facts.publisher["name"]}
    metadata: Json = {
        "resource_type": {"id": "dataset"},
        "title": facts.title,
        "creators": [{"person_or_org": organization}],
        "publisher": facts.publisher["name"],
        "publication_date": facts.issued[:10],
        "description": _describe(facts),
        "identifiers": [{"scheme": "url", "identifier": facts.address}],
        "related_identifiers": [_link(facts.page), *(_link(file.url) for file in facts.files)],
        "subjects": [{"subject": word} for word in card.get("keywords") or []],
    }
    if card.get("license") and not card["license"].startswith("LicenseRef-"):
        metadata["rights"] = [{"id": card["license"].lower()}]
    if card.get("version"):
        metadata["version"] = card["version"]
    return {
        "access": {"record": "public", "files": "public"},
        "files": {"enabled": shipment.mode == "upload"},
        "metadata": metadata,
    }


def _link(address: str) -> Json:
    return {
        "identifier": address,
        "scheme": "url",
        "relation_type": {"id": "isidenticalto"},
        "resource_type": {"id": "dataset"},
    }


def _describe(facts: Facts) -> str:
    files = "; ".join(f"{file.file_name} (SHA-256: {file.sha256})" for file in facts.files)
    return f"{description(facts)}\n\nFiles: {files}"
