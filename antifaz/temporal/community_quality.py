"""The quality of communities of a temporal graph, the agreement of two sets of them, and their activity.

Qin, Li, Wang, Yuan and Yu, "Mining Stable Communities in Temporal Networks by Density-Based Clustering", IEEE
Transactions on Big Data 2022 (AS, AD and AC); conductance after Kannan, Vempala and Vetta, "On clusterings: good, bad
and spectral", Journal of the ACM 2004; cuts by a sweep along the second eigenvector after Spielman and Teng, 2007.

A temporal edge is a pair that is joined in one snapshot; directions are ignored.
"""

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.analysis.communities import best_matching
from antifaz.temporal.pairs import undirected_rows
from antifaz.temporal.snapshots import Snapshots
from antifaz.watch import Watch

MOST_CUT = 50
"""Number of communities, the largest first, in which a small cut is searched."""
DENSE = 400
"""Largest community whose second eigenvector is computed exactly; above it, it is approximated."""
ROUNDS = 200

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Communities = Sequence[Integers]


def temporal_weights(snapshots: Snapshots) -> "scipy.sparse.csr_array":
    """Return for every pair of nodes the number of snapshots in which it is joined, in either direction."""
    low, high, _ = undirected_rows(snapshots)
    both = np.concatenate([low, high]), np.concatenate([high, low])
    shape = (snapshots.n, snapshots.n)
    return scipy.sparse.coo_array((np.ones(len(both[0])), both), shape=shape).tocsr()


def as_published(weights: "scipy.sparse.csr_array", found: Communities) -> dict[str, float | None]:
    """Return AS, AD and AC: separability and density, averaged over the communities, and the largest separability.

    Separability is twice the number of temporal edges inside divided by the number that leave, 1 if none leaves;
    density is the number of temporal edge ends at members, including leaving edges, divided by the number of members.
    """
    if not found:
        return {"AS": None, "AD": None, "AC": None}
    members = membership(found, weights.shape[0])
    ends = np.asarray(members.T @ np.asarray(weights.sum(axis=1)).ravel())
    inside = np.asarray((weights @ members).multiply(members).sum(axis=0)).ravel()
    leaving = ends - inside
    separability = np.divide(inside, leaving, out=np.ones(len(found)), where=leaving > 0)
    sizes = np.array([len(each) for each in found])
    return {
        "AS": float(separability.mean()),
        "AD": float((ends / sizes).mean()),
        "AC": float(separability.max()),
    }


def cohesion(
    weights: "scipy.sparse.csr_array", found: Communities, rng: np.random.Generator, watch: Watch
) -> dict[str, float | int | None]:
    """Return one minus the smallest conductance of a cut found inside, averaged over the largest communities.

    Near 1, a community splits into parts with almost no contact; near 0, every cut found severs as much as it leaves
    intact.
    """
    cuts = []
    for number, each in enumerate(found[:MOST_CUT]):
        watch(number / min(len(found), MOST_CUT))
        cuts.append(smallest_conductance(weights[each][:, each].tocsr(), rng))
    mean = float(np.mean(cuts)) if cuts else None
    return {
        "cohesion": None if mean is None else 1.0 - mean,
        "smallest_conductance": mean,
        "communities_cut": len(cuts),
    }


def smallest_conductance(weights: "scipy.sparse.csr_array", rng: np.random.Generator) -> float:
    """Return the smallest conductance of the cuts along an approximate second eigenvector, and of single nodes.

    The conductance of a cut is the weight that crosses it divided by the edge ends of the lighter side.
    """
    ends = np.asarray(weights.sum(axis=1)).ravel()
    if len(ends) < 2 or (ends == 0).any() or scipy.sparse.csgraph.connected_components(weights, directed=False)[0] > 1:
        return 0.0
    order = np.argsort(_second_vector(weights, ends, rng), kind="stable")
    place = np.argsort(order)
    coo = weights.tocoo()
    first, last = place[coo.row], place[coo.col]
    rising = first < last
    steps = np.bincount(first[rising], coo.data[rising], len(ends)) - np.bincount(
        last[rising], coo.data[rising], len(ends)
    )
    crossing, sides = np.cumsum(steps)[:-1], np.cumsum(ends[order])[:-1]
    lighter = np.minimum(sides, ends.sum() - sides)
    # The whole weight of a single node crosses its cut.
    single = float((ends / np.minimum(ends, ends.sum() - ends)).min())
    return min(1.0, single, float((crossing / lighter).min()))


def agreement(one: Communities, other: Communities, n: int) -> float:
    """Return the summed Jaccard indices of a best one-to-one matching, divided by the larger number of communities; 1
    if there are none."""
    if not one or not other:
        return float(len(one) == len(other))
    shared = (membership(one, n).T @ membership(other, n)).tocoo()
    sizes, others = (np.array([len(each) for each in found]) for found in (one, other))
    alike = shared.data / (sizes[shared.row] + others[shared.col] - shared.data)
    matched: float = best_matching(shared.row, shared.col, alike, (len(one), len(other)))
    return matched / max(len(one), len(other))


def activity(snapshots: Snapshots, found: Communities) -> list[Floats]:
    """Return for every community, by snapshot, the share of its members who meet another member."""
    low, high, times = undirected_rows(snapshots)
    n = np.int64(max(1, snapshots.n))
    shares = []
    for members in found:
        inside = np.zeros(snapshots.n, dtype=np.bool_)
        inside[members] = True
        meet = inside[low] & inside[high]
        cells = distinct(np.concatenate([times[meet] * n + low[meet], times[meet] * n + high[meet]]))
        shares.append(np.bincount(cells // n, minlength=len(snapshots)) / len(members))
    return shares


def membership(found: Communities, n: int) -> "scipy.sparse.csr_array":
    """Return a matrix of nodes by communities, 1 for a member."""
    numbers = np.repeat(np.arange(len(found)), [len(each) for each in found])
    members = np.concatenate([*found, np.zeros(0, dtype=np.int64)])
    return scipy.sparse.coo_array((np.ones(len(members)), (members, numbers)), shape=(n, len(found))).tocsr()


def _second_vector(weights: "scipy.sparse.csr_array", ends: Floats, rng: np.random.Generator) -> Floats:
    """Return the second eigenvector of the random walk, exactly or by power iteration of the lazy walk."""
    roots = np.sqrt(ends)
    scaled = scipy.sparse.diags_array(1 / roots) @ weights @ scipy.sparse.diags_array(1 / roots)
    if len(ends) <= DENSE:
        vector = scipy.linalg.eigh(scaled.toarray(), subset_by_index=[len(ends) - 2, len(ends) - 2])[1][:, 0]
    else:
        first = roots / np.linalg.norm(roots)
        vector = rng.standard_normal(len(ends))
        for _ in range(ROUNDS):
            vector = vector - first * (first @ vector)
            vector = (vector + scaled @ vector) / max(float(np.linalg.norm(vector)), 1e-300)
    return np.asarray(vector / roots)
