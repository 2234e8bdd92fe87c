"""Passing: compiled functions hand each other named tuples by their address.

Numba passes a named tuple of twenty arrays as one hundred and forty numbers, which the called function reassembles, and
both do so in intermediate code, at every call. Here the address of the tuple is passed, and a function reads only the
fields that it uses. A named tuple cannot be written to, so fields need to be read only once; the attributes of the
argument declare this to the optimizer.
"""

from typing import Any

from llvmlite import ir as llvm  # type: ignore[import-untyped]
from numba.core import cgutils, ir, types
from numba.core.datamodel import models
from numba.core.lowering import Lower

# What is overridden here is not described by types.
_Lower: Any = Lower
_Tuple: Any = models.TupleModel
_UniTuple: Any = models.UniTupleModel
_register: Any = models.register_default  # type: ignore[attr-defined]
_code: Any = cgutils

_NAMED = (types.NamedTuple, types.NamedUniTuple)
_READ_ONLY = ("captures(none)", "noalias")
"""The tuple is not written to while the function runs, and the function keeps no copy of its address."""


class _ByAddress:
    """The part of a data model that defines how a value is passed."""

    def get_argument_type(self: Any) -> Any:
        return self.get_value_type().as_pointer()

    def as_argument(self, builder: Any, value: Any) -> Any:
        """The address of the variable that the value was just read from, or of a copy."""
        place = getattr(value, "place", None)
        return place if place is not None else _code.alloca_once_value(builder, value)

    def from_argument(self, builder: Any, value: Any) -> Any:
        return builder.load(value)


@_register(types.NamedTuple)
class NamedTupleModel(_ByAddress, _Tuple):  # type: ignore[misc]
    """A named tuple of fields of different types."""


@_register(types.NamedUniTuple)
class NamedUniTupleModel(_ByAddress, _UniTuple):  # type: ignore[misc]
    """A named tuple of fields of one type."""


class Lowering(_Lower):  # type: ignore[misc]
    """Translates a function to intermediate code; variables that are named tuples stay where they are in memory."""

    def extract_function_arguments(self) -> Any:
        """Find the arguments, and which variables are named tuples of the caller's."""
        arguments = super().extract_function_arguments()
        self._borrowed: dict[str, Any] = {}
        self._fields: dict[tuple[str, int], Any] = {}
        for value, kind in zip(arguments, self.fndesc.argtypes, strict=True):
            if isinstance(kind, _NAMED):
                address = value.operands[0]
                for attribute in _READ_ONLY:
                    address.add_attribute(attribute)
                # Memory that is known to exist may be read before a loop, even if the loop may not be entered.
                address.attributes.dereferenceable = self.context.get_abi_sizeof(value.type)
        return arguments

    def lower_assign(self, kind: Any, statement: Any) -> Any:
        """An argument that is a named tuple is the caller's: no references are counted for it."""
        if isinstance(statement.value, ir.Arg) and isinstance(kind, _NAMED):
            value = self.fnargs[statement.value.index]
            if value.type == self.context.get_value_type(kind):
                return value
        return super().lower_assign(kind, statement)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Give a named tuple a place in memory, or leave it in the caller's."""
        if isinstance(self.typeof(name), _NAMED):
            self._singly_assigned_vars.discard(name)
            if argidx is not None and isinstance(value, llvm.LoadInstr):
                self._borrowed[name] = self.varmap[name] = value.operands[0]
                return
        super().storevar(value, name, argidx)

    def loadvar(self, name: str) -> Any:
        """Read a variable; for a named tuple also record its address, so that a call can pass it on."""
        value = super().loadvar(name)
        if isinstance(self.typeof(name), _NAMED) and isinstance(value, llvm.LoadInstr):
            value.place = value.operands[0]
        return value

    def delvar(self, name: str) -> None:
        """Forget a variable, unless it is the caller's."""
        if name not in self._borrowed:
            super().delvar(name)

    def lower_expr(self, kind: Any, expression: Any) -> Any:
        """Read a field of a borrowed tuple from its place instead of reading all fields."""
        if expression.op == "getattr" and expression.value.name in self._borrowed:
            owner = self.typeof(expression.value.name)
            position = owner.fields.index(expression.attr)
            value = self.builder.load(self._field(expression.value.name, position))
            self.incref(owner[position], value)
            return self.context.cast(self.builder, value, owner[position], kind)
        return super().lower_expr(kind, expression)

    def _field(self, name: str, position: int) -> Any:
        """The address of a field, computed once at the function's entry."""
        if (name, position) not in self._fields:
            with self.builder.goto_entry_block():
                place = _code.gep_inbounds(self.builder, self._borrowed[name], 0, position)
            self._fields[name, position] = place
        return self._fields[name, position]
