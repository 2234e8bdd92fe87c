"""Compiled: the one way in which this project compiles a function.

Every kernel releases the interpreter's lock and keeps its machine code on disk. A kernel that is called from Python
states its signatures, so that it is compiled when its module is imported and never in the middle of a job; the small
functions that only other kernels call state none and are compiled with their callers.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(*signatures: str, inlined: bool = False) -> Callable[[Function], Function]:
    """Decorate a function of plain arrays and numbers so that it runs as machine code.

    ``inlined`` is for functions that a hot loop calls: it saves the copying of their many array arguments.
    """

    def decorate(function: Function) -> Function:
        if signatures:
            return cast(Function, numba.njit(list(signatures), cache=True, nogil=True, error_model="numpy")(function))
        # Wrappers for callers outside compiled code would double the time to compile, and nobody calls them.
        options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": inlined}
        return cast(Function, numba.njit(nogil=True, error_model="numpy", **options)(function))

    return decorate


def _emit_ones(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


ones = cast(Callable[[Any], int], intrinsic(_emit_ones))
"""How many bits of a 64-bit word are set; for use inside kernels only."""
