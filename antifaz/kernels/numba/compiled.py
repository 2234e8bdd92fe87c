"""Compiled: the only way in which this project compiles functions.

Every kernel releases the interpreter's lock and keeps its machine code on disk. A kernel that is called from Python
states its signatures: they are compiled at its first call, or earlier when the cache is warmed, and it never adapts to
other types. The small functions that only other kernels call state none and are compiled with their callers.

Several processes may need the same kernel at the same time. One of them should compile it and the others wait; the
engine does not define how they coordinate, so its caller sets `taking_turns`.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, update_wrapper
from typing import Any, TypeVar, cast

from antifaz.kernels.numba.types import Type

Function = TypeVar("Function", bound=Callable[..., Any])


taking_turns: Callable[[str], AbstractContextManager[object]] = nullcontext
"""Entered with a kernel's name while it is compiled or loaded from the cache."""


class Kernel:
    """A compiled function with stated signatures, for callers outside compiled code.

    Processes that only read the catalogue import every kernel and call none: they compile nothing, and do not load
    numba, which takes as long as the rest of the engine.
    """

    def __init__(self, function: Callable[..., Any], signatures: tuple[str | Type, ...]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._signatures = signatures
        self._machine_code: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._machine_code or self.compile())(*arguments)

    def compile(self) -> Callable[..., Any]:
        """Compile to machine code, or load it if it is in the cache."""
        from antifaz.kernels.numba.linking import compile_whole

        with taking_turns(f"{self._function.__module__}.{self._function.__name__}"):
            self._machine_code = compile_whole(self._function, self._signatures)
        return self._machine_code


class Callee:
    """A function that only kernels call. Numba asks for its type when it compiles the first of them."""

    def __init__(self, function: Callable[..., Any], inlined: bool) -> None:
        update_wrapper(self, function)
        self._function = function
        self._inlined = inlined

    def __call__(self, *arguments: Any) -> Any:
        """Run it uncompiled, as numba runs kernels if compilation is disabled."""
        return self._function(*arguments)

    @cached_property
    def dispatcher(self) -> Any:
        """What numba compiles and calls in place of the function."""
        from antifaz.kernels.numba.linking import as_piece

        return as_piece(self._function, self._inlined)

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_


def compiled(*signatures: str | Type, inlined: bool = False) -> Callable[[Function], Function]:
    """Decorate a function of arrays, numbers and named tuples of them so that it runs as machine code.

    A signature is a string such as ``int64(float64[::1])``, or a type of `antifaz.kernels.numba.types` if a named tuple
    is among the arguments.

    ``inlined`` is for functions that a hot loop calls: it saves the copying of their many array arguments.
    """

    def decorate(function: Function) -> Function:
        return cast(Function, Kernel(function, signatures) if signatures else Callee(function, inlined))

    return decorate
