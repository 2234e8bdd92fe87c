"""Bayes: a naive Bayes classifier that learns from labels and judges exact values.

Maron, "Automatic Indexing: An Experimental Inquiry", Journal of the ACM 1961 (the classifier); Iyengar, "Transforming
Data to Satisfy Privacy Constraints", KDD 2002 (classification as a measure of what a release is good for).

A record with a generalized label counts in equal parts for each value that the label covers, so a model learned from
ranges, sets and groups can predict for people whose exact values are known. Numbers and dates with many values are
pooled in bins of about equal weight.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antifaz.tables.labels.label_values import Cover

SMOOTHING = 1.0
"""Number of records of each target that every value, or bin of values, starts with."""
BINS = 32
"""Measured columns with more values than this are pooled."""


@dataclass(frozen=True)
class Model:
    """Log probabilities of every target, and of every value of every column given the target."""

    targets: NDArray[np.float64]
    """Shape (targets,)."""
    columns: tuple[NDArray[np.float64], ...]
    """Each of shape (targets, values of the column)."""

    def name(self, codes: Sequence[NDArray[np.integer]]) -> NDArray[np.int64]:
        """The likeliest target of every record, given as one array of codes per column."""
        scores = np.tile(self.targets, (len(codes[0]) if codes else 1, 1))
        for column, values in zip(self.columns, codes, strict=True):
            scores += column[:, values].T
        return np.asarray(np.argmax(scores, axis=1), dtype=np.int64)


def learn(covers: Sequence[Cover], rows: NDArray[np.int64], targets: NDArray[np.int64], count: int) -> Model:
    """A model from some released records: their labels, and the target of each (below ``count``)."""
    sizes = np.bincount(targets, minlength=count).astype(np.float64)
    chances = np.log((sizes + SMOOTHING) / (sizes.sum() + SMOOTHING * count))
    return Model(chances, tuple(_learn_column(cover, rows, targets, sizes) for cover in covers))


def _learn_column(
    cover: Cover, rows: NDArray[np.int64], targets: NDArray[np.int64], sizes: NDArray[np.float64]
) -> NDArray[np.float64]:
    pairs = np.bincount(targets * cover.labels + cover.codes[rows], minlength=len(sizes) * cover.labels)
    counts = pairs.reshape(len(sizes), cover.labels).astype(np.float64)
    masses = np.stack([cover.spread(row) for row in counts]) if len(sizes) else np.zeros((0, cover.domain))
    bins = _bin(cover, masses.sum(axis=0))
    cells = max(int(bins.max(initial=0)) + 1, 1)
    pooled = np.stack([np.bincount(bins, weights=row, minlength=cells) for row in masses])
    chances = (pooled + SMOOTHING) / (sizes[:, None] + SMOOTHING * cells)
    return np.asarray(np.log(chances)[:, bins], dtype=np.float64)


def _bin(cover: Cover, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The bin of every value: its own, or one of a few of about equal weight."""
    if cover.centers is None or cover.domain <= BINS:
        return np.arange(cover.domain, dtype=np.int64)
    places = (np.cumsum(weights) - weights / 2.0) / max(float(weights.sum()), 1e-300)
    return np.asarray(np.clip((places * BINS).astype(np.int64), 0, BINS - 1), dtype=np.int64)
