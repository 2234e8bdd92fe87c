"""Data Package 2: the release as files with table schemas; edges refer to nodes by foreign keys.

Open Knowledge Foundation, "Data Package Standard", version 2, 2024.
"""

from typing import Any

from antifaz.tables.texts.value_types import ValueType
from metadata.facts import Column, Facts, File, slug
from metadata.words import description, license_url, promise


def datapackage(facts: Facts) -> dict[str, Any]:
    """Describe the release for tools that work with files."""
    card = facts.card
    package: dict[str, Any] = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": f"{slug(facts.name)}-{facts.id}",
        "id": facts.cite_as,
        "title": facts.title,
        "description": description(facts),
        "homepage": facts.page,
        "created": facts.issued,
        "version": card.get("version"),
        "keywords": list(card.get("keywords") or ()),
        "licenses": _licenses(facts),
        "contributors": _contributors(facts),
        "antifaz": {"promise": promise(facts), "guarantees": list(facts.guarantees), "kind": facts.kind},
        "resources": [_resource(facts, file) for file in facts.files],
    }
    return {name: value for name, value in package.items() if value not in (None, [])}


def _licenses(facts: Facts) -> list[dict[str, str]]:
    path = license_url(facts)
    return [] if path is None else [{"name": facts.card["license"], "path": path}]


def _contributors(facts: Facts) -> list[dict[str, Any]]:
    publisher, contact = facts.publisher, facts.card.get("contact")
    found: list[dict[str, Any]] = [{"title": publisher["name"], "roles": ["publisher"]}]
    if publisher.get("url"):
        found[0]["path"] = publisher["url"]
    if contact:
        name = contact.get("name") or publisher["name"]
        found.append({"title": name, "email": contact["email"], "roles": ["contactPerson"]})
    return found


def _resource(facts: Facts, file: File) -> dict[str, Any]:
    resource: dict[str, Any] = {
        "name": file.key,
        "path": file.url,
        "title": file.file_name,
        "format": file.media_type.rpartition("/")[2] if not file.is_delimited else "csv",
        "mediatype": file.media_type,
        "hash": f"sha256:{file.sha256}",
    }
    if file.is_delimited:
        resource |= {"type": "table", "encoding": "utf-8", "bytes": file.size, "schema": _schema(facts, file)}
    if file.is_delimited and file.dialect:
        resource["dialect"] = {"delimiter": file.delimiter, "header": True, "quoteChar": '"', "doubleQuote": True}
        resource["description"] = f"In this file {file.dialect}."
    return resource


def _schema(facts: Facts, file: File) -> dict[str, Any]:
    schema: dict[str, Any] = {"fields": [_field(file, column) for column in file.columns]}
    keys = [_foreign_key(facts, file, column) for column in file.columns if column.refers_to]
    first = file.columns[0] if file.columns else None
    if first is not None and first.refers_to is None and first.name in ("node", "snapshot"):
        schema["primaryKey"] = [first.name]
    known = [key for key in keys if key is not None]
    return schema | ({"foreignKeys": known} if known else {})


def _field(file: File, column: Column) -> dict[str, Any]:
    type_ = ValueType(column.type).definition.data_package
    field = {"name": file.header(column), "type": type_, "description": column.meaning}
    return field | ({"decimalChar": file.decimal} if type_ == "number" and file.decimal != "." else {})


def _foreign_key(facts: Facts, file: File, column: Column) -> dict[str, Any] | None:
    target = next((each for each in facts.files if each.piece == column.refers_to and each.is_delimited), None)
    if target is None:
        return None
    field = "snapshot" if column.refers_to == "snapshots" else "node"
    return {"fields": [column.name], "reference": {"resource": target.key, "fields": [field]}}
