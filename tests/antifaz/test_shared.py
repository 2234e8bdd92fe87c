"""Shared work: the first that needs a result computes it."""

from antifaz.shared import Shared


def test_a_result_is_computed_once_for_each_name():
    shared, computed = Shared(), []

    def compute(value: int) -> int:
        computed.append(value)
        return value

    assert [shared.once("a", lambda: compute(1)), shared.once("a", lambda: compute(2))] == [1, 1]
    assert shared.once(("a", "b"), lambda: compute(3)) == 3
    assert shared.once("nothing", lambda: None) is None
    assert shared.once("nothing", lambda: compute(4)) is None
    assert computed == [1, 3]
