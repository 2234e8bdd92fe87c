"""Rooms: the map of packages and their rooms, from the contracts in pyproject.toml and the signs in `__init__.py`.

A sign is the docstring of a package: what is in it, who may import it, what it never does. The order comes from the
contracts of the import linter, so the map shows what `make check` enforces.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PATHS = {"antifaz_client": "client/antifaz_client"}
"""Packages that are not at the root."""
OTHERS = {
    "bench": "benchmarks, and searches for bugs that no test would notice",
    "tests": "tests; they mirror the packages, and cross them in `system`, `faults`, `leaks`, `gate`, `security`",
    "docs": "pages for people; `docs/decisions` has the reasons, one page each",
}
_LEAVES = ("methods", "guarantees", "risk", "utility", "attacks")
"""Folders of parts, which the reference describes one by one."""


def with_rooms(page: str) -> str:
    """A page with the map of packages and rooms between its marks."""
    return _between(page, "rooms", f"{_diagram()}\n\n{_map()}")


def with_layout(page: str) -> str:
    """A page with a table of the top folders between its marks."""
    rows = [(f"`{PATHS.get(name, name)}/`", _summary(name)) for name in packages()]
    rows += [(f"`{name}/`", text) for name, text in OTHERS.items()]
    return _between(page, "layout", _table(("folder", "contents"), rows))


def packages() -> list[str]:
    """The packages of the product, the highest first: those that the first contract lists."""
    return [name for layer in _layers() for name in _names(layer)]


def folder_of(package: str) -> Path:
    """The folder of a package or a room."""
    return ROOT / PATHS.get(package, package.replace(".", "/"))


def rooms_of(package: str) -> list[str]:
    """The rooms of a package, the highest first; those of one layer are separated by a bar."""
    return next((each["layers"] for each in _contracts() if each.get("containers") == [package]), [])


def _between(page: str, mark: str, text: str) -> str:
    pattern = rf"(<!-- {mark}: written by `make docs` -->\n).*?(\n<!-- end of {mark} -->)"
    return re.sub(pattern, lambda found: f"{found[1]}{text}{found[2]}", page, count=1, flags=re.DOTALL)


def _diagram() -> str:
    lines = [_line(layer) for layer in _layers()]
    return "\n".join(["```", *lines, "```"])


def _line(layer: str) -> str:
    """Packages of one layer, and the rooms of each from top to bottom."""
    names = _names(layer)
    shown = " · ".join(names)
    rooms = [f"{name}: {' > '.join(_folders(name))}" for name in names if _folders(name)]
    return "\n".join([shown, *(f"    {line}" for line in rooms)])


def _folders(package: str) -> list[str]:
    """The rooms of a package that are folders; layers of single modules are left out."""
    found = []
    for layer in rooms_of(package):
        names = [name for name in _names(layer) if (folder_of(package) / name).is_dir() and name not in _LEAVES]
        found += ["|".join(names)] if names else []
    return found


def _map() -> str:
    rows = []
    for package in packages():
        rows.append((f"`{PATHS.get(package, package)}`", _sign(folder_of(package))))
        for folder in _walk(folder_of(package)):
            rows.append((f"`{folder.relative_to(ROOT).as_posix()}`", _sign(folder)))
    return _table(("where", "what is there, and its rule"), rows)


def _walk(folder: Path) -> Iterator[Path]:
    """The rooms of a folder, and theirs."""
    for sign in sorted(folder.glob("*/__init__.py")):
        if sign.parent.name not in _LEAVES and folder.name != "migrations":
            yield sign.parent
            yield from _walk(sign.parent)


def _summary(package: str) -> str:
    return _without_title(_paragraphs(folder_of(package))[0])


def _sign(folder: Path) -> str:
    """What is in a room, and its rule if that is short."""
    first, *others = _paragraphs(folder)
    return " — ".join([_without_title(first), *(rule for rule in others[:1] if len(rule) < 300)])


def _paragraphs(folder: Path) -> list[str]:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return [" ".join(part.split()).replace("``", "`") for part in text.split("\n\n")]


def _without_title(sentence: str) -> str:
    return re.sub(r"^(?:The )?[A-Z][\w ]{0,40}: ", "", sentence).rstrip(".")


def _table(titles: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [f"| {one} | {other.replace('|', '&#124;')} |" for one, other in [titles, ("---", "---"), *rows]]
    return "\n".join(lines)


def _layers() -> list[str]:
    layers: list[str] = next(each["layers"] for each in _contracts() if each["id"] == "processes")
    return layers


def _names(layer: str) -> list[str]:
    return re.findall(r"\w+", layer)


@cache
def _contracts() -> list[dict[str, Any]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts: list[dict[str, Any]] = project["tool"]["importlinter"]["contracts"]
    return contracts
