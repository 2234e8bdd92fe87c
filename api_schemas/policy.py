"""A policy inside a request: documented by the catalogue's schema, validated by the engine."""

from typing import Annotated, Any

from pydantic import TypeAdapter, WithJsonSchema

from antifaz.policy import AnyHierarchy, PolicyBody

REF_TEMPLATE = "#/components/schemas/{model}"
POLICY_REFERENCE = {"$ref": "#/components/schemas/Policy"}
HIERARCHY_REFERENCE = {"$ref": "#/components/schemas/Hierarchy"}

PolicyDocument = Annotated[dict[str, Any], WithJsonSchema(POLICY_REFERENCE)]
"""A policy as it was sent; `antifaz.policy.parse_policy` says what is wrong with it."""
HierarchyDocument = Annotated[dict[str, Any], WithJsonSchema(HIERARCHY_REFERENCE)]
"""A hierarchy as it was sent; `antifaz.policy.parse_hierarchy` says what is wrong with it."""


def policy_components() -> dict[str, Any]:
    """The component schemas that the two references need."""
    return _components("Policy", PolicyBody) | _components("Hierarchy", AnyHierarchy)


def _components(name: str, annotation: Any) -> dict[str, Any]:
    schema = TypeAdapter(annotation).json_schema(ref_template=REF_TEMPLATE)
    components: dict[str, Any] = schema.pop("$defs", {})
    return components | {name: schema}
