"""Warm: compile every kernel that is not yet in the on-disk cache.

Jobs do not wait for it: a job compiles the kernels that it needs and that are missing. The kernels of the default
methods come first. Kernels that share functions are compiled by one process, so that shared code is compiled once.
"""

import argparse
import importlib
import inspect
import multiprocessing
import os
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType

from numba.core.registry import cpu_target

import antifaz.kernels.numba.linking  # before forking: kernels load it when they are compiled
from antifaz.kernels.numba.compiled import Kernel
from workers.process.turns import take_turns

FIRST = (
    "tables.loss_cuts.cut_by_loss",
    "tables.class_moves.join_remainder",
    "tables.class_moves.move_records",
    "tables.class_moves.loss_of_classes",
    "tables.conditions.classes_hold",
    "tables.classes.number_rows",
    "numba.lists.number_lists",
    "numba.lists.distinct_by_class",
    "graphs.sequence.cheapest_sequence",
    "graphs.search.search_prices",
    "graphs.plausible.prefer_plausible",
    "tables.linkage.link_targets",
    "graphs.supports.supports",
    "graphs.supports.pass_colors",
    "graphs.paths.components",
    "graphs.paths.distances_from",
    "graphs.centrality.add_dependencies",
    "graphs.paths.distances_to",
    "graphs.communities.move_nodes",
    "graphs.patterns.shared_weights",
    "graphs.propagation.propagate_round",
)
"""The kernels that the bundled examples call, which use the default methods, measures and attacks; methods first."""
BACKGROUND = 10
"""Niceness of the compilation if it runs in the background; the same as that of jobs."""

Name = tuple[str, str]
"""Module and name of a kernel."""


def warm(processes: int | None = None) -> list[Name]:
    """Compile every kernel; return the module and the name of each."""
    shares = deal(families(), processes or os.cpu_count() or 1)
    # Import the compiler's modules before forking: it takes seconds, and so happens only once.
    cpu_target.target_context.refresh()
    with multiprocessing.get_context("fork").Pool(len(shares)) as pool:
        pool.map(_compile, shares, chunksize=1)
    return [kernel for share in shares for kernel in share]


def kernels() -> Iterator[Name]:
    """Module and name of every kernel that can be called from Python."""
    for module in _modules():
        for name, member in vars(module).items():
            if isinstance(member, Kernel) and member.__module__ == module.__name__:
                yield module.__name__, name


def families() -> list[list[Name]]:
    """The kernels, grouped by shared functions."""
    found: list[tuple[set[str], list[Name]]] = []
    for kernel in kernels():
        below, members = _below(kernel[0]), [kernel]
        related = [family for family in found if family[0] & below]
        for family in related:
            found.remove(family)
            below |= family[0]
            members = family[1] + members
        found.append((below, members))
    return [members for _, members in found]


def deal(families: Iterable[list[Name]], processes: int) -> list[list[Name]]:
    """A share for each process: families stay together, and the shares have about the same length of source."""
    shares: list[list[Name]] = [[] for _ in range(processes)]
    for family in sorted(families, key=_length, reverse=True):
        min(shares, key=_length).extend(family)
    return [sorted(share, key=_turn) for share in shares if share]


def _modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(antifaz.kernels.__path__, "antifaz.kernels."):
        yield importlib.import_module(info.name)


def _below(module: str) -> set[str]:
    """The module and those whose functions it calls; modules that all kernels need are left out."""
    below = {module}
    for member in vars(importlib.import_module(module)).values():
        source = getattr(member, "__module__", None) or ""
        if source.startswith("antifaz.kernels.") and source not in below:
            below |= _below(source)
    return below - {
        f"antifaz.kernels.numba.{module}" for module in ("bits", "compiled", "sorted_rows", "steering", "types")
    }


def _length(kernels: list[Name]) -> int:
    """The length of the source of the kernels' modules, as an estimate of their compilation time."""
    modules = {below for module, _ in kernels for below in _below(module)}
    return sum(len(inspect.getsource(importlib.import_module(module))) for module in modules)


def _turn(kernel: Name) -> int:
    """The kernel's place in `FIRST`, or after all of them."""
    name = f"{kernel[0].removeprefix('antifaz.kernels.')}.{kernel[1]}"
    return FIRST.index(name) if name in FIRST else len(FIRST)


def _compile(share: list[Name]) -> None:
    take_turns()
    for module, name in share:
        getattr(importlib.import_module(module), name).compile()


def main() -> None:
    """Compile all missing kernels."""
    parser = argparse.ArgumentParser(prog="workers.process.warm", description="Compile the kernels.")
    parser.add_argument("--background", action="store_true", help="run with low priority")
    if parser.parse_args().background:
        os.nice(BACKGROUND)
    warm()


if __name__ == "__main__":
    main()
