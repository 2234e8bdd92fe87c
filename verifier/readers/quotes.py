"""Quotes: which bytes of a file are inside quotes, decided for sixty-four bytes at a time.

Langdale and Lemire, "Parsing Gigabytes of JSON per Second", The VLDB Journal, 2019.

A property of the bytes of a block is one bit per byte; the first byte is the lowest bit of the first word. Whether a
byte is inside quotes is the parity of the quotes up to it, and a running parity takes six shifts per word.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]

_WORD = 64
_BLOCK = 1 << 20
_QUOTE, _COMMA, _NEWLINE, _RETURN = b'",\n\r'
_BACKSLASH = ord("\\")
_STEPS = np.array([1, 2, 4, 8, 16, 32], np.uint64)
_ONE, _LAST = np.uint64(1), np.uint64(_WORD - 1)


def looseness_of_csv(content: NDArray[np.uint8], delimiter: int = _COMMA) -> str:
    """The first thing in a csv file that RFC 4180 does not allow and readers guess about; empty if there is none.

    A cell is quoted as a whole: every quote opens a cell, closes one, or is half of a doubled quote. Only then are line
    ends within quotes part of a cell, and all others ends of rows.
    """
    apart, closed, inner = True, False, False
    stray = returned = False
    for block in _blocks(content, delimiter):
        quotes = marks(block, _QUOTE)
        ends = marks(block, delimiter) | marks(block, _NEWLINE) | quotes
        inside = within(quotes, inner)
        closing = quotes & ~inside
        stray |= bool((quotes & inside & ~following(ends, apart)).any() or (following(closing, closed) & ~ends).any())
        returned |= bool((marks(block, _RETURN) & ~inside).any())
        apart, closed, inner = _at_end(ends), _at_end(closing), _at_end(inside)
    if inner:
        return "a quoted cell does not end"
    if stray:
        return "a quote inside a cell that is not quoted as a whole"
    return "a carriage return outside quotes" if returned else ""


def has_blank_line(content: NDArray[np.uint8]) -> bool:
    """Whether one line end follows another outside quotes."""
    broken = inner = False
    for block in _blocks(content):
        breaks, inside = marks(block, _NEWLINE), within(marks(block, _QUOTE), inner)
        if (breaks & following(breaks, broken) & ~inside).any():
            return True
        broken, inner = _at_end(breaks), _at_end(inside)
    return False


def with_separators(lines: NDArray[np.uint8], separator: int) -> NDArray[np.uint8]:
    """Lines of JSON with every comma outside texts replaced by another byte."""
    if len(lines) % _WORD:
        lines = np.concatenate([lines, np.zeros(-len(lines) % _WORD, np.uint8)])
    inside = within(marks(lines, _QUOTE) & ~following(_escapes(lines), False), False)
    commas = np.unpackbits((marks(lines, _COMMA) & ~inside).view(np.uint8), bitorder="little")
    commas *= np.uint8(_COMMA ^ separator)
    return lines ^ commas


def marks(block: NDArray[np.uint8], byte: int) -> Bits:
    """The positions of a byte; the block has a whole number of words."""
    return np.packbits(block == byte, bitorder="little").view(np.uint64)


def within(quotes: Bits, before: bool) -> Bits:
    """Which bytes are inside quotes, including an opening quote but not a closing one."""
    inside = quotes.copy()
    for step in _STEPS:
        inside ^= inside << step
    odd = np.bitwise_xor.accumulate(inside >> _LAST)
    inside[1:] ^= np.uint64(0) - odd[:-1]
    return ~inside if before else inside


def following(bits: Bits, before: bool) -> Bits:
    """The bytes right after marked ones; ``before``: whether the byte before the block is marked."""
    after = bits << _ONE
    after[1:] |= bits[:-1] >> _LAST
    after[:1] |= np.uint64(before)
    return after


def _at_end(bits: Bits) -> bool:
    return bool(bits[-1] >> _LAST)


def _blocks(content: NDArray[np.uint8], filling: int = _COMMA) -> Iterator[NDArray[np.uint8]]:
    """The content in whole words; the last one is padded with delimiters, which end a cell and mean nothing else."""
    whole = len(content) - len(content) % _WORD
    for start in range(0, whole, _BLOCK):
        yield content[start : min(start + _BLOCK, whole)]
    if whole < len(content):
        yield np.concatenate([content[whole:], np.full(_WORD - len(content) + whole, filling, np.uint8)])


def _escapes(lines: NDArray[np.uint8]) -> Bits:
    """Backslashes that escape the next byte: in a sequence, every second one is itself escaped."""
    backslashes = marks(lines, _BACKSLASH)
    if not (backslashes & following(backslashes, False)).any():
        return backslashes
    return marks(np.frombuffer(lines.tobytes().replace(b"\\\\", b"\0\0"), np.uint8), _BACKSLASH)
