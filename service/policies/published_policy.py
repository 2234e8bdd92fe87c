"""The policy as readers of a release see it: without the names of columns that are not released.

That a column exists is a fact about the original, and its name often discloses more. The columns that are in the
release's files are shown in full.
"""

from collections.abc import Mapping
from typing import Any

from antifaz import catalogue


def published_policy(policy: Mapping[str, Any]) -> dict[str, Any]:
    """The public part of a policy without the names of columns that are not released.

    A privacy unit that is not released becomes ``true``: the promise includes that people and not rows were counted.
    """
    attributes = policy.get("attributes", {})
    singles = not _is_generalized(policy)
    shown = {name: settings for name, settings in attributes.items() if _is_released(settings, singles)}
    hidden = set(attributes) - set(shown)
    if not hidden:
        return dict(policy)
    published = {**policy, "attributes": shown}
    if published.get("privacy_unit") in hidden:
        published["privacy_unit"] = True
    for part in ("method", "node_method"):
        if part in published:
            published[part] = _parameters(published[part], hidden)
    if "report" in published:
        published["report"] = {part: _measures(named, hidden) for part, named in published["report"].items()}
    return published


def _is_released(settings: Mapping[str, Any], singles: bool) -> bool:
    role = settings.get("role")
    if role == "identifier":
        return bool(settings.get("pseudonym"))
    return role == "quasi_identifier" or singles


def _is_generalized(policy: Mapping[str, Any]) -> bool:
    """Whether supernodes are released, which show only generalized quasi-identifiers of their members."""
    name = policy.get("method", {}).get("name")
    found = [part for part in catalogue.parts("methods", str(policy.get("kind"))) if part.wire_name() == name]
    return any(getattr(part, "form", "") == "generalized" for part in found)


def _parameters(method: Mapping[str, Any], hidden: set[str]) -> dict[str, Any]:
    """A method, or every step of a pipeline, without hidden columns in its parameters."""
    return {name: _parameter(value, hidden) for name, value in method.items()}


def _parameter(value: Any, hidden: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {name: inner for name, inner in value.items() if name not in hidden}
    if isinstance(value, list):
        return [
            _parameters(item, hidden) if isinstance(item, Mapping) else item
            for item in value
            if not isinstance(item, str) or item not in hidden
        ]
    return value


def _measures(named: Any, hidden: set[str]) -> Any:
    """Measures and attacks without parameters that name a hidden column."""
    if not isinstance(named, list):
        return named
    return [
        {name: value for name, value in measure.items() if name == "name" or value not in hidden}
        if isinstance(measure, Mapping)
        else measure
        for measure in named
    ]
