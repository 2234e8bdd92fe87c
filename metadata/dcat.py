"""DCAT 3: the release as a dataset, and the open catalog, for both DCAT-AP 3.0.1 and DCAT-US 3.

W3C, "Data Catalog Vocabulary (DCAT) - Version 3", 2024. Figures are measurements of the Data Quality Vocabulary (W3C,
2016). Protection measures are concepts of the Data Privacy Vocabulary (W3C community group): a syntactic guarantee is
called de-identification, never anonymization, which would claim that it cannot be undone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from metadata.facts import Facts, File
from metadata.words import (
    PROHIBITION,
    description,
    is_mechanism,
    license_url,
    promise,
    provenance,
)

Node = dict[str, Any]

CONTEXT = {
    "adms": "http://www.w3.org/ns/adms#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "dpv": "https://w3id.org/dpv#",
    "dqv": "http://www.w3.org/ns/dqv#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "hydra": "http://www.w3.org/ns/hydra/core#",
    "odrl": "http://www.w3.org/ns/odrl/2/",
    "org": "http://www.w3.org/ns/org#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_AUTHORITY = "http://publications.europa.eu/resource/authority"
_FILE_TYPES = {
    "csv": "CSV",
    "edgelist": "CSV",
    "parquet": "PARQUET",
    "jsonl": "JSONL",
    "xlsx": "XLSX",
    "graphml": "XML",
    "gml": "TXT",
}
_THEMES = {
    "AGRI": "Agriculture, fisheries, forestry and food",
    "ECON": "Economy and finance",
    "EDUC": "Education, culture and sport",
    "ENER": "Energy",
    "ENVI": "Environment",
    "GOVE": "Government and public sector",
    "HEAL": "Health",
    "INTR": "International issues",
    "JUST": "Justice, legal system and public safety",
    "OP_DATPRO": "Provisional data",
    "REGI": "Regions and cities",
    "SOCI": "Population and society",
    "TECH": "Science and technology",
    "TRAN": "Transport",
}
_DAY, _MONTH, _YEAR = 10, 7, 4
_DATES = {_DAY: "xsd:date", _MONTH: "xsd:gYearMonth", _YEAR: "xsd:gYear"}


def dataset(facts: Facts) -> Node:
    """Describe one release."""
    return {"@context": CONTEXT, "@graph": [_dataset(facts)]}


def catalog(
    facts: Sequence[Facts], address: str, title: str, publisher: Mapping[str, Any], modified: str | None, paging: Node
) -> Node:
    """Describe one page of a catalog of releases."""
    node: Node = {
        "@id": address,
        "@type": ["dcat:Catalog"],
        "dct:title": text(title),
        "dct:description": text(f"{title}: releases of data about people, each with its protection."),
        "dct:publisher": _agent(publisher, f"{address}#publisher"),
        "dcat:dataset": [{"@id": each.address} for each in facts],
    }
    if modified is not None:
        node["dct:modified"] = moment(modified)
    return {"@context": CONTEXT, "@graph": [node, paging, *map(_dataset, facts)]}


def text(words: str) -> Node:
    """Text of the service or the publisher, without a language tag."""
    return {"@value": words}


def moment(at: str) -> Node:
    """A time."""
    return {"@value": at, "@type": "xsd:dateTime"}


def _dataset(facts: Facts) -> Node:
    card = facts.card
    node: Node = {
        "@id": facts.address,
        "@type": ["dcat:Dataset"],
        "dct:title": text(facts.title),
        "dct:description": text(description(facts)),
        "dct:identifier": text(facts.cite_as if card.get("doi") else facts.address),
        "dct:issued": moment(facts.issued),
        "dct:modified": moment(facts.modified),
        "dct:publisher": _agent(facts.publisher, f"{facts.address}#publisher"),
        "dcat:landingPage": _document(facts.page, facts.title),
        "dct:accessRights": {"@id": f"{_AUTHORITY}/access-right/PUBLIC", "@type": ["dct:RightsStatement"]},
        "dct:provenance": _labelled("dct:ProvenanceStatement", provenance(facts)),
        "dcat:keyword": [text(word) for word in card.get("keywords") or ()],
        "dcat:theme": [_theme(code) for code in card.get("themes") or ()],
        "dcat:distribution": [_distribution(facts, file) for file in facts.files],
        "dpv:hasTechnicalMeasure": [{"@id": measure} for measure in _measures(facts)],
        "dqv:hasQualityMeasurement": [*_sizes(facts), *_kept(facts)],
        "odrl:hasPolicy": _terms(facts),
        "prov:wasGeneratedBy": {"@id": f"{facts.address}#job-{facts.job_id}", "@type": ["prov:Activity"]},
        "foaf:page": _document(f"{facts.address}/report.html", f"Report: {facts.title}"),
    }
    return {name: value for name, value in (node | _optional(card, facts)).items() if value not in (None, [])}


def _optional(card: Mapping[str, Any], facts: Facts) -> Node:
    found: Node = {}
    if card.get("contact"):
        found["dcat:contactPoint"] = _contact(card["contact"], facts)
    if card.get("language"):
        found["dct:language"] = {"@id": language(card["language"]), "@type": ["dct:LinguisticSystem"]}
    if card.get("spatial"):
        found["dct:spatial"] = _place(card["spatial"])
    if card.get("temporal"):
        found["dct:temporal"] = _period(card["temporal"])
    if card.get("version"):
        found["dcat:version"] = text(card["version"])
    if card.get("terms"):
        found["dct:rights"] = _labelled("dct:RightsStatement", card["terms"])
    return found


def _agent(publisher: Mapping[str, Any], fallback: str) -> Node:
    agent: Node = {
        "@id": publisher.get("url") or fallback,
        "@type": ["foaf:Agent", "foaf:Organization", "org:Organization"],
        "foaf:name": text(publisher["name"]),
        "skos:prefLabel": text(publisher["name"]),
    }
    if publisher.get("url"):
        agent["foaf:homepage"] = _document(publisher["url"], publisher["name"])
    return agent


def _contact(contact: Mapping[str, Any], facts: Facts) -> Node:
    return {
        "@id": f"{facts.address}#contact",
        "@type": ["vcard:Kind", "vcard:Organization"],
        "vcard:fn": text(contact.get("name") or facts.publisher["name"]),
        "vcard:hasEmail": {"@id": f"mailto:{contact['email']}"},
    }


def _document(address: str, title: str) -> Node:
    return {"@id": address, "@type": ["foaf:Document"], "dct:title": text(title)}


def _labelled(kind: str, words: str) -> Node:
    return {"@type": [kind], "rdfs:label": text(words)}


def _theme(code: str) -> Node:
    return {
        "@id": f"{_AUTHORITY}/data-theme/{code}",
        "@type": ["skos:Concept"],
        "skos:prefLabel": text(_THEMES[code]),
        "skos:inScheme": {
            "@id": f"{_AUTHORITY}/data-theme",
            "@type": ["skos:ConceptScheme"],
            "dct:title": text("Data theme"),
        },
    }


def _place(place: str) -> Node:
    if place.startswith(("http://", "https://")):
        return {"@id": place, "@type": ["dct:Location"]}
    return {"@type": ["dct:Location"], "rdfs:label": text(place), "skos:prefLabel": text(place)}


def _period(period: Mapping[str, Any]) -> Node:
    ends = {"dcat:startDate": period.get("start"), "dcat:endDate": period.get("end")}
    said = {name: {"@value": day, "@type": _DATES[len(day)]} for name, day in ends.items() if day}
    return {"@type": ["dct:PeriodOfTime"], **said}


def _distribution(facts: Facts, file: File) -> Node:
    license_ = license_url(facts)
    node: Node = {
        "@id": f"{facts.address}#{file.key}",
        "@type": ["dcat:Distribution"],
        "dct:title": text(file.file_name),
        "dct:description": text(
            f"{file.piece} as {file.format}. SHA-256: {file.sha256}"
            + (f". In this file {file.dialect}." if file.dialect else "")
        ),
        "dcat:accessURL": {"@id": file.url},
        "dcat:downloadURL": {"@id": file.url},
        "dcat:mediaType": {
            "@id": f"https://www.iana.org/assignments/media-types/{file.media_type}",
            "@type": ["dct:MediaType"],
        },
        "dct:format": {
            "@id": f"{_AUTHORITY}/file-type/{_FILE_TYPES.get(file.format, 'JSON')}",
            "@type": ["dct:MediaTypeOrExtent"],
        },
        "dcat:byteSize": {"@value": str(file.size), "@type": "xsd:nonNegativeInteger"},
        "spdx:checksum": {
            "@type": ["spdx:Checksum"],
            "spdx:algorithm": {
                "@id": "http://spdx.org/rdf/terms#checksumAlgorithm_sha256",
                "@type": ["spdx:ChecksumAlgorithm"],
            },
            "spdx:checksumValue": {"@value": file.sha256, "@type": "xsd:hexBinary"},
        },
        "dct:issued": moment(facts.issued),
    }
    if license_ is not None:
        node["dct:license"] = {"@id": license_, "@type": ["dct:LicenseDocument"]}
    return node


def _measures(facts: Facts) -> list[str]:
    kept = [guarantee for guarantee in facts.guarantees if guarantee.get("holds")]
    # Only what was verified is claimed, and k-anonymity is not called anonymous: readers would take it for a promise.
    found = ["dpv:DifferentialPrivacy"] if any(map(is_mechanism, kept)) else []
    if any(not is_mechanism(guarantee) for guarantee in kept):
        found.append("dpv:Deidentification")
    if any(entry["role"] == "identifier" for entry in facts.dictionary):
        found.append("dpv:Pseudonymisation")
    return found


def _sizes(facts: Facts) -> list[Node]:
    return [
        _measurement(facts, name, facts.shape[name], f"number of {name} in the release")
        for name in ("rows", "nodes", "edges", "snapshots")
        if name in facts.shape
    ]


def _kept(facts: Facts) -> list[Node]:
    """One measurement for each achieved figure of a guarantee that holds."""
    return [
        _measurement(facts, f"{place}-{guarantee['model']}-{name}", value, f"{name} of {guarantee['model']}, verified")
        for place, guarantee in enumerate(facts.guarantees)
        if guarantee.get("holds")
        for name, value in sorted(guarantee["achieved"].items())
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]


def _measurement(facts: Facts, name: str, value: float, words: str) -> Node:
    # The same metric has the same address in every release, so that a portal can compare figures.
    metric = f"{facts.base}/v1/catalog#{name.partition('-')[2] or name}"
    is_whole = isinstance(value, int)
    return {
        "@id": f"{facts.address}#measurement-{name}",
        "@type": ["dqv:QualityMeasurement"],
        "dqv:isMeasurementOf": {
            "@id": metric,
            "@type": ["dqv:Metric"],
            "skos:definition": text(words),
            "dqv:expectedDataType": {"@id": "xsd:integer" if is_whole else "xsd:decimal"},
            "dqv:inDimension": {"@id": "https://w3id.org/dpv#Deidentification"},
        },
        "dqv:value": {"@value": format_number(value), "@type": "xsd:integer" if is_whole else "xsd:decimal"},
    }


def format_number(value: float) -> str:
    """Format a number without an exponent, which XML Schema decimals do not allow."""
    return str(value) if isinstance(value, int) else f"{value:.12f}".rstrip("0").rstrip(".") or "0"


def _terms(facts: Facts) -> Node:
    return {
        "@id": f"{facts.address}#terms",
        "@type": ["odrl:Offer"],
        "odrl:prohibition": {
            "@type": ["odrl:Prohibition"],
            "odrl:target": {"@id": facts.address},
            "odrl:action": {"@id": "https://w3id.org/dpv#ReIdentification"},
            "rdfs:comment": text(PROHIBITION),
        },
        "rdfs:comment": text(promise(facts)),
    }


_LANGUAGES = (
    "bg:BUL ca:CAT cs:CES da:DAN de:DEU el:ELL en:ENG es:SPA et:EST eu:EUS fi:FIN fr:FRA ga:GLE gl:GLG hr:HRV hu:HUN "
    "is:ISL it:ITA ja:JPN ko:KOR lt:LIT lv:LAV mk:MKD mt:MLT nl:NLD no:NOR pl:POL pt:POR ro:RON ru:RUS sk:SLK sl:SLV "
    "sq:SQI sr:SRP sv:SWE tr:TUR uk:UKR zh:ZHO ar:ARA hi:HIN"
)
_AUTHORITY_CODES = dict(pair.split(":") for pair in _LANGUAGES.split())


def language(code: str) -> str:
    """Address of a language in the European authority list; for less common ones, at the Library of Congress."""
    if code in _AUTHORITY_CODES:
        return f"{_AUTHORITY}/language/{_AUTHORITY_CODES[code]}"
    return f"http://id.loc.gov/vocabulary/iso639-1/{code}"
