"""Promises: the guarantees of every release of a lineage, verified again in finer classes.

A later release splits the classes of an earlier one. An attacker who holds both sees the smaller classes, so each
promise ever made must hold in each of them: k by whatever model promised it, and for sensitive attributes l-diversity,
t-closeness, (alpha, k) and beta-likeness, by the same measures as for a single release.

Values and people are distinguished by their folded texts (see `verifier.verdict.folding`); t and beta may look better
with merged values, so they must hold for the spellings as well. The reference of t and beta is the distribution over
everyone who is in any release. k-map is treated as k: each record is a person of the population, so at least as many
people as records match all labels. A promise without a measure here never holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from verifier.evidence.models import Classes, Whole, distinct_l, entropy_l, recursive_l, tally
from verifier.people.closeness import (
    Spread,
    equal_distance,
    hierarchical_distance,
    largest_gain,
    largest_share,
    ordered_distance,
    renumbered,
    spread,
)
from verifier.people.sensitive import Outcome, fold_texts, levels_of, ranks_of
from verifier.readers.columns import attributes_of
from verifier.verdict.exact import exact, rounded_up
from verifier.verdict.verdict import Finding

LEAST_K = 2
"""The k that releases must keep together even if none of them promised any."""
_COUNTING = ("k_anonymity", "alpha_k", "k_map")
_BOUNDS = {"l_diversity": "l", "t_closeness": "t", "alpha_k": "alpha", "beta_likeness": "beta"}
_DEFAULTS = {"l_diversity": {"variant": "distinct"}, "beta_likeness": {"variant": "basic"}}
_CLOSE = ("t_closeness", "beta_likeness")
_BY_MECHANISM = ("local_differential_privacy", "differential_privacy")
"""Promises that do not depend on classes: their losses add up."""


@dataclass(frozen=True)
class Values:
    """A column over all original records: its distinct texts, and for every record the number of its text."""

    codes: Whole
    texts: Sequence[str]


@dataclass(frozen=True)
class Promise:
    """The promises of one release, and the data needed to check other releases against them."""

    policy: Mapping[str, Any]
    values: Mapping[str, Values] = field(default_factory=dict)
    units: Values | None = None
    """The person of every original record, if k counts people."""
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    """The rows of hierarchies that the policy does not contain, by attribute."""

    @property
    def unit(self) -> str | None:
        return self.policy.get("privacy_unit") or None


@dataclass(frozen=True)
class Sample:
    """Values of one attribute with their classes, and the values that they are compared with."""

    classes: Whole
    values: Whole
    reference: Whole


@dataclass(frozen=True)
class AboutValues:
    """One promise about a sensitive attribute."""

    guarantee: Mapping[str, Any]
    settings: Mapping[str, Any]
    rows: Any
    """The rows of the attribute's hierarchy, if it has one."""

    @property
    def attribute(self) -> str:
        return str(self.guarantee.get("attribute"))

    @property
    def required(self) -> dict[str, Any]:
        """The promised parameters, without k, which is checked together with all others."""
        model = self.guarantee["model"]
        stated = {name: value for name, value in self.guarantee.items() if name not in ("model", "k")}
        return {"promise": model, **_DEFAULTS.get(model, {}), **stated}


def guarantees_of(promise: Promise) -> Sequence[Mapping[str, Any]]:
    return promise.policy.get("guarantees") or ()


def promised_k(promises: Sequence[Promise]) -> dict[str | None, tuple[int, Promise]]:
    """The largest k for each privacy unit, with a promise that knows its persons; the unit of the newest release, which
    comes last, is always included."""
    found: dict[str | None, tuple[int, Promise]] = {promises[-1].unit: (LEAST_K, promises[-1])}
    for promise in promises:
        for guarantee in guarantees_of(promise):
            if guarantee["model"] in _COUNTING and guarantee["k"] > found.get(promise.unit, (0, promise))[0]:
                found[promise.unit] = (guarantee["k"], promise)
    return found


def promises_about_values(promises: Sequence[Promise]) -> list[tuple[AboutValues, Promise]]:
    """Every promise about a sensitive attribute, each once."""
    found: list[tuple[AboutValues, Promise]] = []
    for promise in promises:
        for guarantee in guarantees_of(promise):
            if guarantee["model"] in _BOUNDS:
                name = str(guarantee.get("attribute"))
                settings = attributes_of(promise.policy).get(name, {})
                rows = (settings.get("hierarchy") or {}).get("rows") or promise.hierarchies.get(name)
                about = AboutValues(guarantee, settings, rows)
                if about not in [known for known, _ in found]:
                    found.append((about, promise))
    return found


def unjudged(promises: Sequence[Promise], assumes: str) -> Iterator[Finding]:
    """For every promise that has no measure over several releases, a finding that does not hold."""
    judged = (*_COUNTING, *_BOUNDS, *_BY_MECHANISM)
    others: list[Mapping[str, Any]] = []
    for promise in promises:
        others += [g for g in guarantees_of(promise) if g["model"] not in judged and g not in others]
    for guarantee in others:
        required = {"promise": guarantee["model"], **{n: v for n, v in guarantee.items() if n != "model"}}
        detail = f"{guarantee['model']} cannot be judged over several releases"
        yield joint(required, {}, detail, assumes)


def joint(required: dict[str, Any], achieved: dict[str, Any], flaw: str, assumes: str) -> Finding:
    """A finding about several releases."""
    return Finding("joint_releases", required, achieved, not flaw, "bytes+sealed_map", assumes, flaw)


def find_k(k: int, reached: int, together: str, assumes: str) -> Finding:
    """Whether the smallest remaining class has k records or people."""
    return joint({"k": k}, {"k": reached}, "" if reached >= k else f"{together} break k", assumes)


def find_values(
    about: AboutValues, samples: Sequence[Sample] | str, texts: Sequence[str] | None, together: str, assumes: str
) -> Finding:
    """Whether a promise holds in every sample; instead of samples, there may be a reason why there are none.

    Without ``texts``, only the equality of values is known.
    """
    figure = _BOUNDS[about.guarantee["model"]]
    bound = exact(about.guarantee.get(figure))
    flaw = samples if isinstance(samples, str) else ""
    # Nothing to measure is no evidence, so it is a finding that does not hold.
    if not flaw and (bound is None or not samples):
        flaw = f"{figure} is not a number" if bound is None else "nothing is known of the attribute"
    if flaw or bound is None or isinstance(samples, str):
        return joint(about.required, {}, flaw, assumes)
    readings = [reading for sample in samples for reading in _readings(about, sample, texts)]
    outcomes = [_measure(about, sample, read, bound) for sample, read in readings]
    unmeasured = next((outcome for outcome in outcomes if isinstance(outcome, str)), "")
    measured = [outcome for outcome in outcomes if not isinstance(outcome, str)]
    if unmeasured:
        return joint(about.required, {}, unmeasured, assumes)
    holds = all(enough for _, enough in measured)
    reached = _worst([figure_ for figure_, _ in measured], figure, bound, holds)
    achieved = {figure: reached, "attribute": about.attribute}
    return joint(about.required, achieved, "" if holds else f"{together} break {figure}", assumes)


def _worst(reached: Sequence[float], figure: str, bound: Fraction, holds: bool) -> float:
    """The worst figure. A figure that must stay below its bound is rounded up, but not above a bound that was found to
    be kept."""
    if figure == "l":
        return min(reached)
    worst = rounded_up(max(reached))
    return min(worst, float(bound)) if holds else worst


def _readings(
    about: AboutValues, sample: Sample, texts: Sequence[str] | None
) -> list[tuple[Sample, Sequence[str] | None]]:
    """The values with the spellings of each merged, placed where the first spelling is; for t and beta also unmerged.
    Ranks need all spellings, to distinguish numbers from texts."""
    if texts is None or about.guarantee.get("distance") == "ordered":
        return [(sample, texts)]
    numbers, first = fold_texts(texts, about.settings)
    if len(first) == len(texts):
        return [(sample, texts)]
    merged = Sample(sample.classes, numbers[sample.values], numbers[sample.reference])
    return [(sample, texts), (merged, first)] if about.guarantee["model"] in _CLOSE else [(merged, first)]


def _measure(about: AboutValues, sample: Sample, texts: Sequence[str] | None, bound: Fraction) -> Outcome:
    match about.guarantee["model"]:
        case "l_diversity":
            return _diversity(about.guarantee, sample, bound)
        case "alpha_k":
            return largest_share(_counted(sample), bound)
        case "beta_likeness":
            return _likeness(about, _counted(sample), bound)
        case _:
            return _distance(about, _counted(sample), texts, bound)


def _numbered(classes: Whole) -> Classes:
    """The classes that have a value, numbered without gaps."""
    distinct, numbers = np.unique(classes, return_inverse=True)
    return Classes(numbers.astype(np.int64), len(distinct))


def _counted(sample: Sample) -> Spread:
    size = 1 + int(max(sample.values.max(initial=-1), sample.reference.max(initial=-1)))
    totals = np.bincount(sample.reference, minlength=size).astype(np.int64)
    # The reference is everyone in any release, not only those in the classes that are measured.
    return replace(spread(_numbered(sample.classes), sample.values, size), totals=totals)


def _diversity(guarantee: Mapping[str, Any], sample: Sample, bound: Fraction) -> Outcome:
    tallies = tally(_numbered(sample.classes), sample.values, int(sample.values.max(initial=0)) + 1)
    match guarantee.get("variant", "distinct"):
        case "entropy":
            return entropy_l(tallies, bound)
        case "recursive":
            ratio = exact(guarantee.get("c"))
            if ratio is None:
                return "c is not a number"
            reached = recursive_l(tallies, ratio)
        case "distinct":
            reached = distinct_l(tallies)
        case _:
            return "no verifier of this variant"
    return reached, reached >= bound


def _likeness(about: AboutValues, counted: Spread, bound: Fraction) -> Outcome:
    variant = about.guarantee.get("variant", "basic")
    if variant not in ("basic", "enhanced"):
        return "no verifier of this variant"
    return largest_gain(counted, bound, variant == "enhanced")


def _distance(about: AboutValues, counted: Spread, texts: Sequence[str] | None, bound: Fraction) -> Outcome:
    distance = about.guarantee.get("distance")
    if distance == "equal":
        return equal_distance(counted, bound)
    if texts is None:
        return "distances between values cannot be judged over several versions"
    if distance == "ordered":
        ranks = ranks_of(texts, about.settings)
        return ranks if isinstance(ranks, str) else ordered_distance(renumbered(counted, ranks), bound)
    if distance == "hierarchical":
        levels = levels_of(texts, about.rows)
        return levels if isinstance(levels, str) else hierarchical_distance(counted, levels, bound)
    return "no verifier of this distance"
