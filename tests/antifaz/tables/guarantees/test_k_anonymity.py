"""k-Anonymity: its requirement, and when it refuses immediately."""

import numpy as np
import pytest
from pydantic import ValidationError

from antifaz.errors import InvalidDataset
from antifaz.kernels.tables.conditions import DISTINCT, SIZE
from antifaz.tables.guarantees.k_anonymity import KAnonymity


@pytest.mark.parametrize("k", [1, 0, -3])
def test_k_is_at_least_two(k):
    with pytest.raises(ValidationError):
        KAnonymity(k=k)


def test_refuses_a_table_with_fewer_than_k_records(table_of):
    table = table_of({"a": ["1", "2", "3", "4"]})
    KAnonymity(k=4).admit(table)
    with pytest.raises(InvalidDataset) as caught:
        KAnonymity(k=10).admit(table)
    assert caught.value.rule == "k_above_rows"
    assert caught.value.shred


def test_counts_persons_where_there_is_a_privacy_unit(table_of):
    table = table_of({"a": ["1", "1", "1", "1", "1"]})
    person = type(table)(table.attributes, table.n, np.zeros(5, dtype=np.int64))
    with pytest.raises(InvalidDataset):
        KAnonymity(k=5).admit(person)
    assert [rule.kind for rule in KAnonymity(k=5).rules(person)] == [SIZE, DISTINCT]
    assert [rule.kind for rule in KAnonymity(k=5).rules(table)] == [SIZE]
