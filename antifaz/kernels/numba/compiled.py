"""Compiled: the only way in which this project compiles functions.

Every kernel releases the interpreter's lock and keeps its machine code on disk. A kernel that is called from Python
states its signatures: they are compiled at its first call, or earlier when the cache is warmed, and it never adapts to
other types. The small functions that only other kernels call state none and are compiled with their callers.

Several processes may need the same kernel at the same time. One of them should compile it and the others wait; the
engine does not define how they coordinate, so its caller sets `taking_turns`.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import update_wrapper
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.extending import intrinsic

from antifaz.kernels.numba.linking import PieceCompiler, WholeCompiler

Function = TypeVar("Function", bound=Callable[..., Any])


taking_turns: Callable[[str], AbstractContextManager[object]] = nullcontext
"""Entered with a kernel's name while it is compiled or loaded from the cache."""


class Kernel:
    """A compiled function with stated signatures, for callers outside compiled code.

    Processes that only read the catalogue import every kernel and call none: they compile nothing.
    """

    def __init__(self, function: Callable[..., Any], signatures: tuple[Any, ...]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._signatures = list(signatures)
        self._machine_code: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._machine_code or self.compile())(*arguments)

    def compile(self) -> Callable[..., Any]:
        """Compile to machine code, or load it if it is in the cache."""
        options: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True, "pipeline_class": WholeCompiler}
        decorate = numba.njit(self._signatures, nogil=True, error_model="numpy", **options)
        with taking_turns(f"{self._function.__module__}.{self._function.__name__}"):
            self._machine_code = decorate(self._function)
        return self._machine_code


def compiled(*signatures: Any, inlined: bool = False) -> Callable[[Function], Function]:
    """Decorate a function of arrays, numbers and named tuples of them so that it runs as machine code.

    A signature is a string such as ``int64(float64[::1])``, or numba's own type if a named tuple is among the
    arguments.

    ``inlined`` is for functions that a hot loop calls: it saves the copying of their many array arguments.
    """

    def decorate(function: Function) -> Function:
        if signatures:
            return cast(Function, Kernel(function, signatures))
        # Wrappers for callers outside compiled code would double the compile time, and nothing calls them.
        options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": inlined}
        options["pipeline_class"] = PieceCompiler
        return cast(Function, _for_plain_types(numba.njit(nogil=True, error_model="numpy", **options)(function)))

    return decorate


def named(kind: type[tuple[Any, ...]], *fields: Any) -> Any:
    """The type of a named tuple whose fields have these types, for signatures."""
    mixed: Any = types.NamedTuple
    alike: Any = types.NamedUniTuple
    return alike(fields[0], len(fields), kind) if len(set(fields)) == 1 else mixed(fields, kind)


def _for_plain_types(dispatcher: Any) -> Any:
    """Compile a function once for all integers: otherwise each constant argument would be a separate type."""
    if not hasattr(dispatcher, "get_call_template"):  # The web process compiles nothing: it has the function itself.
        return dispatcher
    find_template = dispatcher.get_call_template

    def find_plain_template(arguments: Any, named: Any) -> Any:
        plain: Any = types.unliteral
        return find_template(tuple(map(plain, arguments)), {name: plain(each) for name, each in named.items()})

    dispatcher.get_call_template = find_plain_template
    return dispatcher


def _emit_ones(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


ones = cast(Callable[[Any], int], intrinsic(_emit_ones))
"""Number of bits set in a 64-bit word; for use inside kernels only."""
