"""Coded: a column as read from a file."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Coded(Protocol):
    """Codes into distinct texts, not yet typed. The readers of files implement it."""

    @property
    def name(self) -> str: ...
    @property
    def codes(self) -> NDArray[np.int32]: ...
    @property
    def values(self) -> NDArray[np.object_]: ...
