"""Warm: compile every kernel into the on-disk cache before the first job needs it.

Kernels are compiled side by side, one process for each core, those of the longest files first.
"""

import importlib
import inspect
import multiprocessing
import os
import pkgutil
from collections.abc import Iterator

import antifaz.kernels
from antifaz.kernels.compiled import Kernel


def warm(processes: int | None = None) -> list[tuple[str, str]]:
    """Compile every kernel; answers the module and the name of each."""
    names = sorted(kernels(), key=_length, reverse=True)
    with multiprocessing.get_context("spawn").Pool(processes or os.cpu_count()) as pool:
        pool.starmap(_compile, names, chunksize=1)
    return names


def kernels() -> Iterator[tuple[str, str]]:
    """Module and name of every kernel that can be called from Python."""
    for info in pkgutil.iter_modules(antifaz.kernels.__path__, "antifaz.kernels."):
        module = importlib.import_module(info.name)
        for name, member in vars(module).items():
            if isinstance(member, Kernel) and member.__module__ == info.name:
                yield info.name, name


def _length(kernel: tuple[str, str]) -> int:
    """How much source its module has, as a guess at how long it takes."""
    return len(inspect.getsource(importlib.import_module(kernel[0])))


def _compile(module: str, name: str) -> None:
    getattr(importlib.import_module(module), name).compile()


if __name__ == "__main__":
    warm()
