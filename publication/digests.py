"""Digests of contents: the same data in other bytes has the same digest.

The digest of a table is a keyed digest of its sorted rows. A row is the sum, modulo 2^64 in two lanes, of the keyed
128-bit digests of its cells: the order of columns and their names do not count. Without the key, which no database
holds, two tables with the same digest cannot be searched for; by chance, two rows are confused with a probability of
2^-128. Each distinct text is folded and hashed once. The digest of a graph is that of its sorted pairs of names,
whatever their direction and time. A subset, an additional column or other names of nodes cannot be recognized.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.classes.coded import Coded
from antifaz.tables.texts.folding import fold

Digest = Callable[[Sequence[bytes]], list[bytes]]
"""The digests of a dataset's content under several keys."""
_LANES = 2
_WORD = np.dtype("<u8")


def digest_of_table(columns: Sequence[Coded], n: int) -> Digest:
    """The digest of the rows of a table."""

    def digests(keys: Sequence[bytes]) -> list[bytes]:
        texts = [_folded(column.values) for column in columns]
        return [_of_sorted(key, b"rows", _sums(key, texts, columns, n)) for key in keys]

    return digests


def _folded(values: NDArray[np.object_]) -> list[bytes]:
    return [fold(text).encode("utf-8", "surrogatepass") for text in values.tolist()]


def _sums(key: bytes, texts: Sequence[list[bytes]], columns: Sequence[Coded], n: int) -> NDArray[np.uint64]:
    rows = np.zeros((n, _LANES), _WORD)
    for folded, column in zip(texts, columns, strict=True):
        rows += _hashes(key, folded)[column.codes]
    return rows


def _hashes(key: bytes, texts: list[bytes]) -> NDArray[np.uint64]:
    """A keyed digest of each text, in two lanes of 64 bits."""
    hashed = b"".join(blake2b(text, key=key, digest_size=_LANES * _WORD.itemsize).digest() for text in texts)
    return np.frombuffer(hashed, _WORD).reshape(-1, _LANES)


def _of_sorted(key: bytes, what: bytes, rows: NDArray[np.uint64]) -> bytes:
    ordered = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    return blake2b(np.ascontiguousarray(ordered).tobytes(), key=key, person=what, digest_size=32).digest()


def digest_of_pairs(ids: NDArray[np.object_], sources: NDArray[np.int64], targets: NDArray[np.int64]) -> Digest:
    """The digest of the pairs of nodes that are joined."""

    def digests(keys: Sequence[bytes]) -> list[bytes]:
        names = _folded(ids)
        return [_of_sorted(key, b"pairs", _pairs(_hashes(key, names), sources, targets)) for key in keys]

    return digests


def _pairs(names: NDArray[np.uint64], sources: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The distinct unordered pairs, as sums of the digests of both names."""
    low, high = np.minimum(sources, targets), np.maximum(sources, targets)
    distinct = np.unique(low * np.int64(len(names)) + high)
    return names[distinct // len(names)] + names[distinct % len(names)]
