"""Steps: methods within a method, as in a pipeline.

The methods are known only after the catalogue was walked, so a step is looked up when it is parsed and its schema is
built when it is requested.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from antifaz.part import Part


class StepOf:
    """The annotation of a field that holds one method of a kind, except a pipeline."""

    def __init__(self, parent: type[Part], description: str, fits: Callable[[Any], bool] = lambda method: True) -> None:
        self.parent = parent
        self.description = description
        self.fits = fits
        """Whether a method of the kind may be a step."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(lambda step: step.model_dump(mode="json"))
        return core_schema.no_info_plain_validator_function(self._find, serialization=written)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {
            "type": "object",
            "description": self.description,
            "properties": {"name": {"type": "string", "enum": sorted(self._methods())}},
            "required": ["name"],
        }

    def _find(self, stated: Any) -> Part:
        """Return the method that a step names, with its parameters."""
        if isinstance(stated, self.parent):
            return stated
        if not isinstance(stated, dict) or not isinstance(stated.get("name"), str):
            raise ValueError("a step is a method with its name and parameters")
        known = self._methods()
        if stated["name"] not in known:
            raise ValueError(f"a step's name must be one of {', '.join(sorted(known))}")
        try:
            return known[stated["name"]].model_validate_json(json.dumps(stated), strict=True)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            place = "/".join(str(part) for part in fault["loc"])
            raise ValueError(f"the step's {place}: {fault['msg'].removeprefix('Value error, ')}") from None

    def _methods(self) -> dict[str, type[Part]]:
        """Return the methods that may be steps, by name; pipelines are not nested."""
        found = (method for method in _below(self.parent) if "name" in method.model_fields)
        return {m.wire_name(): m for m in found if m.wire_name() != "pipeline" and self.fits(m)}


def _below(parent: type[Part]) -> Iterator[type[Part]]:
    for child in parent.__subclasses__():
        yield child
        yield from _below(child)
