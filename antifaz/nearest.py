"""Nearest: the smallest change to a refused policy that makes a release possible.

The method is tried with other values of k, by bisection: smaller ones if the loss is too high, larger ones if the risk
is too high. Every suggestion was tried. If the method is not monotone in k, a better one may exist.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from antifaz.assessment import assess, refuse
from antifaz.errors import Infeasible, Reason
from antifaz.kinds import kind_named
from antifaz.kinds.kind import Checked
from antifaz.policy.model import Policy
from antifaz.protection import protect
from antifaz.watch import Watch

MOST_TRIES = 12
LARGEST_K = 10_000
MOST_RECORDS = 2_000_000
"""Largest table for which other settings are tried."""
_LOSSES = frozenset({"max_suppressed", "max_loss"})
"""Rules of the gate that a smaller k helps to pass."""
_RISKS = frozenset(
    {"max_prosecutor_risk", "max_journalist_risk", "max_marketer_risk", "max_linkage_rate", "max_homogeneous"}
)
"""Rules of the gate that a larger k helps to pass."""


def nearest_setting(
    checked: Checked, policy: Policy, reasons: Sequence[Reason], rng: np.random.Generator, watch: Watch
) -> dict[str, float]:
    """Return settings, each of which would let a release pass if changed alone; empty if none is found.

    `k` was tried with the policy's own method and gate; a limit of the gate is the figure that was measured.
    """
    settings: dict[str, float] = {}
    largest = kind_named(policy.kind).largest_k(checked)
    if not 0 < largest <= MOST_RECORDS:
        return settings
    broken = {reason.rule for reason in reasons}
    if len(reasons) == 1 and reasons[0].rule in (_LOSSES | _RISKS) and reasons[0].measured is not None:
        limit = reasons[0].limit
        if limit is not None and limit < 1 and reasons[0].measured < 1:
            settings[reasons[0].rule] = float(reasons[0].measured)
    k = _stated_k(policy)
    if k is None:
        return settings

    def passes(candidate: int) -> bool:
        return _passes(checked, _with_k(policy, candidate), rng, watch)

    found = None
    if not broken & _RISKS:
        found = _largest(passes, 2, k - 1)
    elif not broken & _LOSSES:
        found = _smallest(passes, k + 1, min(largest, LARGEST_K))
    if found is not None:
        settings["k"] = float(found)
    return settings


def _stated_k(policy: Policy) -> int | None:
    stated = [getattr(guarantee, "k", 0) for guarantee in policy.guarantees if guarantee.wire_name() == "k_anonymity"]
    return int(max(stated)) if stated else None


def _with_k(policy: Policy, k: int) -> Any:
    """Return the policy with another k, without pseudonyms, measuring only what its gate needs."""
    guarantees = tuple(
        guarantee.model_copy(update={"k": k}) if guarantee.wire_name() == "k_anonymity" else guarantee
        for guarantee in policy.guarantees
    )
    report = policy.report.model_copy(update={"utility": (), "attacks": ()})
    attributes = {
        name: attribute.model_copy(update={"pseudonym": False}) for name, attribute in policy.attributes.items()
    }
    return policy.model_copy(update={"guarantees": guarantees, "report": report, "attributes": attributes})


def _passes(checked: Checked, policy: Policy, rng: np.random.Generator, watch: Watch) -> bool:
    try:
        protected = protect(checked, policy, rng, watch)
    except Infeasible:
        return False
    return not refuse(policy, protected, assess(checked, protected, policy, rng, watch))


def _largest(passes: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the largest k from low to high that passes, by bisection; None if not even the lowest does."""
    if high < low or not passes(low):
        return None
    tries = 1
    while low < high and tries < MOST_TRIES:
        middle = (low + high + 1) // 2
        tries += 1
        if passes(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _smallest(passes: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the smallest k from low to high that passes, by growing steps and then bisection; None if none is
    found."""
    tries, step, failed = 0, 1, low - 1
    while tries < MOST_TRIES and failed < high:
        candidate = min(failed + step, high)
        tries += 1
        if passes(candidate):
            break
        failed, step = candidate, 2 * step
    else:
        return None
    best = candidate
    while best - failed > 1 and tries < 2 * MOST_TRIES:
        middle = (failed + best) // 2
        tries += 1
        if passes(middle):
            best = middle
        else:
            failed = middle
    return best
