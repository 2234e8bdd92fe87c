"""Schema words: a JSON schema described in a few words."""

import json
from typing import Any

Schema = dict[str, Any]

_TYPES = {"integer": "integer", "number": "number", "string": "text", "boolean": "`true` or `false`", "null": "none"}
_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} members",
    "maxItems": "at most {} members",
    "minProperties": "at least {} entries",
    "maxProperties": "at most {} entries",
}
_TAGS = ("kind", "model", "name")


def type_of(schema: Schema, definitions: Schema) -> str:
    """The type of a value, with its limits: `integer, at least 2`."""
    schema = _followed(schema, definitions)
    if "const" in schema:
        return code(schema["const"])
    if "enum" in schema:
        return _alternatives([code(value) for value in schema["enum"]])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return _choice(choices, definitions)
    limits = [_limit(bound, schema[bound]) for bound in _BOUNDS if bound in schema]
    return ", ".join([_plain(schema, definitions), *limits])


def default_of(schema: Schema, required: bool) -> str:
    """The default value."""
    if required:
        return "required"
    default = schema.get("default")
    if default is None or default == {} or (isinstance(default, dict) and set(default.values()) == {None}):
        return "none"
    return code(default)


def code(value: Any) -> str:
    """A JSON value as code."""
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def _limit(bound: str, value: float) -> str:
    if bound in ("minLength", "minItems", "minProperties") and value == 1:
        return "not empty"
    return _BOUNDS[bound].format(f"{value:,}" if isinstance(value, int) else f"{value:.12g}")


def _followed(schema: Schema, definitions: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    target: Schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
    return target | {name: value for name, value in schema.items() if name != "$ref"}


def _choice(choices: list[Schema], definitions: Schema) -> str:
    followed = [_followed(choice, definitions) for choice in choices]
    parts = [choice for choice in followed if _tag(choice) is not None]
    words = [
        type_of(choice, definitions) for choice in followed if _tag(choice) is None and choice.get("type") != "null"
    ]
    if parts:
        tags = sorted({str(_tag(choice)) for choice in parts})
        words.insert(0, f"an object selected by its `{tags[0]}`")
    return _alternatives(words)


def _tag(schema: Schema) -> str | None:
    """The field that distinguishes a part from the others of its kind."""
    properties = schema.get("properties", {})
    return next((tag for tag in _TAGS if "const" in properties.get(tag, {})), None)


def _plain(schema: Schema, definitions: Schema) -> str:
    kind = schema.get("type")
    if kind == "array":
        return _list(schema, definitions)
    if kind == "object":
        return _object(schema, definitions)
    return _TYPES.get(str(kind), "any value")


def _list(schema: Schema, definitions: Schema) -> str:
    if "prefixItems" in schema:
        return "[" + ", ".join(type_of(item, definitions) for item in schema["prefixItems"]) + "]"
    return f"list of {_grouped(type_of(schema.get('items', {}), definitions))}"


def _object(schema: Schema, definitions: Schema) -> str:
    values = schema.get("additionalProperties")
    if isinstance(values, dict):
        return f"object of names, each with {_grouped(type_of(values, definitions))}"
    fields = schema.get("properties", {})
    words = [f"`{name}`: {type_of(field, definitions)}" for name, field in fields.items()]
    return "object with " + "; ".join(words) if words else "object"


def _grouped(words: str) -> str:
    """In parentheses if the words around it could be misread as part of it."""
    return f"({words})" if " " in words else words


def _alternatives(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
