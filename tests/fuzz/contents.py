""""""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from pydantic import TypeAdapter

from antifaz import catalogue
from antifaz.policy.parse import PolicyBody
from tests.fuzz.targets import Target

# --- contents --------------------------------------------------------------------------------------------------------


def contents(target: Target) -> st.SearchStrategy[bytes]:
    """Seeds with pieces removed, inserted, repeated or swapped; JSON with members changed likewise; sometimes noise."""
    place = st.floats(0, 1, exclude_max=True)
    damage = st.lists(st.tuples(place, st.integers(0, 12), st.binary(max_size=8), st.integers(1, 40)), max_size=5)
    damaged = st.builds(_damaged, st.sampled_from(target.seeds), damage)
    if not target.documents:
        return damaged | st.binary(max_size=300)
    edits = st.lists(st.tuples(place, st.sampled_from(["put", "add", "take"]), _WORDS, _VALUES_OF_JSON), max_size=6)
    edited = st.builds(_edited, st.sampled_from(target.documents), edits)
    return edited | edited | edited | damaged


def _damaged(content: bytes, damage: list[tuple[float, int, bytes, int]]) -> bytes:
    for place, length, new, times in damage:
        start = int(place * len(content))
        content = content[:start] + new * times + content[start + length :]
    return content


def _vocabulary(schema: Any) -> Iterator[str]:
    """The names of members and the expected text values."""
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
        yield from (word for word in [schema.get("const"), *schema.get("enum", ())] if isinstance(word, str))
        for member in schema.values():
            yield from _vocabulary(member)
    elif isinstance(schema, list):
        for member in schema:
            yield from _vocabulary(member)


_TAGS = {"methods": "name", "guarantees": "model", "hierarchies": "kind"}
_PARTS = [{tag: part.wire_name()} for kind, tag in _TAGS.items() for part in catalogue.parts(kind)]
_KNOWN = sorted({*_vocabulary(TypeAdapter(PolicyBody).json_schema()), "age", "zip", "disease", "", "*"})
_WORDS = st.sampled_from(_KNOWN) | st.text(max_size=4)
_EXTREMES = st.sampled_from([-1, 0, 2, 10**6, 2**31, 2**63, 10**30, 1e-300, 1e300, -0.0, 0.5])
_LEAVES = st.none() | st.booleans() | st.integers(-3, 12) | _EXTREMES | st.floats() | _WORDS
_VALUES_OF_JSON = (
    _LEAVES
    | st.sampled_from(_PARTS)
    | st.lists(_LEAVES | st.lists(_LEAVES, max_size=4), max_size=4)
    | st.dictionaries(_WORDS, _LEAVES, max_size=3)
)


def _edited(document: Any, edits: list[tuple[float, str, str, Any]]) -> bytes:
    document = json.loads(json.dumps(document))
    for place, change, word, value in edits:
        places = list(_places(document))
        container, key = places[int(place * len(places))]
        _edit(container, key, change, word, copy.deepcopy(value))
    return json.dumps(document).encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every member of a JSON value: its container and its key there."""
    if isinstance(value, dict | list):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield value, key
            yield from _places(member)
        yield value, None


def _edit(container: Any, key: Any, change: str, word: str, value: Any) -> None:
    if isinstance(container, list) and (key is None or change == "add"):
        container.append(value)
    elif key is None or change == "add":
        container[word] = value
    elif change == "take":
        del container[key]
    else:
        container[key] = value
