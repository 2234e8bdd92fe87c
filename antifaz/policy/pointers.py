"""Pointers: the places of faults in a policy, by RFC 6901, never the values that were given."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from pydantic import BaseModel, ValidationError

from antifaz import catalogue
from antifaz.part import LEAST_NUMBER, MOST_NUMBER
from antifaz.suggestions import suggest


def escaped(token: str) -> str:
    """Return a name as one reference token of an RFC 6901 pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def numbers_out_of_range(data: Any, pointer: str = "") -> Iterable[tuple[str, str]]:
    """Yield the numbers that no method, measure or mechanism can compute with."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from numbers_out_of_range(value, f"{pointer}/{escaped(name)}")
    elif isinstance(data, list | tuple):
        for position, value in enumerate(data):
            yield from numbers_out_of_range(value, f"{pointer}/{position}")
    elif isinstance(data, int | float) and data and not LEAST_NUMBER <= abs(data) <= MOST_NUMBER:
        yield pointer, f"must be 0 or from {LEAST_NUMBER} to {MOST_NUMBER:.0e} in size"


def faults_of(error: ValidationError, data: Any, *, of_hierarchy: bool = False) -> list[tuple[str, str]]:
    """Return pointer and reason of every fault, without the value that was given."""
    found = []
    for fault in error.errors(include_url=False):
        detail, location = fault["msg"].removeprefix("Value error, "), fault["loc"]
        if fault["type"] in ("union_tag_invalid", "union_tag_not_found"):
            detail = _about_tag(fault.get("ctx", {}))
        elif fault["type"] in ("literal_error", "enum"):
            # The given name is compared with known names, and never repeated.
            detail += _close_to(fault["input"], _NAMED.findall(fault.get("ctx", {}).get("expected", "")))
        elif fault["type"] == "extra_forbidden":
            detail = _about_field(location[-1])
            if of_hierarchy or "hierarchy" in location:
                location = location[:-1]  # field names of an inline hierarchy are labels
        found.append((_pointer(location, data), detail))
    return found


def _about_tag(context: Mapping[str, Any]) -> str:
    expected = context.get("expected_tags")
    if not expected:
        return "its kind, name or model is not given"
    return f"must be one of {expected}{_close_to(context.get('tag'), _NAMED.findall(expected))}"


def _about_field(name: int | str) -> str:
    if name in _SEEDS:
        return NO_SEED
    return "unknown field" + _close_to(name, _fields())


def _close_to(given: object, known: Iterable[str]) -> str:
    return suggest(given, known) if isinstance(given, str) else ""


_NAMED = re.compile(r"'([^']+)'")
_SEEDS = ("seed", "random_seed", "random_state")
NO_SEED = "there is no seed: all randomness comes from a cryptographic source, because a known seed would undo noise"


@cache
def _fields() -> frozenset[str]:
    """Return the names of all fields of policies."""
    return frozenset(name for part in (*_PARTS, *_models()) for name in part.model_fields)


def _models() -> Iterator[type[BaseModel]]:
    """Yield the classes that make up policies, except the parts of the catalogue."""
    for module in ("model", "tables", "graphs", "temporal", "networks"):
        for value in vars(import_module(f"antifaz.policy.{module}")).values():
            if isinstance(value, type) and issubclass(value, BaseModel):
                yield value


def _pointer(location: Sequence[int | str], data: Any) -> str:
    """Return a pointer into the input: pydantic's location without the union tags that it inserts."""
    pointer, here = "", data
    for position, step in enumerate(location):
        last = position == len(location) - 1
        if _has(here, step):
            here = here[step]
        elif not last or not isinstance(here, dict) or step in _TAGS:
            continue
        pointer += "/" + escaped(str(step))
    return pointer


def _has(here: Any, step: int | str) -> bool:
    return (isinstance(here, dict) and step in here) or (
        isinstance(here, list) and isinstance(step, int) and step < len(here)
    )


_PARTS = [
    part
    for folder in ("methods", "guarantees", "hierarchies", "utility", "attacks")
    for part in catalogue.parts(folder)
]
_TAGS = {"reference", "by name", *(tag for part in _PARTS for tag in (part.wire_name(), *part.kinds))}
