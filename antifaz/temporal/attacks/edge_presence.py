"""Edge presence: an attacker guesses from all snapshots of a release together whether two people ever met.

Warner, "Randomized Response", Journal of the American Statistical Association 1965; for repeated answers, Dwork,
McSherry, Nissim and Smith, "Calibrating Noise to Sensitivity in Private Data Analysis", TCC 2006; for sequences of
graphs, Paul, Salas and Torra, "Edge Local Differential Privacy for Dynamic Graphs", SciSec 2023.

Noise that hides one contact in one snapshot protects a recurring contact less and less. The attacker knows which node
is whom, because the list of nodes is public under edge-local differential privacy. Where the promise is that no one can
know this, there is no such attacker, and the attack does not run. It draws equal numbers of pairs that were joined at
some time and pairs that never were. For each pair the attacker adds up the evidence for a contact over the released
snapshots (by the probabilities of the mechanism if they are public, otherwise each released edge counts the same), and
guesses that the half with the largest sums were joined. The rate is the share of correct guesses, the baseline one
half. If the release has edge-local differential privacy, a pair that was joined in c snapshots is protected by c times
epsilon, and no attacker can be right more often than e^(c·epsilon) / (1 + e^(c·epsilon)): ``bound`` is the mean of this
over the drawn pairs.

Guarantees: none, it measures.
Cost: O(m log m) over all snapshots together; at most 20,000 pairs of either kind.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from antifaz.arrays import distinct
from antifaz.graphs.structure.pairs import contains
from antifaz.part import Question, Story
from antifaz.temporal.comparison import by_person
from antifaz.temporal.parts import TemporalAttack
from antifaz.temporal.snapshots import ProtectedSnapshots, Snapshots
from antifaz.watch import Watch

PAIRS = 20_000
"""Largest number of pairs of each kind to guess."""
TRIES = 4
"""Number of random draws for each pair needed; most pairs were never joined."""
UNKNOWN_NODES = "no one is assumed to know which node is whom, so no one can ask whether two of them met"

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class EdgePresence(TemporalAttack):
    """Guess from all snapshots of the release whether two people ever met."""

    question: ClassVar[Question] = "attribute"
    knows: ClassVar[str] = "which node is whom, as the list of nodes is public"
    learns: ClassVar[str] = "whether two people ever met"
    guesses: ClassVar[str] = "tossing a coin"
    knows_nodes: ClassVar[bool] = True
    story: ClassVar[Story] = Story(
        "someone who knows which node is whom and reads all snapshots",
        "correctly guesses {} times whether two people ever met",
        "a coin does so {}",
    )

    name: Literal["edge_presence"] = "edge_presence"

    def attempt(
        self, snapshots: Snapshots, released: ProtectedSnapshots, rng: np.random.Generator, watch: Watch
    ) -> dict[str, Any]:
        """Return the accuracy over pairs that met and as many that never did, with the bound of differential
        privacy."""
        watch(0.0)
        if "edge_local_dp" not in released.account.get("public", {}):
            return {"rate": None, "baseline": 0.5, "applicable": False, "detail": UNKNOWN_NODES}
        met, times = np.unique(snapshots.keys, return_counts=True)
        never = _never_joined(snapshots, met, min(PAIRS, len(met)), rng)
        count = min(len(never), len(met))
        chosen = rng.choice(len(met), count, replace=False) if count else np.zeros(0, dtype=np.int64)
        pairs = np.concatenate([met[chosen], never[:count]])
        watch(0.5)
        weights, epsilon = _mechanism(released.account, len(snapshots))
        scores = _scores(by_person(released), pairs, weights)
        # Equal sums are ordered at random, not in the order of the draws.
        guessed = np.lexsort((rng.random(len(pairs)), -scores))[:count]
        right = 2 * int((guessed < count).sum())
        return {
            "rate": right / (2 * count) if count else 0.5,
            "baseline": 0.5,
            "bound": None if epsilon is None else _bound(epsilon * times[chosen].astype(np.float64)),
            "pairs": 2 * count,
            "mean_occurrences": float(times[chosen].mean()) if count else 0.0,
        }


def _never_joined(snapshots: Snapshots, met: Integers, count: int, rng: np.random.Generator) -> Integers:
    """Return random pairs of different nodes that no snapshot joins; fewer than requested if they are rare."""
    if snapshots.n < 2:
        return np.zeros(0, dtype=np.int64)
    one = rng.integers(0, snapshots.n, TRIES * count)
    other = (one + rng.integers(1, snapshots.n, TRIES * count)) % snapshots.n
    if not snapshots.directed:
        one, other = np.minimum(one, other), np.maximum(one, other)
    keys = distinct(one * np.int64(snapshots.n) + other)
    keys = keys[~contains(met, keys)]
    return np.asarray(rng.permutation(keys)[:count])


def _mechanism(account: Mapping[str, Any], count: int) -> tuple[Floats, float | None]:
    """Return the evidence for a contact of a released edge in each snapshot, and the epsilon of a pair in one snapshot.

    The evidence is the logarithm of p11 / p01 minus that of p10 / p00, from the public facts of the mechanism.
    """
    public = account.get("public", {}).get("edge_local_dp")
    if not isinstance(public, Mapping):
        return np.ones(count), None
    mechanisms = [_weight(chances) for chances in public.get("mechanisms", ())]
    places = public.get("mechanism_of_snapshot", ())
    if len(places) != count:
        return np.ones(count), float(public["epsilon"])
    # A snapshot without a mechanism has no edges, so its weight is never used.
    return np.array([0.0 if place is None else mechanisms[place] for place in places]), float(public["epsilon"])


def _weight(chances: Mapping[str, Any]) -> float:
    """Return the evidence of an edge compared with no edge; 1 if a probability is 0 or 1, as with a very large
    epsilon."""
    p01, p11 = float(chances["p01"]), float(chances["p11"])
    if not 0 < p01 < p11 < 1:
        return 1.0
    return float(np.log(p11 / p01) + np.log((1 - p01) / (1 - p11)))


def _scores(person: Snapshots, pairs: Integers, weights: Floats) -> Floats:
    """Return the summed weights of the snapshots in which each pair is released as an edge."""
    order = np.argsort(pairs)
    place = np.minimum(np.searchsorted(pairs[order], person.keys), max(0, len(pairs) - 1))
    hit = pairs[order][place] == person.keys if len(pairs) else np.zeros(len(person.keys), dtype=np.bool_)
    scores = np.zeros(len(pairs))
    scores[order] = np.bincount(place[hit], weights[person.times[hit]], minlength=len(pairs))
    return scores


def _bound(losses: Floats) -> float:
    """Return the mean accuracy that no attacker can exceed at these losses, if both cases are equally likely."""
    return float((1.0 / (1.0 + np.exp(-losses))).mean()) if len(losses) else 0.5
