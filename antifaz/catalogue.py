"""Catalogue: all parts, found by walking the packages, and those that installed packages add.

Adding a method, guarantee, measure or attack is one new file: nothing is registered by hand. The unions that validate
policies and the descriptions in the API are built from these parts.
"""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

import antifaz
from antifaz.extending.extensions import extensions, package_of, refuse_taken
from antifaz.part import Part

Category = Literal["methods", "guarantees", "measures", "attacks", "hierarchies"]


def parts(folder: str, kind: str | None = None) -> tuple[type[Part], ...]:
    """Return the parts of one folder (``methods``, ``risk``, …), sorted by wire name; only those of ``kind`` if given.

    A table guarantee also applies to the node attributes of a graph; a table method or measure does not.
    """
    return tuple(part for part in _found(folder) if kind is None or kind in part.kinds)


@cache
def _found(folder: str) -> tuple[type[Part], ...]:
    own = [part for package in _packages(folder) for part in _walk(package)]
    refuse_taken(folder, {part.wire_name() for part in own})
    found = [*own, *extensions(folder)]
    return tuple(sorted(found, key=lambda part: (part.wire_name(), part.__module__)))


def part(folder: str, kind: str, name: str) -> type[Part]:
    """Return the part of that name for that kind of dataset; raise KeyError if there is none."""
    for candidate in parts(folder, kind):
        if candidate.wire_name() == name:
            return candidate
    raise KeyError(name)


def describe(category: Category) -> list[dict[str, Any]]:
    """Return the API's description of every part of a category."""
    folders = ("utility", "risk") if category == "measures" else (category,)
    return [_describe(found, folder) for folder in folders for found in parts(folder)]


def _packages(folder: str) -> Iterator[str]:
    """Yield the package of that name, or all packages of that name inside those of the kinds; imports none."""
    for root in antifaz.__path__:
        for package in [module.name for module in pkgutil.iter_modules([root]) if module.ispkg]:
            inside = {module.name for module in pkgutil.iter_modules([f"{root}/{package}"]) if module.ispkg}
            if package == folder or folder in inside:
                yield f"antifaz.{package}" if package == folder else f"antifaz.{package}.{folder}"


def _walk(package: str) -> Iterator[type[Part]]:
    root = importlib.import_module(package)
    for module in pkgutil.iter_modules(root.__path__, package + "."):
        yield from _defined_in(module.name)


def _defined_in(module_name: str) -> Iterator[type[Part]]:
    module = importlib.import_module(module_name)
    for member in vars(module).values():
        of_this_module = isinstance(member, type) and member.__module__ == module_name
        if of_this_module and issubclass(member, Part) and _is_concrete(member):
            yield member


def _is_concrete(part_class: type[Part]) -> bool:
    return any(tag in part_class.model_fields for tag in ("name", "model", "kind"))


def _describe(part_class: type[Part], folder: str) -> dict[str, Any]:
    about: dict[str, Any] = {
        "name": part_class.wire_name(),
        "summary": inspect.cleandoc(part_class.__doc__ or "").split("\n\n")[0].replace("\n", " "),
        "description": inspect.cleandoc(inspect.getdoc(inspect.getmodule(part_class)) or ""),
        "kinds": list(part_class.kinds),
        "guarantees": list(getattr(part_class, "gives", ())),
        "schema": part_class.model_json_schema(),
    }
    if folder in ("risk", "utility"):
        about["category"] = folder
    if folder == "attacks":
        about |= {name: getattr(part_class, name) for name in ("question", "knows", "learns", "guesses")}
    package = package_of(part_class)
    return about if package is None else about | {"package": package}
