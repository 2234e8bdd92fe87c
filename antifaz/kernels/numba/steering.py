"""Steering: cheap random numbers that guide a search; privacy never depends on them.

The stream is splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014): one
word of state and no warm-up, so that the start of a search needs a single number from its caller. Randomness that
privacy depends on is drawn by the callers of kernels, from a cryptographic source.
"""

import math

import numpy as np
from numpy.typing import NDArray

from antifaz.kernels.numba.compiled import compiled

Stream = NDArray[np.uint64]


@compiled()
def new_stream(seed: int) -> Stream:
    """A stream that begins at a number: its state is the one cell of an array, because kernels change it in place."""
    return np.full(1, np.uint64(seed), np.uint64)


@compiled()
def draw(stream: Stream) -> np.uint64:
    """The next word."""
    # The state only counts, in steps of 2^64 over the golden ratio, so that it repeats after 2^64 words and no earlier.
    # The products and shifts below make neighboring counts differ in about half of their bits.
    stream[0] += np.uint64(0x9E3779B97F4A7C15)
    word = stream[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(word ^ (word >> np.uint64(31)))


@compiled()
def below(stream: Stream, limit: int) -> int:
    """An integer in [0, limit)."""
    # The remainder of 31 bits favors small numbers by less than limit / 2^31: too little to mislead a search.
    return int(np.int64((draw(stream) >> np.uint64(33)) % np.uint64(limit)))


@compiled()
def fraction(stream: Stream) -> float:
    """A number in [0, 1)."""
    # 53 bits are what a float holds: every value is exact, and 1 is never reached by rounding.
    return np.float64(draw(stream) >> np.uint64(11)) / 9007199254740992.0


@compiled()
def accepts(stream: Stream, rise: float, heat: float) -> bool:
    """Whether a search makes a step that costs ``rise``: always if it costs nothing, else with probability
    exp(-rise/heat).

    The rule of Metropolis, Rosenbluth, Rosenbluth, Teller and Teller, "Equation of State Calculations by Fast Computing
    Machines", Journal of Chemical Physics 1953.
    """
    if rise <= 0.0:
        return True
    if heat <= 0.0:
        return False
    return bool(below(stream, 1 << 30) < math.exp(-rise / heat) * (1 << 30))
