"""Named tuples that compiled functions pass by address."""

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from antifaz.kernels.numba.compiled import compiled
from antifaz.kernels.numba.types import int32, int64, named


class Room(NamedTuple):
    """Fields of several types."""

    size: int
    places: np.ndarray
    names: np.ndarray


class Sides(NamedTuple):
    """Fields of one type."""

    left: np.ndarray
    right: np.ndarray


ROOM = named(Room, int64, int64[::1], int32[::1])
SIDES = named(Sides, int64[::1], int64[::1])


@compiled()
def longer(room, other):
    """One of two tuples that the caller has."""
    chosen = room
    if len(other.places) > len(room.places):
        chosen = other
    return chosen.places


@compiled()
def doubled(room):
    """A tuple with a new array in it."""
    return Room(2 * room.size, room.places * 2, room.names)


@compiled()
def swapped(sides):
    """A tuple made of another one's fields."""
    return Sides(sides.right, sides.left)


@compiled(int64[::1](ROOM, int64))
def grown(room, times):
    """A variable that is another tuple in every round, and an array that outlives all of them."""
    start = room
    for _ in range(times):
        room = doubled(room)
        if room.size > 1000:
            break
    return longer(start, room) if times == 0 else longer(room, start)


@compiled(int64(SIDES, int64))
def weighed(sides, turns):
    """Reads what a function below writes: the address is of the caller's own tuple."""
    total = 0
    for turn in range(turns):
        sides = swapped(sides)
        fill(sides, turn)
        total += sides.left[0] - 10 * sides.right[0]
    return total


@compiled()
def fill(sides, number):
    """Write into one of the arrays."""
    for place in range(len(sides.left)):
        sides.left[place] = number


@pytest.fixture(autouse=True)
def compiled_here(monkeypatch, tmp_path):
    # Kernels of an earlier run would be loaded from the cache, whatever the compiler does now.
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))


def test_a_tuple_is_passed_as_one_address():
    room = Room(3, np.arange(4), np.zeros(2, dtype=np.int32))
    assert grown(room, 0).tolist() == [0, 1, 2, 3]
    (version,) = longer.dispatcher.overloads.values()
    (line,) = [line for line in version.library.get_llvm_str().splitlines() if "longer" in line and "define" in line]
    # Where the answer goes, how errors are reported, and the two tuples.
    assert line.split("(", 1)[1].count("ptr ") == 4
    assert "i64" not in line.split("(", 1)[1].replace("dereferenceable", "")


def test_every_array_is_freed_and_none_too_early():
    room = Room(3, np.arange(4), np.zeros(2, dtype=np.int32))
    grown(room, 1)
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    kept = [grown(room, times) for times in (0, 1, 3, 20)]
    assert [array.tolist()[3] for array in kept] == [3, 6, 24, 3 * 2**9]
    assert room.places.tolist() == [0, 1, 2, 3]
    del kept
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


def test_a_tuple_made_of_another_shares_its_arrays():
    left, right = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)
    reference, sides = 0, [left.copy(), right.copy()]
    for turn in range(5):
        sides.reverse()
        sides[0][:] = turn
        reference += sides[0][0] - 10 * sides[1][0]
    assert weighed(Sides(left, right), 5) == reference
    assert (left[0], right[0]) == (3, 4)
