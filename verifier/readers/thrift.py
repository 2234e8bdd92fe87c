"""Thrift's compact protocol, as far as the footer and the page headers of parquet files use it.

This reader is stricter than a library: a number may not be longer than necessary, and a field may not be given twice,
so that two footers with the same meaning have the same bytes.
"""

from typing import Any

from verifier.verdict.verdict import Unreadable

_TRUE, _FALSE, _BYTE, _BINARY, _LIST, _STRUCT = 1, 2, 3, 8, 9, 12
_WHOLE = (4, 5, 6)
_SHORT_LIST = 15
_LONGEST_NUMBER = 10
_DEEPEST = 8

Struct = dict[int, Any]
"""Fields by number: whole numbers, booleans, bytes, lists and structs."""


class Reader:
    """Reads bytes from a position on."""

    def __init__(self, content: bytes | bytearray | memoryview, position: int = 0) -> None:
        self._content = content
        self.position = position

    def struct(self, depth: int = 0) -> Struct:
        """The fields of a struct, which must be in ascending order."""
        if depth > _DEEPEST:
            raise Unreadable("a footer or page header that is nested too deeply")
        fields: Struct = {}
        number = 0
        while header := self._byte():
            if not header >> 4:
                raise Unreadable("a footer or page header with fields out of order")
            number += header >> 4
            fields[number] = self._value(header & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind == _BYTE:
            return self._byte()
        if kind in _WHOLE:
            number = self.number()
            return number >> 1 ^ -(number & 1)
        if kind == _BINARY:
            return self.bytes(self.number())
        if kind == _LIST:
            return self._list(depth)
        if kind == _STRUCT:
            return self.struct(depth + 1)
        raise Unreadable("a footer or page header with a value of another kind")

    def _list(self, depth: int) -> list[Any]:
        header = self._byte()
        size = header >> 4
        if size == _SHORT_LIST:
            size = self.number()
            if size < _SHORT_LIST:
                raise Unreadable("a number that is longer than it needs to be")
        if size > len(self._content) - self.position or header & 15 in (_TRUE, _FALSE):
            raise Unreadable("a footer or page header with a list that does not end")
        return [self._value(header & 15, depth) for _ in range(size)]

    def number(self) -> int:
        """A number with seven bits per byte, lowest first."""
        number = 0
        for place in range(_LONGEST_NUMBER):
            byte = self._byte()
            number |= (byte & 127) << 7 * place
            if byte < 128:
                if place and not byte:
                    raise Unreadable("a number that is longer than it needs to be")
                return number
        raise Unreadable("a number that does not end")

    def bytes(self, size: int) -> bytes:
        if not 0 <= size <= len(self._content) - self.position:
            raise Unreadable("a part of the file that does not end")
        self.position += size
        return bytes(self._content[self.position - size : self.position])

    def _byte(self) -> int:
        return self.bytes(1)[0]
