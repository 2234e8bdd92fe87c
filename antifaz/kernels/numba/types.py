"""Types: the types of kernels' arguments, looked up in numba when a kernel is compiled.

A signature is written as in numba: ``int64(CONDITIONS, int32[:, ::1])``. Loading numba takes as long as loading the
rest of the engine, and most processes call no kernel.
"""

import importlib
from collections.abc import Callable
from typing import Any


class Type:
    """A type or a signature that is not looked up yet."""

    def __init__(self, find: Callable[[], Any]) -> None:
        self.find = find

    def __getitem__(self, layout: Any) -> "Type":
        return Type(lambda: self.find()[layout])

    def __call__(self, *arguments: "Type") -> "Type":
        return Type(lambda: self.find()(*(argument.find() for argument in arguments)))


def named(kind: type[tuple[Any, ...]], *fields: Type) -> Type:
    """The type of a named tuple whose fields have these types."""
    return Type(lambda: _find_tuple(kind, [field.find() for field in fields]))


def _find_tuple(kind: type[tuple[Any, ...]], fields: list[Any]) -> Any:
    if len(set(fields)) == 1:
        return _numba().NamedUniTuple(fields[0], len(fields), kind)
    return _numba().NamedTuple(fields, kind)


def _numba() -> Any:
    return importlib.import_module("numba.core.types")


boolean = Type(lambda: _numba().boolean)
float64 = Type(lambda: _numba().float64)
int32 = Type(lambda: _numba().int32)
int64 = Type(lambda: _numba().int64)
uint8 = Type(lambda: _numba().uint8)
uint64 = Type(lambda: _numba().uint64)
void = Type(lambda: _numba().void)
