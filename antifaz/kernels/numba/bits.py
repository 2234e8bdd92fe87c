"""Bits of 64-bit words."""

from typing import Any


def ones(word: Any) -> int:
    """Return the number of bits set in a word; in compiled code a single instruction (`linking`)."""
    return int(word).bit_count()
