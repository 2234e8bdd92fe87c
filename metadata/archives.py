"""Metadata for archives and libraries: DataCite 4.5 and the fifteen elements of Dublin Core (OAI-PMH's oai_dc)."""

from typing import Any
from xml.etree import ElementTree

from metadata.facts import Facts
from metadata.words import description, license_url, limitations, promise, provenance, size

OAI_DC = "http://www.openarchives.org/OAI/2.0/oai_dc/"
_DC = "http://purl.org/dc/elements/1.1/"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_SCHEMA = f"{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd"


def datacite(facts: Facts) -> dict[str, Any]:
    """DataCite Metadata Schema 4.5 (DataCite, 2024)."""
    card = facts.card
    document: dict[str, Any] = {
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "types": {"resourceType": facts.kind.replace("_", " "), "resourceTypeGeneral": "Dataset"},
        "alternateIdentifiers": [{"alternateIdentifier": facts.page, "alternateIdentifierType": "URL"}],
        "creators": [{"name": facts.publisher["name"], "nameType": "Organizational"}],
        "titles": [{"title": facts.title}],
        "publisher": {"name": facts.publisher["name"]},
        "publicationYear": facts.issued[:4],
        "dates": [
            {"date": facts.issued, "dateType": "Issued"},
            {"date": facts.modified, "dateType": "Updated"},
        ],
        "subjects": [{"subject": word} for word in card.get("keywords") or ()],
        "language": card.get("language"),
        "version": card.get("version"),
        "rightsList": _rights(facts),
        "descriptions": [
            {"description": card.get("description") or description(facts), "descriptionType": "Abstract"},
            {"description": promise(facts), "descriptionType": "Methods"},
            {"description": limitations(facts), "descriptionType": "Other"},
        ],
        "sizes": list(dict.fromkeys([size(facts), *(f"{file.size} bytes" for file in facts.files)])),
        "formats": sorted({file.media_type for file in facts.files}),
        "relatedIdentifiers": [
            {"relatedIdentifier": file.url, "relatedIdentifierType": "URL", "relationType": "HasPart"}
            for file in facts.files
        ],
        "geoLocations": [{"geoLocationPlace": card["spatial"]}] if card.get("spatial") else [],
        "url": facts.page,
    }
    if card.get("doi"):
        document |= {
            "doi": card["doi"],
            "prefix": card["doi"].partition("/")[0],
            "suffix": card["doi"].partition("/")[2],
        }
    if card.get("temporal"):
        period = card["temporal"]
        document["dates"].append(
            {"date": f"{period['start']}/{period.get('end') or ''}", "dateType": "Other"}
            | {"dateInformation": "Coverage"}
        )
    return {name: value for name, value in document.items() if value not in (None, [])}


def _rights(facts: Facts) -> list[dict[str, str]]:
    license_, address = facts.card.get("license"), license_url(facts)
    if license_ is None or address is None:
        return []
    named = {"rights": license_, "rightsUri": address}
    if not license_.startswith("LicenseRef-"):
        named |= {
            "rightsIdentifier": license_,
            "rightsIdentifierScheme": "SPDX",
            "schemeUri": "https://spdx.org/licenses/",
        }
    return [named]


def dublin_core(facts: Facts) -> ElementTree.Element:
    """The fifteen elements (Dublin Core Metadata Initiative)."""
    card = facts.card
    root = ElementTree.Element(f"{{{OAI_DC}}}dc", {f"{{{_XSI}}}schemaLocation": _SCHEMA})
    temporal = card.get("temporal")
    elements: list[tuple[str, str | None]] = [
        ("title", facts.title),
        ("creator", facts.publisher["name"]),
        *(("subject", word) for word in card.get("keywords") or ()),
        ("description", description(facts)),
        ("publisher", facts.publisher["name"]),
        ("date", facts.issued[:10]),
        ("type", "Dataset"),
        *(("format", media_type) for media_type in sorted({file.media_type for file in facts.files})),
        ("identifier", facts.page),
        ("identifier", f"https://doi.org/{card['doi']}" if card.get("doi") else None),
        ("source", provenance(facts)),
        ("language", card.get("language")),
        *(("relation", file.url) for file in facts.files),
        ("coverage", card.get("spatial")),
        ("coverage", f"{temporal['start']}/{temporal.get('end') or ''}" if temporal else None),
        ("rights", license_url(facts)),
        ("rights", card.get("terms")),
    ]
    for name, words in elements:
        if words:
            ElementTree.SubElement(root, f"{{{_DC}}}{name}").text = words
    return root


def written(root: ElementTree.Element) -> bytes:
    """Serialize XML in UTF-8 with the usual prefixes."""
    for prefix, space in (("oai_dc", OAI_DC), ("dc", _DC), ("xsi", _XSI)):
        ElementTree.register_namespace(prefix, space)
    body: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return body
