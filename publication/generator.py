"""The generator that releases are drawn with."""

import os

import numpy as np
from randomgen import ChaCha


def cryptographic_generator() -> np.random.Generator:
    """A generator over a ChaCha20 stream keyed by the operating system; its key is never stored."""
    # Used as the key itself: a seed would first be mixed by a generator that is not cryptographic.
    return np.random.Generator(ChaCha(key=int.from_bytes(os.urandom(32), "little"), rounds=20))
