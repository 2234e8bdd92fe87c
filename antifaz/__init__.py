"""Antifaz: the pure engine that protects tables and graphs about people.

It uses no web, database, queue, clock, disk, log or random source: the caller passes a random generator.

The names below are the public interface for Python programs (docs/library.md). They are defined in
`publication.library`, above the engine, and imported on first use, so importing an engine module loads only what it
needs.
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
    return getattr(importlib.import_module("publication.library"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
