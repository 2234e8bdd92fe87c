"""Extensions: formats in packages of their own, which announce them as entry points of the group `antifaz.formats`.

They add ways to read uploads. Nothing that a format of ours reads is given to them, and releases are never written in
them, because the verifier reads no foreign formats. A package that does not fit stops the process when it starts.
"""

from importlib.metadata import EntryPoint, entry_points

from formats.catalogue import graph_format, graph_formats, table_format, table_formats, temporal_formats
from formats.core.format import Format, GraphFormat, TableFormat
from formats.extending.conformance import faults_of

GROUP = "antifaz.formats"
Added = TableFormat | GraphFormat


class UnfitFormat(Exception):
    """An installed package adds a format that cannot be used; the process does not start."""


def formats_of_uploads(kind: str) -> dict[str, Format]:
    """The formats of packages for one kind of data, by name."""
    return {name: found for name, found in _ADDED.items() if kind in found.kinds}


def table_format_of_upload(name: str) -> TableFormat:
    """Return the format, ours or a package's, of a stored table, or raise `Fault`."""
    found = _ADDED.get(name)
    return found if isinstance(found, TableFormat) else table_format(name)


def graph_format_of_upload(name: str) -> GraphFormat:
    """Return the format, ours or a package's, of a stored graph, or raise `Fault`."""
    found = _ADDED.get(name)
    return found if isinstance(found, GraphFormat) else graph_format(name)


def _added() -> dict[str, Added]:
    added: dict[str, Added] = {}
    # Of a package that is installed twice, the first on the path counts.
    for package, point in sorted((_package(point), point) for point in entry_points(group=GROUP)):
        try:
            found = _load(point)
            _refuse_taken(found, added)
        except UnfitFormat as error:
            raise UnfitFormat(f"{package}: {point.value} {error}") from error
        added[found.name] = found
    return added


def _package(point: EntryPoint) -> str:
    return "unknown" if point.dist is None else f"{point.dist.name} {point.dist.version}"


def _load(point: EntryPoint) -> Added:
    try:
        found = point.load()
    except (ImportError, AttributeError) as error:
        raise UnfitFormat(f"cannot be imported: {error}") from error
    if not isinstance(found, Added):
        raise UnfitFormat("is no TableFormat or GraphFormat")
    faults = faults_of(found)
    if faults:
        raise UnfitFormat(f"is not complete: {'; '.join(faults)}")
    if found.name != point.name:
        raise UnfitFormat(f"is called {found.name}, not {point.name}")
    return found


def _refuse_taken(found: Added, added: dict[str, Added]) -> None:
    """Refuse the name or the file name ending of another format, of whatever kind of data."""
    others = [*table_formats().values(), *graph_formats().values(), *temporal_formats().values(), *added.values()]
    if any(found.name == other.name for other in others):
        raise UnfitFormat(f"has the name of another format, {found.name}")
    taken = sorted({ending for other in others for ending in other.endings} & set(found.endings))
    if taken:
        raise UnfitFormat(f"has file name endings of another format: {', '.join(taken)}")


_ADDED = _added()
