"""Differential privacy: a property of the mechanism, so it requires nothing of classes and refuses no table."""

import pytest
from pydantic import ValidationError

from antifaz.tables.guarantees.differential_privacy import DifferentialPrivacy


@pytest.mark.parametrize("epsilon", [0, -1, 101, 1e-7])
def test_epsilon_is_above_zero_and_not_absurd(epsilon):
    with pytest.raises(ValidationError):
        DifferentialPrivacy(epsilon=epsilon)


@pytest.mark.parametrize("delta", [-1e-9, 1e-4, 1])
def test_delta_is_far_below_one(delta):
    with pytest.raises(ValidationError):
        DifferentialPrivacy(epsilon=1, delta=delta)


def test_no_table_is_refused_for_what_it_holds(table_of):
    for cells in (["1"], ["1", "2"], ["", ""]):
        table = table_of({"q": cells})
        DifferentialPrivacy(epsilon=1).admit(table)
        assert DifferentialPrivacy(epsilon=1).rules(table) == ()


def test_its_evidence_is_the_mechanism():
    assert DifferentialPrivacy.evidence == "mechanism"
    assert DifferentialPrivacy(epsilon=1).delta == 0
