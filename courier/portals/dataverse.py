"""Dataverse: a dataset with the required citation fields, published immediately.

A dataset is created by POST and we cannot choose its name, so before a second one is created it is searched for by the
identifier that it carries. Its publication state is read from the dataset itself, because a courier that died may have
left a draft, and because the portal publishes in the background. On withdrawal, every published version is
deaccessioned: its page stays as a tombstone.
"""

from typing import Any
from urllib.parse import quote

from courier.portals.portal import Answered, Json, Portal, PortalFault, Shipment, digest_of, member, refused
from metadata.facts import Facts, File
from metadata.words import description, license_url

_TOMBSTONE = "The portal shows that a dataset existed, but none of its content."
_WITHDRAWN = "The release was withdrawn by its publisher."
_MOST_VERSIONS = 1_000
_AS_IT_IS = {"jsonData": '{"tabIngest": "false"}'}
"""Without it, Dataverse would convert a table to another file, with other bytes, and lock the dataset meanwhile."""


class Dataverse(Portal):
    """The native API of Dataverse 5.13 and later."""

    async def publish(self, shipment: Shipment) -> None:
        content = dataset_of(shipment)["datasetVersion"]
        said = digest_of(content)
        if "persistent_id" not in shipment.remote:
            found = await _search(shipment)
            made = {"persistent_id": found} if found else {"persistent_id": await _create(shipment), "said": said}
            await shipment.remember(**made, files=[])
        version = await _latest(shipment)
        if version is None:
            raise PortalFault("dataset: the portal no longer has it")
        # A deaccessioned dataset needs a new draft, and so does one whose metadata changed.
        stale = shipment.remote.get("said") != said or _state(version) not in ("DRAFT", "RELEASED")
        missing = _missing(shipment, version)
        if stale or missing or _state(version) != "RELEASED":
            await _wait_for_locks(shipment)
            if stale:
                await _good(shipment, "update", "PUT", "/versions/:draft", content)
                await shipment.remember(said=said)
            await _send_copies(shipment, missing)
            await _good(shipment, "publish", "POST", "/actions/:publish", more="&type=major")
            version = await _latest(shipment)
        if _state(version) != "RELEASED":
            raise PortalFault("publish: the portal has not finished", again=True)
        await shipment.remember(url=f"{shipment.url}/dataset.xhtml{_place(shipment)}")

    async def remove(self, shipment: Shipment) -> str | None:
        if "persistent_id" not in shipment.remote:
            found = await _search(shipment)
            if found is None:
                return None
            await shipment.remember(persistent_id=found)
        # If only the latest version were deaccessioned, the portal would show the one before it.
        for _ in range(_MOST_VERSIONS):
            if not await _deaccession_latest(shipment):
                break
            await shipment.remember(tombstone=True)
        stays = bool(shipment.remote.get("tombstone") or shipment.remote.get("url"))
        answered = await _ask(shipment, "delete", "DELETE", "/versions/:draft" if stays else "")
        # 404: there is no draft to delete.
        if not answered.is_good and answered.status != 404:
            raise refused("delete", answered)
        return _TOMBSTONE if stays else None


def _headers(shipment: Shipment) -> dict[str, str]:
    return {"X-Dataverse-key": shipment.key}


def _place(shipment: Shipment) -> str:
    return f"?persistentId={quote(str(shipment.remote['persistent_id']), safe='')}"


async def _ask(shipment: Shipment, what: str, method: str, path: str, body: Any = None, more: str = "") -> Answered:
    """Call the API of the dataset."""
    address = f"/api/datasets/:persistentId{path}{_place(shipment)}{more}"
    return await shipment.ask(what, method, address, _headers(shipment), body)


async def _good(shipment: Shipment, what: str, method: str, path: str, body: Any = None, more: str = "") -> Any:
    answered = await _ask(shipment, what, method, path, body, more)
    if not answered.is_good:
        raise refused(what, answered)
    return answered.document


async def _search(shipment: Shipment) -> str | None:
    """The dataset that carries our identifier, if there is one."""
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


async def _latest(shipment: Shipment) -> Json | None:
    """The latest version, a draft or not; None if the portal has no such dataset."""
    answered = await _ask(shipment, "dataset", "GET", "")
    if answered.status == 404:
        return None
    if not answered.is_good:
        raise refused("dataset", answered)
    found = member(answered.document, "data", "latestVersion")
    return found if isinstance(found, dict) else {}


def _state(version: Json | None) -> Any:
    return member(version, "versionState")


async def _wait_for_locks(shipment: Shipment) -> None:
    """Try again later if the dataset is locked: while it is published or ingested it accepts no change."""
    locks = member(await _good(shipment, "locks", "GET", "/locks"), "data")
    if locks:
        raise PortalFault("locks: the portal is still busy with the dataset", again=True)


async def _deaccession_latest(shipment: Shipment) -> bool:
    """Deaccession the latest published version; False if there is none."""
    path, body = "/versions/:latest-published/deaccession", {"deaccessionReason": _WITHDRAWN}
    answered = await _ask(shipment, "deaccession", "POST", path, body)
    if answered.status == 404:
        return False
    if not answered.is_good:
        raise refused("deaccession", answered)
    return True


def _missing(shipment: Shipment, version: Json) -> list[File]:
    """The copies that are still missing; one that was sent but not recorded is recognized by its name and size."""
    if shipment.mode != "upload":
        return []
    listed = version.get("files")
    entries = listed if isinstance(listed, list) else []
    there = {(member(entry, "label"), member(entry, "dataFile", "filesize")) for entry in entries}
    sent = shipment.remote.get("files") or []
    return [
        file for file in shipment.facts.files if file.sha256 not in sent and (file.file_name, file.size) not in there
    ]


async def _send_copies(shipment: Shipment, files: list[File]) -> None:
    sent = list(shipment.remote.get("files") or [])
    path = f"/api/datasets/:persistentId/add{_place(shipment)}"
    for file in files:
        answered = await shipment.send_file("add", path, _headers(shipment), "file", file, _AS_IT_IS)
        if answered.status == 413:
            raise PortalFault("add: the portal does not accept files of this size")
        if not answered.is_good:
            raise refused("add", answered)
        sent.append(file.sha256)
        await shipment.remember(files=sent)


def dataset_of(shipment: Shipment) -> Json:
    """The dataset in Dataverse's JSON: the required citation fields, and the addresses of the files."""
    facts = shipment.facts
    fields = [
        _single("title", facts.title),
        _compound("author", [{"authorName": facts.publisher["name"]}]),
        _compound("datasetContact", [_contact(facts)]),
        _compound("dsDescription", [{"dsDescriptionValue": _describe(facts)}]),
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


def _describe(facts: Facts) -> str:
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
