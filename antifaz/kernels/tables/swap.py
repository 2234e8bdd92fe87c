"""Swap: exchange ranks that lie close together.

Moore, "Controlled Data-Swapping Techniques for Masking Public Use Microdata Sets", U.S. Bureau of the Census, 1996.
"""

from typing import Any

import numpy as np

from antifaz.kernels.numba.compiled import compiled


@compiled()
def next_free(following: Any, rank: int) -> int:
    """The first rank from this one on that has no partner yet; paths are halved on the way."""
    while following[rank] != rank:
        # Halved paths, as in a union-find structure: the search takes nearly constant time however many ranks are gone.
        following[rank] = following[following[rank]]
        rank = following[rank]
    return rank


@compiled("int64[::1](float64[::1], int64)")
def pair_ranks(draws: Any, reach: int) -> Any:
    """For every rank its partner, at most ``reach`` ranks away; a rank without a free one in reach keeps itself.

    The lowest rank without a partner draws a random place within its reach, and takes the first free rank from there
    on, or else the nearest free one above it.
    """
    size = len(draws)
    partners = np.arange(size)
    following = np.arange(size + 1)
    for rank in range(size):
        if following[rank] != rank:
            continue
        # Gone for the others whether it finds a partner or not: later ranks only look above themselves.
        following[rank] = rank + 1
        last = min(rank + reach, size - 1)
        if last == rank:
            continue
        # Without the minimum, a draw that rounds up to the whole reach would leave it.
        place = min(rank + 1 + int(draws[rank] * (last - rank)), last)
        partner = next_free(following, place)
        if partner > last:
            partner = next_free(following, rank + 1)
        if partner <= last:
            partners[rank] = partner
            partners[partner] = rank
            following[partner] = partner + 1
    return partners
