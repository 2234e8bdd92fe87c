"""Shared work: results that several runs or measures need are computed once, by the first that needs them."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Found = TypeVar("Found")


class Shared:
    """A cache of results by name; work that shares nothing starts with an empty one."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Any] = {}

    def once(self, name: Hashable, compute: Callable[[], Found]) -> Found:
        """Return the result of that name, computed at the first call."""
        if name not in self._found:
            self._found[name] = compute()
        found: Found = self._found[name]
        return found
