"""Local differential privacy: a property of the mechanism, so it requires nothing of classes."""

import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidPolicy
from antifaz.tables.guarantees.local_differential_privacy import LocalDifferentialPrivacy


@pytest.mark.parametrize("epsilon", [0, -1, 101])
def test_epsilon_is_above_zero_and_not_absurd(epsilon):
    with pytest.raises(ValidationError):
        LocalDifferentialPrivacy(epsilon=epsilon)


def test_needs_something_to_randomize(table_of):
    sensitive = table_of({"q": ["1"], "s": ["x"]}, {"s": "sensitive"})
    LocalDifferentialPrivacy(epsilon=1).admit(sensitive)
    assert LocalDifferentialPrivacy(epsilon=1).rules(sensitive) == ()
    with pytest.raises(InvalidPolicy):
        LocalDifferentialPrivacy(epsilon=1).admit(table_of({"q": ["1"]}))


def test_its_evidence_is_the_mechanism():
    assert LocalDifferentialPrivacy.evidence == "mechanism"
