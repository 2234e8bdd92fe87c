"""A method for graphs on every snapshot, under one numbering."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from antifaz.errors import Infeasible
from antifaz.graphs.guarantees.k_automorphism import KAutomorphic
from antifaz.graphs.guarantees.k_degree_anonymity import KDegreeAnonymity
from antifaz.graphs.methods.k_automorphism import KAutomorphism
from antifaz.graphs.methods.k_degree import KDegree
from antifaz.graphs.methods.naive import Naive
from antifaz.graphs.methods.random_perturbation import RandomPerturbation
from antifaz.temporal.each_snapshot import protect_each
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import unwatched


def snapshots(rows, n=6, length=3, directed=False):
    sources, targets, times = (np.array([row[place] for row in rows], dtype=np.int64) for place in range(3))
    return Snapshots.from_rows(n, sources, targets, times, [str(t) for t in range(length)], directed)


PATHS = [(0, 1, 0), (1, 2, 0), (2, 3, 0), (4, 5, 2)]


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), max_size=24),
    st.booleans(),
    st.integers(0, 2**32),
)
@effort(max_examples=25)
def test_a_guarantee_of_graphs_holds_in_every_snapshot(rows, directed, seed):
    series, guarantee = snapshots(rows, directed=directed), KDegreeAnonymity(k=2)
    found = protect_each(KDegree(), series, [guarantee], np.random.default_rng(seed), unwatched)
    assert all(guarantee.holds(graph) for graph in found.snapshots.graphs())
    assert (found.snapshots.labels, found.snapshots.n) == (series.labels, series.n)
    changed = sum(
        len(np.setxor1d(series.keys_at(t), found.snapshots.keys_at(t))) for t in range(len(series))
    )  # fmt: skip
    assert found.account["edges_added"] + found.account["edges_removed"] == changed
    assert [found.account["by_snapshot"][name][t] for name in ("edges_added", "edges_removed") for t in range(3)] == [
        len(np.setdiff1d(*pair))
        for pairs in (
            [(found.snapshots.keys_at(t), series.keys_at(t)) for t in range(3)],
            [(series.keys_at(t), found.snapshots.keys_at(t)) for t in range(3)],
        )
        for pair in pairs
    ]


def test_nodes_keep_one_number_in_all_snapshots():
    """Numbers that changed from snapshot to snapshot would break every path over time."""
    found = protect_each(Naive(), snapshots(PATHS), (), np.random.default_rng(1), unwatched)
    names = np.array([5, 3, 1, 0, 2, 4])
    renamed = found.renamed(names)
    assert np.array_equal(found.snapshots.keys, snapshots(PATHS).keys)
    assert renamed.snapshots.aggregate.m == 4
    assert np.array_equal(renamed.origin[names], np.arange(6))


def test_an_empty_snapshot_has_nothing_to_move():
    found = protect_each(RandomPerturbation(share=0.5), snapshots(PATHS), (), np.random.default_rng(1), unwatched)
    assert len(found.snapshots.keys_at(1)) == 0


def test_says_in_which_snapshot_there_is_no_way():
    full = [(u, v, t) for u in range(6) for v in range(u) for t in (1,)]
    with pytest.raises(Infeasible) as caught:
        protect_each(RandomPerturbation(share=0.9), snapshots([*PATHS, *full]), (), np.random.default_rng(1), unwatched)
    assert caught.value.reasons[0].detail.startswith("snapshot 1")


def test_symmetries_are_kept_for_every_snapshot():
    found = protect_each(KAutomorphism(), snapshots(PATHS), [KAutomorphic(k=2)], np.random.default_rng(3), unwatched)
    renamed = found.renamed(np.array([1, 0, 3, 2, 5, 4]))
    for t, rows in enumerate(renamed.witnesses):
        for row in rows if rows is not None else ():
            graph = renamed.snapshots.graph(t)
            assert np.array_equal(graph.relabeled(row).keys, graph.keys)
