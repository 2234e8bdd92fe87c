"""CKAN: one package for each release, identified by its name.

The package is created or updated, so that sending twice leaves one. Resources are links, or copies if the steward
accepted that. A portal with its own schema (ckanext-scheming) refuses extras that are named like its fields and hides
the others, so its fields are filled instead, compound ones included. The SHA-256 of a file is also in its description,
because loaders overwrite ``hash``. There is no ``guid``: on a deleted package it would break a later harvest of our
catalog.

Deleting a package would keep its resources' rows in the DataStore, so the resources are deleted first.
"""

import re
from collections.abc import Mapping
from typing import Any

from courier.portals.portal import Answered, Json, Portal, PortalFault, Shipment, member, refused
from metadata.facts import Facts, File
from metadata.words import description, license_url, promise, provenance

_LICENSES = {
    "CC0-1.0": "cc-zero",
    "CC-BY-4.0": "cc-by",
    "CC-BY-SA-4.0": "cc-by-sa",
    "CC-BY-NC-4.0": "cc-nc",
    "ODbL-1.0": "odc-odbl",
    "ODC-By-1.0": "odc-by",
    "PDDL-1.0": "odc-pddl",
}
"""Names of licenses in CKAN's own list."""
Fields = Mapping[str, frozenset[str]]
"""The fields of a portal's own schema, each with its subfields."""
_NOT_IN_A_TAG = re.compile(r"[^\w .-]+")
_ON_DISK = "The portal no longer lists the files; a copy may remain on its disk."


class Ckan(Portal):
    """The action API of CKAN 2.9 and later."""

    async def publish(self, shipment: Shipment) -> None:
        fields = await _schema_fields(shipment)
        known = await _package(shipment)
        package = package_of(shipment, fields)
        package["resources"] = _resources(shipment, known)
        stored = await _store(shipment, package, known)
        if shipment.mode == "upload":
            await _send_copies(shipment, stored)
        await shipment.remember(id=stored.get("id"), url=f"{shipment.url}/dataset/{shipment.name}")

    async def remove(self, shipment: Shipment) -> str | None:
        known = await _package(shipment)
        if known is None or known.get("state") == "deleted":
            return None
        for resource in known.get("resources") or []:
            answered = await _act(shipment, "resource_delete", {"id": resource["id"]})
            if not answered.is_good and answered.status != 404:
                raise refused("resource_delete", answered)
        answered = await _act(shipment, "package_delete", {"id": shipment.name})
        if not answered.is_good and answered.status != 404:
            raise refused("package_delete", answered)
        return _ON_DISK if shipment.mode == "upload" else None


async def _act(shipment: Shipment, action: str, body: Json) -> Answered:
    return await shipment.ask(action, "POST", f"/api/3/action/{action}", _headers(shipment), body)


def _headers(shipment: Shipment) -> dict[str, str]:
    return {"Authorization": shipment.key}


async def _schema_fields(shipment: Shipment) -> Fields | None:
    """The fields of the portal's own schema of datasets; None if it has none."""
    answered = await _act(shipment, "scheming_dataset_schema_show", {"type": "dataset"})
    fields = member(answered.document, "result", "dataset_fields")
    if not answered.is_good or not isinstance(fields, list):
        return None
    return {name: frozenset(_named(member(entry, "repeating_subfields"))) for name, entry in _named(fields).items()}


def _named(entries: Any) -> dict[str, Json]:
    """Entries of a schema by the names of their fields."""
    listed = entries if isinstance(entries, list) else []
    return {str(entry["field_name"]): entry for entry in listed if isinstance(entry, dict) and "field_name" in entry}


async def _package(shipment: Shipment) -> Json | None:
    """The package of the release, if the portal has it."""
    answered = await _act(shipment, "package_show", {"id": shipment.name})
    if answered.status == 404:
        return None
    found = member(answered.document, "result")
    if not answered.is_good or not isinstance(found, dict):
        raise refused("package_show", answered)
    return found


async def _store(shipment: Shipment, package: Json, known: Json | None) -> Json:
    action = "package_create" if known is None else "package_update"
    answered = await _act(shipment, action, package if known is None else {**package, "id": known["id"]})
    if known is None and answered.status == 409 and "name" in (member(answered.document, "error") or {}):
        # The portal has a package that it does not show to us, such as a deleted one.
        action = "package_update"
        answered = await _act(shipment, action, {**package, "id": shipment.name})
    stored = member(answered.document, "result")
    if not answered.is_good or not isinstance(stored, dict):
        raise refused(action, answered, member(answered.document, "error"))
    return stored


def package_of(shipment: Shipment, fields: Fields | None) -> Json:
    """The package without its resources; ``fields`` are those of the portal's own schema."""
    facts, card = shipment.facts, shipment.facts.card
    contact = card.get("contact") or {}
    package: Json = {
        "name": shipment.name,
        "title": facts.title,
        "notes": description(facts),
        "url": facts.page,
        "author": facts.publisher["name"],
        "maintainer": contact.get("name") or facts.publisher["name"],
        "maintainer_email": contact.get("email"),
        "license_id": _LICENSES.get(card.get("license", ""), "notspecified"),
        "version": card.get("version"),
        "private": False,
        "state": "active",
        "tags": [{"name": tag} for tag in _tags(facts)],
    }
    if shipment.options.get("collection"):
        package["owner_org"] = shipment.options["collection"]
    package = {name: value for name, value in package.items() if value is not None}
    more = _more(facts)
    if fields is None:
        return package | {"extras": [{"key": key, "value": value} for key, value in more.items()]}
    # Fields that are not in the schema would be refused or hidden; name, state and privacy belong to every package.
    package |= {key: value for key, value in more.items() if fields.get(key) == frozenset()}
    for name, parts in _composed(facts).items():
        known = {key: value for key, value in parts.items() if value and key in fields.get(name, ())}
        package |= {name: [known]} if known else {}
    if "tag_string" in fields:
        package["tag_string"] = ",".join(_tags(facts))
        package.pop("tags")
    return package


def _more(facts: Facts) -> dict[str, str]:
    """Values that CKAN has no field for, by the names that DCAT extensions use."""
    card, contact = facts.card, facts.card.get("contact") or {}
    said = {
        "identifier": facts.address,
        "provenance": provenance(facts),
        "issued": facts.issued,
        "modified": facts.modified,
        "publisher_name": facts.publisher["name"],
        "publisher_url": facts.publisher.get("url"),
        "contact_name": contact.get("name"),
        "contact_email": contact.get("email"),
        "language": card.get("language"),
        "spatial_text": card.get("spatial"),
        "license_url": license_url(facts),
        "protection": promise(facts),
        "documentation": f"{facts.address}/report.html",
    }
    return {name: str(value) for name, value in said.items() if value}


def _composed(facts: Facts) -> dict[str, Mapping[str, str | None]]:
    """The compound fields of DCAT schemas."""
    card, contact, period = facts.card, facts.card.get("contact") or {}, facts.card.get("temporal") or {}
    return {
        "contact": {"name": contact.get("name"), "email": contact.get("email")},
        "publisher": {"name": facts.publisher["name"], "url": facts.publisher.get("url")},
        "temporal_coverage": {"start": period.get("start"), "end": period.get("end")},
        "spatial_coverage": {"text": card.get("spatial")},
    }


def _tags(facts: Facts) -> list[str]:
    tidy = (_NOT_IN_A_TAG.sub(" ", word).strip()[:100] for word in facts.card.get("keywords") or [])
    return list(dict.fromkeys(tag for tag in tidy if len(tag) >= 2))


def _resources(shipment: Shipment, known: Json | None) -> list[Json]:
    """Links to all files; for copies, the existing resources, which must be listed to be kept."""
    there = {resource.get("name"): resource for resource in (known or {}).get("resources") or []}
    if shipment.mode == "upload":
        names = {file.file_name for file in shipment.facts.files}
        return [resource for name, resource in there.items() if name in names]
    linked = [resource_of(file) | {"url": file.url} for file in shipment.facts.files]
    return [link | _same(there.get(link["name"])) for link in linked]


def _same(resource: Json | None) -> Json:
    return {} if resource is None else {"id": resource["id"]}


def resource_of(file: File) -> Json:
    """A file as a CKAN resource, without its address."""
    return {
        "name": file.file_name,
        "format": file.format.upper(),
        "mimetype": file.media_type,
        "hash": f"sha256:{file.sha256}",
        "description": f"Part {file.piece}, {file.size} bytes. SHA-256: {file.sha256}",
    }


async def _send_copies(shipment: Shipment, stored: Json) -> None:
    there = {resource.get("name"): resource for resource in stored.get("resources") or []}
    for file in shipment.facts.files:
        known = there.get(file.file_name)
        if known is not None and file.sha256 in str(known.get("description")):
            continue
        action = "resource_create" if known is None else "resource_update"
        fields: dict[str, Any] = {"package_id": stored["id"], **resource_of(file), **_same(known)}
        place = f"/api/3/action/{action}"
        answered = await shipment.send_file(action, place, _headers(shipment), "upload", file, fields)
        if answered.status == 413:
            raise PortalFault(f"{action}: the portal does not accept files of this size")
        if not answered.is_good:
            raise refused(action, answered, member(answered.document, "error"))
