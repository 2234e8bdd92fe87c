"""Shared work: what several runs or measures have in common is done by the first that needs it."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Found = TypeVar("Found")


class Shared:
    """Results by what they are results of; what has nothing in common starts with an empty one."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Any] = {}

    def once(self, name: Hashable, compute: Callable[[], Found]) -> Found:
        """The result of that name, computed at the first call."""
        if name not in self._found:
            self._found[name] = compute()
        found: Found = self._found[name]
        return found
