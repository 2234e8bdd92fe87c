"""Samples for tests of boundaries."""

import numpy as np


def whole(*numbers: int) -> np.typing.NDArray[np.int64]:
    return np.array(numbers, np.int64)
