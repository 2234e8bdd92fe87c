"""Signposting: typed links in HTTP headers that lead programs from a page to its files and metadata.

Van de Sompel and Nelson, "Reminiscing About 15 Years of Interoperability Efforts", D-Lib Magazine, 2015; the profile
is "FAIR Signposting", level 1. Relations are those of RFC 8288's registry.
"""

from metadata.facts import Facts, File
from metadata.profiles import PROFILES
from metadata.schema_org import schema_org
from metadata.words import license_url

_MOST_FILES = 60
"""Most files that are linked: more would make the header larger than servers accept."""


def page_links(facts: Facts) -> str:
    """Value of the ``Link`` header of a release's page."""
    links = [
        _link(facts.cite_as, "cite-as"),
        _link("https://schema.org/AboutPage", "type"),
        _link("https://schema.org/Dataset", "type"),
        *_license(facts),
        *([_link(facts.publisher["url"], "author")] if facts.publisher.get("url") else []),
    ]
    for name, profile in PROFILES.items():
        links += [
            _link(facts.metadata(name), "describedby", type=media_type, profile=profile.conforms_to)
            for media_type in profile.media_types
        ]
    links += [_link(file.url, "item", type=file.media_type) for file in facts.files[:_MOST_FILES]]
    return ", ".join(links)


def file_links(facts: Facts, file: File) -> str:
    """The same for a file."""
    links = [_link(facts.cite_as, "cite-as"), _link(facts.page, "collection", type="text/html"), *_license(facts)]
    return ", ".join([*links, _link(facts.metadata("schema-org"), "describedby", type="application/ld+json")])


def metadata_links(facts: Facts) -> str:
    """The same for metadata."""
    return _link(facts.page, "describes", type="text/html")


def page_data(facts: Facts) -> dict[str, object]:
    """The JSON-LD that a release's page contains for search engines."""
    return schema_org(facts)


def _license(facts: Facts) -> list[str]:
    address = license_url(facts)
    return [] if address is None else [_link(address, "license")]


def _link(address: str, relation: str, **attributes: str | None) -> str:
    said = "".join(f'; {name}="{value}"' for name, value in attributes.items() if value)
    return f'<{address}>; rel="{relation}"{said}'
