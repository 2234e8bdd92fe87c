"""Coded: a column as it was read."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Coded(Protocol):
    """Codes into distinct texts, not yet typed. Whoever reads files has a class for it."""

    @property
    def name(self) -> str: ...
    @property
    def codes(self) -> NDArray[np.int32]: ...
    @property
    def values(self) -> NDArray[np.object_]: ...
