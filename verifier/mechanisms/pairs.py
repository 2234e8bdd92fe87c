"""Findings about single pairs of nodes: edge local differential privacy, verified by the chances of its mechanism.

Dwork, McSherry, Nissim and Smith, "Calibrating Noise to Sensitivity in Private Data Analysis", TCC 2006: a mechanism
that reports each pair independently loses the log of the largest ratio of two chances of one answer.

The sealed map gives the mechanism under ``pairs``, with exact fractions as texts. A pair without an edge gets one with
the chance 1 - exp(-rate), and an edge stays with the chance keep. Every ratio is compared with e^ε in fractions, with
bounds that enclose the exponentials: nothing depends on floating point. The use of these chances is taken from the
mechanism; the bytes show whether they can produce the released number of edges.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verifier.evidence.evidence import Evidence
from verifier.mechanisms.charged import covers
from verifier.readers.columns import waives
from verifier.verdict.exact import exact, rounded_up
from verifier.verdict.tails import is_possible
from verifier.verdict.verdict import Finding, Missing

_ASSUMES = "nothing: it holds for any attacker, for whether any one pair of nodes is joined"
_ASSUMES_COUNT = "the number of edges is public; else any attacker, for whether any one pair of nodes is joined"
_NUMBER = re.compile(r"[0-9]{1,120}(\.[0-9]{1,120})?([eE][+-]?[0-9]{1,3})?|[0-9]{1,60}/[1-9][0-9]{0,59}", re.ASCII)
_TERMS = 60
_BITS = 400
_CLOSE = Fraction(1, 2**54)
"""Largest difference between the expected and the stated density: the effect of rounding the chances."""


@dataclass(frozen=True)
class Mechanism:
    """The stated mechanism, in fractions."""

    rate: Fraction
    keep: Fraction
    density: Fraction
    structure: Fraction
    """The part of epsilon that is spent on the pairs."""
    counted: Fraction
    """The part of epsilon that is spent on the density."""
    source: str

    @property
    def gain(self) -> float:
        """The chance that a pair without an edge gets one."""
        return -math.expm1(-float(self.rate))


def find_edge_local_dp(guarantee: Mapping[str, Any], evidence: Evidence) -> Finding:
    """The privacy loss of a pair, from the chances with which pairs were reported."""
    required = {"epsilon": guarantee.get("epsilon")}
    bound = exact(required["epsilon"])
    sealed = (evidence.sealed_map or {}).get("pairs") or {}
    mechanism = mechanism_of(sealed)
    flaw = evidence.graph_flaw or ("" if bound is not None and bound > 0 else "epsilon is not a number above 0")
    if not flaw and mechanism is None:
        flaw = Missing("there is no mechanism by which pairs were reported")
    achieved: dict[str, Any] = {}
    if not flaw and mechanism is not None and bound is not None:
        flaw = (
            _flaw_of_density(mechanism, guarantee, evidence.policy)
            or flaw_of_chances(mechanism, bound)
            or flaw_of_figures(mechanism, sealed, bound)
            or _flaw_of_ledger(sealed, bound)
            or _flaw_of_edges(mechanism, evidence)
        )
        achieved = {"epsilon": min(rounded_up(loss_of(mechanism)), float(bound))} if not flaw else {}
    assumes = _ASSUMES_COUNT if mechanism is not None and mechanism.source == "exact" else _ASSUMES
    return Finding("edge_local_dp", required, achieved, not flaw, "mechanism", assumes, flaw)


def mechanism_of(sealed: Mapping[str, Any]) -> Mechanism | None:
    """Parse the stated mechanism; None if it is incomplete."""
    names = ("rate", "keep", "density", "epsilon_structure", "epsilon_density")
    numbers = [fraction_of(sealed.get(name)) for name in names]
    rate, keep, density, structure, counted = numbers
    if rate is None or keep is None or density is None or structure is None or counted is None:
        return None
    return Mechanism(rate, keep, density, structure, counted, str(sealed.get("density_source")))


def fraction_of(text: object) -> Fraction | None:
    """An exact number, which is therefore written as a text."""
    return Fraction(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else None


def _flaw_of_density(mechanism: Mechanism, guarantee: Mapping[str, Any], policy: Mapping[str, Any]) -> str:
    """The density must be the policy's, or one that the policy allows to count."""
    stated = guarantee.get("density") or (policy.get("method") or {}).get("density") or {}
    if not 0 < mechanism.density < 1:
        return "the density is not between 0 and 1"
    if mechanism.source not in stated:
        return "the density does not come from where the policy says"
    if mechanism.source == "declared" and exact(stated["declared"]) != mechanism.density:
        return "the density is not the declared one"
    if mechanism.source == "exact" and not waives(policy, "exact_density"):
        return "the density was counted exactly without a waiver"
    if (mechanism.source == "noisy") != (mechanism.counted > 0):
        return "the cost of the density does not match its source"
    return ""


def flaw_of_chances(mechanism: Mechanism, bound: Fraction) -> str:
    """Every ratio of two chances of one answer must be at most e^ε, and the expected density must be preserved."""
    if mechanism.structure <= 0 or mechanism.structure + mechanism.counted > bound:
        return "the parts of epsilon are more than epsilon"
    if not 0 < mechanism.keep < 1 or mechanism.rate <= 0:
        return "a chance is not between 0 and 1"
    odds = exponential(mechanism.structure)[0]
    fewer, more = exponential(mechanism.rate)
    least, most = 1 - 1 / fewer, 1 - 1 / more
    pairs = ((mechanism.keep, least), (1 - least, 1 - mechanism.keep), (most, mechanism.keep))
    if any(likely > odds * unlikely for likely, unlikely in (*pairs, (1 - mechanism.keep, 1 - most))):
        return "the mechanism loses more than epsilon"
    kept = mechanism.density * mechanism.keep + (1 - mechanism.density) * least
    return "" if abs(kept - mechanism.density) <= _CLOSE else "the mechanism does not keep the density"


def flaw_of_figures(mechanism: Mechanism, sealed: Mapping[str, Any], bound: Fraction) -> str:
    """The decimal figures that are published for analysts must match the fractions."""
    gain, keep = mechanism.gain, float(mechanism.keep)
    for name, chance in (("p01", gain), ("p10", 1 - keep), ("p11", keep)):
        figure = sealed.get(name, chance)
        if not isinstance(figure, int | float) or not math.isclose(figure, chance, rel_tol=1e-9, abs_tol=1e-15):
            return "a published chance is not the mechanism's"
    spent = fraction_of(sealed.get("epsilon", str(bound)))
    return "" if spent is not None and spent <= bound else "the parts of epsilon are more than epsilon"


def exponential(power: Fraction) -> tuple[Fraction, Fraction]:
    """Two fractions between which e^power lies, for a power that is not negative."""
    doublings = math.ceil(power).bit_length()
    part = power / 2**doublings
    term = total = Fraction(1)
    for number in range(1, _TERMS):
        term = _cut(term * part / number, up=False)
        total += term
    # All following terms together are less than the last one; the rounding error of each term is less than 2 units.
    low, high = total, total + term + Fraction(4 * _TERMS, 2**_BITS)
    for _ in range(doublings):
        low, high = _cut(low * low, up=False), _cut(high * high, up=True)
    return low, high


def _cut(number: Fraction, up: bool) -> Fraction:
    """The number with a fixed number of binary places, rounded up or down."""
    scaled = number * 2**_BITS
    return Fraction(math.ceil(scaled) if up else math.floor(scaled), 2**_BITS)


def loss_of(mechanism: Mechanism) -> float:
    """The privacy loss of a pair, including the cost of the density."""
    fewer, more = exponential(mechanism.rate)
    least, most = 1 - 1 / fewer, 1 - 1 / more
    keep = mechanism.keep
    ratios = (keep / least, (1 - least) / (1 - keep), most / keep, (1 - keep) / (1 - most))
    return max(math.log(ratio) for ratio in ratios) + float(mechanism.counted)


def _flaw_of_ledger(sealed: Mapping[str, Any], bound: Fraction) -> str:
    """If there is a budget, it must have been charged at least epsilon."""
    if sealed.get("budget") is None:
        return ""
    return "" if covers(sealed, bound) else "the budget was charged less than epsilon"


def _flaw_of_edges(mechanism: Mechanism, evidence: Evidence) -> str:
    """The release must have a number of edges that these chances can produce from some graph.

    The original is not used: refusing a release for its distance from the original would reveal information about it.
    The refusal depends on the release alone, so the loss is still determined by the chances.
    """
    pairs = evidence.n * (evidence.n - 1) // (1 if evidence.directed else 2)
    low, high = sorted((float(mechanism.keep), mechanism.gain))
    fits = all(is_possible(len(network.sources), pairs, low, high) for network in evidence.networks)
    return "" if fits else "the release has a number of edges that the mechanism cannot produce"
