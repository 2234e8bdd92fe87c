"""Schemas in words."""

import pytest

from antifaz import catalogue
from service.documentation.schema_words import default_of, type_of

DEFINITIONS = {"Tails": {"type": "object", "properties": {"top": {"anyOf": [{"type": "number"}, {"type": "null"}]}}}}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 2}, "integer, at least 2"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "number, above 0, at most 1"),
        ({"type": "number", "maximum": 1 - 1e-9}, "number, at most 0.999999999"),
        ({"enum": ["fast", "high"]}, '`"fast"` or `"high"`'),
        ({"const": True}, "`true`"),
        ({"anyOf": [{"type": "integer", "minimum": 2}, {"type": "null"}]}, "integer, at least 2"),
        ({"type": "array", "items": {"type": "string"}, "minItems": 1}, "list of text, not empty"),
        ({"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}]}, "[number, number]"),
        (
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Tails"}},
            "object of names, each with (object with `top`: number)",
        ),
    ],
)
def test_a_schema_in_words(schema, words):
    assert type_of(schema, DEFINITIONS) == words


def test_a_default_that_says_nothing_is_none():
    assert default_of({"default": None}, False) == "none"
    assert default_of({"default": {"a": None, "b": None}}, False) == "none"
    assert default_of({"default": 0.1}, False) == "`0.1`"
    assert default_of({}, True) == "required"


def test_every_parameter_of_the_catalogue_can_be_said():
    for folder in ("methods", "guarantees", "hierarchies", "risk", "utility", "attacks"):
        for part in catalogue.parts(folder):
            schema = part.model_json_schema()
            for field in schema["properties"].values():
                assert "any value" not in type_of(field, schema.get("$defs", {}))
