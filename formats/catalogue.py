"""The catalogue of formats: every `Format` that a module of this package defines, found by walking the package."""

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from formats.core.faults import Fault
from formats.core.format import Format, GraphFormat, TableFormat, TemporalFormat


@cache
def table_formats() -> dict[str, TableFormat]:
    """The formats of tables, by name."""
    return {found.name: found for found in _formats() if isinstance(found, TableFormat)}


@cache
def graph_formats() -> dict[str, GraphFormat]:
    """The formats of graphs, by name."""
    return {found.name: found for found in _formats() if isinstance(found, GraphFormat)}


@cache
def temporal_formats() -> dict[str, TemporalFormat]:
    """The formats in which temporal graphs are uploaded, by name."""
    return {found.name: found for found in _formats() if isinstance(found, TemporalFormat)}


def all_formats() -> dict[str, TableFormat | GraphFormat]:
    """Every format of uploads or releases of tables and graphs, by name."""
    return {**table_formats(), **graph_formats()}


def table_format(name: str) -> TableFormat:
    """Return the table format with this name, or raise `Fault`."""
    if name not in table_formats():
        raise Fault("unknown_format", "the format is not a table format")
    return table_formats()[name]


def graph_format(name: str) -> GraphFormat:
    """Return the graph format with this name, or raise `Fault`."""
    if name not in graph_formats():
        raise Fault("unknown_format", "the format is not a graph format")
    return graph_formats()[name]


def temporal_format(name: str) -> TemporalFormat:
    """Return the format of temporal graphs with this name, or raise `Fault`."""
    if name not in temporal_formats():
        raise Fault("unknown_format", "the format is not a temporal graph format")
    return temporal_formats()[name]


def _formats() -> Iterator[Format]:
    package = import_module("formats")
    for module in pkgutil.walk_packages(package.__path__, "formats."):
        yield from (value for value in vars(import_module(module.name)).values() if isinstance(value, Format))
