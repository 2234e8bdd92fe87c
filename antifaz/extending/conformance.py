"""Conformance: what a part must fulfill, so that policies, reports and the API can use it.

Our own tests run these checks on every part. A package with extensions is checked by `faults_of` when a process starts;
its tests should run the others on examples of their own.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from antifaz.arrays import distinct
from antifaz.described import field_texts
from antifaz.errors import Cancelled
from antifaz.hierarchies.hierarchy import Generalization, Hierarchy
from antifaz.part import QUESTIONS, Attack, Part
from antifaz.watch import unwatched

_TAGS = ("name", "model", "kind")
_KINDS = {"table", "graph", "temporal_graph"}
_LONGEST_TEXT = 120


def faults_of(part: type[Part]) -> list[str]:
    """Return what is wrong with the class of a part, if anything."""
    return [*_faults_of_class(part), *(_faults_of_attack(part) if issubclass(part, Attack) else ())]


def _faults_of_class(part: type[Part]) -> Iterator[str]:
    if not any(tag in part.model_fields for tag in _TAGS):
        yield "it has no field name, model or kind with its name as default"
        return
    if not part.kinds or not set(part.kinds) <= _KINDS:
        yield "kinds must name kinds of data"
    if not (part.__doc__ or "").strip().split("\n")[0].endswith("."):
        yield "its docstring must begin with a sentence"
    bare = set(part.model_fields) - set(field_texts(part)) - set(_TAGS)
    if bare:
        yield f"parameters without a docstring: {', '.join(sorted(bare))}"
    if part.model_json_schema().get("additionalProperties") is not False:
        yield "unknown fields must be refused"
    yield from _faults_of_examples(part)


def _faults_of_examples(part: type[Part]) -> Iterator[str]:
    try:
        made = [part.model_validate_json(json.dumps(example)) for example in part.examples]
    except ValidationError as error:
        yield f"an example is not valid: {error.errors()[0]['msg']}"
        return
    if not made or any(each in made[:place] for place, each in enumerate(made)):
        yield "there must be examples, all of them different"
    if [part.model_validate_json(each.model_dump_json()) for each in made] != made:
        yield "an example changes on its way through JSON"


def _faults_of_attack(attack: type[Attack]) -> Iterator[str]:
    missing = [name for name in ("question", "knows", "learns", "guesses", "story") if not hasattr(attack, name)]
    if missing:
        yield f"an attack must state {', '.join(missing)}"
        return
    if attack.question not in QUESTIONS:
        yield f"its question must be one of {', '.join(QUESTIONS)}"
    for name in ("knows", "learns", "guesses"):
        text = getattr(attack, name)
        if not 5 < len(text) < _LONGEST_TEXT or text.endswith("."):
            yield f"{name} must be a few words without a period"
    if not attack.story.who or "{}" not in attack.story.does or "{}" not in attack.story.guess:
        yield "its story must have braces for the shares of success and of guessing"


def faults_of_attempt(
    attack: Any, original: Any, released: Any, seeded: Callable[[], np.random.Generator]
) -> list[str]:
    """Return what is wrong with an attack on a release of a table, a graph or snapshots, if anything.

    ``seeded`` makes the same generator every time, such as one with a fixed seed.
    """
    shares: list[float] = []
    found = attack.attempt(original, released, seeded(), shares.append)
    again = attack.attempt(original, released, seeded(), unwatched)
    faults = [
        f"{name} must be a number from 0 to 1"
        for name in ("rate", "baseline")
        if not isinstance(found.get(name), float) or not 0.0 <= found[name] <= 1.0
    ]
    if _written(found) != _written(again):
        faults.append("the same generator must give the same result: all chance must come from it")
    if not shares or min(shares) < 0.0 or max(shares) > 1.0 or shares != sorted(shares):
        faults.append("the watch must be called with the share of the work that is done, rising from 0 to 1")
    return (
        faults
        if _stops(attack, original, released, seeded())
        else [*faults, "an error raised by the watch must get out"]
    )


def _written(found: Any) -> str:
    return json.dumps(found, sort_keys=True)


def _stops(attack: Any, original: Any, released: Any, rng: np.random.Generator) -> bool:
    def stop(share: float) -> None:
        raise Cancelled("asked to stop")

    try:
        attack.attempt(original, released, rng, stop)
    except Cancelled:
        return True
    return False


def faults_of_levels(
    hierarchy: Hierarchy, values: Sequence[str], numbers: NDArray[np.float64] | None = None
) -> list[str]:
    """Return what is wrong with a hierarchy over some distinct values in their order, if anything."""
    placed = hierarchy.resolve("column", np.array(values, dtype=object), numbers)
    return list(_faults_of_levels(placed, values))


def _faults_of_levels(placed: Generalization, values: Sequence[str]) -> Iterator[str]:
    if placed.groups.shape[1] != len(values) or len(placed.labels) != placed.levels:
        yield "every value needs a group at every level"
        return
    if [row[0] for row in placed.paths()] != list(values):
        yield "the lowest level must be the values themselves"
    if placed.levels < 2 or len(distinct(placed.groups[-1])) != 1:
        yield "the highest level must be one group"
    for level, (lower, upper) in enumerate(zip(placed.groups, placed.groups[1:], strict=False)):
        pairs = lower.astype(np.int64) * (int(upper.max()) + 1) + upper
        if len(distinct(pairs)) != len(distinct(lower)):
            yield f"level {level} does not nest: values that share a group must share every higher one"
