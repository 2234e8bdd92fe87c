"""Extensions: attacks and hierarchies in packages of their own, which announce them as entry points.

An installed package is trusted as much as this one, since an operator put it there. It adds parts and never replaces
one, and it adds nothing that decides whether a guarantee holds: the verifier knows no extensions. A package that does
not fit stops the process when it starts, with the reason.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions

from antifaz.errors import UnfitExtension
from antifaz.extending.conformance import faults_of
from antifaz.hierarchies.hierarchy import Hierarchy
from antifaz.part import Attack, Part


@dataclass(frozen=True)
class Hook:
    """One way to extend Antifaz: a group of entry points, each of them a class."""

    parent: type[Part]
    """What a class must inherit from."""
    about: str
    """What it adds, in one sentence."""


GROUP = "antifaz."
HOOKS: Mapping[str, Hook] = {
    "attacks": Hook(Attack, "An attempt to learn something about people from a release, judged against the truth."),
    "hierarchies": Hook(Hierarchy, "How the values of a column generalize, level by level."),
}
"""Every hook of the engine, by the folder of the catalogue; the group of its entry points begins with `antifaz.`."""
OUTSIDE: Mapping[str, str] = {
    "formats": "A file format in which tables or graphs are uploaded; releases are never in it.",
}
"""What other hooks add: `formats.extending` finds and checks formats, where files are read."""


@cache
def extensions(folder: str) -> tuple[type[Part], ...]:
    """Return the parts of one folder of the catalogue that installed packages add."""
    return tuple(part for place, part in _installed() if place == folder)


def package_of(part: type[Part]) -> str | None:
    """Return the name and version of the package that adds a part; None for a part of Antifaz."""
    return next((package for (_, each), package in _installed().items() if each is part), None)


def packages() -> dict[str, str]:
    """Return the version of every installed package with extensions, by its name."""
    return dict(sorted(package.rsplit(" ", 1) for package, _ in _announced()))


def refuse_taken(folder: str, taken: Collection[str]) -> None:
    """Raise `UnfitExtension` if an extension has the name of a part of Antifaz, or two have the same."""
    names = list(taken)
    for part in extensions(folder):
        if part.wire_name() in names:
            raise UnfitExtension(f"{package_of(part)}: there is another part called {part.wire_name()} in {folder}")
        names.append(part.wire_name())


@cache
def _installed() -> dict[tuple[str, type[Part]], str]:
    """Return folder and class of every extension, with the name and version of its package."""
    found: dict[tuple[str, type[Part]], str] = {}
    for package, point in _announced():
        folder = point.group.removeprefix(GROUP)
        if folder in OUTSIDE:
            continue
        try:
            found[folder, _load(folder, point)] = package
        except UnfitExtension as error:
            raise UnfitExtension(f"{package}: {point.value} {error}") from error
    return found


def _announced() -> Iterator[tuple[str, EntryPoint]]:
    """Yield every entry point of ours, with the name and version of its package; the first on the path counts."""
    known: dict[str, Distribution] = {}
    for distribution in distributions():
        known.setdefault(distribution.name, distribution)
    for name in sorted(known):
        for point in known[name].entry_points:
            if point.group.startswith(GROUP):
                yield f"{name} {known[name].version}", point


def _load(folder: str, point: EntryPoint) -> type[Part]:
    if folder not in HOOKS:
        known = ", ".join(GROUP + each for each in (*HOOKS, *OUTSIDE))
        raise UnfitExtension(f"is announced as {point.group}; there are {known}")
    try:
        part = point.load()
    except (ImportError, AttributeError) as error:
        raise UnfitExtension(f"cannot be imported: {error}") from error
    parent = HOOKS[folder].parent
    if not (isinstance(part, type) and issubclass(part, parent)):
        raise UnfitExtension(f"does not inherit from {parent.__name__}")
    faults: list[str] = faults_of(part)
    if faults:
        raise UnfitExtension(f"is not complete: {'; '.join(faults)}")
    if part.wire_name() != point.name:
        raise UnfitExtension(f"is called {part.wire_name()}, not {point.name}")
    return part
