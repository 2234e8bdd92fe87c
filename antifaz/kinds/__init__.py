"""Kinds of data: one object for each, found by walking this package. No other code checks which kind it has."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

from antifaz.kinds.kind import Kind

AnyKind = Kind[Any, Any, Any, Any]


@cache
def kinds() -> Mapping[str, AnyKind]:
    """Return all kinds, by their name in policies."""
    modules = [importlib.import_module(found.name) for found in pkgutil.iter_modules(__path__, __name__ + ".")]
    return {module.KIND.name: module.KIND for module in modules if hasattr(module, "KIND")}


def kind_named(name: str) -> AnyKind:
    """Return the kind of that name; raise KeyError if there is none."""
    return kinds()[name]
