"""A mixture of products: a model of a table's distribution that is fitted to noisy marginals.

Liu, Vietri and Wu, "Iterative Methods for Private Synthetic Data: Unifying Framework and New Methods", NeurIPS 2021,
fit generators to noisy answers by gradients; Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015.

Every component has a share of the records and its own distribution for each column; within a component columns are
independent. So a marginal of two columns is one matrix product, memory is linear in the cells of the columns, and no
junction tree is needed. The logits are fitted by the squared differences from each measured marginal, weighted by its
precision. Nothing here reads the data: everything is computed from noisy measurements.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.watch import Watch

Weights = NDArray[np.float32]
FORGET, SQUARES = 0.9, 0.99
"""Adam's decay rates for gradients and for their squares."""
TINY = 1e-12


@dataclass(frozen=True)
class Marginal:
    """A measured marginal of one or two columns: shares of the records by cell, and their weight."""

    columns: tuple[int, ...]
    shares: Weights
    weight: float


class Mixture:
    """Components, each with a share of the records and a distribution of every column."""

    def __init__(self, shares: Sequence[NDArray[np.float64]], components: int, rng: np.random.Generator) -> None:
        """Start with nearly independent columns, each with its own shares."""
        self.sizes = [len(share) for share in shares]
        self._starts = np.concatenate([[0], np.cumsum(self.sizes)])
        logits = np.concatenate([np.log(np.maximum(share, 1e-6)) for share in shares])
        self._parameters = np.zeros((components, len(logits) + 1), dtype=np.float32)
        self._parameters[:, :-1] = logits + rng.normal(0.0, 0.5, (components, len(logits)))
        self._mean, self._square = np.zeros_like(self._parameters), np.zeros_like(self._parameters)
        self._steps = 0

    def distributions(self) -> tuple[Weights, list[Weights]]:
        """The share of every component, and the distribution of each column in every component."""
        columns = [_softmax(self._parameters[:, start:stop]) for start, stop in self._spans()]
        return _softmax(self._parameters[None, :, -1])[0], columns

    def marginal(self, columns: tuple[int, ...]) -> NDArray[np.float64]:
        """The shares of the cells of one or two columns."""
        return np.asarray(_marginal(*self.distributions(), columns), dtype=np.float64)

    def marginals(self, wanted: Sequence[tuple[int, ...]]) -> list[NDArray[np.float64]]:
        """Several marginals at once."""
        share, columns = self.distributions()
        return [np.asarray(_marginal(share, columns, pair), dtype=np.float64) for pair in wanted]

    def fit(self, measured: Sequence[Marginal], steps: int, pace: float, watch: Watch) -> None:
        """Move towards the measured marginals, in steps that become smaller."""
        total = sum(marginal.weight for marginal in measured)
        for step in range(steps):
            watch(step / steps)
            self._advance(self._slope(measured, total), pace * (1.0 - 0.9 * step / steps))

    def _slope(self, measured: Sequence[Marginal], total: float) -> Weights:
        """The gradient of the weighted squares."""
        share, columns = self.distributions()
        by_share = np.zeros_like(share)
        by_column = [np.zeros_like(column) for column in columns]
        for marginal in measured:
            missing = _marginal(share, columns, marginal.columns) - marginal.shares
            missing *= np.float32(2.0 * marginal.weight / total)
            first, *second = marginal.columns
            pull = columns[second[0]] @ missing.T if second else np.broadcast_to(missing, columns[first].shape)
            by_column[first] += pull
            by_share += np.einsum("kc,kc->k", columns[first], pull)
            if second:
                by_column[second[0]] += columns[first] @ missing
        slope = np.empty_like(self._parameters)
        for (start, stop), column, pull in zip(self._spans(), columns, by_column, strict=True):
            inner = np.einsum("kc,kc->k", column, pull)
            slope[:, start:stop] = share[:, None] * column * (pull - inner[:, None])
        slope[:, -1] = share * (by_share - share @ by_share)
        return slope

    def _advance(self, slope: Weights, pace: float) -> None:
        self._steps += 1
        self._mean += np.float32(1.0 - FORGET) * (slope - self._mean)
        self._square += np.float32(1.0 - SQUARES) * (slope * slope - self._square)
        mean, square = 1.0 - FORGET**self._steps, 1.0 - SQUARES**self._steps
        self._parameters -= np.float32(pace / mean) * self._mean / (np.sqrt(self._square / np.float32(square)) + TINY)

    def _spans(self) -> list[tuple[int, int]]:
        return list(zip(self._starts[:-1].tolist(), self._starts[1:].tolist(), strict=True))

    def sample(self, count: int, rng: np.random.Generator, watch: Watch) -> NDArray[np.int64]:
        """Records by rounded expected counts, of every component and of every value within it."""
        share, columns = self.distributions()
        sizes = round_counts(share.astype(np.float64), count, rng)
        records = np.zeros((count, len(columns)), dtype=np.int64)
        start = 0
        for component in np.flatnonzero(sizes):
            watch(start / count)
            stop = start + int(sizes[component])
            for place, column in enumerate(columns):
                due = round_counts(column[component].astype(np.float64), stop - start, rng)
                records[start:stop, place] = rng.permutation(np.repeat(np.arange(len(due)), due))
            start = stop
        return records


def _softmax(logits: Weights) -> Weights:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)


def _marginal(share: Weights, columns: Sequence[Weights], wanted: tuple[int, ...]) -> Weights:
    if len(wanted) == 1:
        return np.asarray(share @ columns[wanted[0]])
    first, second = wanted
    return np.asarray((columns[first] * share[:, None]).T @ columns[second])


def round_counts(shares: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Whole numbers that add up to the count, each at most one away from its share of it: systematic sampling over the
    shares in random order."""
    order = rng.permutation(len(shares))
    ends = np.cumsum(shares[order])
    marks = np.floor(ends / ends[-1] * count + rng.random())
    marks[-1] = count  # the last mark is count, or one more by rounding; none is beyond it
    found = np.zeros(len(shares), dtype=np.int64)
    found[order] = np.diff(np.minimum(marks, count), prepend=0.0).astype(np.int64)
    return found
