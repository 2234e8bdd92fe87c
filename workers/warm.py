"""Warm: compile every kernel into the on-disk cache before the first job needs it.

Kernels have explicit signatures, so importing their modules compiles them, or loads them where the cache has them.
Modules are compiled side by side, the longest first.
"""

import importlib
import multiprocessing
import os
import pkgutil
from pathlib import Path

import antifaz.kernels


def warm(processes: int | None = None) -> list[str]:
    """Compile every kernel module; answers their names."""
    modules = list(pkgutil.iter_modules(antifaz.kernels.__path__, "antifaz.kernels."))
    names = sorted((module.name for module in modules), key=_length, reverse=True)
    with multiprocessing.get_context("spawn").Pool(processes or os.cpu_count()) as pool:
        pool.map(_compile, names, chunksize=1)
    return names


def _length(name: str) -> int:
    """How much source a module has, as a guess at how long it takes."""
    folder = Path(next(iter(antifaz.kernels.__path__)))
    return (folder / f"{name.rsplit('.', 1)[1]}.py").stat().st_size


def _compile(name: str) -> None:
    importlib.import_module(name)


if __name__ == "__main__":
    warm()
