"""Strict JSON: text that crosses a process boundary is UTF-8, finite, shallow and without duplicate keys.

Python's parser accepts NaN, silently takes the last of two equal keys, and raises RecursionError on deep nesting.
PostgreSQL stores neither NUL nor a lone surrogate. All of these are refused here, and no error repeats a value.
"""

import json
import math
from typing import Any, NoReturn

_EXACT = 2**53
"""A double represents every integer up to this one exactly."""


class BadJson(ValueError):
    """Text that is not JSON, or not JSON that we accept."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule = rule
        """Short name of the rule that was broken, such as ``duplicate_key``."""
        self.detail = detail


def parse_json(content: bytes, max_depth: int) -> Any:
    """Parse a JSON text, or raise `BadJson`."""
    value = _read(_decoded(content))
    _check_depth(value, max_depth)
    if b"\\u" in content:
        _check_texts(value)
    return value


def canonical_json(value: Any) -> bytes:
    """Serialize a value so that equal values give equal text: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise BadJson("encoding", "is not UTF-8") from None
    if not text.strip():
        raise BadJson("empty", "is empty")
    if text.startswith("\ufeff"):
        raise BadJson("encoding", "starts with a byte order mark")
    return text


def _read(text: str) -> Any:
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_not_a_number, parse_float=_finite, parse_int=_bounded
        )
    except RecursionError:
        raise BadJson("depth", "is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadJson("syntax", f"is not JSON (line {error.lineno}, column {error.colno})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadJson("duplicate_key", "an object has two members of the same name")
    return members


def _not_a_number(name: str) -> NoReturn:
    raise BadJson("not_a_number", "NaN and Infinity are not JSON")


def _finite(digits: str) -> float | int:
    """Parse a number with a fraction or an exponent. 5.0 becomes an integer, because JSON Schema treats it as one."""
    number = float(digits)
    if math.isinf(number):
        raise BadJson("number_range", "a number is too large")
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


def _bounded(digits: str) -> int:
    if len(digits) > 100:
        raise BadJson("number_range", "a number has too many digits")
    return int(digits)


def _check_depth(value: Any, max_depth: int) -> None:
    containers = [value]
    for _ in range(max_depth):
        containers = [member for container in containers for member in _members(container)]
        if not containers:
            return
    raise BadJson("depth", f"is nested more than {max_depth} levels deep")


def _members(value: Any) -> list[Any]:
    members = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [member for member in members if isinstance(member, dict | list)]


def _check_texts(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    if "\\u0000" in text.replace("\\\\", ""):
        raise BadJson("nul", "a text has a NUL character")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadJson("surrogate", "a text has half of a surrogate pair") from None
