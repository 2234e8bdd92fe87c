"""Dataverse: a dataset with the citation fields that it requires, published at once.

A dataset is created by POST and has no name of our choosing, so it is searched for before a second one is made: by
the identifier that it carries. What was published is deaccessioned on withdrawal: its page stays as a tombstone.
"""

from typing import Any
from urllib.parse import quote

from courier.portals.portal import Json, Portal, PortalFault, Shipment, member, refused
from metadata.facts import Facts
from metadata.words import description, license_url

_TOMBSTONE = "The portal shows that a dataset was there, and nothing of it."
_WITHDRAWN = "The release was withdrawn by its publisher."


class Dataverse(Portal):
    """The native API of Dataverse 5 and later."""

    async def publish(self, shipment: Shipment) -> None:
        if "persistent_id" not in shipment.remote:
            found = await _search(shipment)
            await shipment.remember(persistent_id=found or await _create(shipment), files=[], published=bool(found))
        place = _place(shipment)
        if shipment.mode == "upload":
            await _send_copies(shipment)
        if not shipment.remote.get("published"):
            answered = await shipment.ask(
                "publish", "POST", f"/api/datasets/:persistentId/actions/:publish{place}&type=major", _headers(shipment)
            )
            if not answered.is_good:
                raise refused("publish", answered)
        address = f"{shipment.url}/dataset.xhtml{place}"
        await shipment.remember(published=True, url=address)

    async def remove(self, shipment: Shipment) -> str | None:
        if "persistent_id" not in shipment.remote:
            found = await _search(shipment)
            if found is None:
                return None
            await shipment.remember(persistent_id=found, published=True)
        place, headers = _place(shipment), _headers(shipment)
        if not shipment.remote.get("published"):
            answered = await shipment.ask("delete", "DELETE", f"/api/datasets/:persistentId{place}", headers)
            if answered.is_good or answered.status == 404:
                return None
        path = f"/api/datasets/:persistentId/versions/:latest-published/deaccession{place}"
        body = {"deaccessionReason": _WITHDRAWN}
        answered = await shipment.ask("deaccession", "POST", path, headers, body)
        if answered.status == 404:
            return None
        if not answered.is_good:
            raise refused("deaccession", answered)
        return _TOMBSTONE


def _headers(shipment: Shipment) -> dict[str, str]:
    return {"X-Dataverse-key": shipment.key}


def _place(shipment: Shipment) -> str:
    return f"?persistentId={quote(str(shipment.remote['persistent_id']), safe='')}"


async def _search(shipment: Shipment) -> str | None:
    """The dataset that carries our identifier, if one was made before."""
    words = quote(f'otherIdValue:"{shipment.name}"', safe="")
    answered = await shipment.ask("search", "GET", f"/api/search?q={words}&type=dataset", _headers(shipment))
    if not answered.is_good:
        raise refused("search", answered)
    items = member(answered.document, "data", "items")
    found = [member(item, "global_id") for item in items] if isinstance(items, list) else []
    return next((str(item) for item in found if item), None)


async def _create(shipment: Shipment) -> str:
    path = f"/api/dataverses/{quote(shipment.options['collection'], safe='')}/datasets"
    answered = await shipment.ask("create", "POST", path, _headers(shipment), dataset_of(shipment))
    found = member(answered.document, "data", "persistentId")
    if not answered.is_good or not found:
        raise refused("create", answered)
    return str(found)


async def _send_copies(shipment: Shipment) -> None:
    sent = list(shipment.remote.get("files") or [])
    path = f"/api/datasets/:persistentId/add{_place(shipment)}"
    for file in shipment.facts.files:
        if file.sha256 in sent:
            continue
        answered = await shipment.send_file("add", path, _headers(shipment), "file", file, {})
        if answered.status == 413:
            raise PortalFault("add: the portal takes no file of this size")
        if not answered.is_good:
            raise refused("add", answered)
        sent.append(file.sha256)
        await shipment.remember(files=sent)


def dataset_of(shipment: Shipment) -> Json:
    """The dataset as Dataverse's JSON has it: the required citation fields, and where the files are."""
    facts = shipment.facts
    fields = [
        _single("title", facts.title),
        _compound("author", [{"authorName": facts.publisher["name"]}]),
        _compound("datasetContact", [_contact(facts)]),
        _compound("dsDescription", [{"dsDescriptionValue": _said(facts)}]),
        {
            "typeName": "subject",
            "typeClass": "controlledVocabulary",
            "multiple": True,
            "value": [shipment.options.get("subject") or "Other"],
        },
        _compound("otherId", [{"otherIdAgency": "Antifaz", "otherIdValue": shipment.name}]),
        _single("alternativeURL", facts.page),
    ]
    if facts.card.get("keywords"):
        fields.append(_compound("keyword", [{"keywordValue": word} for word in facts.card["keywords"]]))
    version: Json = {"metadataBlocks": {"citation": {"displayName": "Citation Metadata", "fields": fields}}}
    address = license_url(facts)
    if facts.card.get("license") and address and not facts.card["license"].startswith("LicenseRef-"):
        version["license"] = {"name": facts.card["license"].replace("-", " "), "uri": address}
    return {"datasetVersion": version}


def _said(facts: Facts) -> str:
    files = "\n".join(f"{file.file_name}: {file.url} (SHA-256: {file.sha256})" for file in facts.files)
    return f"{description(facts)}\n\n{files}"


def _contact(facts: Facts) -> dict[str, str]:
    contact = facts.card.get("contact") or {}
    name = contact.get("name") or facts.publisher["name"]
    return {"datasetContactName": name, "datasetContactEmail": contact.get("email", "")}


def _single(name: str, value: str) -> Json:
    return {"typeName": name, "typeClass": "primitive", "multiple": False, "value": value}


def _compound(name: str, entries: list[dict[str, Any]]) -> Json:
    values = [{key: _single(key, value) for key, value in entry.items()} for entry in entries]
    return {"typeName": name, "typeClass": "compound", "multiple": True, "value": values}
