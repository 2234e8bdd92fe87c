"""Operations of the OpenAPI document, prepared for pages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from service.access.permissions import OPEN, PERMISSIONS, PUBLIC_LISTS, PUBLIC_RELEASES
from service.documentation.markdown import inline
from service.documentation.schema_words import default_of, type_of

Schema = Mapping[str, Any]

FORM = "multipart/form-data"
_ASSUMED = {"Successful Response": "Done."}
"""FastAPI's description of a response that has none."""


@dataclass(frozen=True)
class Field:
    """A parameter, or a member of a body."""

    name: str
    where: str
    """`path`, `query` or `header`; empty for a member."""
    required: bool
    type: Markup
    default: Markup
    about: Markup


@dataclass(frozen=True)
class Content:
    """The content of a body or a response in one media type."""

    media_type: str
    type: Markup
    fields: tuple[Field, ...]
    example: Any


@dataclass(frozen=True)
class Outcome:
    """One response of an operation."""

    status: str
    about: str
    contents: tuple[Content, ...]


@dataclass(frozen=True)
class Operation:
    """One operation of the API."""

    id: str
    method: str
    path: str
    tag: str
    summary: str
    roles: str
    open: bool
    """Whether it needs no token."""
    parameters: tuple[Field, ...]
    bodies: tuple[Content, ...]
    outcomes: tuple[Outcome, ...]


def operations(openapi: Mapping[str, Any]) -> Iterator[Operation]:
    """Every operation, by path."""
    schemas = openapi["components"]["schemas"]
    for path, methods in openapi["paths"].items():
        for method, described in methods.items():
            yield _operation(method.upper(), path, described, schemas)


def _operation(method: str, path: str, described: Mapping[str, Any], schemas: Schema) -> Operation:
    name = described["operationId"]
    content = described.get("requestBody", {}).get("content", {})
    return Operation(
        id=name,
        method=method,
        path=path,
        tag=described["tags"][0],
        summary=described["summary"],
        roles=_roles(name),
        open=name in OPEN | PUBLIC_LISTS | PUBLIC_RELEASES,
        parameters=tuple(_parameter(each) for each in described.get("parameters", [])),
        bodies=_contents(content, schemas),
        outcomes=tuple(
            Outcome(
                status,
                _ASSUMED.get(answer["description"], answer["description"]),
                _contents(answer.get("content", {}), schemas),
            )
            for status, answer in described["responses"].items()
        ),
    )


def _roles(name: str) -> str:
    if name in OPEN:
        return "anyone, without a token"
    roles = ", ".join(sorted(PERMISSIONS[name]))
    if name in PUBLIC_RELEASES:
        return f"{roles}; anyone if the release is public"
    return f"{roles}; anyone sees what is public" if name in PUBLIC_LISTS else roles


def _parameter(given: Mapping[str, Any]) -> Field:
    schema = given.get("schema", {})
    required = bool(given.get("required"))
    return _field(given["name"], schema | {"description": given.get("description", "")}, required, given["in"])


def _field(name: str, schema: Schema, required: bool, where: str = "") -> Field:
    default = default_of(dict(schema), required) if not required else "required"
    about = inline(_spoken(schema.get("description", "")))
    return Field(name, where, required, inline(type_words(schema)), inline(default), about)


def _contents(content: Mapping[str, Any], schemas: Schema) -> tuple[Content, ...]:
    return tuple(
        Content(name, inline(type_words(body.get("schema", {}))), fields(body.get("schema", {}), schemas), _shown(body))
        for name, body in content.items()
    )


def _shown(body: Mapping[str, Any]) -> Any:
    listed = list((body.get("examples") or {}).values())
    return body.get("example", listed[0].get("value") if listed else None)


def fields(schema: Schema, schemas: Schema) -> tuple[Field, ...]:
    """The members of an object, or of the schema that it refers to."""
    found = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    required = found.get("required", ())
    return tuple(_field(name, each, name in required) for name, each in found.get("properties", {}).items())


def alternatives(schema: Schema) -> tuple[Markup, ...]:
    """The alternatives of a schema."""
    return tuple(inline(type_words(each)) for each in schema.get("oneOf") or schema.get("anyOf") or ())


def type_words(schema: Schema) -> str:
    """The type of a value, in Markdown; named schemas are links to their pages."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](/docs/schemas/{name})"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(dict.fromkeys(type_words(each) for each in choices))
    if schema.get("type") == "array" and "prefixItems" not in schema:
        return f"list of {type_words(schema.get('items', {}))}"
    values = schema.get("additionalProperties")
    if isinstance(values, Mapping):
        return f"object of names, each with {type_words(values)}"
    if schema.get("type") == "object":
        return "object"
    if schema.get("format") == "binary":
        return "bytes"
    return type_of(dict(schema), {})


def _spoken(text: str) -> str:
    """Convert a docstring's double backticks to Markdown's single ones."""
    return text.replace("``", "`")
