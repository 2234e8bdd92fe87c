"""Croissant 1.1: the release as a dataset for machine learning, with all its loadable tables.

MLCommons, "Croissant Format Specification", version 1.1; its RAI extension describes how people are protected.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from antifaz.tables.texts.value_types import ValueType
from metadata.facts import Column, Facts, File
from metadata.words import PROHIBITION, description, license_url, limitations, promise

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataBiases": "cr:dataBiases",
    "dataCollection": "cr:dataCollection",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "personalSensitiveInformation": "cr:personalSensitiveInformation",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def croissant(facts: Facts) -> dict[str, Any]:
    """Describe the release for machine learning."""
    card, publisher = facts.card, facts.publisher
    document: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "@id": facts.address,
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": facts.title,
        "description": description(facts),
        "url": facts.page,
        "license": license_url(facts),
        "creator": {"@type": "sc:Organization", "name": publisher["name"], "url": publisher.get("url")},
        "publisher": {"@type": "sc:Organization", "name": publisher["name"], "url": publisher.get("url")},
        "datePublished": facts.issued[:10],
        "dateModified": facts.modified[:10],
        "version": _version(card.get("version")),
        "keywords": list(card.get("keywords") or ()),
        "inLanguage": card.get("language"),
        "citeAs": f"{publisher['name']} ({facts.issued[:4]}). {facts.title}. {facts.cite_as}",
        "rai:personalSensitiveInformation": [promise(facts)],
        "rai:dataLimitations": [limitations(facts)],
        "rai:dataUseCases": [PROHIBITION],
        "distribution": [_file(file) for file in facts.files],
        "recordSet": [_records(facts, file) for file in facts.files if file.is_delimited],
    }
    return _said(document)


def _version(stated: str | None) -> str:
    """A version of three numbers, as the format requires; other versions are kept unchanged."""
    return stated or "1.0.0"


def _said(node: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for name, value in node.items():
        kept = _said(value) if isinstance(value, dict) and name != "@context" else value
        if kept not in (None, []):
            found[name] = kept
    return found


def _file(file: File) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.key,
        "name": file.file_name,
        "description": f"{file.piece} as {file.format}" + (f"; {file.dialect}" if file.dialect else ""),
        "contentUrl": file.url,
        "contentSize": f"{file.size} B",
        "encodingFormat": file.media_type,
        "sha256": file.sha256,
    }


def _records(facts: Facts, file: File) -> dict[str, Any]:
    name = file.piece
    ids = _field_names(file.columns)
    fields = [_field(facts, file, f"{name}/{own}", column) for own, column in zip(ids, file.columns, strict=True)]
    records = {"@type": "cr:RecordSet", "@id": name, "name": name, "description": f"Every row of {file.file_name}."}
    first = file.columns[0] if file.columns else None
    if first is not None and first.refers_to is None and first.name in ("node", "snapshot"):
        records["key"] = {"@id": f"{name}/{first.name}"}  # type: ignore[assignment]
    return records | {"field": fields}


def _field_names(columns: Sequence[Column]) -> list[str]:
    """A distinct name for every column in the letters that an identifier may have; the file keeps the column's own."""
    names: list[str] = []
    # A name that needs no change keeps it, whatever the columns before it are called.
    plain = {column.name for column in columns if _PLAIN.fullmatch(column.name)}
    for number, column in enumerate(columns, 1):
        name = column.name if column.name in plain else _spelled(column.name) or f"column_{number}"
        while name != column.name and (name in names or name in plain):
            name = f"{name}_{number}"
        names.append(name)
    return names


def _spelled(name: str) -> str:
    """A name in ASCII letters; empty if it has letters of another script."""
    letters = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    if any(letter.isalpha() and not letter.isascii() for letter in letters):
        return ""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", letters).strip("_")


def _field(facts: Facts, file: File, name: str, column: Column) -> dict[str, Any]:
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": name,
        "name": name,
        "description": column.meaning,
        "dataType": ValueType(column.type).definition.croissant,
        "source": {"fileObject": {"@id": file.key}, "extract": {"column": file.header(column)}},
    }
    if _can_be_joined(facts, column):
        to = "snapshot" if column.refers_to == "snapshots" else "node"
        field["references"] = {"field": {"@id": f"{column.refers_to}/{to}"}}
    return field


def _can_be_joined(facts: Facts, column: Column) -> bool:
    """Whether the rows that a column refers to are in the release. Readers join one step and no chain: a table that
    refers to another one is excluded, such as the nodes of a sample, which refer to supernodes."""
    targets = [file for file in facts.files if file.is_delimited and file.piece == column.refers_to]
    return any(all(each.refers_to is None for each in file.columns) for file in targets)
