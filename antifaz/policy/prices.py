"""Prices: the charge of a policy that promises differential privacy, in the measure of the account."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from antifaz.noise import UNIT, largest_rho
from antifaz.policy.parse import losses_of, privacy_loss


def price_of_policy(document: Mapping[str, Any], measure: str, snapshots: int | None = None) -> tuple[Decimal, Decimal]:
    """Return the loss and the delta that a policy, or the public part of one, costs.

    Pure accounts add epsilons and deltas. On zCDP accounts a promise without a delta costs half of its epsilon squared
    (Bun and Steinke, TCC 2016); one with a delta costs the rho that is drawn for it, and no delta.
    """
    if measure == "pure":
        deltas = [
            Decimal(str(guarantee.get("delta", 0))) * times for guarantee, times in losses_of(document, snapshots)
        ]
        return privacy_loss(document, snapshots), sum(deltas, Decimal(0))
    rhos = (_rho(guarantee) * times for guarantee, times in losses_of(document, snapshots))
    return sum(rhos, Decimal(0)), Decimal(0)


def _rho(guarantee: Mapping[str, Any]) -> Decimal:
    delta = guarantee.get("delta", 0)
    if delta:
        return Decimal(largest_rho(float(guarantee["epsilon"]), float(delta))) / UNIT
    return Decimal(str(guarantee["epsilon"])) ** 2 / 2
