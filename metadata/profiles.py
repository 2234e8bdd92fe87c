"""Profiles: the metadata of a release by name, each with its media types."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from metadata.archives import datacite, dublin_core, written
from metadata.croissant import croissant
from metadata.datapackage import datapackage
from metadata.dcat import dataset
from metadata.facts import Facts
from metadata.schema_org import ro_crate, schema_org
from metadata.turtle import turtle

JSON_LD = "application/ld+json"
TURTLE = "text/turtle"
JSON = "application/json"
XML = "application/xml"


@dataclass(frozen=True)
class Profile:
    """One way to describe a release."""

    make: Callable[[Facts], Any]
    media_types: tuple[str, ...]
    """Supported media types; the first one is the default."""
    conforms_to: str | None = None


PROFILES: dict[str, Profile] = {
    "dcat-ap": Profile(dataset, (JSON_LD, TURTLE), "http://data.europa.eu/r5r/"),
    "dcat-us": Profile(dataset, (JSON_LD, TURTLE), "https://resources.data.gov/resources/dcat-us3/"),
    "croissant": Profile(croissant, (JSON_LD,), "http://mlcommons.org/croissant/1.1"),
    "datapackage": Profile(datapackage, (JSON,), "https://datapackage.org/profiles/2.0/datapackage.json"),
    "schema-org": Profile(schema_org, (JSON_LD,), "https://schema.org/"),
    "ro-crate": Profile(ro_crate, (JSON_LD,), "https://w3id.org/ro/crate/1.1"),
    "datacite": Profile(datacite, (JSON,), "http://datacite.org/schema/kernel-4"),
    "oai_dc": Profile(dublin_core, (XML,), "http://www.openarchives.org/OAI/2.0/oai_dc/"),
}
"""Profiles by their name in queries."""


def rendered(profile: str, facts: Facts, media_type: str) -> bytes:
    """Render the metadata in a media type of the profile."""
    made = PROFILES[profile].make(facts)
    if media_type == XML:
        return written(made)
    return in_rdf(made, media_type)


def in_rdf(document: dict[str, Any], media_type: str) -> bytes:
    """Serialize a document as Turtle or JSON."""
    if media_type == TURTLE:
        return turtle(document).encode()
    return json.dumps(document, ensure_ascii=False, indent=1).encode()
