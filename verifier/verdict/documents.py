"""Documents: JSON objects without repeated keys, since parsers disagree about which of two counts.

The documents of an auditor may be anything. One that is not such an object (too deep, no UTF-8, a number without an
end, a value that JSON does not have) is a `ValueError`, whatever the parser fails with.
"""

import json
from pathlib import Path
from typing import Any

_DEEPEST = 100
"""Levels of nesting. The documents of the service have fewer than twenty."""


def read_object(path: Path) -> dict[str, Any]:
    """The object in a file."""
    return object_in(path.read_bytes())


def object_in(content: bytes | str) -> dict[str, Any]:
    """The object in a text; the message of the error repeats nothing of it."""
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ValueError("not JSON with each key once") from None
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    _check_depth(found)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _refuse(constant: str) -> Any:
    raise ValueError(f"JSON has no {constant}")


def _check_depth(found: Any) -> None:
    """Refuse what would exceed the stack of a later step, such as writing it again."""
    level = [found]
    for _ in range(_DEEPEST):
        inner = [list(each.values()) if isinstance(each, dict) else each for each in level]
        level = [value for values in inner for value in values if isinstance(value, dict | list)]
        if not level:
            return
    raise ValueError("nested too deeply")
