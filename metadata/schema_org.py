"""schema.org: the release for search engines; also the base of its RO-Crate."""

from typing import Any

from metadata.facts import Facts, File
from metadata.words import PROHIBITION, description, license_url

_SHORTEST, _LONGEST = 50, 5000
"""Fewest and most characters of a description that search engines accept."""


def schema_org(facts: Facts) -> dict[str, Any]:
    """Describe the release for search engines, as embedded in its page."""
    document = {"@context": "https://schema.org/", "@type": "Dataset", "@id": facts.cite_as, **_about(facts)}
    document["url"] = facts.page
    document["distribution"] = [_download(file) | {"@type": "DataDownload"} for file in facts.files]
    document["includedInDataCatalog"] = {"@type": "DataCatalog", "url": facts.catalog, "name": facts.tenant}
    return _said(document)


def ro_crate(facts: Facts) -> dict[str, Any]:
    """RO-Crate 1.1 (Soiland-Reyes et al., "Packaging research artefacts with RO-Crate", Data Science, 2022)."""
    publisher = facts.publisher
    publisher_id = publisher.get("url") or f"{facts.address}#publisher"
    license_ = license_url(facts)
    root = _about(facts) | {
        "@id": "./",
        "@type": "Dataset",
        "publisher": {"@id": publisher_id},
        "creator": {"@id": publisher_id},
        "license": None if license_ is None else {"@id": license_},
        "contactPoint": {"@id": f"{facts.address}#contact"} if facts.card.get("contact") else None,
        "temporalCoverage": _period(facts),
        "spatialCoverage": facts.card.get("spatial"),
        "variableMeasured": None,
        "hasPart": [{"@id": file.url} for file in facts.files],
        "url": facts.page,
    }
    graph: list[dict[str, Any]] = [
        {
            "@id": "ro-crate-metadata.json",
            "@type": "CreativeWork",
            "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
            "about": {"@id": "./"},
        },
        root,
        {"@id": publisher_id, "@type": "Organization", "name": publisher["name"], "url": publisher.get("url")},
    ]
    if license_ is not None:
        name = facts.card["license"]
        graph.append({"@id": license_, "@type": "CreativeWork", "name": name, "description": f"License {name}"})
    if facts.card.get("contact"):
        graph.append({"@id": f"{facts.address}#contact", **_contact(facts)})
    graph += [
        _download(file) | {"@id": file.url, "@type": "File", "sdDatePublished": facts.issued} for file in facts.files
    ]
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [_said(node) for node in graph]}


def _about(facts: Facts) -> dict[str, Any]:
    card, publisher = facts.card, facts.publisher
    organization = {"@type": "Organization", "name": publisher["name"], "url": publisher.get("url")}
    return {
        "name": facts.title,
        "description": description(facts)[:_LONGEST].ljust(_SHORTEST, "."),
        "identifier": facts.cite_as,
        "license": license_url(facts),
        "creator": organization,
        "publisher": organization,
        "datePublished": facts.issued,
        "dateModified": facts.modified,
        "keywords": list(card.get("keywords") or ()),
        "inLanguage": card.get("language"),
        "version": card.get("version"),
        "isAccessibleForFree": True,
        "conditionsOfAccess": PROHIBITION,
        "usageInfo": card.get("terms"),
        "spatialCoverage": card.get("spatial"),
        "temporalCoverage": _period(facts),
        "variableMeasured": [
            {"@type": "PropertyValue", "name": entry["name"], "description": entry["meaning"]}
            for entry in facts.dictionary
        ],
        "contactPoint": _contact(facts) if card.get("contact") else None,
    }


def _contact(facts: Facts) -> dict[str, Any]:
    contact = facts.card["contact"]
    name = contact.get("name") or facts.publisher["name"]
    return {"@type": "ContactPoint", "name": name, "email": contact["email"], "contactType": "data"}


def _period(facts: Facts) -> str | None:
    period = facts.card.get("temporal")
    return None if not period else f"{period['start']}/{period.get('end') or '..'}"


def _download(file: File) -> dict[str, Any]:
    return {
        "name": file.file_name,
        **({"description": f"In this file {file.dialect}."} if file.dialect else {}),
        "contentUrl": file.url,
        "encodingFormat": file.media_type,
        "contentSize": str(file.size),
        "sha256": file.sha256,
    }


def _said(node: dict[str, Any]) -> dict[str, Any]:
    kept = {name: _said(value) if isinstance(value, dict) else value for name, value in node.items()}
    return {name: value for name, value in kept.items() if value not in (None, [])}
