"""A policy inside a request: documented by the catalogue's schema, validated by the engine."""

from typing import Annotated, Any

from pydantic import TypeAdapter, WithJsonSchema

from antifaz.policy import AnyHierarchy, PolicyBody

REF_TEMPLATE = "#/components/schemas/{model}"
PLACEHOLDER = "x-component"
"""Stands in a model's schema for a reference to a component that pydantic does not know; see `with_references`."""

PolicyDocument = Annotated[dict[str, Any], WithJsonSchema({"type": "object", PLACEHOLDER: "Policy"})]
"""A policy as it was sent; `antifaz.policy.parse_policy` says what is wrong with it."""
HierarchyDocument = Annotated[dict[str, Any], WithJsonSchema({"type": "object", PLACEHOLDER: "Hierarchy"})]
"""A hierarchy as it was sent; `antifaz.policy.parse_hierarchy` says what is wrong with it."""


def policy_components() -> dict[str, Any]:
    """The component schemas that the references need."""
    return _components("Policy", PolicyBody) | _components("Hierarchy", AnyHierarchy)


def with_references(schema: Any) -> Any:
    """A schema in which every placeholder is the reference that it stands for."""
    if isinstance(schema, list):
        return [with_references(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    if PLACEHOLDER in schema:
        return {"$ref": REF_TEMPLATE.format(model=schema[PLACEHOLDER])}
    return {name: with_references(member) for name, member in schema.items()}


def _components(name: str, annotation: Any) -> dict[str, Any]:
    schema = TypeAdapter(annotation).json_schema(ref_template=REF_TEMPLATE)
    components: dict[str, Any] = schema.pop("$defs", {})
    return components | {name: schema}
