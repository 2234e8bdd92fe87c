"""Antifaz: the pure engine that protects tables and graphs about people.

It knows no web, database, queue, clock, disk or log, and no randomness of its own: the caller passes a generator.

The names below are the front door for Python programs (docs/library.md). They stand in `library`, above the engine, and
are fetched when they are first used: importing a module of the engine loads nothing but what it needs.
"""

import importlib
from typing import Any

__all__ = [
    "Graph", "Infeasible", "InvalidDataset", "InvalidPolicy", "Release", "Table", "TemporalGraph", "assess",
    "protect", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("library"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
