"""Docstrings of fields, read only when a schema is requested."""

import subprocess
import sys
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from antifaz.described import Described, field_texts


class Inner(Described):
    """A model inside of another."""

    depth: int = 0
    """How far down."""


class Outer(Described):
    """A model with all sorts of fields."""

    plain: int
    """Below it, with ``marks`` and
    a second line."""
    bare: int
    stated: int = Field(description="stated in place")
    """Not this one."""
    renamed: int = Field(alias="other")
    """Under its other name."""
    inner: Inner
    """A reference."""
    kind: Annotated[str, Field(description="of the type")]
    """Of no use: the type states one."""


class Heir(Outer):
    """Has its own words for one field, and none for another."""

    plain: str
    bare: int
    """Of the heir."""


class Twin(BaseModel):
    """The same as pydantic would read it."""

    model_config = ConfigDict(use_attribute_docstrings=True)
    plain: int
    """Below it, with ``marks`` and
    a second line."""
    bare: int
    stated: int = Field(description="stated in place")
    """Not this one."""
    renamed: int = Field(alias="other")
    """Under its other name."""
    inner: Inner
    """A reference."""
    kind: Annotated[str, Field(description="of the type")]
    """Of no use: the type states one."""


def test_a_schema_says_what_pydantic_would_have_read():
    assert Outer.model_json_schema()["properties"] == Twin.model_json_schema()["properties"]
    assert Outer.model_json_schema()["$defs"]["Inner"]["properties"]["depth"]["description"] == "How far down."


def test_a_field_that_is_stated_again_has_the_words_below_it_and_no_others():
    assert field_texts(Heir) == {
        "bare": "Of the heir.",
        "stated": "Not this one.",
        "renamed": "Under its other name.",
        "inner": "A reference.",
        "kind": "Of no use: the type states one.",
    }


def test_classes_inside_of_functions_have_words_too_and_those_without_source_none():
    class Local(Described):
        """Nobody else sees it."""

        here: int
        """In a function."""

    assert field_texts(Local) == {"here": "In a function."}
    assert field_texts(type("Made", (Described,), {"__annotations__": {"x": int}, "__module__": "nowhere"})) == {}


def test_no_source_is_parsed_to_load_the_catalogue():
    code = (
        "import sys; from antifaz import catalogue, described; import antifaz.policy.parse;"
        "found = len(catalogue.parts('methods')); before = described.texts_of_module.cache_info().currsize;"
        "catalogue.describe('attacks'); print(found, before, described.texts_of_module.cache_info().currsize)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    found, before, after = map(int, said.split())
    assert found > 20
    assert before == 0
    assert after > 5
