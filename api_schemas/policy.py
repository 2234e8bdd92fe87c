"""A policy inside a request: documented by the catalogue's schema, validated by the engine."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import TypeAdapter, WithJsonSchema

from antifaz.policy.model import AnyHierarchy
from antifaz.policy.parse import PolicyBody

REF_TEMPLATE = "#/components/schemas/{model}"
PLACEHOLDER = "x-component"
"""Marks, in a model's schema, a reference to a component that pydantic does not know; see `with_references`."""

_TAGS = ("kind", "name", "model")

PolicyDocument = Annotated[dict[str, Any], WithJsonSchema({"type": "object", PLACEHOLDER: "Policy"})]
"""A policy as it was sent; `antifaz.policy.parse_policy` validates it."""
HierarchyDocument = Annotated[dict[str, Any], WithJsonSchema({"type": "object", PLACEHOLDER: "Hierarchy"})]
"""A hierarchy as it was sent; `antifaz.policy.parse_hierarchy` validates it."""


def policy_components() -> dict[str, Any]:
    """Return the component schemas that the references need."""
    components = _components("Policy", PolicyBody) | _components("Hierarchy", AnyHierarchy)
    names = _plain_names(components)
    return {
        names.get(title, title): _renamed(component | ({"title": names[title]} if title in names else {}), names)
        for title, component in components.items()
    }


def with_references(schema: Any) -> Any:
    """Return the schema with every placeholder replaced by its reference."""
    if isinstance(schema, list):
        return [with_references(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    if PLACEHOLDER in schema:
        return {"$ref": REF_TEMPLATE.format(model=schema[PLACEHOLDER])}
    return {name: with_references(member) for name, member in schema.items()}


def _plain_names(components: Mapping[str, Any]) -> dict[str, str]:
    """Short names, such as `TemporalEdges` and `GraphEdges`, for classes that pydantic names by their modules because
    they share a class name."""
    names: dict[str, str] = {}
    for title in sorted(components):
        if "__" not in title:
            continue
        _, kind, *_, module, name = title.split("__")
        plain = f"{kind.removesuffix('s').title()}{name}"
        if plain in components or plain in names.values():
            plain = f"{kind.removesuffix('s').title()}{module.title().replace('_', '')}{name}"
        names[title] = plain
    return names


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    if isinstance(schema, list):
        return [_renamed(member, names) for member in schema]
    if isinstance(schema, dict):
        return {key: _renamed(member, names) for key, member in schema.items()}
    reference, title = REF_TEMPLATE.format(model=""), str(schema).rpartition("/")[2]
    return f"{reference}{names[title]}" if schema == f"{reference}{title}" and title in names else schema


def _components(name: str, annotation: Any) -> dict[str, Any]:
    schema = TypeAdapter(annotation).json_schema(ref_template=REF_TEMPLATE)
    components: dict[str, Any] = schema.pop("$defs", {})
    return {title: _with_its_tag(component) for title, component in components.items()} | {name: schema}


def _with_its_tag(component: dict[str, Any]) -> dict[str, Any]:
    """Make the discriminating name of a part required, although it is a default of the class."""
    tags = [tag for tag in _TAGS if "const" in component.get("properties", {}).get(tag, {})]
    return component | {"required": sorted({*component.get("required", []), *tags})} if tags else component
