"""Noise: the samplers of OpenDP behind one function for each use.

The OpenDP library, https://opendp.org, version as locked; the discrete Laplace distribution after Ghosh, Roughgarden
and Sundararajan, "Universally Utility-Maximizing Privacy Mechanisms", STOC 2009, sampled exactly in whole numbers as in
Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", NeurIPS 2020. OpenDP draws its chance
from the operating system. Of its features only ``contrib`` is enabled: its proofs are public and not yet vetted.

The library is loaded at the first use, so that processes that only look at the catalogue do without it.
"""

import math
from dataclasses import dataclass
from importlib.metadata import version

_STEPS = 64


@dataclass(frozen=True)
class NoisyCount:
    """A count that was made private."""

    value: int
    epsilon: float
    """The privacy loss that the mechanism itself states, for counts that differ by 1."""
    library: str


def noisy_count(count: int, epsilon: float) -> NoisyCount:
    """The count with discrete Laplace noise, such that its privacy loss is at most epsilon; it may be negative."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    scale = 1.0 / epsilon
    for _ in range(_STEPS):
        mechanism = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale)
        loss = float(mechanism.map(1))  # type: ignore[no-untyped-call]
        if loss <= epsilon:
            return NoisyCount(int(mechanism(count)), loss, f"opendp {version('opendp')}")
        # The library rounds the loss up: a hair more noise brings it below what was asked for.
        scale = math.nextafter(scale, math.inf) * (1.0 + 2.0**-52)
    raise ValueError("there is no noise for so small an epsilon")
