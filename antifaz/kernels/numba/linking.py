"""Linking: the small functions below a kernel become machine code once, as parts of it.

Numba optimizes every function together with all that it calls, and makes machine code of it, before it compiles the
caller: at each step of a chain of calls the code of everything below is optimized again, and the machine code of the
intermediate steps is never called. Here such a function stays intermediate code, and so do numba's own functions, such
as those that sort an array. The kernel links all of them, makes them private, and is optimized once as a whole: a
function with one caller is merged into it, and unused arguments are dropped.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numba
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.extending import lower_builtin, type_callable

from antifaz.kernels.numba.bits import ones
from antifaz.kernels.numba.passing import Lowering
from antifaz.kernels.numba.types import Type

# What is overridden or called here is not described by types.
_Library: Any = JITCodeLibrary
_Compiler: Any = Compiler
_NativeLowering: Any = NativeLowering
_register: Any = register_pass
_lower: Any = lower_builtin


class Piece(_Library):  # type: ignore[misc]
    """The intermediate code of one function and of all that it calls; it cannot be run."""

    @property
    def codegen(self) -> Any:
        """The place where numba would store the address of the function's environment: it has none."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Does nothing: only code that returns to the interpreter uses its environment."""

    def get_pointer_to_function(self, name: str) -> int:
        """No address: callers link the code instead."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Left to the kernel, with one exception: reference counts of arrays must be removed where they are made.

        Every access to an array of a named tuple increments and decrements a reference count. In a short function the
        compiler removes this; in a loop of a long one it does not, and the loop takes ten times as long.
        """
        if any(b"alwaysinline" in function.attributes for function in self._final_module.functions):
            manager, builder = self._codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False, opt=1)
            manager.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class Whole(_Library):  # type: ignore[misc]
    """A kernel with everything below it."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            # Numba exports linked functions so that they can be linked again; kernels are never linked.
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        super()._optimize_final_module()


@_register(mutates_CFG=True, analysis_only=False)
class LoweringByAddress(_NativeLowering):  # type: ignore[misc]
    """Numba's translation to intermediate code, but for how named tuples are passed."""

    _name = "lowering_by_address"
    lowering_class = Lowering


class PieceCompiler(_Compiler):  # type: ignore[misc]
    """Compiles a function that only kernels call."""

    library: Any = Piece

    def define_pipelines(self) -> Any:
        """Numba's passes, with our own library as their target."""
        self.state.library = self.library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (LoweringByAddress if step is NativeLowering else step, text) for step, text in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines


class WholeCompiler(PieceCompiler):
    """Compiles a kernel."""

    library = Whole

    def _compile_core(self) -> Any:
        codegen = self.state.targetctx.codegen()
        # Numba's own functions compiled here are only called from this kernel.
        codegen._library_class = Piece
        try:
            return super()._compile_core()
        finally:
            del codegen._library_class


def compile_whole(function: Callable[..., Any], signatures: Iterable[str | Type]) -> Callable[..., Any]:
    """Compile a kernel to machine code, or load it if it is in the cache."""
    found = [signature.find() if isinstance(signature, Type) else signature for signature in signatures]
    options: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True, "pipeline_class": WholeCompiler}
    kernel: Callable[..., Any] = numba.njit(found, nogil=True, error_model="numpy", **options)(function)
    return kernel


def as_piece(function: Callable[..., Any], inlined: bool) -> Any:
    """What numba compiles with the kernels that call a function.

    It is compiled once for all integers: otherwise each constant argument would be a separate type.
    """
    # Wrappers for callers outside compiled code would double the compile time, and nothing calls them.
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": inlined}
    options["pipeline_class"] = PieceCompiler
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    find_template = dispatcher.get_call_template

    def find_plain_template(arguments: Any, named: Any) -> Any:
        plain: Any = types.unliteral
        return find_template(tuple(map(plain, arguments)), {name: plain(each) for name, each in named.items()})

    dispatcher.get_call_template = find_plain_template
    return dispatcher


@type_callable(ones)
def _type_ones(context: Any) -> Callable[[Any], Any]:
    return lambda word: types.uint64


def _emit_ones(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.ctpop(arguments[0])


_lower(ones, types.uint64)(_emit_ones)
