"""Compilation: CPU seconds to compile every kernel, alone and after the kernels that share functions with it.

The cache that jobs use is neither read nor written.

    python -m bench.compilation                     every kernel; some minutes
    python -m bench.compilation graph_search lists  those of some modules
"""

import importlib
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Sequence

from bench.results import write_section
from workers.process.warm import Name, families


def main(modules: Sequence[str] = ()) -> None:
    """Measure the kernels of the named modules, or all of them."""
    wanted = {f"antifaz.kernels.{module}" for module in modules}
    chosen = [[kernel for kernel in family if not wanted or kernel[0] in wanted] for family in families()]
    alone, together = {}, {}
    for family in filter(None, chosen):
        together.update(seconds_to_compile(family))
        for kernel in family:
            alone.update(seconds_to_compile([kernel]) if len(family) > 1 else together)
    rows = [(name(kernel), f"{alone[kernel]:.2f}", f"{together[kernel]:.2f}") for kernel in alone]
    rows.sort(key=lambda row: -float(row[1]))
    total = ("all", f"{sum(alone.values()):.1f}", f"{sum(together.values()):.1f}")
    write_section(
        "Compilation",
        "python -m bench.compilation",
        "CPU seconds to compile each kernel: in a separate process, and in one process after those that share its "
        "functions, as in production.",
        ("kernel", "alone", "in its family"),
        [*rows, total],
    )


def name(kernel: Name) -> str:
    """The name of a kernel, for readers."""
    return f"`{kernel[0].removeprefix('antifaz.kernels.')}.{kernel[1]}`"


def seconds_to_compile(kernels: list[Name]) -> dict[Name, float]:
    """CPU seconds of each kernel in a new process that compiles them one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            return pool.apply(_compile, (kernels,))


def _compile(kernels: list[Name]) -> dict[Name, float]:
    taken = {}
    for module, kernel in kernels:
        compile_it = getattr(importlib.import_module(module), kernel).compile
        start = time.process_time()
        compile_it()
        taken[module, kernel] = time.process_time() - start
    return taken


if __name__ == "__main__":
    main(sys.argv[1:])
