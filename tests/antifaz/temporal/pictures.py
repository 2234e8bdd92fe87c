"""Small temporal graphs, two snapshots or more, for the tests of degrees over time."""

import numpy as np
from hypothesis import strategies as st

from antifaz.temporal.snapshots import Snapshots
from tests.antifaz.temporal import sequences

Picture = list[tuple[int, int]]


def snapshots_of(n: int, pictures: list[Picture], directed: bool = False) -> Snapshots:
    """Snapshots by their edges."""
    return sequences.snapshots_of(n, *pictures, directed=directed)


@st.composite
def films(draw: st.DrawFn, directed: bool, longest: int = 6) -> Snapshots:
    """Graphs over the same nodes, of any density."""
    n, length = draw(st.integers(2, 9)), draw(st.integers(2, longest))
    pairs = [(u, v) for u in range(n) for v in range(n) if (u != v if directed else u < v)]
    pictures = [draw(st.lists(st.sampled_from(pairs), unique=True)) for _ in range(length)]
    return snapshots_of(n, pictures, directed)


def drawn_snapshots(seed: int, directed: bool = False, n: int = 40, length: int = 12) -> Snapshots:
    """Snapshots in which few nodes have most edges, and are the same over time."""
    rng = np.random.default_rng(seed)
    count = 60 * length
    ends = (n * rng.random((2, count)) ** 2).astype(np.int64)
    times = rng.integers(0, length, count)
    return Snapshots.from_rows(n, ends[0], ends[1], times, [str(t) for t in range(length)], directed)
