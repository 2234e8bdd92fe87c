"""The policy's and the hierarchy's schemas as components of the OpenAPI document."""

from collections.abc import Iterator
from typing import Any

from api_schemas.policy import policy_components
from tests.schemas import fixes_chance


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, member in schema.items():
            if name == "$ref":
                yield member
            else:
                yield from references(member)
    elif isinstance(schema, list):
        for member in schema:
            yield from references(member)


def test_every_reference_has_its_component():
    components = policy_components()
    wanted = {reference.rpartition("/")[2] for reference in references(components)}
    assert {"Policy", "Hierarchy", "TablePolicy", "GraphPolicy"} <= set(components)
    assert wanted <= set(components)


def test_the_tag_of_a_part_is_required():
    components = policy_components()
    assert "kind" in components["TablePolicy"]["required"]
    assert "name" in components["Mondrian"]["required"]


def test_there_is_no_seed_anywhere():
    assert fixes_chance(policy_components()) == []
    assert fixes_chance({"properties": {"method": {"properties": {"random_seed": {}}}}}) == ["random_seed"]
