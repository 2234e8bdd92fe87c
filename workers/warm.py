"""Warm: compile every kernel into the on-disk cache before the first job needs it.

Kernels have explicit signatures, so importing their modules compiles them, or loads them where the cache has them.
"""

import importlib
import pkgutil

import antifaz.kernels


def warm() -> list[str]:
    """Import every kernel module; answers their names."""
    names = [module.name for module in pkgutil.iter_modules(antifaz.kernels.__path__, "antifaz.kernels.")]
    for name in names:
        importlib.import_module(name)
    return names


if __name__ == "__main__":
    warm()
